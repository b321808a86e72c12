"""Hash of what was read: the row as its reader made it, before any later stage passed it on.

Ids of rows that come from a source stay when a price changes, so they cannot show that a value
slipped into another row on the way to the disk. The hash beside them can.
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


def read_hashes(rows: pl.DataFrame) -> pl.Series:
    """The hash of each row, over all of its columns but the hash itself."""
    said = rows.drop(COLUMN, strict=False)
    made = [digest(canonical_json(row)) for row in said.iter_rows(named=True)]
    return pl.Series(COLUMN, made, dtype=pl.String)


def with_read_hash(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows with the hash of what they say now; their reader calls it when they are done."""
    return rows.with_columns(read_hashes(rows))


def value_hash(value: Any) -> str:
    """Hash of one value of a source row."""
    return digest(canonical_json(value))
