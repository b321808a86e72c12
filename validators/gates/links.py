"""Gates on the location tiers of places, and on the links from names to places."""

from __future__ import annotations

import polars as pl

from validators.gates.base import (
    Gate,
    GateContext,
    failing,
    together,
)

#: Who gives the coordinates of a place that has those of its container.
_CONTAINER = "container"


def location_tier(context: GateContext) -> pl.DataFrame:
    """A located place has its own coordinates. A place within another place has the coordinates of
    the containing place. A place of any other tier has no coordinates.

    The gate does not check snapshots without the column ``location_tier``.
    """
    rows = context.table("pois")
    points = rows.select(parent_poi_id="poi_id", lat_of="lat", lon_of="lon")
    inherited = (
        context.table("poi_hierarchy")
        .join(points, on="parent_poi_id")
        .select("poi_id", "lat_of", "lon_of")
        .with_columns(is_there=pl.lit(value=True))
        .unique()
    )
    held = rows.join(
        inherited, left_on=["poi_id", "lat", "lon"], right_on=["poi_id", "lat_of", "lon_of"],
        how="left",
    )  # fmt: skip
    tier, by_container = pl.col("location_tier"), pl.col("coordinate_provider") == _CONTAINER
    by_container = by_container.fill_null(value=False)
    return together(
        [
            failing(
                "pois",
                rows,
                (tier == "located") & (pl.col("lat").is_null() | by_container),
                "location_tier",
                "the tier is `located`, but the place has no coordinates of its own",
            ),
            failing(
                "pois",
                rows,
                (tier == "city") & pl.col("lat").is_not_null(),
                "location_tier",
                "the tier is `city`, but the place has coordinates",
            ),
            failing(
                "pois",
                rows,
                (tier == "within") != by_container,
                "location_tier",
                "the tier must be `within` if and only if the coordinates come from a containing "
                "place",
            ),
            failing(
                "pois",
                held,
                (tier == "within") & pl.col("is_there").is_null(),
                "lat",
                "no place that contains this place has these coordinates",
            ),
        ]
    )


def one_city(context: GateContext) -> pl.DataFrame:
    """A name in a document belongs to one city, so no span is a mention in two cities."""
    rows = context.table("poi_mentions").with_columns(
        cities=pl.col("city_id").n_unique().over("doc_id", "start", "end")
    )
    return failing(
        "poi_mentions",
        rows,
        pl.col("cities") > 1,
        "city_id",
        "a mention in a different city has the same span of the same document",
    )


def link_once(context: GateContext) -> pl.DataFrame:
    """A name in a document is linked to at most one place."""
    links = context.table("links").with_columns(n=pl.len().over("doc_id", "name_number"))
    told = (
        context.table("unlinked_names")
        .filter(pl.col("unlinked_as") != "elsewhere")
        .select("doc_id", "name_number", is_apart=pl.lit(value=True))
        .unique()
    )
    rows = links.join(told, on=["doc_id", "name_number"], how="left")
    return together(
        [
            failing("links", rows, pl.col("n") > 1, "poi_id", "the name is linked to two places"),
            failing(
                "links",
                rows,
                pl.col("is_apart").is_not_null(),
                "poi_id",
                "the name is also listed as unlinked",
            ),
        ]
    )


GATES = (
    Gate(
        "location_tier",
        location_tier,
        "Coordinates that belong to a different place make distances misleading.",
        "Recompute the location tiers.",
    ),
    Gate(
        "one_city",
        one_city,
        "If a name is assigned to two cities, at least one of the cities is wrong.",
        "Link the document again.",
    ),
    Gate(
        "link_once",
        link_once,
        "A name in a text cannot mean two places at once.",
        "Link the document again.",
    ),
)
