"""Writes additional Parquet files: places for maps, and queries by split.

``geo/places.parquet`` contains all places with coordinates as GeoParquet 1.1, for maps and spatial
databases. ``splits/queries-<split>.parquet`` contains the queries of a split in the form that the
library ``datasets`` expects.
"""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from schemas.arrow import arrow_schema, to_arrow
from schemas.fields import FIELDS
from warehouse.read import Snapshot

PATH = "geo/places.parquet"
CONFIGURATION = "queries_by_split"
#: A two-dimensional point in WKB, little-endian.
_POINT = struct.Struct("<BIdd")


def write_places(snapshot: Path) -> None:
    """Write the POIs of a snapshot that have coordinates, with a point column ``geometry``."""
    write_points(
        "pois", Snapshot(snapshot).table("pois").drop_nulls(["lat", "lon"]), snapshot / PATH
    )


def write_points(table: str, rows: pl.DataFrame, path: Path) -> None:
    """Write rows with coordinates as GeoParquet 1.1.

    The column ``geometry`` contains points in OGC:CRS84 (WGS 84, longitude before latitude). The
    other columns are those of the POIs' table.
    """
    points = [_POINT.pack(1, 1, lon, lat) for lon, lat in rows.select("lon", "lat").iter_rows()]
    schema = arrow_schema(table).append(pa.field("geometry", pa.binary(), nullable=False))
    made = to_arrow(table, rows).append_column("geometry", pa.array(points, pa.binary()))
    metadata = {**(arrow_schema(table).metadata or {}), b"geo": json.dumps(_geo(rows)).encode()}
    path.parent.mkdir(exist_ok=True)
    pq.write_table(
        made.cast(schema).replace_schema_metadata(metadata), path, compression="zstd",
        version="2.6", store_schema=True,
    )  # fmt: skip


def _geo(rows: pl.DataFrame) -> dict[str, Any]:
    column: dict[str, Any] = {"encoding": "WKB", "geometry_types": ["Point"]}
    if rows.height:
        edges = rows.select(
            west=pl.col("lon").min(), south=pl.col("lat").min(),
            east=pl.col("lon").max(), north=pl.col("lat").max(),
        )  # fmt: skip
        column["bbox"] = list(edges.row(0))
    return {"version": "1.1.0", "primary_column": "geometry", "columns": {"geometry": column}}


def split_path(split: str) -> str:
    """Return the path of the file with a split's queries, relative to the snapshot."""
    return f"splits/queries-{split}.parquet"


def write_splits(snapshot: Path) -> tuple[str, ...]:
    """Write the queries of each split that is not empty, and return the names of these splits."""
    queries = Snapshot(snapshot).table("queries")
    held = set(queries["split"].to_list())
    splits = tuple(split for split in FIELDS["split"].codes or () if split in held)
    for split in splits:
        path = snapshot / split_path(split)
        path.parent.mkdir(exist_ok=True)
        rows = to_arrow("queries", queries.filter(pl.col("split") == split))
        pq.write_table(rows, path, compression="zstd", version="2.6")
    return splits
