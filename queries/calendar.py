"""Seasons and holidays as dates of a year.

A festival's date is one thing (the lunar ones are computed), the official days off another: they
come from a maintained library, and are None for years that are not yet published.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from schemas.taxonomy import HOLIDAYS, SEASONS, codes

#: First month of each season, as meteorologists count.
_SEASON_STARTS = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}
#: Month and day of the lunar festivals.
_LUNAR = {"spring_festival": (1, 1), "dragon_boat": (5, 5), "mid_autumn": (8, 15)}
_FIXED = {"labor_day": (5, 1), "national_day": (10, 1)}
_NAMES = {
    "spring_festival": "Spring Festival", "qingming": "Tomb-sweeping Day", "labor_day": "Labour Day",
    "dragon_boat": "Dragon Boat Festival", "mid_autumn": "Mid-autumn Festival",
    "national_day": "National Day",
}  # fmt: skip


@dataclass(frozen=True)
class When:
    """Dates of a season or holiday. ``days_off`` is None where nobody has published them."""

    first: dt.date
    last: dt.date
    days_off: tuple[dt.date, ...] | None = None


def season_dates(code: str, year: int) -> When:
    """First and last day; the winter of a year ends in February of the next.

    Raises KeyError for an unknown season.
    """
    start = _SEASON_STARTS[code]
    end = (year + (start == 12), (start + 3 - 1) % 12 + 1)
    return When(dt.date(year, start, 1), dt.date(*end, 1) - dt.timedelta(days=1))


def holiday_dates(code: str, year: int) -> When:
    """The festival's day, or first and last official day off where they are published.

    Raises KeyError for an unknown holiday, ValueError outside 1950 to 2099.
    """
    day = festival(code, year)
    off = official_days_off(code, year)
    return When(off[0] if off else day, off[-1] if off else day, off)


def festival(code: str, year: int) -> dt.date:
    """The festival's own day in a year; lunar festivals and Qingming are computed."""
    if not 1950 <= year <= 2099:
        raise ValueError(f"festivals are known for 1950 to 2099, not for {year}")
    if code in _LUNAR:
        # Only for festivals of the lunar calendar.
        from lunardate import LunarDate

        found: dt.date = LunarDate(year, *_LUNAR[code]).toSolarDate()
        return found
    if code == "qingming":
        return _qingming(year)
    return dt.date(year, *_FIXED[code])


def _qingming(year: int) -> dt.date:
    """Solar term of 15 degrees; the usual formula with the constants of its century."""
    constant = 5.59 if year < 2000 else 4.81
    y = year % 100
    return dt.date(year, 4, int(y * 0.2422 + constant) - y // 4)


def official_days_off(code: str, year: int) -> tuple[dt.date, ...] | None:
    """Days off in China for a holiday, with the weekend days joined to it; None if unpublished."""
    # Only for days off in China.
    import chinese_calendar

    day = festival(code, year)
    try:
        around = [day + dt.timedelta(days=n) for n in range(-9, 10)]
        found = [
            date
            for date in around
            if chinese_calendar.get_holiday_detail(date) == (True, _NAMES[code])
        ]
    except NotImplementedError:
        return None
    return tuple(found) or None


def resolve(kind: str, code: str | None, year: int) -> When | None:
    """Dates of a constraint; None where it names no time."""
    if kind == "season" and code in codes(SEASONS):
        return season_dates(code, year)
    if kind == "holiday" and code in codes(HOLIDAYS):
        return holiday_dates(code, year)
    return None
