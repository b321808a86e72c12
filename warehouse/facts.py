"""What holds of a place at any time: the newest context-free statement of each kind."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

#: Columns of ``poi_facts`` that a statement of its kind fills.
FACT_COLUMNS = (
    "hours_osm", "hours_weekly", "price_cents", "duration_min_min", "duration_max_min",
)  # fmt: skip


def known_facts(facts: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Values by place from rows of ``poi_facts`` that always hold.

    Of several statements the newest holds, one without a date before dated ones; equal dates by
    ``fact_id``. Statements that hold in a season only are left out.
    """
    always = [row for row in facts if row["valid_when"] == "always"]
    always.sort(key=lambda r: (r["source_date"] is not None, r["source_date"] or 0, r["fact_id"]))
    known: dict[str, dict[str, Any]] = defaultdict(dict)
    for row in always:
        known[row["poi_id"]].update({c: row[c] for c in FACT_COLUMNS if row[c] is not None})
    return dict(known)
