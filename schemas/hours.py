"""Writes daily opening hours in OSM syntax, and converts OSM syntax to opening times by weekday.

The opening times of an ordinary week without holidays are given as ``{"weekday": 0-6 (Monday
first), "open_min", "close_min"}``, with times in minutes after midnight. A closing time above 1440
is on the next day. If the hours change with the season, the caller must choose a week within the
season.
"""

from __future__ import annotations

import datetime as dt
from typing import TypedDict

from schemas.values import clock_minutes, clock_text

#: The Monday of a week without Chinese public holidays, which is used if no date is given.
REFERENCE_MONDAY = dt.date(2026, 6, 1)


class WeeklySpan(TypedDict):
    """One weekly opening period, with times in minutes after midnight."""

    weekday: int
    open_min: int
    close_min: int


def daily_osm(open_text: str, close_text: str) -> str:
    """Format daily opening hours in OSM syntax.

    A closing time before the opening time is on the next day. Raises ValueError if a time cannot be
    read or if both times are the same.
    """
    opens, closes = clock_minutes(open_text), clock_minutes(close_text)
    if (opens, closes) == (0, 1440):
        return "24/7"
    if opens == closes:
        raise ValueError(f"opening and closing time are the same: {open_text}-{close_text}")
    return f"{clock_text(opens)}-{clock_text(closes)}"


def weekly_spans(expression: str, week_of: dt.date = REFERENCE_MONDAY) -> list[WeeklySpan] | None:
    """Return the opening periods of the week from ``week_of``, or None if the syntax is invalid."""
    # Imported here because few commands read opening hours.
    import opening_hours

    if not opening_hours.validate(expression):
        return None
    hours = opening_hours.OpeningHours(expression)
    start = dt.datetime.combine(week_of, dt.time())
    end = start + dt.timedelta(days=7)
    return [
        span
        for begins, ends, state, _comments in hours.intervals(start, end)
        if state == opening_hours.State.OPEN
        for span in _split_at_mornings(begins, ends or end, start)
    ]


def _split_at_mornings(
    begins: dt.datetime, ends: dt.datetime, week: dt.datetime
) -> list[WeeklySpan]:
    """Split an interval at every midnight, except within 12 hours of the interval's end, so that
    nights stay whole.
    """
    spans: list[WeeklySpan] = []
    while begins < ends:
        midnight = dt.datetime.combine(begins.date(), dt.time()) + dt.timedelta(days=1)
        stop = midnight if ends > midnight + dt.timedelta(hours=12) else ends
        day = dt.datetime.combine(begins.date(), dt.time())
        spans.append(
            {
                "weekday": (begins.date() - week.date()).days,
                "open_min": int((begins - day).total_seconds() // 60),
                "close_min": int((stop - day).total_seconds() // 60),
            }
        )
        begins = stop
    return spans
