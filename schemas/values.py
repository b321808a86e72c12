"""Converts amounts of money and clock times to integers, and clock times back to text."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

_CLOCK = re.compile(r"^(\d{1,2})[:：](\d{2})(?:[:：]00)?(?:\+(\d))?$")
MINUTES_PER_DAY = 1440


def cents(amount: str | float | int) -> int:
    """Convert an amount of money to hundredths of its unit, rounding half up.

    Raises ValueError if the amount is negative or not a finite number.
    """
    try:
        value = Decimal(str(amount).strip())
    except InvalidOperation:
        raise ValueError(f"not an amount of money: {amount!r}") from None
    if not value.is_finite() or value < 0:
        raise ValueError(f"not an amount of money: {amount!r}")
    return int((value * 100).quantize(Decimal(1), rounding=ROUND_HALF_UP))


def clock_minutes(text: str) -> int:
    """Read a clock time from 0:00 to 24:00 as minutes after midnight.

    The form is ``H:MM`` or ``HH:MM``, optionally followed by ``:00`` or a number of days such as
    ``+1``. Raises ValueError if the text has any other form.
    """
    match = _CLOCK.match(text.strip())
    if not match:
        raise ValueError(f"not a clock time: {text!r}")
    hours, minutes, days = int(match[1]), int(match[2]), int(match[3] or 0)
    if minutes > 59 or hours * 60 + minutes > MINUTES_PER_DAY:
        raise ValueError(f"not a clock time: {text!r}")
    return days * MINUTES_PER_DAY + hours * 60 + minutes


def clock_text(minutes: int) -> str:
    """Format minutes after midnight as ``HH:MM``; times on the next day exceed 24:00 (25:30)."""
    return f"{minutes // 60:02d}:{minutes % 60:02d}"
