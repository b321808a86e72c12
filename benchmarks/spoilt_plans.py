"""Put single faults into plans in TravelEval's form, so that evaluators can be compared on them."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

Plan = dict[str, Any]


def _activities(plan: Plan, kind: str) -> list[dict[str, Any]]:
    days = plan["itinerary"]["daily_plans"]
    return [a for day in days for a in day["activities"] if a["type"] == kind]


def _wrong_sum(plan: Plan) -> None:
    plan["itinerary"]["cost_breakdown"]["meals"] += 100


def _invented_sight(plan: Plan) -> None:
    _activities(plan, "attraction")[0]["location_name"] = "nowhere at all"


def _all_sights_invented(plan: Plan) -> None:
    for n, sight in enumerate(_activities(plan, "attraction")):
        sight["location_name"] = f"nowhere {n}"


def _sight_at_night(plan: Plan) -> None:
    _activities(plan, "attraction")[-1].update(start_time="02:00", end_time="03:00")


def _short_visits(plan: Plan) -> None:
    for sight in _activities(plan, "attraction"):
        hour, minute = map(int, sight["start_time"].split(":"))
        end = hour * 60 + minute + 5
        sight["end_time"] = f"{end // 60:02d}:{end % 60:02d}"


def _long_journey(plan: Plan) -> None:
    ride = plan["itinerary"]["intercity_transport"]["transport_type"][0]
    ride["end_time"] = "23:30"


def _no_journeys(plan: Plan) -> None:
    plan["itinerary"]["intercity_transport"]["transport_type"] = []


def _few_tickets(plan: Plan) -> None:
    for sight in _activities(plan, "attraction"):
        sight["details"]["ticket_number"] = 1


def _more_rooms(plan: Plan) -> None:
    for room in plan["itinerary"]["accommodation"]["room_type"]:
        room["quantity"] += 3


def _dear_rooms(plan: Plan) -> None:
    for room in plan["itinerary"]["accommodation"]["room_type"]:
        room["price_per_night"] = 99_999.0


def _a_night_less(plan: Plan) -> None:
    for room in plan["itinerary"]["accommodation"]["room_type"]:
        room["nights"] -= 1


def _other_hotel(plan: Plan) -> None:
    plan["itinerary"]["accommodation"]["hotel_name"] = "no such inn"


def _a_sight_twice(plan: Plan) -> None:
    sights = _activities(plan, "attraction")
    sights[-1]["location_name"] = sights[0]["location_name"]


def _days_reversed(plan: Plan) -> None:
    """Reverse the order of the sights, but not the times, so that routes become longer."""
    sights = _activities(plan, "attraction")
    names = [sight["location_name"] for sight in sights]
    for sight, name in zip(sights, reversed(names), strict=True):
        sight["location_name"] = name


def _no_sights(plan: Plan) -> None:
    for day in plan["itinerary"]["daily_plans"]:
        day["activities"] = [a for a in day["activities"] if a["type"] != "attraction"]


def _other_meal(plan: Plan) -> None:
    _activities(plan, "meal")[0]["location_name"] = "no such table"


def _claims_too_much(plan: Plan) -> None:
    plan["itinerary"]["summary"]["is_within_budget"] = False


def _one_person_more(plan: Plan) -> None:
    plan["itinerary"]["summary"]["total_travelers"] += 1


def _one_day_more_stated(plan: Plan) -> None:
    plan["itinerary"]["summary"]["total_days"] += 1


def _by_plane(plan: Plan) -> None:
    for ride in plan["itinerary"]["intercity_transport"]["transport_type"]:
        ride["transportation_to"] = "飞机"


SPOILS: tuple[Callable[[Plan], None], ...] = (
    _wrong_sum, _invented_sight, _all_sights_invented, _sight_at_night, _short_visits,
    _long_journey, _no_journeys, _few_tickets, _more_rooms, _dear_rooms, _a_night_less,
    _other_hotel, _a_sight_twice, _days_reversed, _no_sights, _other_meal, _claims_too_much,
    _one_person_more, _one_day_more_stated, _by_plane,
)  # fmt: skip


def spoilt(plan: Plan) -> Iterator[tuple[str, Plan]]:
    """Yield the plan itself, and then one spoilt copy for each fault that the plan can have."""
    yield "whole", plan
    for spoil in SPOILS:
        changed = copy.deepcopy(plan)
        try:
            spoil(changed)
        except IndexError:
            continue  # the plan cannot have this fault
        yield spoil.__name__.strip("_").replace("_", " "), changed
