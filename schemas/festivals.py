"""Holidays and festivals: which of them a city celebrates, and when.

``lists/festivals.tsv`` lists the festivals that travellers ask for, with the rule for each date.
Public holidays come from the library ``holidays``; if it does not cover a country or year, they are
unknown.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from functools import cache, lru_cache

from schemas.mainland import MAINLAND
from schemas.taxonomy import HOLIDAYS, Term
from schemas.word_lists import Lists

#: Years for which dates of festivals can be worked out.
FIRST_YEAR, LAST_YEAR = 1950, 2099
#: Years that the library knows for every country: who keeps a holiday is asked of them.
_REFERENCE_YEARS = (2024, 2025, 2026)
_PUBLIC = "public"
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


@dataclass(frozen=True)
class Festival:
    """One festival: where it is celebrated, how its date is determined, and how long it lasts."""

    term: Term
    where: frozenset[str]
    when: str
    before: int
    days: int

    def day(self, year: int) -> dt.date:
        """Find the date of the festival itself in a year.

        Raises ValueError if it is not known for that year.
        """
        if not FIRST_YEAR <= year <= LAST_YEAR:
            raise ValueError(f"festivals are known for {FIRST_YEAR} to {LAST_YEAR}, not for {year}")
        return _day(self.when, year)

    def span(self, year: int) -> tuple[dt.date, dt.date]:
        """Find the first and the last day of the festival in a year."""
        first = self.day(year) - dt.timedelta(days=self.before)
        return first, first + dt.timedelta(days=self.days - 1)

    def is_kept_in(self, country_code: str, slug: str) -> bool:
        """Whether a city celebrates the festival, by its country (ISO 3166-1) and slug."""
        if _PUBLIC not in self.where:
            return bool(self.where & {country_code, slug})
        return country_code != MAINLAND and self._is_public(country_code)

    def _is_public(self, country_code: str) -> bool:
        # Who sees the moon a day later keeps the same feast; one equal day may be chance.
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
    """Find a festival by its code. Raises KeyError if there is none."""
    return _festivals()[code]


@lru_cache(maxsize=1024)
def festivals_in(country_code: str, slug: str) -> tuple[Festival, ...]:
    """List the festivals that a city celebrates, by its country (ISO 3166-1) and slug."""
    return tuple(f for f in _festivals().values() if f.is_kept_in(country_code, slug))


@lru_cache(maxsize=1024)
def public_holidays(country_code: str, year: int) -> dict[dt.date, str] | None:
    """List a country's public holidays by date, in English if possible; None if unknown."""
    # holidays takes a third of a second to import.
    import holidays

    try:
        found = holidays.country_holidays(country_code, years=year, language="en_US")
    except NotImplementedError:
        return None
    return dict(sorted(found.items())) or None


@cache
def weekend(country_code: str) -> frozenset[int]:
    """List a country's weekly days of rest (Monday is 0); Saturday and Sunday if unknown."""
    # As above.
    import holidays

    try:
        return frozenset(holidays.country_holidays(country_code).weekend)
    except NotImplementedError:
        return frozenset({5, 6})


def is_public_holiday(country_code: str, date: dt.date) -> bool | None:
    """Whether a date is a public holiday in the whole country; None if that is unknown."""
    days = public_holidays(country_code, date.year)
    return None if days is None else date in days


def _day(when: str, year: int) -> dt.date:
    kind, _, rest = when.partition(" ")
    if kind in ("easter", "orthodox"):
        # Only for feasts that move with Easter.
        from dateutil.easter import EASTER_ORTHODOX, EASTER_WESTERN, easter

        method = EASTER_ORTHODOX if kind == "orthodox" else EASTER_WESTERN
        sunday: dt.date = easter(year, method)
        return sunday + dt.timedelta(days=int(rest))
    if kind == "lunar":
        # Only for festivals of the lunar calendar.
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
    """Solar term of 15 degrees; the usual formula with the constants of its century."""
    constant = 5.59 if year < 2000 else 4.81
    y = year % 100
    return dt.date(year, 4, int(y * 0.2422 + constant) - y // 4)


def _find_holiday(country_code: str, name: str, year: int) -> dt.date:
    """The first day that a country's public holidays call so in a year; a day may have several
    names.
    """
    for day, called in (public_holidays(country_code, year) or {}).items():
        if any(one == name or one.startswith(f"{name} (") for one in called.split("; ")):
            return day
    raise ValueError(f"the date of {name} in {year} is not known")
