"""Audit the frozen contexts of tripscore queries: each kept query needs a matching context."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

Row = Mapping[str, Any]


def broken_contexts(rows: Sequence[Row], contexts: Sequence[Row]) -> list[str]:
    """Return the ids of kept queries without a context, and of contexts that are wrong.

    A context is right if it belongs to exactly one kept query, matches its own hash, and lists the
    destinations of the query in order. Each destination must have attractions, all of them of a
    type that the query asks for.
    """
    plans = {
        row["query_id"]: json.loads(row["structure"])
        for row in rows
        if row["family"] == "tripscore" and row["status"] == "kept"
    }
    seen: set[str] = set()
    broken: list[str] = []
    for row in contexts:
        query_id = str(row["query_id"])
        plan = plans.get(query_id)
        if (
            query_id in seen
            or plan is None
            or not _as_frozen(row)
            or not _fits(row["context"], plan)
        ):
            broken.append(query_id)
        seen.add(query_id)
    return [*broken, *sorted(plans.keys() - seen)]


def _as_frozen(row: Row) -> bool:
    text = json.dumps(row["context"], ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return bool(hashlib.sha256(text.encode()).hexdigest() == row["sha256"])


def _fits(context: Sequence[Row], plan: Row) -> bool:
    if [part["destination"] for part in context] != list(plan["destinations"]):
        return False
    asked = set(plan["attraction_types"])
    return all(
        bool(part["attractions"])
        and all(not asked or asked & set(place["tags"]) for place in part["attractions"])
        for part in context
    )
