"""Define how far a row may be from its city, for both the stage ``control`` and the gate."""

from __future__ import annotations

import polars as pl

from schemas.geo import distance_m

#: A place farther than this from its city's centre is an error. Chongqing, China's largest
#: municipality, extends about 400 km, and day trips go a little beyond the border of a prefecture.
FARTHEST_M = 500_000
#: Tables whose rows have their own coordinates.
LOCATED = ("pois", "hotels", "restaurants", "metro_stations")


def distance_from_city_m(rows: pl.DataFrame, cities: pl.DataFrame) -> pl.Series:
    """Return the distance in metres from each row to the centre of its city; null if the row has no
    coordinates.
    """
    centres = cities.select("city_id", city_lat="lat", city_lon="lon")
    joined = rows.select("city_id", "lat", "lon").join(
        centres, on="city_id", how="left", maintain_order="left"
    )
    away = distance_m(joined["lat"], joined["lon"], joined["city_lat"], joined["city_lon"])
    return pl.Series("away_m", away, dtype=pl.Float64).fill_nan(None)
