"""Reads plans in TripTailor's form, which lists hotels, journeys, and days with their entries."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from schemas.plan_forms import meal_at
from schemas.plans import PlanError
from schemas.trips import ATTRACTION, NIGHT, OTHER, Event, Rooms, Trip, TripDay
from schemas.values import clock_minutes

_ACTIONS = {"sightseeing": ATTRACTION, "dining": "lunch"}
_DASH = re.compile(r"\s*[-–—~至]\s*")


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
        events = [_event(number, e, f"{where}[{n}]", problems) for n, e in enumerate(found)]
        days.append(TripDay(number, _name(hotels[0]) if hotels else "", tuple(events)))
    if not days:
        problems.append("itinerary: an object that is not empty is expected")
    price = (
        _number(hotels[0].get("price_per_night"), "hotel[0].price_per_night", problems)
        if hotels
        else None
    )
    journeys = tuple(_journey(r, f"transportation[{n}]", problems) for n, r in enumerate(rides))
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
        problems.append(f"{where}: a list of objects is expected")
        return []
    return value


def _name(item: Mapping[str, Any]) -> str:
    return str(item.get("name") or "")


def _number(value: Any, where: str, problems: list[str]) -> float | None:
    if value is None or value == "":
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        problems.append(f"{where}: a number is expected, not {str(value)[:60]!r}")
        return None
    return float(value)


def _event(day: int, item: Mapping[str, Any], where: str, problems: list[str]) -> Event:
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


def _journey(item: Mapping[str, Any], where: str, problems: list[str]) -> Event:
    mode = str(item.get("mode") or "").lower()
    kind = "airplane" if "flight" in mode else "train" if "train" in mode else OTHER
    start, end = _span(item.get("time"), f"{where}.time", problems)
    price = _number(item.get("price"), f"{where}.price", problems)
    number = item.get("number")
    return Event(0, kind, "", start, end, price, price, number=str(number) if number else None)
