"""Parses a line in one of the two accepted forms, which refer to places by name or by number."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, get_args

from extractors.own_readings.given import (
    GivenDay,
    GivenFact,
    GivenPlace,
    LineReading,
    LineTally,
    Part,
    PlaceDayRow,
    PoiDayRow,
    PoiFactRow,
    PoiRow,
    SetAside,
    row_of,
    show_value,
)
from extractors.text import fold
from schemas.document_reading import Kind
from schemas.taxonomy import TPRAG_CITIES

_KINDS: dict[str, Kind] = {**{kind: kind for kind in get_args(Kind)}, "none": "other"}
_MOST_DAYS = 999
#: Brackets after a value contain a limit on it, as in "60 (Apr-Oct)".
_LIMITED = re.compile(r"(?P<value>[^()（）]+?)\s*[(（](?P<limit>[^()（）]+)[)）]\s*")
#: Chinese names of the cities that the careful readings name in pinyin.
_CHINESE = dict(TPRAG_CITIES)


class _FormLine:
    """A line of a readings file while it is being parsed."""

    def __init__(self, row: dict[str, Any]) -> None:
        self.row = row
        self.refused: list[SetAside] = []
        self.n_stops = 0

    def refuse(self, part: Part, what: object, why: str) -> None:
        self.refused.append(SetAside(part, show_value(what), why))

    def read_list(self, key: str) -> list[Any]:
        """Return the list under a key; the list is empty if the key is missing or null."""
        value = self.row.get(key)
        if value is None or isinstance(value, list):
            return value or []
        self.refuse("remark", key, "it is not a list: give a list or leave it out")
        return []

    def kind(self) -> Kind:
        kind = self.row.get("kind", "other")
        if isinstance(kind, str) and kind in _KINDS:
            return _KINDS[kind]
        self.refuse(
            "remark", kind, f"`kind` must be one of {', '.join(_KINDS)}; it is read as other"
        )
        return "other"

    def days_stated(self) -> int | None:
        days = self.row.get("days_stated")
        if days is None or (type(days) is int and 0 <= days <= _MOST_DAYS):
            return days
        self.refuse("remark", days, f"`days_stated` must be a number from 0 to {_MOST_DAYS}")
        return None

    def departures(self) -> tuple[str, ...]:
        """Return the place of departure, both as written in the file and as written in Chinese
        texts.
        """
        trips = self.row.get("trips")
        rows = [self.row, *(trips if isinstance(trips, list) else ())]
        told = (row.get("departure") for row in rows if isinstance(row, dict))
        first = next((city for city in told if isinstance(city, str) and 0 < len(city) <= 200), "")
        return tuple(filter(None, (first, _CHINESE.get(first.lower()))))

    def stops(self, day: str, visits: Any, number_of: Callable[[Any], int | None]) -> Iterator[int]:
        """Return the numbers of the places at which the traveller stops on a day."""
        if not isinstance(visits, list):
            self.refuse("remark", day, "its stops are not a list: give a list, which may be empty")
            return
        self.n_stops += len(visits)
        for visit in visits:
            number = number_of(visit)
            if number is None:
                self.refuse("stop", visit, f"{day}: no kept place of this line has this name")
            else:
                yield number

    def refuse_day(self, day: str, visits: Any, why: str) -> None:
        """Set aside a day that cannot be used, and all its stops."""
        self.refuse("remark", day, why)
        for visit in visits if isinstance(visits, list) else ():
            self.n_stops += 1
            self.refuse("stop", visit, f"{day}: {why}")


def read_row(row: dict[str, Any]) -> LineReading:
    """Read a line in either form; a line with ``places`` has numbered places."""
    line = _FormLine(row)
    return _by_number(line) if "places" in row else _by_name(line)


def _finish_row(
    line: _FormLine, places: list[GivenPlace], trips: list[list[GivenDay]], facts: list[GivenFact],
    counted: tuple[int, int],
) -> LineReading:  # fmt: skip
    kept = tuple(tuple(days) for days in trips if any(day.stops for day in days))
    return LineReading(
        kind=line.kind(), days_stated=line.days_stated(), departures=line.departures(),
        places=tuple(places), trips=kept, facts=tuple(facts),
        counted=LineTally(counted[0], line.n_stops, counted[1]), refused=tuple(line.refused),
    )  # fmt: skip


# --- by number: the careful readings ----------------------------------------------------------


def _by_number(line: _FormLine) -> LineReading:
    listed, stated = line.read_list("places"), line.read_list("facts")
    places: dict[int, GivenPlace] = {}
    for row in listed:
        place = row_of(GivenPlace, row)
        if isinstance(place, str):
            line.refuse("place", _name_in(row), place)
        elif place.n in places:
            line.refuse("place", place.name, f"another place has the number {place.n}; renumber it")
        else:
            places[place.n] = place

    def number_of(visit: Any) -> int | None:
        return visit if type(visit) is int and visit in places else None

    trips = []
    for trip in line.read_list("trips"):
        days = trip.get("days") if isinstance(trip, dict) else None
        if isinstance(days, list):
            trips.append(_days(line, days, "stops", number_of, PlaceDayRow))
        else:
            line.refuse("remark", trip, 'a trip is {"days": [...]}; correct the file')
    facts = []
    for row in stated:
        fact = row_of(GivenFact, row)
        if isinstance(fact, str):
            line.refuse("fact", _fact_in(row), fact)
        elif fact.n not in places:
            line.refuse("fact", _fact_in(row), f"no kept place has the number {fact.n}")
        else:
            facts.append(fact)
    return _finish_row(line, list(places.values()), trips, facts, (len(listed), len(stated)))


# --- by name: the labelled documents, and what ``tripbed extract`` writes -----------------------


def _by_name(line: _FormLine) -> LineReading:
    listed, stated = line.read_list("pois"), line.read_list("facts")
    rows: dict[int, PoiRow] = {}
    for n, row in enumerate(listed, 1):
        poi = row_of(PoiRow, row)
        if isinstance(poi, str):
            line.refuse("place", _name_in(row), poi)
        else:
            rows[n] = poi
    numbers = _numbers(rows)

    def number_of(name: Any) -> int | None:
        return numbers.get(fold(name)) if isinstance(name, str) and len(name) <= 200 else None

    places = []
    for n, poi in rows.items():
        parent = number_of(poi.parent)
        if poi.parent and parent is None:
            line.refuse("remark", poi.parent, f"no place has the name of the parent of {poi.name}")
        own = {"n": n, "where": poi.city, "parent": parent}
        places.append(GivenPlace.model_construct(**{**dict(poi), **own}))
    days = _days(line, line.read_list("trajectory"), "visits", number_of, PoiDayRow)
    visited = {place.n for place in places if place.role == "visited"}
    if not any(visited.intersection(day.stops) for day in days):
        days = [GivenDay(d.number, d.label, d.where, d.stops, is_planned=True) for d in days]
    facts = []
    for row in stated:
        fact = row_of(PoiFactRow, row)
        n_of = number_of(fact.poi) if isinstance(fact, PoiFactRow) else None
        if isinstance(fact, str):
            line.refuse("fact", _fact_in(row), fact)
        elif n_of is None:
            line.refuse(
                "fact", _fact_in(row), f"no place of this line is named {show_value(fact.poi)}"
            )
        else:
            value, condition = _without_limit(fact)
            own = {"n": n_of, "value": value, "condition": condition}
            facts.append(GivenFact.model_construct(**{**dict(fact), **own}))
    return _finish_row(line, places, [days], facts, (len(listed), len(stated)))


def _numbers(rows: dict[int, PoiRow]) -> dict[str, int]:
    """Return the numbers of places by folded name.

    If two places share a name, the place that has it as its standard name takes precedence.
    """
    forms = [
        *((row.standard, n) for n, row in rows.items() if row.standard),
        *((row.name, n) for n, row in rows.items()),
        *((form, n) for n, row in rows.items() for form in row.also),
    ]
    return {fold(form): n for form, n in reversed(forms)}


def _without_limit(fact: PoiFactRow) -> tuple[str, str | None]:
    """Separate a value from its limit: "60 (Apr-Oct)" applies only from April to October."""
    limited = _LIMITED.fullmatch(fact.value) if fact.condition is None else None
    if limited is None or fact.field == "season":
        return fact.value, fact.condition
    return limited["value"], limited["limit"].strip()


# --- both -------------------------------------------------------------------------------------


def _days(
    line: _FormLine, days: list[Any], key: str, number_of: Callable[[Any], int | None],
    model: type[PoiDayRow] | type[PlaceDayRow],
) -> list[GivenDay]:  # fmt: skip
    """Return the days of a trip; refuse a day unless its number is higher than that of the day
    before.
    """
    kept: list[GivenDay] = []
    last = -1
    for position, row in enumerate(days, 1):
        name = f"day {position} of the list"
        visits = row.get(key) if isinstance(row, dict) else None
        day = row_of(model, row)
        if isinstance(day, str):
            line.refuse_day(name, visits, day)
            continue
        if day.day is not None and day.day <= last:
            line.refuse_day(
                name,
                visits,
                f"day {day.day} comes after day {last}; put the days in order, each once",
            )
            continue
        last = last if day.day is None else day.day
        stops = tuple(line.stops(name, visits, number_of))
        if isinstance(day, PoiDayRow):
            kept.append(GivenDay(day.day, None, day.city, stops))
        else:
            kept.append(GivenDay(day.day, day.label, None, stops, not day.unordered, day.plan))
    return kept


def _name_in(row: Any) -> Any:
    return row.get("name", row) if isinstance(row, dict) else row


def _fact_in(row: Any) -> str:
    if not isinstance(row, dict):
        return show_value(row)
    return " ".join(show_value(row.get(key)) for key in ("field", "value"))
