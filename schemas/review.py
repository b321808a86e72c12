"""What a review decision refers to: a row's key as text, and a hash of what the row claims."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from schemas.ids import canonical_json, digest
from schemas.tables import TABLES

#: Columns that say nothing of what a row claims.
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
    """Hash what a row claims."""
    return digest(canonical_json({k: v for k, v in row.items() if k not in _NO_CLAIM}))


def row_id(table: str, row: Mapping[str, Any]) -> str:
    """Write a row's key as text, with its parts joined by slashes."""
    return "/".join(str(row[column]) for column in TABLES[table].key)
