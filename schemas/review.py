"""Identifies the rows that review decisions are about, by their keys and by hashes of their
content.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from schemas.ids import canonical_json, digest
from schemas.tables import TABLES

#: Columns that are not part of the statement that a row makes.
_NO_CLAIM = frozenset(
    {
        "resolution_score",
        "score",
        "rank",
        "n_documents",
        "n_mentions",
        "link_score",
        "margin",
        "why",
    }
)


def fact_hash(row: Mapping[str, Any]) -> str:
    """Hash the statement that a row makes, leaving out columns such as scores and ranks."""
    return digest(canonical_json({k: v for k, v in row.items() if k not in _NO_CLAIM}))


def row_id(table: str, row: Mapping[str, Any]) -> str:
    """Format a row's key as a text whose parts are joined by slashes."""
    return "/".join(str(row[column]) for column in TABLES[table].key)
