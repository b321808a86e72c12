"""Determines when a place is open on a date, including the public holidays of the country.

On a public holiday, only hours that mention the holiday count: ``PH 10:00-14:00``, ``PH off``, the
date itself (``Dec 25 off``), or ``24/7``. Hours such as ``Mo-Su 10:00-18:00`` do not mention
holidays. If a place is ordinarily closed on the weekday of a holiday, it also counts as closed on
the holiday. If a place is ordinarily open on the weekday of a holiday, its hours on the holiday are
unknown, because many places stay closed.
Ordinary hours apply on public holidays in mainland China, where people travel on these days, and in
countries whose holidays are unknown.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from schemas.festivals import is_public_holiday
from schemas.hours import WeeklySpan
from schemas.mainland import MAINLAND
from schemas.values import clock_text

Spans = tuple[tuple[int, int], ...]
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAYS = ("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su")
_DAY = (0, 1440)
#: Words for public holidays in opening hours.
_HOLIDAYS = re.compile(r"\bPH\b|\beaster\b")
#: Hours that depend on nothing but the weekday, so that the weekly times are sufficient.
_PLAIN = re.compile(r"^(24/7|((Mo|Tu|We|Th|Fr|Sa|Su|off|[-,;: \d+])+))$")


@dataclass(frozen=True)
class Hours:
    """The opening hours of a place.

    ``weekly`` contains the opening times of each weekday in minutes after midnight. ``osm`` is set
    if the hours also depend on the date. ``country`` (ISO 3166-1) determines the public holidays.
    """

    weekly: tuple[Spans, ...]
    osm: str | None = field(default=None)
    closed: frozenset[int] = frozenset()
    country: str = MAINLAND

    @staticmethod
    def of(
        osm: str | None,
        weekly: Sequence[WeeklySpan] | None,
        closed: frozenset[int] = frozenset(),
        country: str = MAINLAND,
    ) -> Hours | None:
        """Make opening hours from a row's columns, or return None if the hours are unknown.

        ``closed`` contains the weekdays (Monday is 0) on which the place is closed according to a
        different fact.
        """
        if weekly is None and osm is None:
            return None
        dated = osm is not None and not _PLAIN.match(osm)
        if weekly is None and not dated:
            return None
        days: list[list[tuple[int, int]]] = [[] for _ in range(7)]
        for span in weekly or ():
            days[span["weekday"]].append((span["open_min"], span["close_min"]))
            if span["close_min"] > 1440:
                days[(span["weekday"] + 1) % 7].append((0, span["close_min"] - 1440))
        return Hours(
            tuple(join_spans(spans) for spans in days), osm if dated else None, closed, country
        )

    def on(self, date: dt.date) -> Spans | None:
        """Return the opening times on a date, or None if a public holiday makes them unknown."""
        if date.weekday() in self.closed:
            return ()
        if self.osm is not None:
            spans = _date_spans(self.osm, date, self.country)
        else:
            spans = self.weekly[date.weekday()]
        is_always = self.osm is None and not self.closed and set(self.weekly) == {(_DAY,)}
        if not spans or is_always or self.country == MAINLAND:
            return spans
        is_holiday = is_public_holiday(self.country, date) is True
        return spans if not is_holiday or self._tells(date) else None

    def _tells(self, date: dt.date) -> bool:
        """Check whether the OSM text mentions public holidays or this date."""
        text = self.osm or ""
        named = rf"\b{_MONTHS[date.month - 1]} 0?{date.day}\b(?!:)"
        return bool(_HOLIDAYS.search(text) or re.search(named, text))

    @property
    def text(self) -> str:
        """Return the hours in OSM syntax."""
        if self.osm is not None:
            return self.osm
        week = [() if day in self.closed else spans for day, spans in enumerate(self.weekly)]
        if all(spans == week[0] for spans in week):
            return _spans_text(week[0])
        first, told = 0, []
        for day in range(1, 8):
            if day == 7 or week[day] != week[first]:
                days = _DAYS[first] if day == first + 1 else f"{_DAYS[first]}-{_DAYS[day - 1]}"
                told.append(f"{days} {_spans_text(week[first])}")
                first = day
        return "; ".join(told)

    def days(self, when: dt.date | int | None) -> list[Spans]:
        """Return the opening times on a date or a weekday (Monday is 0).

        If ``when`` is None, return every different set of opening times that occurs in the week.
        The list is empty if the opening times are unknown or depend on the date.
        """
        if isinstance(when, dt.date):
            spans = self.on(when)
            return [] if spans is None else [spans]
        if self.osm is not None:
            return []
        if when is not None:
            return [() if when in self.closed else self.weekly[when]]
        return sorted(
            {() if day in self.closed else spans for day, spans in enumerate(self.weekly)}
        )


def _spans_text(spans: Spans) -> str:
    if spans == (_DAY,):
        return "24/7"
    return ",".join(f"{clock_text(a)}-{clock_text(b)}" for a, b in spans) or "off"


def join_spans(spans: Sequence[tuple[int, int]]) -> Spans:
    """Sort time spans and join those that overlap or touch."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return tuple(found)


def holds(spans: Spans, start_min: int, end_min: int) -> bool:
    """Check whether a stay lies within one opening period."""
    return any(opens <= start_min and end_min <= closes for opens, closes in spans)


@lru_cache(maxsize=4096)
def _date_spans(osm: str, date: dt.date, country: str) -> Spans:
    # Imported here because few commands read opening hours.
    import opening_hours

    start = dt.datetime.combine(date, dt.time())
    try:
        hours = opening_hours.OpeningHours(osm, country=country)
    except opening_hours.UnknownCountryError:  # type: ignore[attr-defined]  # not in its stub
        hours = opening_hours.OpeningHours(osm)
    return join_spans(
        [
            (_minute(begins, start, 0), _minute(ends, start, 1440))
            for begins, ends, state, _ in hours.intervals(start, start + dt.timedelta(days=1))
            if state == opening_hours.State.OPEN
        ]
    )


def _minute(moment: dt.datetime | None, start: dt.datetime, unknown: int) -> int:
    if moment is None:
        return unknown
    return min(max(int((moment - start).total_seconds() // 60), 0), 1440)
