"""Choose the day of a feed's timetable that stands for all others."""

from __future__ import annotations

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from sources.open.errors import OpenDataError
from sources.open.gtfs_feed import Feed

#: Days from the first of a calendar that are looked at: publishers end it in a far year.
_MOST_DAYS = 500
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
#: Days of a week that stand for the others, where one of them is served.
_USUAL = (1, 2, 3)


@dataclass(frozen=True)
class ServiceDay:
    """A day, the services that run on it, and the first and the last day of the calendar."""

    date: dt.date
    services: frozenset[str]
    first: dt.date
    last: dt.date


def service_day(feed: Feed, trips: Mapping[str, int]) -> ServiceDay:
    """The Tuesday to Thursday with the most trips, the first of equals; another day without one.

    ``trips`` counts the trips of each service. Raises OpenDataError where no service runs on any
    day.
    """
    running, last = _running(feed)
    counts: Counter[dt.date] = Counter()
    for service, days in running.items():
        for day in days:
            counts[day] += trips.get(service, 0)
    if not counts or max(counts.values()) == 0:
        raise OpenDataError(
            f"gtfs={feed.name}: no trip runs on any day of its calendar: ask the publisher for a"
            " feed whose trips refer to services in calendar.txt or calendar_dates.txt"
        )
    best = min(
        counts, key=lambda day: (day.weekday() not in _USUAL or not counts[day], -counts[day], day)
    )
    services = frozenset(service for service, days in running.items() if best in days)
    return ServiceDay(best, services, min(counts), max(last, *counts))


def _running(feed: Feed) -> tuple[dict[str, set[dt.date]], dt.date]:
    """The days on which each service runs, and the last day of all."""
    found: dict[str, set[dt.date]] = defaultdict(set)
    weeks = feed.read("calendar.txt", ("service_id", "start_date", "end_date", *_WEEKDAYS))
    spans = [
        (row, start, end)
        for row in weeks.iter_rows(named=True)
        if row["service_id"]
        and (start := _day(row["start_date"]))
        and (end := _day(row["end_date"]))
    ]
    changes = [
        (row["service_id"], day, row["exception_type"])
        for row in feed.read(
            "calendar_dates.txt", ("service_id", "date", "exception_type")
        ).iter_rows(named=True)
        if row["service_id"] and (day := _day(row["date"]))
    ]
    wrong = weeks.height - len(spans)
    if wrong:
        feed.notes.append(f"calendar.txt: {wrong} rows without a service or days are skipped")
    firsts = [start for _, start, _ in spans] + [day for _, day, _ in changes]
    lasts = [end for _, _, end in spans] + [day for _, day, _ in changes]
    horizon = min(firsts, default=dt.date.min) + dt.timedelta(days=_MOST_DAYS)
    for row, start, end in spans:
        served = {n for n, name in enumerate(_WEEKDAYS) if row[name] == "1"}
        for number in range((min(end, horizon) - start).days + 1):
            day = start + dt.timedelta(days=number)
            if day.weekday() in served:
                found[row["service_id"]].add(day)
    for service, day, kind in changes:
        if kind == "1" and day <= horizon:
            found[service].add(day)
        elif kind == "2":
            found[service].discard(day)
    return found, max(lasts, default=dt.date.min)


def _day(text: str | None) -> dt.date | None:
    try:
        return dt.datetime.strptime(text or "", "%Y%m%d").date()
    except ValueError:
        return None


def seconds(column: str) -> pl.Expr:
    """``25:10:00`` as seconds after the start of the day of service;
    null where it cannot be read.
    """
    parts = pl.col(column).str.extract_groups(r"^(\d{1,3}):([0-5]\d):([0-5]\d)$")
    hours, minutes, rest = (parts.struct.field(str(n)).cast(pl.Int32) for n in (1, 2, 3))
    return hours * 3600 + minutes * 60 + rest
