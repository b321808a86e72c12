"""Reads plans in the forms of ChinaTravel, TravelEval, TP-RAG and TripTailor as a ``Trip``.

For each form, a reader (``plans``, ``plan_forms``) first checks the plan. This module adds the
information that metrics need in addition to the stops. In TripTailor's form, as published in its
repository, a plan has the lists ``hotel`` and ``transportation``, and an ``itinerary`` of days. The
entries of a day have ``action``, ``location``, ``time`` and ``price``.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from schemas.plan_forms import (
    Itinerary,
    meal_at,
    read_tprag,
    ride_mode,
    vehicle_of,
)
from schemas.plans import JOURNEYS, ROOM_NUMBERS, Activity, Plan, PlanError, read_plan
from schemas.traveleval_trip import trip_of_traveleval
from schemas.trips import (
    ALL_TOLD,
    ATTRACTION,
    NIGHT,
    OTHER,
    Claims,
    Event,
    Rooms,
    Trip,
    TripDay,
    Way,
)
from schemas.values import clock_minutes

_ROOM_CODES = {number: code for code, number in ROOM_NUMBERS.items()}
#: By ChinaTravel's rules, a taxi takes four travellers.
_SEATS = 4.0
_ACTIONS = {"sightseeing": ATTRACTION, "dining": "lunch"}
_DASH = re.compile(r"\s*[-–—~至]\s*")


def form_of(value: Any) -> str:
    """Return the name of a plan's form: chinatravel, traveleval, triptailor or tprag."""
    if not isinstance(value, dict):
        return "chinatravel"
    content = value.get("itinerary")
    if isinstance(content, dict):
        return "triptailor" if {"hotel", "transportation"} & value.keys() else "traveleval"
    named = {"itinerary", "target_city", "start_city", "people_number"} & value.keys()
    return "chinatravel" if named else "tprag"


def read_trip(value: Any) -> Trip:
    """Read a plan in any form.

    Raises PlanError, which lists each faulty element with the reason.
    """
    if not isinstance(value, dict):
        raise PlanError([f"the plan: must be an object, not {type(value).__name__}"])
    form = form_of(value)
    if form == "traveleval":
        return trip_of_traveleval(value)
    if form == "triptailor":
        return read_triptailor(value)
    if form == "tprag":
        return trip_of_itinerary(read_tprag(value))
    return trip_of_plan(read_plan(value))


def stops_of(trip: Trip) -> Itinerary:
    """Return the stops of a trip as an itinerary."""
    return Itinerary(len(trip.days), tuple(trip.events()))


def trip_of_itinerary(itinerary: Itinerary) -> Trip:
    """Convert a plan in TP-RAG's form, which contains only stops and times."""
    days = (
        TripDay(n, "", tuple(stop for stop in itinerary.stops if stop.day == n))
        for n in range(1, itinerary.days + 1)
    )
    return Trip("tprag", tuple(days), frozenset({"times"}))


def trip_of_plan(plan: Plan) -> Trip:
    """Convert a plan in ChinaTravel's form.

    The last activity of a day becomes the day's ``ending``.
    """
    days: list[TripDay] = []
    last = ""
    for entry in plan.itinerary:
        events = [_event(entry.day, activity) for activity in entry.activities]
        start = last or (entry.activities[0].begins_at if entry.activities else "")
        ending = events[-1] if events else None
        days.append(TripDay(entry.day, start, tuple(events[:-1]), ending))
        last = ending.name if ending else last
    nights = [a for _, a in plan.activities() if a.type == NIGHT]
    stays = Counter((a.room_type or 0, a.rooms or 0, a.price) for a in nights)
    rooms = tuple(
        Rooms(_ROOM_CODES.get(kind), quantity, price / 100, n)
        for (kind, quantity, price), n in stays.items()
    )
    journeys = tuple(e for day in days for e in day.events if e.kind in JOURNEYS)
    return Trip(
        "chinatravel", tuple(days), ALL_TOLD, plan.people_number, plan.start_city, plan.target_city,
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
        _SEATS if mode == "taxi" else None, cars if mode == "taxi" else None,
    )  # fmt: skip
    tickets = activity.rooms if activity.type == NIGHT else activity.tickets
    return Event(
        day, activity.type, activity.ends_at, activity.start_time, activity.end_time,
        activity.cost / 100, activity.price / 100, tickets, way if legs else None,
        activity.start, activity.number,
        vehicle_of(activity) if activity.type in JOURNEYS else None,
    )  # fmt: skip


def read_triptailor(value: Mapping[str, Any]) -> Trip:
    """Read a plan in TripTailor's form.

    Raises PlanError, which lists each faulty element with the reason.
    """
    problems: list[str] = []
    hotels = _objects(value.get("hotel"), "hotel", problems)
    rides = _objects(value.get("transportation"), "transportation", problems)
    days = []
    for number, (name, entries) in enumerate(value["itinerary"].items(), 1):
        where = f"itinerary.{name}"
        found = _objects(entries, where, problems)
        events = [
            _triptailor_event(number, e, f"{where}[{n}]", problems) for n, e in enumerate(found)
        ]
        days.append(TripDay(number, _name(hotels[0]) if hotels else "", tuple(events)))
    if not days:
        problems.append("itinerary: must be a non-empty object")
    price = (
        _number(hotels[0].get("price_per_night"), "hotel[0].price_per_night", problems)
        if hotels
        else None
    )
    journeys = tuple(
        _triptailor_journey(r, f"transportation[{n}]", problems) for n, r in enumerate(rides)
    )
    if problems:
        raise PlanError(problems)
    nights = len(days) - 1
    rooms = (Rooms(None, 1, price, nights),) if price is not None and nights else ()
    return Trip(
        "triptailor", tuple(days), frozenset({"costs", "hotels", "journeys", "times"}),
        hotel=_name(hotels[0]) if hotels else None, rooms=rooms, nights=float(nights),
        journeys=journeys,
    )  # fmt: skip


def _objects(value: Any, where: str, problems: list[str]) -> list[Mapping[str, Any]]:
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        problems.append(f"{where}: must be a list of objects")
        return []
    return value


def _name(item: Mapping[str, Any]) -> str:
    return str(item.get("name") or "")


def _number(value: Any, where: str, problems: list[str]) -> float | None:
    if value is None or value == "":
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        problems.append(f"{where}: must be a number, not {str(value)[:60]!r}")
        return None
    return float(value)


def _triptailor_event(day: int, item: Mapping[str, Any], where: str, problems: list[str]) -> Event:
    place = item.get("location")
    if not isinstance(place, str) or not place:
        problems.append(f"{where}.location: is missing")
        place = ""
    start, end = _span(item.get("time"), f"{where}.time", problems)
    kind = _ACTIONS.get(str(item.get("action")), OTHER)
    if kind == "lunch" and start is not None:
        kind = meal_at(start)
    elif str(item.get("action")) in ("accommodation", "hotel"):
        kind = NIGHT
    price = _number(item.get("price"), f"{where}.price", problems)
    return Event(day, kind, place, start, end, price, price)


def _span(value: Any, where: str, problems: list[str]) -> tuple[int | None, int | None]:
    if value is None or value == "":
        return None, None
    parts = _DASH.split(str(value).strip())
    try:
        times = [clock_minutes(part) for part in parts]
        if len(times) > 2:
            raise ValueError(f"not a span of clock times: {value!r}")
    except ValueError as error:
        problems.append(f"{where}: {error}")
        return None, None
    return times[0], times[1] if len(times) == 2 else None


def _triptailor_journey(item: Mapping[str, Any], where: str, problems: list[str]) -> Event:
    mode = str(item.get("mode") or "").lower()
    kind = "airplane" if "flight" in mode else "train" if "train" in mode else OTHER
    start, end = _span(item.get("time"), f"{where}.time", problems)
    price = _number(item.get("price"), f"{where}.price", problems)
    number = item.get("number")
    return Event(0, kind, "", start, end, price, price, number=str(number) if number else None)
