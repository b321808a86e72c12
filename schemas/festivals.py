"""Finds the holidays and festivals that a city celebrates, and their dates.

``lists/festivals.tsv`` lists the festivals that travellers ask for, with the rule for each date.
Public holidays come from the library ``holidays``. If the library does not cover a country or a
year, the public holidays are unknown.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from functools import cache, lru_cache

from schemas.mainland import MAINLAND
from schemas.taxonomy import HOLIDAYS, Term
from schemas.word_lists import Lists

#: Years for which the dates of festivals can be computed.
FIRST_YEAR, LAST_YEAR = 1950, 2099
#: Years that the library covers for every country. They show which countries keep a holiday.
_REFERENCE_YEARS = (2024, 2025, 2026)
_PUBLIC = "public"
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


@dataclass(frozen=True)
class Festival:
    """A festival, with the cities that celebrate it, the rule for its date, and its length."""

    term: Term
    where: frozenset[str]
    when: str
    before: int
    days: int

    def day(self, year: int) -> dt.date:
        """Return the date of the festival's main day in a given year.

        Raises ValueError if the date is not known for this year.
        """
        if not FIRST_YEAR <= year <= LAST_YEAR:
            raise ValueError(
                f"festival dates are known only for {FIRST_YEAR} to {LAST_YEAR}, not for {year}"
            )
        return _day(self.when, year)

    def span(self, year: int) -> tuple[dt.date, dt.date]:
        """Return the first and the last day of the festival in a given year."""
        first = self.day(year) - dt.timedelta(days=self.before)
        return first, first + dt.timedelta(days=self.days - 1)

    def is_kept_in(self, country_code: str, slug: str) -> bool:
        """Check whether a city, given by country (ISO 3166-1) and slug, celebrates the festival."""
        if _PUBLIC not in self.where:
            return bool(self.where & {country_code, slug})
        return country_code != MAINLAND and self._is_public(country_code)

    def _is_public(self, country_code: str) -> bool:
        # Countries that see the new moon a day later keep the same holiday. Several years are
        # checked because one matching day may be a coincidence.
        slack = 1 if self.when[:2].isupper() else 0
        return all(
            any(
                self.day(year) + dt.timedelta(days=n) in (public_holidays(country_code, year) or ())
                for n in range(-slack, slack + 1)
            )
            for year in _REFERENCE_YEARS
        )


@cache
def _festivals() -> dict[str, Festival]:
    terms = {term.code: term for term in HOLIDAYS}
    return {
        code: Festival(terms[code], frozenset(where.split()), when, int(before), int(days))
        for code, where, when, before, days in Lists("schemas").table("festivals")
    }


def festival_of(code: str) -> Festival:
    """Return the festival with this code. Raises KeyError if the code is unknown."""
    return _festivals()[code]


@lru_cache(maxsize=1024)
def festivals_in(country_code: str, slug: str) -> tuple[Festival, ...]:
    """Return the festivals celebrated in a city, given by country (ISO 3166-1) and slug."""
    return tuple(f for f in _festivals().values() if f.is_kept_in(country_code, slug))


@lru_cache(maxsize=1024)
def public_holidays(country_code: str, year: int) -> dict[dt.date, str] | None:
    """Return a country's public holidays by date, in English if possible, or None if unknown."""
    # The import takes a third of a second.
    import holidays

    try:
        found = holidays.country_holidays(country_code, years=year, language="en_US")
    except NotImplementedError:
        return None
    return dict(sorted(found.items())) or None


@cache
def weekend(country_code: str) -> frozenset[int]:
    """Return a country's weekend days (Monday is 0), or Saturday and Sunday if unknown."""
    # The import takes a third of a second.
    import holidays

    try:
        return frozenset(holidays.country_holidays(country_code).weekend)
    except NotImplementedError:
        return frozenset({5, 6})


def is_public_holiday(country_code: str, date: dt.date) -> bool | None:
    """Check whether a date is a public holiday in the whole country; return None if unknown."""
    days = public_holidays(country_code, date.year)
    return None if days is None else date in days


def _day(when: str, year: int) -> dt.date:
    kind, _, rest = when.partition(" ")
    if kind in ("easter", "orthodox"):
        # Imported only for holidays whose dates depend on Easter.
        from dateutil.easter import EASTER_ORTHODOX, EASTER_WESTERN, easter

        method = EASTER_ORTHODOX if kind == "orthodox" else EASTER_WESTERN
        sunday: dt.date = easter(year, method)
        return sunday + dt.timedelta(days=int(rest))
    if kind == "lunar":
        # Imported only for festivals of the lunar calendar.
        from lunardate import LunarDate

        month, day = map(int, rest.split("-"))
        found: dt.date = LunarDate(year, month, day).toSolarDate()
        return found
    if kind == "qingming":
        return _qingming(year)
    if kind in _WEEKDAYS:
        first = _month_day(rest.removeprefix("from "), year)
        return first + dt.timedelta(days=(_WEEKDAYS.index(kind) - first.weekday()) % 7)
    return _find_holiday(kind, rest, year) if rest else _month_day(kind, year)


def _month_day(text: str, year: int) -> dt.date:
    month, day = map(int, text.split("-"))
    return dt.date(year, month, day)


def _qingming(year: int) -> dt.date:
    """Return the date of Qingming in a year, by the usual formula for the century."""
    constant = 5.59 if year < 2000 else 4.81
    y = year % 100
    return dt.date(year, 4, int(y * 0.2422 + constant) - y // 4)


def _find_holiday(country_code: str, name: str, year: int) -> dt.date:
    """Find the first day of a year that has this name among a country's public holidays.

    A day may have several names.
    """
    for day, called in (public_holidays(country_code, year) or {}).items():
        if any(one == name or one.startswith(f"{name} (") for one in called.split("; ")):
            return day
    raise ValueError(f"the date of {name} in {year} is not known")
