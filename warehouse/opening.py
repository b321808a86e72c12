"""When a place is open on a day: by weekday, and on public holidays where the syntax says so."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from schemas.values import clock_text

Spans = tuple[tuple[int, int], ...]
_DAYS = ("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su")
#: Hours that hold on every day alike, or by weekday only: weekly minutes tell all of them.
_PLAIN = re.compile(r"^(24/7|((Mo|Tu|We|Th|Fr|Sa|Su|off|[-,;: \d+])+))$")


@dataclass(frozen=True)
class Hours:
    """Opening spans by weekday, minutes after midnight; ``osm`` where dates matter as well."""

    weekly: tuple[Spans, ...]
    osm: str | None = field(default=None)
    closed: frozenset[int] = frozenset()

    @staticmethod
    def of(
        osm: str | None,
        weekly: Sequence[Mapping[str, int]] | None,
        closed: frozenset[int] = frozenset(),
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
        return Hours(tuple(joined(spans) for spans in days), osm if dated else None, closed)

    def on(self, date: dt.date) -> Spans:
        """Opening spans of a date, public holidays of China included."""
        if date.weekday() in self.closed:
            return ()
        if self.osm is not None:
            return _dated(self.osm, date)
        return self.weekly[date.weekday()]

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

    def days(self, date: dt.date | None) -> list[Spans]:
        """The spans of a date; without one those of every weekday that differ, or nothing where
        they depend on the date.
        """
        if date is not None:
            return [self.on(date)]
        if self.osm is not None:
            return []
        return sorted(
            {() if day in self.closed else spans for day, spans in enumerate(self.weekly)}
        )


def _spans_text(spans: Spans) -> str:
    if spans == ((0, 1440),):
        return "24/7"
    return ",".join(f"{clock_text(a)}-{clock_text(b)}" for a, b in spans) or "off"


def joined(spans: Sequence[tuple[int, int]]) -> Spans:
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
def _dated(osm: str, date: dt.date) -> Spans:
    # Only where hours are read.
    import opening_hours

    start = dt.datetime.combine(date, dt.time())
    hours = opening_hours.OpeningHours(osm, country="CN")
    spans = []
    for begins, ends, state, _comments in hours.intervals(start, start + dt.timedelta(days=1)):
        if state != opening_hours.State.OPEN:
            continue
        spans.append((_minute(begins, start, 0), _minute(ends, start, 1440)))
    return joined(spans)


def _minute(moment: dt.datetime | None, start: dt.datetime, unknown: int) -> int:
    if moment is None:
        return unknown
    return min(max(int((moment - start).total_seconds() // 60), 0), 1440)
