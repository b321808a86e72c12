"""Finds coordinates for places that have none: asks geocoders in order and records every outcome.

| outcome | when | what happens to the place |
|---|---|---|
| found | one geocoder finds exactly one place | gets its coordinates, provider and system |
| ambiguous | no geocoder does; one finds several places, or one too far away | goes to review |
| pending | none finds the place; one refused, failed or hit a limit | the next build asks again |
| nothing | every geocoder answered, and none knows the name | has no coordinates |

A place is located by its own point, by the point of its container, or only by its city.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from geocoding.blocking import h3_cell
from geocoding.findings import BEYOND_M
from geocoding.geocoders import Geocoder, GeocoderQuestion, GeocoderReply, ask_all
from geocoding.geocoders.base import LASTING
from geocoding.geocoders.cache import AnswerCache
from geocoding.places import TablePlaces
from geocoding.records import standard_name
from schemas import frames
from schemas.arrow import polars_schema_of, sort_by_key
from schemas.cities import City
from schemas.geo import distance_m
from schemas.ids import canonical_json
from schemas.rows import PoisRow
from schemas.typed_rows import read_rows

#: One row for each place without coordinates. ``answers`` is JSON for a reviewer to choose from.
OUTCOMES = polars_schema_of(frames.GEOCODE_OUTCOMES)
#: So many answers are kept for review at most.
_SHOWN = 10
#: The order in which outcomes of several replies decide.
_RANK = {"found": 0, "pending": 1, "ambiguous": 2, "nothing": 3}
_Told = tuple[str, GeocoderReply]
#: The provider of coordinates that come from a place's container.
CONTAINER = "container"


def locate(
    places: TablePlaces, city: City, geocoders: Sequence[Geocoder], cache: AnswerCache | None
) -> tuple[TablePlaces, pl.DataFrame]:
    """Return the places with the coordinates found, and the outcome for each place that had none.

    A later geocoder is asked only about places that no earlier geocoder found. Each place without
    coordinates gets exactly one outcome. No place is added, dropped or renamed.
    """
    without = places.pois.filter(pl.col("lat").is_null()).sort("poi_id")
    asked = read_rows(without, PoisRow)
    told: dict[str, list[_Told]] = {row["poi_id"]: [] for row in asked}
    for geocoder in geocoders:
        left = [row for row in asked if not _find_reply(told[row["poi_id"]], city)]
        replies = ask_all(geocoder, [GeocoderQuestion(standard_name(r), city) for r in left], cache)
        for row, reply in zip(left, replies, strict=True):
            told[row["poi_id"]].append((geocoder.name, reply))
    outcomes = [_outcome(row, told[row["poi_id"]], city) for row in asked]
    found = {row["poi_id"]: _find_reply(told[row["poi_id"]], city) for row in asked}
    located = {poi_id: reply for poi_id, reply in found.items() if reply is not None}
    return _with_coordinates(places, located), pl.DataFrame(outcomes, schema=OUTCOMES)


def _find_reply(told: Sequence[_Told], city: City) -> GeocoderReply | None:
    """Return the first reply that finds the place near the city, or None."""
    return next((reply for _, reply in told if _is_near(reply, city)), None)


def _is_near(reply: GeocoderReply, city: City) -> bool:
    best = reply.best
    if best is None:
        return False
    return float(distance_m(city.lat, city.lon, best.lat, best.lon)) <= BEYOND_M


def _read_as(reply: GeocoderReply, city: City) -> str:
    """Return what a reply means for a place."""
    if _is_near(reply, city):
        return "found"
    if reply.outcome not in LASTING:
        return "pending"
    return "nothing" if reply.outcome == "nothing" else "ambiguous"


def _outcome(row: PoisRow, told: Sequence[_Told], city: City) -> dict[str, object]:
    """Return the outcome row for a place: the decisive reply and the reason."""
    ranked = sorted(told, key=lambda one: _RANK[_read_as(one[1], city)])
    provider, reply = ranked[0]
    outcome = _read_as(reply, city)
    too_far = outcome == "ambiguous" and reply.outcome == "found"
    message = f"{reply.outcome}: {reply.message}" if outcome == "pending" else reply.message
    answers = [
        {"name": a.name, "lat": a.lat, "lon": a.lon, "address": a.address, "score": a.score}
        for a in reply.answers[:_SHOWN]
    ]
    return {
        "poi_id": row["poi_id"], "name": standard_name(row), "outcome": outcome,
        "provider": provider, "asked_on": reply.asked_on, "answers": canonical_json(answers),
        "message": f"more than {BEYOND_M / 1000:.0f} km from the city" if too_far else message,
    }  # fmt: skip


def _with_coordinates(places: TablePlaces, located: dict[str, GeocoderReply]) -> TablePlaces:
    rows = []
    for row in read_rows(places.pois, PoisRow):
        best = located[row["poi_id"]].best if row["poi_id"] in located else None
        if best is not None:
            lat, lon = round(best.lat, 6), round(best.lon, 6)
            row |= {
                "lat": lat, "lon": lon, "h3_cell": h3_cell(lat, lon), "geocode_status": "resolved",
                "coordinate_provider": best.provider, "datum_original": best.datum_original,
            }  # fmt: skip
        rows.append(row)
    pois = pl.DataFrame(rows, schema=places.pois.schema)
    return replace(places, pois=sort_by_key("pois", pois))


def with_tiers(places: TablePlaces) -> TablePlaces:
    """Return the places with ``location_tier``; a place without a point gets the point of a located
    container.

    If a place has several containers, the one with the lowest id is used. A point that a place
    received from its container is not passed on to other places.
    """
    held = ("lat", "lon", "h3_cell", "coordinate_provider", "datum_original")
    is_own = pl.col("coordinate_provider").ne_missing(pl.lit(CONTAINER))
    known = places.pois.with_columns(pl.when(is_own).then(pl.col(c)).alias(c) for c in held)
    located = known.filter(pl.col("lat").is_not_null())
    points = located.select(
        parent_poi_id="poi_id", lat="lat", lon="lon", h3_cell="h3_cell", datum="datum_original"
    )
    inherited = (
        places.hierarchy.select("poi_id", "parent_poi_id")
        .join(points, on="parent_poi_id")
        .sort("poi_id", "parent_poi_id")
        .unique("poi_id", keep="first", maintain_order=True)
    )
    rows = known.join(inherited, on="poi_id", how="left", suffix="_of")
    own, given = pl.col("lat").is_not_null(), pl.col("lat_of").is_not_null()
    pois = rows.with_columns(
        pl.coalesce("lat", "lat_of"),
        pl.coalesce("lon", "lon_of"),
        pl.coalesce("h3_cell", "h3_cell_of"),
        coordinate_provider=pl.when(~own & given)
        .then(pl.lit(CONTAINER))
        .otherwise("coordinate_provider"),
        datum_original=pl.when(~own & given).then("datum").otherwise("datum_original"),
        geocode_status=pl.when(own | given)
        .then(pl.lit("resolved"))
        .otherwise(pl.lit("unresolved")),
        location_tier=pl.when(own)
        .then(pl.lit("located"))
        .when(given)
        .then(pl.lit("within"))
        .otherwise(pl.lit("city")),
    )
    return replace(places, pois=sort_by_key("pois", pois.select(places.pois.columns)))
