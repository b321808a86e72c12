"""Reads times and dates in all forms that callers may use."""

from __future__ import annotations

import datetime as dt

from schemas.values import clock_minutes
from warehouse.errors import SandboxError

Time = str | int | dt.time
Date = str | dt.date


def minute_of(time: Time) -> int:
    """Convert a time to minutes after midnight. Raises SandboxError if the value is not a time."""
    if isinstance(time, dt.time):
        return time.hour * 60 + time.minute
    if isinstance(time, int):
        return time
    try:
        return clock_minutes(time)
    except ValueError as error:
        raise SandboxError(f"{error}; write the time as HH:MM") from None


def date_of(date: Date) -> dt.date:
    """Return a date, which may be given as a text ``YYYY-MM-DD``.

    Raises SandboxError if the value is not a date.
    """
    if isinstance(date, dt.datetime):
        return date.date()
    if isinstance(date, dt.date):
        return date
    try:
        return dt.date.fromisoformat(date)
    except ValueError:
        raise SandboxError(f"{date!r} is not a date (YYYY-MM-DD)") from None
