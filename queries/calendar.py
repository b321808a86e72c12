"""Find the dates of the seasons and holidays of a city in a given year.

The days of a festival can differ from the official days off; both come from maintained libraries.
``days_off`` is None until the days off have been announced for the year.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from schemas.cities import City
from schemas.festivals import festival_of, public_holidays
from schemas.mainland import MAINLAND
from schemas.seasons import season_months
from schemas.taxonomy import HOLIDAYS, SEASONS, codes

#: The names of the holidays in the library of Chinese days off.
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
    """The dates of a season or holiday; ``days_off`` is None if they are not published."""

    first: dt.date
    last: dt.date
    days_off: tuple[dt.date, ...] | None = None


def season_dates(code: str, year: int, lat: float) -> When | None:
    """Return the first and last day of a season at a latitude in degrees, or None near the equator.

    A season that begins in December ends in the following year. Raises KeyError if the season is
    unknown.
    """
    months = season_months(code, lat)
    if not months:
        return None
    after = dt.date(year + (months[-1] < months[0]), months[-1], 1) + dt.timedelta(days=31)
    return When(dt.date(year, months[0], 1), after.replace(day=1) - dt.timedelta(days=1))


def holiday_dates(code: str, year: int, country_code: str = MAINLAND) -> When | None:
    """Return the days of a holiday in a country, and the official days off if they are published.

    In mainland China, a holiday lasts from the first to the last day off. If the days off are not
    published, the holiday consists of the day of the festival only. Raises KeyError if the holiday
    is unknown, and ValueError if the year is not between 1950 and 2099.
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
    """Return the days off for a holiday in China, including the adjoining weekend days.

    Returns None if the days off are not published.
    """
    # Imported here because only days off in China need it.
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
    """Return the dates of a season or holiday in a city, or None for any other kind of
    constraint.
    """
    if kind == "season" and code in codes(SEASONS):
        return season_dates(code, year, city.lat)
    if kind == "holiday" and code in codes(HOLIDAYS):
        return holiday_dates(code, year, city.country_code)
    return None
