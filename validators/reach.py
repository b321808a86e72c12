"""How far a row may lie from its city: one limit for the stage ``control`` and for the gate."""

from __future__ import annotations

import polars as pl

from schemas.geo import distance_m

#: A place farther than this from its city's centre is an error: the largest municipality of
#: China, Chongqing, reaches about 400 km; day trips go a little beyond a prefecture's border.
FARTHEST_M = 500_000
#: Tables whose rows have coordinates of their own.
LOCATED = ("pois", "hotels", "restaurants", "metro_stations")


def distance_from_city_m(rows: pl.DataFrame, cities: pl.DataFrame) -> pl.Series:
    """Metres from each row to the centre of its city; null where coordinates are unknown."""
    centres = cities.select("city_id", city_lat="lat", city_lon="lon")
    joined = rows.select("city_id", "lat", "lon").join(
        centres, on="city_id", how="left", maintain_order="left"
    )
    away = distance_m(joined["lat"], joined["lon"], joined["city_lat"], joined["city_lon"])
    return pl.Series("away_m", away, dtype=pl.Float64).fill_nan(None)
