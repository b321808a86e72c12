"""Seasons and holidays of a city as the dates of a year.

The date of a festival is one thing, the official days off are another. Both come from maintained
libraries; days off are None for years that have not been announced yet.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from schemas.cities import City
from schemas.festivals import festival_of, public_holidays
from schemas.mainland import MAINLAND
from schemas.seasons import season_months
from schemas.taxonomy import HOLIDAYS, SEASONS, codes

#: What the library of Chinese days off calls the holidays.
_NAMES = {
    "spring_festival": "Spring Festival",
    "qingming": "Tomb-sweeping Day",
    "labor_day": "Labour Day",
    "dragon_boat": "Dragon Boat Festival",
    "mid_autumn": "Mid-autumn Festival",
    "national_day": "National Day",
}


@dataclass(frozen=True)
class When:
    """Dates of a season or holiday. ``days_off`` is None where nobody has published them."""

    first: dt.date
    last: dt.date
    days_off: tuple[dt.date, ...] | None = None


def season_dates(code: str, year: int, lat: float) -> When | None:
    """First and last day at a latitude in degrees; a season that begins in December ends in the
    next year.

    None near the equator. Raises KeyError for an unknown season.
    """
    months = season_months(code, lat)
    if not months:
        return None
    after = dt.date(year + (months[-1] < months[0]), months[-1], 1) + dt.timedelta(days=31)
    return When(dt.date(year, months[0], 1), after.replace(day=1) - dt.timedelta(days=1))


def holiday_dates(code: str, year: int, country_code: str = MAINLAND) -> When | None:
    """The festival's days, and the days off in the country where they are published.

    In mainland China first and last are those of the days off, where they are published, else the
    festival's own day. None where no day of the year is known. Raises KeyError for an unknown
    holiday, ValueError outside 1950 to 2099.
    """
    if country_code == MAINLAND:
        day = festival_of(code).day(year)
        off = days_off_in_china(code, year)
        return When(off[0] if off else day, off[-1] if off else day, off)
    first, last = festival_of(code).span(year)
    free = {y: public_holidays(country_code, y) for y in {first.year, last.year}}
    if None in free.values():
        return When(first, last)
    days = [first + dt.timedelta(days=n) for n in range((last - first).days + 1)]
    return When(first, last, tuple(day for day in days if day in (free[day.year] or ())))


def days_off_in_china(code: str, year: int) -> tuple[dt.date, ...] | None:
    """Days off in China for a holiday, with the weekend days joined to it; None if unpublished."""
    # Only for days off in China.
    import chinese_calendar

    day = festival_of(code).day(year)
    try:
        around = [day + dt.timedelta(days=n) for n in range(-9, 10)]
        found = [
            date
            for date in around
            if chinese_calendar.get_holiday_detail(date) == (True, _NAMES.get(code))
        ]
    except NotImplementedError:
        return None
    return tuple(found) or None


def resolve(kind: str, code: str | None, year: int, city: City) -> When | None:
    """Dates of a constraint in a city; None where it names no time, or none that is known."""
    if kind == "season" and code in codes(SEASONS):
        return season_dates(code, year, city.lat)
    if kind == "holiday" and code in codes(HOLIDAYS):
        return holiday_dates(code, year, city.country_code)
    return None
