"""Plans of every form as ``schemas.trips.Trip``: ChinaTravel, TravelEval, TP-RAG and TripTailor.

The forms are checked by their own readers first (``plans``, ``plan_forms``); here stands only what
metrics read beyond stops. TripTailor's form is that of its public repository: ``hotel`` and
``transportation`` lists, and ``itinerary`` by day with ``action``, ``location``, ``time``, ``price``.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from schemas.plan_forms import (
    ROOMS,
    TRAINS,
    WAYS,
    Itinerary,
    Stop,
    read_tprag,
    read_traveleval,
    ride_mode,
)
from schemas.plans import JOURNEYS, MEALS, ROOM_NUMBERS, Activity, Plan, PlanError, read_plan
from schemas.trips import (
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
from schemas.triptailor_form import read_triptailor
from schemas.values import clock_minutes

_ROOM_CODES = {number: code for code, number in ROOM_NUMBERS.items()}
_ROOM_WORDS = {ROOMS[number]: code for code, number in ROOM_NUMBERS.items()}
#: A taxi of ChinaTravel's rules takes four.
_SEATS = 4.0
_ALL = frozenset({"costs", "hotels", "journeys", "ways", "times"})


def form_of(value: Any) -> str:
    """Whose form a plan has: chinatravel, traveleval, triptailor or tprag."""
    if not isinstance(value, dict):
        return "chinatravel"
    content = value.get("itinerary")
    if isinstance(content, dict):
        return "triptailor" if {"hotel", "transportation"} & value.keys() else "traveleval"
    named = {"itinerary", "target_city", "start_city", "people_number"} & value.keys()
    return "chinatravel" if named else "tprag"


def read_trip(value: Any) -> Trip:
    """A plan of any form. Raises PlanError, which names each element and why."""
    if not isinstance(value, dict):
        raise PlanError([f"the plan: an object is expected, not {type(value).__name__}"])
    form = form_of(value)
    if form == "traveleval":
        return trip_of_traveleval(value)
    if form == "triptailor":
        return read_triptailor(value)
    if form == "tprag":
        return trip_of_itinerary(read_tprag(value))
    return trip_of_plan(read_plan(value))


def stops_of(trip: Trip) -> Itinerary:
    """The stops of a trip of any form."""
    events = trip.events()
    stops = (Stop(e.day, e.kind, e.name, e.start_min, e.end_min) for e in events)
    return Itinerary(len(trip.days), tuple(stops))


def trip_of_itinerary(itinerary: Itinerary) -> Trip:
    """A TP-RAG plan: stops and times, nothing else."""
    by_day: dict[int, list[Event]] = {n + 1: [] for n in range(itinerary.days)}
    for stop in itinerary.stops:
        event = Event(stop.day, stop.kind, stop.name, stop.start_min, stop.end_min)
        by_day[stop.day].append(event)
    days = tuple(TripDay(n, "", tuple(events)) for n, events in by_day.items())
    return Trip("tprag", days, frozenset({"times"}))


def trip_of_plan(plan: Plan) -> Trip:
    """A ChinaTravel plan; its last activity of a day is the day's ending."""
    days: list[TripDay] = []
    last = ""
    for entry in plan.itinerary:
        events = [_event(entry.day, activity) for activity in entry.activities]
        start = last or (entry.activities[0].begins_at if entry.activities else "")
        ending = events[-1] if events else None
        days.append(TripDay(entry.day, start, tuple(events[:-1]), ending))
        last = ending.name if ending else last
    activities = [a for _, a in plan.activities()]
    nights = [a for a in activities if a.type == NIGHT]
    stays = Counter((a.room_type or 0, a.rooms or 0, a.price) for a in nights)
    rooms = tuple(
        Rooms(_ROOM_CODES.get(kind), quantity, price / 100, n)
        for (kind, quantity, price), n in stays.items()
    )
    journeys = tuple(e for day in days for e in day.events if e.kind in JOURNEYS)
    return Trip(
        "chinatravel", tuple(days), _ALL, plan.people_number, plan.start_city, plan.target_city,
        (nights[0].position or "") if nights else None, rooms, float(len(nights)), journeys,
        Claims(len(plan.itinerary), (), None, within_budget=True),
    )  # fmt: skip


def _event(day: int, activity: Activity) -> Event:
    legs = activity.transports
    mode = ride_mode(leg.mode for leg in legs)
    cars = max((leg.cars or 0 for leg in legs), default=0)
    way = Way(
        mode, sum(leg.end_time - leg.start_time for leg in legs),
        sum(leg.cost for leg in legs) / 100, sum(leg.distance for leg in legs),
        sum(leg.distance for leg in legs if leg.mode == "walk"),
        _SEATS if mode == "taxi" else None, cars if mode == "taxi" else None,
    )  # fmt: skip
    tickets = activity.rooms if activity.type == NIGHT else activity.tickets
    return Event(
        day, activity.type, activity.ends_at, activity.start_time, activity.end_time,
        activity.cost / 100, activity.price / 100, tickets, way if legs else None,
        activity.start, activity.number, _vehicle(activity),
    )  # fmt: skip


def _vehicle(activity: Activity) -> str | None:
    if activity.type not in JOURNEYS:
        return None
    if activity.type == "airplane":
        return WAYS["airplane"]
    return TRAINS.get((activity.number or "")[:1], "快速")


class _Reader:
    """Reads values of a JSON object and collects what is wrong with them."""

    def __init__(self) -> None:
        self.problems: list[str] = []

    def number(self, value: Any, where: str) -> float | None:
        """A finite number, given as one or as text; None where nothing is given."""
        if value is None or value == "":
            return None
        try:
            if isinstance(value, bool):
                raise ValueError
            found = float(value)
            if not math.isfinite(found) or abs(found) > 1e12:
                raise ValueError
        except (TypeError, ValueError):
            self.problems.append(f"{where}: a number is expected, not {str(value)[:60]!r}")
            return None
        return found

    def objects(self, value: Any, where: str) -> list[tuple[str, Mapping[str, Any]]]:
        """The objects of a list, with where they stand; a missing list is empty."""
        if value is None:
            return []
        if not isinstance(value, list):
            self.problems.append(f"{where}: a list is expected")
            return []
        found: list[tuple[str, Mapping[str, Any]]] = []
        for index, item in enumerate(value):
            if isinstance(item, dict):
                found.append((f"{where}[{index}]", item))
            else:
                self.problems.append(f"{where}[{index}]: an object is expected")
        return found


def trip_of_traveleval(value: Mapping[str, Any]) -> Trip:
    """A TravelEval plan. Raises PlanError, which names each element and why."""
    stops = iter(read_traveleval(value).stops)
    read = _Reader()
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
        "traveleval", days, _ALL, None if people is None else int(people),
        _text(summary.get("departure")), _text(summary.get("destination")),
        _text(hotel.get("hotel_name")), rooms,
        sum(r.nights for r in rooms) / len(rooms) if rooms else 0.0, journeys, claims,
    )  # fmt: skip


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _day(index: int, entry: Mapping[str, Any], stops: Iterable[Stop], read: _Reader) -> TripDay:
    given = [*entry["activities"]]
    ends = bool(_object(entry.get("ending_point")))
    entries = [*given, entry["ending_point"]] if ends else given
    where = f"itinerary.daily_plans[{index}].activities"
    # The reader gives exactly one stop for each entry; zip must not take one more.
    events = [
        _entry(item, stop, f"{where}[{n}]", read)
        for n, (item, stop) in enumerate(zip(entries, stops, strict=False))
    ]
    start = entry.get("starting_point")
    return TripDay(
        index + 1, start if isinstance(start, str) else "",
        tuple(events[:-1] if ends else events), events[-1] if ends else None,
    )  # fmt: skip


def _entry(item: Mapping[str, Any], stop: Stop, where: str, read: _Reader) -> Event:
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


def _rooms(item: Mapping[str, Any], where: str, read: _Reader) -> Rooms:
    kind = next((code for word, code in _ROOM_WORDS.items() if word in str(item.get("type"))), None)
    amounts = [
        read.number(item.get(key), f"{where}.{key}") or 0.0
        for key in ("quantity", "price_per_night", "nights")
    ]
    return Rooms(kind, *amounts)


def _journey(item: Mapping[str, Any], where: str, read: _Reader) -> Event:
    details = _object(item.get("details"))
    price, tickets = (
        read.number(details.get(key), f"{where}.details.{key}") for key in ("price", "number")
    )
    start, end = (
        _clock(item.get(key), f"{where}.{key}", read) for key in ("start_time", "end_time")
    )
    word = _text(item.get("transportation_to"))
    return Event(
        0, "airplane" if word == WAYS["airplane"] else "train",
        _text(item.get("location_name")) or "", start, end,
        read.number(item.get("cost"), f"{where}.cost"), price, tickets,
        number=_text(details.get("transport_number")), vehicle=word,
    )  # fmt: skip


def _clock(value: Any, where: str, read: _Reader) -> int | None:
    if value is None or value == "":
        return None
    try:
        return clock_minutes(str(value))
    except ValueError as error:
        read.problems.append(f"{where}: {error}")
        return None


def _claims(summary: Mapping[str, Any], costs: Mapping[str, Any], read: _Reader) -> Claims:
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
