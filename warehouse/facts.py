"""Facts of a place that hold at any time: the newest context-free statement of each kind."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

#: Columns of ``poi_facts`` that a statement of its kind fills.
FACT_COLUMNS = (
    "hours_osm", "hours_weekly", "price_cents", "currency", "duration_min_min", "duration_max_min",
)  # fmt: skip
#: Weekdays on which a place is closed, as a list of three letters each (``Mon``).
CLOSED_DAYS = "closed_days"
WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def read_closed_weekdays(value: str | None) -> frozenset[int]:
    """Numbers of the weekdays (Monday 0) in the value of a ``closed_days`` fact."""
    return frozenset(i for i, day in enumerate(WEEKDAYS) if value and day in value)


def collect_facts(
    facts: Iterable[Mapping[str, Any]], home: str | None
) -> dict[str, dict[str, Any]]:
    """Values by place from rows of ``poi_facts`` that always hold.

    Of several statements the newest holds, one without a date before dated ones; equal dates by
    ``fact_id``. A price in the city's own money (``home``) holds before one in another. Statements
    that hold in a season only are left out.
    """
    always = sorted(
        (row for row in facts if row["valid_when"] == "always"),
        key=lambda r: (
            r["currency"] in (None, home), r["source_date"] is not None, r["source_date"] or 0,
            r["fact_id"],
        ),
    )  # fmt: skip
    known: dict[str, dict[str, Any]] = defaultdict(dict)
    for row in always:
        known[row["poi_id"]].update({c: row[c] for c in FACT_COLUMNS if row[c] is not None})
        if row["fact_field"] == CLOSED_DAYS:
            known[row["poi_id"]][CLOSED_DAYS] = row["value"]
    return dict(known)
