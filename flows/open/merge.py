"""Merges the rows of several providers into one row for each place."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from geocoding.bulk import dedupe
from schemas.cities import City


def merge(city: City, frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Merge the rows of a table to one per place; earlier frames are trusted more.

    A place gets the value of each field from the first row that has one, its coordinates from the
    first row, and its other names as aliases. Sources and licences of all rows are kept, with the
    newest date.
    """
    rows = pl.concat(frames)
    if rows.is_empty():
        return rows
    found = dedupe(rows.rename({"id": "source_id"}).with_columns(city=pl.lit(city.slug)))
    places = found.places.rename({"source_id": "id"}).select("place", *rows.columns)
    together = _together(rows.with_columns(place=found.members["place"]))
    joined = places.update(together, on="place", how="left")
    if "aliases" in rows.columns:
        joined = joined.with_columns(
            aliases=_other_names(joined.join(together, on="place", how="left"))
        )
    return joined.select(rows.columns)


def _together(rows: pl.DataFrame) -> pl.DataFrame:
    """Return all sources, licences and names of places with several rows, and the newest date."""
    several = rows.filter(pl.len().over("place") > 1).group_by("place", maintain_order=True)
    names = pl.concat_str(
        [c for c in ("name", "name_zh", "name_en", "aliases") if c in rows.columns],
        separator="|", ignore_nulls=True,
    )  # fmt: skip
    return several.agg(
        pl.col("source").drop_nulls().unique(maintain_order=True).str.join("; "),
        pl.col("licence").drop_nulls().unique().sort().str.join(" AND "),
        pl.col("source_date").max(),
        all_names=names.str.join("|"),
    ).with_columns(pl.col("source", "licence").replace("", None))


def _other_names(places: pl.DataFrame) -> pl.Series:
    """Return the aliases of each place; a merged place gets all names except its own two."""
    own = pl.concat_list("name_zh", "name_en").list.drop_nulls()
    others = pl.col("all_names").str.split("|").list.set_difference(own).list.sort().list.join("|")
    found = pl.when(pl.col("all_names").is_null()).then("aliases").otherwise(others)
    return places.select(aliases=found.replace("", None))["aliases"]
