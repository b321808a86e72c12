"""What the source tables of a city were found to hold, counted for the quality report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from geocoding.places import Places
from schemas.cities import City, large_cities
from schemas.geo import distance_m

#: A row is taken to lie in another city when that city is at least this large (inhabitants),
#: of another province, its centre is this near (metres), and the row's own one this far.
OTHER_CITY_POPULATION = 1_000_000
IN_CITY_M, OUT_OF_CITY_M = 30_000.0, 80_000.0
#: No sight of a city is farther away (metres); the largest municipality reaches 400 km.
BEYOND_M = 500_000.0

_MESSAGES = {
    "attraction_repeated": "rows that repeat an attraction; merged",
    "hotel_repeated": "rows that repeat a hotel with other prices, stock or brackets; merged",
    "restaurant_repeated": "rows that repeat a restaurant; merged",
    "same_place_two_names": "rows of one attraction under another name; merged, the name kept",
    "sub_attraction": "attractions that are part of another; linked to it",
    "same_name_apart": "pairs of rows with one name that are two places; kept apart",
    "in_another_city": "rows geocoded into a large city of another province, or beyond any day trip; "
    "marked, and set aside beyond 500 km",
    "far_from_city": "rows more than 100 km from the centre; kept: large municipalities have such",
    "coordinates": "rows whose coordinates are no place on the globe; set aside",
    "coordinates_swapped": "rows with latitude and longitude in each other's place; mended",
    "coordinates_missing": "rows without coordinates; kept",
    "alike_hotels": "pairs of hotels that look like one place and were not merged; for review",
    "alike_restaurants": "pairs of restaurants that look like one place and were not merged; for review",
}


def count_findings(
    city: City, imported: Mapping[str, pl.DataFrame], places: Places
) -> list[dict[str, Any]]:
    """Rows of ``findings``: those of the import and those of the comparison of places.

    What was looked for and not found stands with 0; ``message`` says what was done.
    """
    counts: Counter[tuple[str, str]] = Counter()
    messages: dict[str, str] = dict(_MESSAGES)
    for table, finding in _LOOKED_FOR:
        counts[table, finding] = 0
    for row in imported["findings"].iter_rows(named=True):
        counts[row["table"], row["kind"]] += 1
        messages.setdefault(row["kind"], f"{row['severity']}, such as: {row['message']}"[:200])
    counts.update(_of_places(places))
    for table in ("attractions", "hotels", "restaurants"):
        counts[table, "in_another_city"] = elsewhere(imported[table], city).height
    for table in ("hotels", "restaurants"):
        counts[table, f"alike_{table}"] = alike(imported[table]).height
    return [
        {
            "city_id": city.city_id,
            "table": table,
            "finding": finding,
            "n_rows": n,
            "message": messages[finding],
        }
        for (table, finding), n in sorted(counts.items())
    ]


_LOOKED_FOR = (
    ("attractions", "attraction_repeated"), ("hotels", "hotel_repeated"),
    ("restaurants", "restaurant_repeated"),
    *((t, f) for t in ("attractions", "hotels", "restaurants")
      for f in ("coordinates", "coordinates_swapped", "far_from_city")),
)  # fmt: skip


def _of_places(places: Places) -> dict[tuple[str, str], int]:
    decisions = places.decisions
    renamed = decisions.filter(
        (pl.col("outcome") == "merged") & (pl.col("name_a") != pl.col("name_b"))
    )
    apart = decisions.filter(
        (pl.col("outcome") == "kept_apart") & (pl.col("name_a") == pl.col("name_b"))
    )
    return {
        ("attractions", "same_place_two_names"): renamed.height,
        ("attractions", "same_name_apart"): apart.height,
        ("attractions", "sub_attraction"): places.hierarchy.height,
    }


def elsewhere(rows: pl.DataFrame, city: City) -> pl.DataFrame:
    """Rows whose coordinates lie in a large city of another province, or beyond any day trip."""
    located = rows.drop_nulls(["lat", "lon"])
    others = [
        other
        for other in large_cities(city.country_code, OTHER_CITY_POPULATION)
        if other.admin1_code != city.admin1_code
    ]
    if located.is_empty() or not others:
        return located.clear()
    lat, lon = located["lat"].to_numpy(), located["lon"].to_numpy()
    near = np.zeros(len(lat), bool)
    for other in others:
        near |= distance_m(lat, lon, other.lat, other.lon) <= IN_CITY_M
    away = distance_m(lat, lon, city.lat, city.lon)
    return located.filter(pl.Series((near & (away > OUT_OF_CITY_M)) | (away > BEYOND_M)))


def alike(rows: pl.DataFrame) -> pl.DataFrame:
    """Pairs of rows of one table that are one place by name and distance."""
    from geocoding.bulk import dedupe

    named = rows.select(
        name=pl.coalesce("name_zh", "name_en"), city=pl.lit(None, pl.String), lat="lat", lon="lon",
        source_id=pl.lit(None, pl.String),
    )  # fmt: skip
    if named.height < 2:
        return pl.DataFrame(schema={"first": pl.Int64, "second": pl.Int64})
    return dedupe(named).pairs.filter(pl.col("label") == "same")
