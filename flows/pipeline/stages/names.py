"""For each name in a city's documents, lists the place that the name refers to, or the reason why
there is none."""

from __future__ import annotations

import polars as pl

from flows.pipeline.shards import Frames
from schemas.arrow import polars_schema_of, sort_by_key
from schemas.cities import City
from schemas.tables import TABLES

_NUMBER = pl.col("n").alias("name_number")
_NAME = pl.col("fullest").alias("name")


def list_links(city: City, resolutions: pl.DataFrame) -> pl.DataFrame:
    """Return rows for ``links``: each name with its place, the certainty of the link, and the other
    candidates."""
    compared = pl.col("resolution") == "linked"
    rows = resolutions.filter(pl.col("poi_id").is_not_null()).select(
        "doc_id", "poi_id", "resolution", "rivals", "why", _NUMBER, _NAME,
        city_id=pl.lit(city.city_id),
        link_score=pl.when(compared).then("score"),
        margin=pl.when(compared).then("margin"),
    )  # fmt: skip
    return _as_table("links", rows)


def list_unlinked(city: City, resolutions: pl.DataFrame, unplaced: pl.DataFrame) -> pl.DataFrame:
    """Return rows for ``unlinked_names``, the names that have no place in the city.

    For documents about the city, the rows also include names of places outside the city, and names
    that no table contains.
    """
    here = resolutions.filter(pl.col("poi_id").is_null()).select(
        "doc_id", "role", "rivals", "why", _NUMBER, _NAME,
        unlinked_as=pl.when(pl.col("resolution") == "review")
        .then(pl.lit("review")).otherwise(pl.lit("unresolved")),
        named_city_id=pl.lit(None, dtype=pl.String),
    )  # fmt: skip
    outside = unplaced.select(
        "doc_id", "role", "rivals", _NUMBER, _NAME, why="link_why",
        unlinked_as=pl.when(pl.col("city_of").is_not_null())
        .then(pl.lit("elsewhere")).when(pl.col("outcome") == "review").then(pl.lit("review"))
        .otherwise(pl.lit("unknown")),
        named_city_id="city_of",
    )  # fmt: skip
    return _as_table(
        "unlinked_names",
        pl.concat([here, outside.select(here.columns)]).with_columns(city_id=pl.lit(city.city_id)),
    )


def _as_table(name: str, rows: pl.DataFrame) -> pl.DataFrame:
    schema = polars_schema_of(TABLES[name])
    return sort_by_key(name, rows.select(list(schema)).cast(pl.Schema(schema)))


def find_unplaced(feedback: Frames) -> set[tuple[str, int]]:
    """Return the document and the start offset of every name that has no place in the city."""
    if "poi_mentions" not in feedback:
        return set()
    return set(
        feedback["poi_mentions"]
        .filter(pl.col("poi_id").is_null())
        .select("doc_id", "start")
        .iter_rows()
    )
