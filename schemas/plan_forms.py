"""Reads and writes plans in the forms of TravelEval and TP-RAG.

TravelEval's form is its public ``FinalTravelPlan``: daily plans whose activities each name a place.
TP-RAG's form is ``{"Day 1": [{"POI name", "Start visit time", "End visit time"}]}`` (appendix E).
TravelEval's and TP-RAG's forms lack details that ChinaTravel's form requires, such as transport
legs and prices. Plans in the forms of TravelEval and TP-RAG are therefore read as an ``Itinerary``,
which contains enough information for the metrics.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from schemas.plans import JOURNEYS, MEALS, Activity, Plan, PlanError
from schemas.trips import ATTRACTION, Event
from schemas.values import clock_minutes, clock_text

#: The pattern of a day's name in TP-RAG's form.
DAY = re.compile(r"^Day (\d+)$")
#: A meal before this minute of the day has this name; any later meal is dinner.
_MEALS_UNTIL = {"breakfast": 600, "lunch": 960}
#: TravelEval's words for means of transport.
WAYS = {"walk": "步行", "metro": "地铁", "taxi": "打车", "airplane": "飞机"}
#: TravelEval's words for trains, by the first letter of the train number. All fast trains have the
#: same word, as in queries.
TRAINS = {"G": "高铁", "D": "高铁", "C": "高铁", "Z": "直达特快", "T": "特快"}
#: Number of seats in a taxi, including the driver's.
_TAXI_SEATS = 5
ROOMS = {1: "大床房", 2: "双人房", 3: "单人房", 4: "家庭房"}


def ride_mode(modes: Iterable[str]) -> str:
    """Return the mode of a ride with several legs: metro if any leg is by metro, or else taxi if
    any leg is by taxi, or else walk.
    """
    told = set(modes)
    return next((mode for mode in ("metro", "taxi") if mode in told), "walk")


@dataclass(frozen=True)
class Itinerary:
    """A plan's stops in order, and its number of days, including days without stops."""

    days: int
    stops: tuple[Event, ...]
    query_id: str | None = None

    def visits(self) -> list[Event]:
        """Return the visits to attractions, in order."""
        return [stop for stop in self.stops if stop.kind == ATTRACTION]


def read_tprag(value: Any) -> Itinerary:
    """Read a plan in TP-RAG's form.

    Raises PlanError, which lists each faulty element with the reason.
    """
    if not isinstance(value, dict) or not value:
        raise PlanError(["the plan: must be an object with the days 'Day 1', 'Day 2', ..."])
    problems: list[str] = []
    stops: list[Event] = []
    days = []
    for name, visits in value.items():
        match = DAY.match(str(name))
        if not match or not isinstance(visits, list):
            problems.append(f"{name}: must be a day 'Day N' with a list of visits")
            continue
        days.append(int(match[1]))
        for index, visit in enumerate(visits):
            stops += _tprag_stop(int(match[1]), visit, f"{name}[{index}]", problems)
    if sorted(days) != list(range(1, len(days) + 1)):
        problems.append(
            f"the plan: the days must be numbered from 1 without gaps, not {sorted(days)}"
        )
    if problems:
        raise PlanError(problems)
    return Itinerary(len(days), tuple(sorted(stops, key=lambda stop: stop.day)))


def _tprag_stop(day: int, visit: Any, where: str, problems: list[str]) -> list[Event]:
    if not isinstance(visit, dict) or not isinstance(visit.get("POI name"), str):
        problems.append(f"{where}: must be an object with a string 'POI name'")
        return []
    start, end = (
        read_time(visit.get(key), f"{where}.{key}", problems)
        for key in ("Start visit time", "End visit time")
    )
    return [Event(day, ATTRACTION, visit["POI name"], start, end)]


def read_time(value: Any, where: str, problems: list[str]) -> int | None:
    """Read a clock time as minutes after midnight, or return None if no valid time is given.

    If the value is not a valid clock time, the function adds a message to ``problems``.
    """
    if value is None or value == "":
        return None
    try:
        return clock_minutes(str(value))
    except ValueError as error:
        problems.append(f"{where}: {error}")
        return None


def meal_at(minute: int) -> str:
    """Return the name of the meal that is eaten at a given minute of the day."""
    return next((meal for meal, until in _MEALS_UNTIL.items() if minute < until), "dinner")


def write_tprag(itinerary: Itinerary) -> dict[str, list[dict[str, str]]]:
    """Write the visits of an itinerary in TP-RAG's form; unknown times become empty strings."""
    days: dict[str, list[dict[str, str]]] = {f"Day {n + 1}": [] for n in range(itinerary.days)}
    for stop in itinerary.visits():
        days[f"Day {stop.day}"].append(
            {
                "POI name": stop.name,
                "Start visit time": "" if stop.start_min is None else clock_text(stop.start_min),
                "End visit time": "" if stop.end_min is None else clock_text(stop.end_min),
            }
        )
    return days


def read_traveleval(value: Any) -> Itinerary:
    """Read a plan in TravelEval's form.

    Raises PlanError, which lists each faulty element with the reason.
    """
    content = value.get("itinerary") if isinstance(value, dict) else None
    daily = content.get("daily_plans") if isinstance(content, dict) else None
    if not isinstance(daily, list) or not daily:
        raise PlanError(["itinerary.daily_plans: must be a non-empty list of days"])
    problems: list[str] = []
    stops: list[Event] = []
    for index, day in enumerate(daily):
        where = f"itinerary.daily_plans[{index}]"
        if not isinstance(day, dict) or not isinstance(day.get("activities"), list):
            problems.append(f"{where}: must be an object with a list 'activities'")
            continue
        if day.get("day") != index + 1:
            problems.append(f"{where}.day: must be {index + 1}, not {day.get('day')!r}")
        ending = day.get("ending_point")
        entries = [*day["activities"], *([ending] if isinstance(ending, dict) and ending else [])]
        for number, entry in enumerate(entries):
            stops += _traveleval_stop(index + 1, entry, f"{where}.activities[{number}]", problems)
    if problems:
        raise PlanError(problems)
    return Itinerary(len(daily), tuple(stops), value.get("query_uid"))


def _traveleval_stop(day: int, entry: Any, where: str, problems: list[str]) -> list[Event]:
    if not isinstance(entry, dict):
        problems.append(f"{where}: must be an object")
        return []
    for key in ("type", "location_name"):
        if not isinstance(entry.get(key), str) or not entry[key]:
            problems.append(f"{where}.{key}: is missing")
            return []
    start, end = (
        read_time(entry.get(key), f"{where}.{key}", problems) for key in ("start_time", "end_time")
    )
    kind = entry["type"]
    if kind == "meal":
        kind = meal_at(start or 0)
    elif kind.startswith("accommodation"):
        kind = "accommodation"
    return [Event(day, kind, entry["location_name"], start, end)]


def write_traveleval(plan: Plan, query_uid: str, dates: list[str], budget: float) -> dict[str, Any]:
    """Write a plan in TravelEval's form. ``dates`` contains the ISO date of each day."""
    costs = _costs(plan)
    journeys = [_journey(a) for _, a in plan.activities() if a.type in JOURNEYS]
    total = round(sum(costs.values()), 2)
    return {
        "query_uid": query_uid,
        "itinerary": {
            "summary": {
                "total_days": len(plan.itinerary),
                "total_travelers": plan.people_number,
                "departure": plan.start_city,
                "destination": plan.target_city,
                "total_budget": budget,
                "calculated_total_cost": total,
                "is_within_budget": total <= budget,
            },
            "accommodation": _hotel(plan, costs["accommodation"]),
            "intercity_transport": {
                "transport_type": journeys,
                "total_cost": costs["intercity_transportation"],
            },
            "daily_plans": [
                _daily(plan, index, date)
                for index, date in zip(range(len(plan.itinerary)), dates, strict=True)
            ],
            "cost_breakdown": {**costs, "other": 0.0, "total": total},
        },
    }


def _costs(plan: Plan) -> dict[str, float]:
    kinds = {
        "attractions": ("attraction",), "intercity_transportation": JOURNEYS,
        "intracity_transportation": (), "accommodation": ("accommodation",), "meals": MEALS,
    }  # fmt: skip
    activities = [a for _, a in plan.activities()]
    found = {
        name: sum(a.cost for a in activities if a.type in wanted) / 100
        for name, wanted in kinds.items()
    }
    legs = [leg for a in activities for leg in a.transports]
    return {**found, "intracity_transportation": sum(leg.cost for leg in legs) / 100}


def _journey(activity: Activity) -> dict[str, Any]:
    return {
        "description": f"{activity.start} - {activity.end}",
        "start_time": clock_text(activity.start_time),
        "end_time": clock_text(activity.end_time),
        "location_name": activity.end,
        "cost": activity.cost / 100,
        "transportation_to": vehicle_of(activity),
        "transportation_cost": activity.cost / 100,
        "details": {
            "transport_number": activity.number,
            "price": activity.price / 100,
            "number": activity.tickets,
        },
    }


def vehicle_of(activity: Activity) -> str:
    """Return TravelEval's word for the train or aeroplane of a journey."""
    if activity.type == "airplane":
        return WAYS["airplane"]
    return TRAINS.get((activity.number or "")[:1], "快速")


def _hotel(plan: Plan, total: float) -> dict[str, Any]:
    """Describe the stay. The form can contain only one hotel, so the rooms of all hotels are listed
    under the name of the first hotel.
    """
    nights = [a for _, a in plan.activities() if a.type == "accommodation"]
    if not nights:
        return {"hotel_name": "", "room_type": [], "total_cost": 0.0}
    stays = Counter((a.position, a.room_type or 0, a.rooms or 0, a.price) for a in nights)
    rooms = [
        {
            "type": ROOMS.get(kind, ""),
            "quantity": rooms,
            "price_per_night": price / 100,
            "nights": n,
        }
        for (_, kind, rooms, price), n in stays.items()
    ]
    return {"hotel_name": nights[0].position, "room_type": rooms, "total_cost": total}


def _daily(plan: Plan, index: int, date: str) -> dict[str, Any]:
    entries = [_entry(a) for a in plan.itinerary[index].activities]
    before = plan.itinerary[index - 1].activities if index else []
    first = plan.itinerary[index].activities[0] if entries else None
    start = before[-1].ends_at if before else first.begins_at if first else ""
    return {
        "day": index + 1,
        "date": date,
        "starting_point": start,
        "ending_point": entries[-1] if entries else {},
        "activities": entries[:-1],
    }


def _entry(activity: Activity) -> dict[str, Any]:
    kind = (
        "intercity_transport" if activity.type in JOURNEYS
        else "meal" if activity.type in MEALS else activity.type
    )  # fmt: skip
    legs = activity.transports
    mode = ride_mode(leg.mode for leg in legs)
    minutes = legs[-1].end_time - legs[0].start_time if legs else 0
    details: dict[str, Any] = {"transport_time": str(minutes)}
    if activity.type == "attraction":
        details |= {"ticket_price": activity.price / 100, "ticket_number": activity.tickets}
    elif kind == "meal":
        details["cuisine"] = ""  # TravelEval expects a dish here, but the plan names none
    if mode == "taxi":
        cars = max((leg.cars or 0) for leg in legs)
        details |= {"load_limit": _TAXI_SEATS, "car_number": cars}
    return {
        "type": kind,
        "description": activity.ends_at,
        "start_time": clock_text(activity.start_time % 1440),
        "end_time": clock_text(min(activity.end_time, 1439)),
        "location_name": activity.ends_at,
        "cost": activity.cost / 100,
        "transportation_to": WAYS[mode],
        "transportation_cost": sum(leg.cost for leg in legs) / 100,
        "details": details,
    }
