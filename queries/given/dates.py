"""Check whether the dates in a user's query agree with its number of days and the current year."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

from queries.given.forms import RefusedEntry


def check_dates(structure: Mapping[str, Any], year: int) -> list[str]:
    """Return remarks on a query's dates.

    Raises RefusedEntry if the dates contradict the number of days.

    Dates before ``year`` lead only to a remark, because a plan can still use their weekdays and
    season.
    """
    text = structure.get("dates")
    if not text:
        return []
    try:
        first, last = (dt.date.fromisoformat(part.strip()) for part in str(text).split(" to "))
    except ValueError:
        raise RefusedEntry(
            "dates", f"not of the form YYYY-MM-DD to YYYY-MM-DD: {str(text)[:40]}"
        ) from None
    if (last - first).days + 1 != structure.get("days"):
        raise RefusedEntry("dates", f"{text} are not {structure.get('days')} days")
    return [f"its dates are in the past (before {year})"] if first.year < year else []
