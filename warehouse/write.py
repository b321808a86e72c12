"""Write tables as Parquet: schemas and settings are fixed, so equal rows give equal bytes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow.parquet as pq

from schemas.arrow import arrow_schema, sort_by_key, to_arrow
from schemas.tables import TABLES
from warehouse.manifest import FileEntry, TableEntry, file_sha256

Partition = tuple[str, str | None, pl.DataFrame]

_ROW_GROUP = 100_000
_SETTINGS: dict[str, Any] = {
    "compression": "zstd",
    "compression_level": 3,
    "version": "2.6",
    "data_page_version": "1.0",
    "write_statistics": True,
    "store_schema": True,
}


def partition_path(table: str, value: str | None) -> str:
    """Path of a partition's file below the snapshot."""
    kind = TABLES[table].partition
    if kind == "none" or value is None:
        return f"data/{table}/part-0.parquet"
    return f"data/{table}/{kind}={value}/part-0.parquet"


def write_partition(
    directory: Path, table: str, value: str | None, rows: pl.DataFrame
) -> FileEntry:
    """Write one partition, in the order of the table's key, and give its manifest entry."""
    relative = partition_path(table, value)
    path = directory / relative
    path.parent.mkdir(parents=True, exist_ok=True)
    with pq.ParquetWriter(path, arrow_schema(table), **_SETTINGS) as writer:
        # No row group for no rows: `datasets` cannot read a group of none.
        if rows.height:
            writer.write_table(to_arrow(table, sort_by_key(table, rows)), row_group_size=_ROW_GROUP)
    _sync(path)
    return FileEntry(
        path=relative, sha256=file_sha256(path), bytes=path.stat().st_size, rows=rows.height
    )


def table_entries(files: dict[str, list[FileEntry]]) -> dict[str, TableEntry]:
    """Manifest entries of tables from those of their files, in order of path."""
    return {
        table: TableEntry(
            rows=sum(entry.rows for entry in entries),
            files=tuple(sorted(entries, key=lambda entry: entry.path)),
        )
        for table, entries in sorted(files.items())
    }


def _sync(path: Path) -> None:
    with path.open("rb") as handle:
        os.fsync(handle.fileno())
