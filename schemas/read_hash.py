"""The hash of a row, made by its reader before any later stage changes the row.

The id of a source row does not change with its price, so it cannot show that a value from another
row has replaced it on the way to the disk. The hash next to it can.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from schemas.ids import canonical_json, digest
from schemas.tables import TABLES

COLUMN = "read_hash"
#: Tables whose rows say what one source says, in the order of their definition.
READ_TABLES: tuple[str, ...] = tuple(
    name for name, table in TABLES.items() if COLUMN in table.column_names
)

#: Columns that schema 2.2 added.
_ADDED = frozenset({
    "final_url", "provider", "sub_query_id", "found_rank", "fetched_on", "gone_on", "published_by",
    "modified_on", "modified_by", "fetched_for", "wait_s", "change_s", "zones",
})  # fmt: skip


def read_hashes(rows: pl.DataFrame) -> pl.Series:
    """Hash each row over all of its columns except the hash itself.

    Of the columns in ``_ADDED``, only known values count, so rows that were hashed before these
    columns existed keep their hash.
    """
    said = rows.drop(COLUMN, strict=False)
    made = [
        digest(canonical_json({k: v for k, v in row.items() if v is not None or k not in _ADDED}))
        for row in said.iter_rows(named=True)
    ]
    return pl.Series(COLUMN, made, dtype=pl.String)


def with_read_hash(rows: pl.DataFrame) -> pl.DataFrame:
    """Add the hash of each row's present content; a reader calls this when it has finished."""
    return rows.with_columns(read_hashes(rows))


def value_hash(value: Any) -> str:
    """Hash one value of a source row."""
    return digest(canonical_json(value))
