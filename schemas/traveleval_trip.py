"""Reads plans in TravelEval's form as trips, including tickets, rooms, fares and totals."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from schemas.plan_forms import ROOMS, WAYS, read_time, read_traveleval
from schemas.plans import JOURNEYS, MEALS, ROOM_NUMBERS, PlanError
from schemas.trips import (
    ALL_TOLD,
    ATTRACTION,
    NIGHT,
    OTHER,
    TRANSFER,
    Claims,
    Event,
    Rooms,
    Trip,
    TripDay,
    Way,
)

_ROOM_WORDS = {ROOMS[number]: code for code, number in ROOM_NUMBERS.items()}


class _TripReader:
    """Reads values of a JSON object and collects messages about invalid values."""

    def __init__(self) -> None:
        self.problems: list[str] = []

    def number(self, value: Any, where: str) -> float | None:
        """Read a finite number from a number or a text; return None if the value is missing.

        If the value is invalid, the function adds a message to ``problems``.
        """
        if value is None or value == "":
            return None
        try:
            if isinstance(value, bool):
                raise ValueError
            found = float(value)
            if not math.isfinite(found) or abs(found) > 1e12:
                raise ValueError
        except (TypeError, ValueError):
            self.problems.append(f"{where}: must be a number, not {str(value)[:60]!r}")
            return None
        return found

    def objects(self, value: Any, where: str) -> list[tuple[str, Mapping[str, Any]]]:
        """Read the objects of a list, each with its path; a missing list counts as empty."""
        if value is None:
            return []
        if not isinstance(value, list):
            self.problems.append(f"{where}: must be a list")
            return []
        found: list[tuple[str, Mapping[str, Any]]] = []
        for index, item in enumerate(value):
            if isinstance(item, dict):
                found.append((f"{where}[{index}]", item))
            else:
                self.problems.append(f"{where}[{index}]: must be an object")
        return found


def trip_of_traveleval(value: Mapping[str, Any]) -> Trip:
    """

    Raises PlanError, which lists each faulty element with the reason.
    """
    stops = iter(read_traveleval(value).stops)
    read = _TripReader()
    content = value["itinerary"]
    days = tuple(
        _day(index, entry, stops, read) for index, entry in enumerate(content["daily_plans"])
    )
    hotel, summary = _object(content.get("accommodation")), _object(content.get("summary"))
    where = "itinerary.accommodation.room_type"
    rooms = tuple(
        _rooms(item, at, read) for at, item in read.objects(hotel.get("room_type"), where)
    )
    where = "itinerary.intercity_transport.transport_type"
    listed = _object(content.get("intercity_transport")).get("transport_type")
    journeys = tuple(_journey(item, at, read) for at, item in read.objects(listed, where))
    people = read.number(summary.get("total_travelers"), "itinerary.summary.total_travelers")
    claims = _claims(summary, _object(content.get("cost_breakdown")), read)
    if read.problems:
        raise PlanError(read.problems)
    return Trip(
        "traveleval", days, ALL_TOLD, None if people is None else int(people),
        _text(summary.get("departure")), _text(summary.get("destination")),
        _text(hotel.get("hotel_name")), rooms,
        sum(r.nights for r in rooms) / len(rooms) if rooms else 0.0, journeys, claims,
    )  # fmt: skip


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _day(
    index: int, entry: Mapping[str, Any], stops: Iterable[Event], read: _TripReader
) -> TripDay:
    given = [*entry["activities"]]
    ends = bool(_object(entry.get("ending_point")))
    entries = [*given, entry["ending_point"]] if ends else given
    where = f"itinerary.daily_plans[{index}].activities"
    # ``stops`` continues with the next day, so zip must stop at the last entry of this day.
    events = [
        _entry(item, stop, f"{where}[{n}]", read)
        for n, (item, stop) in enumerate(zip(entries, stops, strict=False))
    ]
    start = entry.get("starting_point")
    return TripDay(
        index + 1, start if isinstance(start, str) else "",
        tuple(events[:-1] if ends else events), events[-1] if ends else None,
    )  # fmt: skip


def _entry(item: Mapping[str, Any], stop: Event, where: str, read: _TripReader) -> Event:
    details = _object(item.get("details"))

    def number(key: str, source: Mapping[str, Any] = details) -> float | None:
        return read.number(source.get(key), f"{where}.{key}")

    word = item.get("transportation_to")
    modes = {zh: mode for mode, zh in WAYS.items()} | {"走路": "walk"}
    limit, minutes = number("load_limit"), number("transport_time")
    way = Way(
        modes.get(str(word), str(word)) if word else None,
        None if minutes is None else int(minutes), number("transportation_cost", item),
        seats=None if limit is None else limit - 1, cars=number("car_number"),
    )  # fmt: skip
    return Event(
        stop.day, _kind(item["type"], stop.kind), stop.name, stop.start_min, stop.end_min,
        number("cost", item), number("ticket_price"), number("ticket_number"), way,
    )  # fmt: skip


def _kind(told: str, read: str) -> str:
    if told == "intercity_transport":
        return "train"
    if told == "intracity_transport":
        return TRANSFER
    return read if read in (ATTRACTION, NIGHT, *MEALS, *JOURNEYS) else OTHER


def _rooms(item: Mapping[str, Any], where: str, read: _TripReader) -> Rooms:
    kind = next((code for word, code in _ROOM_WORDS.items() if word in str(item.get("type"))), None)
    amounts = [
        read.number(item.get(key), f"{where}.{key}") or 0.0
        for key in ("quantity", "price_per_night", "nights")
    ]
    return Rooms(kind, *amounts)


def _journey(item: Mapping[str, Any], where: str, read: _TripReader) -> Event:
    details = _object(item.get("details"))
    price, tickets = (
        read.number(details.get(key), f"{where}.details.{key}") for key in ("price", "number")
    )
    start, end = (
        read_time(item.get(key), f"{where}.{key}", read.problems)
        for key in ("start_time", "end_time")
    )
    word = _text(item.get("transportation_to"))
    return Event(
        0, "airplane" if word == WAYS["airplane"] else "train",
        _text(item.get("location_name")) or "", start, end,
        read.number(item.get("cost"), f"{where}.cost"), price, tickets,
        number=_text(details.get("transport_number")), vehicle=word,
    )  # fmt: skip


def _claims(summary: Mapping[str, Any], costs: Mapping[str, Any], read: _TripReader) -> Claims:
    days = read.number(summary.get("total_days"), "itinerary.summary.total_days")
    named: Sequence[str] = [key for key in costs if key != "total"]
    stated = {
        key: read.number(costs[key], f"itinerary.cost_breakdown.{key}") or 0.0 for key in named
    }
    budget = read.number(summary.get("total_budget"), "itinerary.summary.total_budget")
    return Claims(
        None if days is None else int(days), tuple(stated.items()), budget,
        within_budget=summary.get("is_within_budget") is True,
    )  # fmt: skip
