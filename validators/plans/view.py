"""Present a plan to constraint expressions as activities with facts from the snapshot."""

from __future__ import annotations

from schemas.plan_forms import ride_mode
from schemas.plan_view import ActivityView, PlanView, RideView
from schemas.plans import JOURNEYS, MEALS, ROOM_NUMBERS, Activity, Plan
from schemas.taxonomy import ROOM_TYPES
from validators.plans.world import World

#: Tags of journeys, as queries ask for them (TravelEval, appendix C).
PLANE, FAST_TRAIN = "飞机", "高铁"
#: Train numbers that are high-speed: G, D and C.
FAST = ("G", "D", "C")
_TABLES = {
    **dict.fromkeys(MEALS, "restaurant"),
    "attraction": "attraction",
    "accommodation": "hotel",
}
_ROOM_NAMES = {ROOM_NUMBERS[term.code]: term.zh for term in ROOM_TYPES}


def table_of(kind: str) -> str | None:
    """Return the kind of place that an activity requires, or None for a journey."""
    return _TABLES.get(kind)


def journey_types(kind: str, number: str) -> frozenset[str]:
    """Return the tags of a journey, which show whether it is by plane or by high-speed train."""
    if kind == "airplane":
        return frozenset({PLANE})
    return frozenset({FAST_TRAIN}) if number.startswith(FAST) else frozenset()


def view_of(plan: Plan, world: World) -> PlanView:
    """Return the view of a plan, with the costs given in the plan."""
    activities, rides = [], []
    ends = {False: plan.start_city, True: plan.target_city}
    there = False
    for day, activity in plan.activities():
        if activity.type in JOURNEYS:
            here, there = there, not there
            activities.append(_journey(day, activity, ends[here], ends[there]))
        else:
            activities.append(_stay(day, activity, world))
        if activity.transports:
            rides.append(_ride(day, activity))
    return PlanView(
        len(plan.itinerary), plan.people_number, plan.start_city, plan.target_city,
        tuple(activities), tuple(rides), world.points,
    )  # fmt: skip


def _journey(day: int, activity: Activity, origin: str, destination: str) -> ActivityView:
    end = activity.end_time
    return ActivityView(
        day, activity.type, activity.number, journey_types(activity.type, activity.number or ""),
        activity.cost, activity.start_time, end if end > activity.start_time else end + 1440,
        activity.tickets, origin=origin, destination=destination,
    )  # fmt: skip


def _stay(day: int, activity: Activity, world: World) -> ActivityView:
    found = world.find(_TABLES[activity.type], activity.position or "")
    place = found[0] if len(found) == 1 else None
    types = place.types if place else None
    if activity.type == "breakfast" and world.find("hotel", activity.position or ""):
        types = frozenset()  # breakfast at the hotel has no cuisine
    return ActivityView(
        day,
        activity.type,
        activity.position,
        types,
        activity.cost,
        activity.start_time,
        activity.end_time,
        activity.tickets,
        activity.rooms,
        _ROOM_NAMES.get(activity.room_type or 0),
        recommended_min=place.least_min if place else None,
    )


def _ride(day: int, activity: Activity) -> RideView:
    """Combine all legs that lead to an activity into one ride; a walk does not change its mode."""
    legs = activity.transports
    mode = ride_mode(leg.mode for leg in legs)
    return RideView(
        day, mode, activity.type, activity.begins_at, sum(leg.cost for leg in legs),
        sum(leg.distance for leg in legs), legs[0].start_time, legs[-1].end_time,
    )  # fmt: skip
