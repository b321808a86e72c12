"""Opening hours in OSM syntax and in minutes of the week. Unknown hours are None.

Weekly minutes are the opening times of an ordinary week (no holidays) as ``{"weekday": 0-6 (Monday
first), "open_min", "close_min"}``; a closing time above 1440 is on the next day. Expressions that
change with the season have no single week, so the caller chooses a week within the season.
"""

from __future__ import annotations

import datetime as dt
from typing import TypedDict

from schemas.values import clock_minutes, clock_text

#: A Monday in a week without Chinese public holidays, used where no date is given.
REFERENCE_MONDAY = dt.date(2026, 6, 1)


class WeeklySpan(TypedDict):
    """One opening period of a week, in minutes after midnight."""

    weekday: int
    open_min: int
    close_min: int


def daily_osm(open_text: str, close_text: str) -> str:
    """Write daily hours as OSM syntax; a closing time before the opening time is after midnight.

    Raises ValueError if a time cannot be read or both times are the same.
    """
    opens, closes = clock_minutes(open_text), clock_minutes(close_text)
    if (opens, closes) == (0, 1440):
        return "24/7"
    if opens == closes:
        raise ValueError(f"opening hours of no length: {open_text}-{close_text}")
    return f"{clock_text(opens)}-{clock_text(closes)}"


def weekly_spans(expression: str, week_of: dt.date = REFERENCE_MONDAY) -> list[WeeklySpan] | None:
    """List the opening periods of the week that begins at ``week_of``; None if not understood."""
    # Only where hours are read.
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
    """One span a day where an interval runs over whole days; a night out stays one span."""
    spans: list[WeeklySpan] = []
    while begins < ends:
        midnight = dt.datetime.combine(begins.date(), dt.time()) + dt.timedelta(days=1)
        whole = ends > midnight + dt.timedelta(hours=12)
        stop = midnight if whole else ends
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
