"""When a place is open on a day: by weekday, by date, and on the public holidays of its country.

On a public holiday only hours that mention holidays count: ``PH 10:00-14:00``, ``PH off``, the date
itself (``Dec 25 off``), and ``24/7``. A place whose hours do not mention them, such as ``Mo-Su
10:00-18:00``, is closed then if it is closed on that weekday, and otherwise unknown, since many
such places stay shut. In mainland China, where people travel on public holidays, and in countries
whose holidays no library knows, ordinary hours apply.
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
#: Words for public holidays, and for the feasts that move.
_HOLIDAYS = re.compile(r"\bPH\b|\beaster\b")
#: Hours that hold on every day alike, or by weekday only: weekly minutes tell all of them.
_PLAIN = re.compile(r"^(24/7|((Mo|Tu|We|Th|Fr|Sa|Su|off|[-,;: \d+])+))$")


@dataclass(frozen=True)
class Hours:
    """Opening spans by weekday, minutes after midnight; ``osm`` where dates matter as well.

    ``country`` (ISO 3166-1) says which days are public holidays.
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
        """Hours from a row's columns; None where they are unknown.

        ``closed``: weekdays (Monday 0) that another statement says the place is closed on.
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
        """Opening spans of a date; None on a public holiday of which nothing is said."""
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
        """Whether the text names public holidays, or the date by itself."""
        text = self.osm or ""
        named = rf"\b{_MONTHS[date.month - 1]} 0?{date.day}\b(?!:)"
        return bool(_HOLIDAYS.search(text) or re.search(named, text))

    @property
    def text(self) -> str:
        """The hours as OSM syntax, by weekday where no text came with them."""
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
        """The spans of a date or of a weekday (Monday 0), or nothing where they are unknown;
        without either those of every weekday that differ, or nothing where they depend on the date.
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
    """Spans in order, those that touch made one."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return tuple(found)


def holds(spans: Spans, start_min: int, end_min: int) -> bool:
    """Whether a stay lies within one opening span."""
    return any(opens <= start_min and end_min <= closes for opens, closes in spans)


@lru_cache(maxsize=4096)
def _date_spans(osm: str, date: dt.date, country: str) -> Spans:
    # Only where hours are read.
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
