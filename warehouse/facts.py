"""Chooses the facts about places that always apply: the newest statement of each kind."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

#: The columns of ``poi_facts`` that contain values.
FACT_COLUMNS = (
    "hours_osm", "hours_weekly", "price_cents", "currency", "duration_min_min", "duration_max_min",
)  # fmt: skip
#: The kind of fact that lists the weekdays on which a place is closed (``Mon``, ``Tue``, ...).
CLOSED_DAYS = "closed_days"
WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def read_closed_weekdays(value: str | None) -> frozenset[int]:
    """Read the value of a ``closed_days`` fact as weekday numbers (Monday is 0)."""
    return frozenset(i for i, day in enumerate(WEEKDAYS) if value and day in value)


def _weekdays_of(valid_when: str) -> frozenset[int] | None:
    """Read ``Tue-Sun`` or ``Sat, Sun`` as weekday numbers; return None for any other text."""
    days: set[int] = set()
    for part in valid_when.split(","):
        names = part.strip().split("-")
        if len(names) > 2 or not all(name in WEEKDAYS for name in names):
            return None
        first, last = WEEKDAYS.index(names[0]), WEEKDAYS.index(names[-1])
        days.update((first + n) % 7 for n in range((last - first) % 7 + 1))
    return frozenset(days)


def _spans_by_weekday(facts: Iterable[Mapping[str, Any]]) -> dict[str, dict[int, list[Any]]]:
    """Return opening times, by place and weekday, from facts that apply only on some weekdays."""
    spans: dict[str, dict[int, list[Any]]] = defaultdict(dict)
    for row in facts:
        days = _weekdays_of(row["valid_when"]) if row["hours_weekly"] else None
        for day in days or ():
            spans[row["poi_id"]][day] = [s for s in row["hours_weekly"] if s["weekday"] == day]
    return spans


def collect_facts(
    facts: Iterable[Mapping[str, Any]], home: str | None
) -> dict[str, dict[str, Any]]:
    """Return the values of facts that always apply, by place, from the rows of ``poi_facts``.

    If there are several facts of one kind, the newest is used. Facts without a date count as older
    than all others, and ``fact_id`` breaks ties. A price in the local currency (``home``) takes
    precedence over other prices. Facts that apply only in one season are ignored. Opening hours for
    some weekdays are used only if no other hours are known and the place is closed on all other
    days.
    """
    rows = sorted(
        facts,
        key=lambda r: (
            r["currency"] in (None, home), r["source_date"] is not None, r["source_date"] or 0,
            r["fact_id"],
        ),
    )  # fmt: skip
    known: dict[str, dict[str, Any]] = defaultdict(dict)
    for row in rows:
        if row["valid_when"] != "always":
            continue
        known[row["poi_id"]].update({c: row[c] for c in FACT_COLUMNS if row[c] is not None})
        if row["fact_field"] == CLOSED_DAYS:
            known[row["poi_id"]][CLOSED_DAYS] = row["value"]
    for poi_id, spans in _spans_by_weekday(rows).items():
        told = known[poi_id]
        closed = read_closed_weekdays(told.get(CLOSED_DAYS))
        if "hours_weekly" not in told and closed | spans.keys() == set(range(len(WEEKDAYS))):
            told["hours_weekly"] = [span for day in sorted(spans) for span in spans[day]]
    return dict(known)
