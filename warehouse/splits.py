"""``splits/queries-<split>.parquet``: the queries by split, as ``datasets`` wants them."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pyarrow.parquet as pq

from schemas.arrow import to_arrow
from schemas.fields import FIELDS
from warehouse.read import Snapshot

CONFIGURATION = "queries_by_split"


def split_path(split: str) -> str:
    """Path of a split's queries below the snapshot."""
    return f"splits/queries-{split}.parquet"


def write_splits(snapshot: Path) -> tuple[str, ...]:
    """Write the queries of each split that has some, and give the splits' names."""
    queries = Snapshot(snapshot).table("queries")
    held = set(queries["split"].to_list())
    splits = tuple(split for split in FIELDS["split"].codes or () if split in held)
    for split in splits:
        path = snapshot / split_path(split)
        path.parent.mkdir(exist_ok=True)
        rows = to_arrow("queries", queries.filter(pl.col("split") == split))
        pq.write_table(rows, path, compression="zstd", version="2.6")
    return splits
