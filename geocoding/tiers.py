"""How precisely a place is located: by its own point, by its container's, or by its city."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from geocoding.places import TablePlaces
from schemas.arrow import sort_by_key

#: Who gives the coordinates of a place that has those of its container.
CONTAINER = "container"


def with_tiers(places: TablePlaces) -> TablePlaces:
    """The places with ``location_tier``; one without a point has that of a located container.

    Of several containers the first by id gives its point. One that has its point from another
    gives none: a point is handed down once.
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
