"""Counts the findings about a city's source tables for the quality report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np
import polars as pl

from geocoding.bulk import dedupe
from geocoding.places import TablePlaces
from schemas.cities import City, large_cities
from schemas.findings import LOOKED_FOR, MESSAGES
from schemas.geo import distance_m
from schemas.rows import SourceFindingsRow
from schemas.typed_rows import read_rows

#: A row is taken to be in another city if that city has at least this many inhabitants and is in
#: another province, its centre is this near (metres), and the row's own city is this far.
OTHER_CITY_POPULATION = 1_000_000
IN_CITY_M, OUT_OF_CITY_M = 30_000.0, 80_000.0
#: No sight of a city is farther away (metres); the largest municipality reaches 400 km.
BEYOND_M = 500_000.0


def count_findings(
    city: City, imported: Mapping[str, pl.DataFrame], places: TablePlaces
) -> list[dict[str, object]]:
    """Return rows of ``findings``: what the import and the comparison of places found.

    A kind of finding that does not occur has a row with the number 0; ``message`` explains what was
    done.
    """
    counts: Counter[tuple[str, str]] = Counter()
    messages: dict[str, str] = dict(MESSAGES)
    for table, finding in LOOKED_FOR:
        counts[table, finding] = 0
    for row in read_rows(imported["findings"], SourceFindingsRow):
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


def _of_places(places: TablePlaces) -> dict[tuple[str, str], int]:
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
    """Return rows whose coordinates are in a large city of a different province, or are too far
    away for a day trip.
    """
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
    """Return pairs of rows in one table that describe the same place, judging by name and
    distance.
    """
    named = rows.select(
        name=pl.coalesce("name_zh", "name_en"), city=pl.lit(None, pl.String), lat="lat", lon="lon",
        source_id=pl.lit(None, pl.String),
    )  # fmt: skip
    if named.height < 2:
        return pl.DataFrame(schema={"first": pl.Int64, "second": pl.Int64})
    return dedupe(named).pairs.filter(pl.col("label") == "same")
