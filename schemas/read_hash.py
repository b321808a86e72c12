"""Hashes rows as they are read, before any later stage can change them.

The row's id does not depend on values such as the price. Only the hash of a row can therefore show
that a later stage replaced a value by mistake.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from schemas.ids import canonical_json, digest
from schemas.tables import TABLES

COLUMN = "read_hash"
#: Tables whose rows each come from a single source, in the order of their definition.
READ_TABLES: tuple[str, ...] = tuple(
    name for name, table in TABLES.items() if COLUMN in table.column_names
)

#: Columns that schema 2.2 added.
_ADDED = frozenset({
    "final_url", "provider", "sub_query_id", "found_rank", "fetched_on", "gone_on", "published_by",
    "modified_on", "modified_by", "fetched_for", "wait_s", "change_s", "zones",
})  # fmt: skip


def read_hashes(rows: pl.DataFrame) -> pl.Series:
    """Hash each row over all of its columns except the hash column itself.

    Null values in the columns of ``_ADDED`` are ignored, so that rows hashed before these columns
    existed keep their hash.
    """
    said = rows.drop(COLUMN, strict=False)
    made = [
        digest(canonical_json({k: v for k, v in row.items() if v is not None or k not in _ADDED}))
        for row in said.iter_rows(named=True)
    ]
    return pl.Series(COLUMN, made, dtype=pl.String)


def with_read_hash(rows: pl.DataFrame) -> pl.DataFrame:
    """Add the hash of each row's current content; call this after reading the whole row."""
    return rows.with_columns(read_hashes(rows))


def value_hash(value: Any) -> str:
    """Hash a single value of a source row."""
    return digest(canonical_json(value))
