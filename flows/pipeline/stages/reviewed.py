"""Removes places and mentions that reviewers rejected, with all rows that depend on them.

A rejection is tied to the hash of its row's content and applies only while the row is unchanged.
Each removed row goes to ``quarantine`` under the stage ``control``, with the reviewers' reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import polars as pl

from flows.pipeline.shards import Frames
from flows.review.apply import REVIEWED, Gone, Rejection, explain_rejection, set_aside_row
from flows.review.forms import Row
from geocoding.places import TablePlaces
from schemas import frames
from schemas.arrow import frame, polars_schema_of
from schemas.cities import City
from schemas.review import fact_hash, row_id

#: Stops that are removed from a route, by the surface name of a place or by the mention's evidence.
REFUSED = polars_schema_of(frames.REFUSED)


def leave_out(
    city: City,
    places: TablePlaces,
    mentions: pl.DataFrame,
    resolutions: pl.DataFrame,
    rejections: Sequence[Rejection],
) -> tuple[TablePlaces, Frames]:
    """Remove the rejected mentions and places.

    Returns the remaining places and several frames. The frames contain the remaining mentions and
    resolutions, the removed rows, and the names and stops that must not be used.

    The names of a rejected place are linked to the place that reviewers chose instead, or to no
    place.
    """
    asked = {(r.table, r.row_id, r.fact_hash): r.reason for r in rejections}
    stops = dict(_find_rejected("poi_mentions", mentions, asked))
    sights = dict(_find_rejected("pois", places.pois, asked))
    gone: list[Gone] = [
        ("poi_mentions", row, why) for row, why in _rows(mentions, "evidence_id", stops)
    ]
    gone += _of_places(places, sights)
    moved = _find_moved(places, sights, rejections)
    resolutions = resolutions.with_columns(pl.col("poi_id").replace(moved))
    unresolved = pl.col("poi_id").is_in(list(sights))
    refused = [
        {"name": row["name"], "reason": sights[row["poi_id"]]}
        for row in resolutions.filter(unresolved).to_dicts()
    ]
    refused += [{"evidence_id": proof, "reason": why} for proof, why in sorted(stops.items())]
    left = mentions.filter(~pl.col("evidence_id").is_in(list(stops)))
    reviewed = [
        {"table": table, "row_id": row_id(table, row), "fact_hash": fact_hash(row)}
        for table, row, _ in gone
        if (table, row_id(table, row), fact_hash(row)) in asked
    ]
    return _without(places, sights, gone), {
        "mentions": _remove_places(left.with_columns(pl.col("poi_id").replace(moved)), unresolved),
        "resolutions": _remove_places(resolutions, unresolved),
        "refused": pl.DataFrame(refused, schema=REFUSED, orient="row"),
        "reviewed": pl.DataFrame(reviewed, schema=REVIEWED, orient="row"),
        "set_aside": frame("quarantine", [set_aside_row(city.city_id, *each) for each in gone]),
    }


def _find_moved(
    places: TablePlaces, sights: dict[str, str], rejections: Sequence[Rejection]
) -> dict[str, str]:
    """Return the place that replaces each rejected place, if the new place is kept."""
    stays = set(places.pois["poi_id"].to_list()) - sights.keys()
    return {
        r.row_id: r.instead for r in rejections
        if r.table == "pois" and r.row_id in sights and r.instead in stays
    }  # fmt: skip


def _find_rejected(
    table: str, rows: pl.DataFrame, asked: dict[tuple[str, str, str], str]
) -> Iterator[tuple[str, str]]:
    """For each rejected row that is unchanged, yield its place or evidence and the reason for the
    rejection."""
    named = {where for of, where, _ in asked if of == table}
    key = "evidence_id" if table == "poi_mentions" else "poi_id"
    for row in rows.to_dicts() if named else ():
        where = row_id(table, row)
        if where in named and (reason := asked.get((table, where, fact_hash(row)))) is not None:
            yield row[key], reason


def _rows(rows: pl.DataFrame, key: str, chosen: dict[str, str]) -> Iterator[tuple[Row, str]]:
    for row in rows.filter(pl.col(key).is_in(list(chosen))).to_dicts():
        yield row, explain_rejection(chosen[row[key]])


def _of_places(places: TablePlaces, sights: dict[str, str]) -> Iterator[Gone]:
    """Yield rejected places, all rows that depend on them, and evidence that is no longer used."""
    if not sights:
        return
    proofs: set[str] = set()
    for row, why in _rows(places.pois, "poi_id", sights):
        proofs.add(row["evidence_id"])
        yield "pois", row, why
    for table, rows in (
        ("poi_aliases", places.aliases),
        ("poi_facts", places.facts),
        ("poi_origins", places.origins),
    ):
        for row, why in _rows(rows, "poi_id", sights):
            proofs.add(row["evidence_id"])
            yield table, row, f"its place was {why}"
    for row in places.hierarchy.to_dicts():
        end = next((row[c] for c in ("poi_id", "parent_poi_id") if row[c] in sights), None)
        if end is not None:
            yield "poi_hierarchy", row, f"its place was {explain_rejection(sights[end])}"
    keep = ~pl.col("poi_id").is_in(list(sights))
    still = pl.concat(
        [
            rows.filter(keep).select("evidence_id")
            for rows in (places.pois, places.aliases, places.facts, places.origins)
        ]
    )["evidence_id"]
    idle = proofs - set(still.to_list())
    for row in places.evidence.filter(pl.col("evidence_id").is_in(list(idle))).to_dicts():
        yield "evidence", row, "nothing is left that it supports"


def _without(places: TablePlaces, sights: dict[str, str], gone: list[Gone]) -> TablePlaces:
    if not sights:
        return places
    keep = ~pl.col("poi_id").is_in(list(sights))
    idle = [row["evidence_id"] for table, row, _ in gone if table == "evidence"]
    return replace(
        places,
        pois=places.pois.filter(keep),
        aliases=places.aliases.filter(keep),
        facts=places.facts.filter(keep),
        origins=places.origins.filter(keep),
        hierarchy=places.hierarchy.filter(keep & ~pl.col("parent_poi_id").is_in(list(sights))),
        evidence=places.evidence.filter(~pl.col("evidence_id").is_in(idle)),
    )


def _remove_places(rows: pl.DataFrame, chosen: pl.Expr) -> pl.DataFrame:
    """Remove the place from the chosen rows, and return all rows."""
    return rows.with_columns(
        poi_id=pl.when(chosen).then(None).otherwise(pl.col("poi_id")),
        resolution=pl.when(chosen).then(pl.lit("unresolved")).otherwise(pl.col("resolution")),
        resolution_score=pl.when(chosen).then(0.0).otherwise(pl.col("resolution_score")),
    )
