"""Ways to break a good plan, each with the constraint that must catch it, and near misses.

A mutation changes a plan's JSON (or the request) in one place that a seed chooses, and gives None
where the plan has no such place. ``also`` names constraints that the same break may touch.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from schemas.plans import JOURNEYS, MEALS, ROOM_NUMBERS
from schemas.values import clock_minutes, clock_text
from validators.plans.check_places import MEAL_WINDOWS
from validators.plans.request import Request, made
from validators.plans.world import World

Json = dict[str, Any]


@dataclass
class Trip:
    """A good plan with the city and the query that it was made for."""

    plan: Json
    world: World
    request: Request
    random: random.Random = field(default_factory=lambda: random.Random(0))

    def activities(self, *kinds: str) -> list[Json]:
        """Activities of some kinds, or all, in an order that the seed chooses."""
        found = [a for _, _, a in self.places() if not kinds or a["type"] in kinds]
        self.random.shuffle(found)
        return found

    def places(self) -> Iterator[tuple[int, int, Json]]:
        """Day, place in the day and activity."""
        for day in self.plan["itinerary"]:
            for index, activity in enumerate(day["activities"]):
                yield day["day"], index, activity

    def legs(self, *modes: str) -> list[Json]:
        """Legs of some modes, in an order that the seed chooses."""
        found = [leg for a in self.activities() for leg in a["transports"] if leg["mode"] in modes]
        self.random.shuffle(found)
        return found

    def free_before(self, activity: Json) -> int:
        """The first minute at which an activity may start: its way is over, or what is before."""
        if activity["transports"]:
            return clock_minutes(activity["transports"][-1]["end_time"])
        before = 0
        for _, index, other in self.places():
            if other is activity:
                return before if index else 0
            before = clock_minutes(other["end_time"])
        return 0

    def free_after(self, activity: Json) -> int:
        """The last minute at which it may end: the next way or activity of the day starts."""
        for day in self.plan["itinerary"]:
            for here, after in zip(day["activities"], day["activities"][1:], strict=False):
                if here is activity:
                    starts = [*after["transports"], after][0]["start_time"]
                    return clock_minutes(starts)
        return 1440

    def hours(self, activity: Json, table: str) -> tuple[int, int] | None:
        """The only opening span of the place on the day of an activity."""
        found = self.world.find(table, activity["position"])
        day = next(day for day, _, a in self.places() if a is activity)
        if len(found) != 1 or found[0].hours is None:
            return None
        spans = found[0].hours.days(self.request.date(day))
        return spans[0][0] if len(spans) == 1 and len(spans[0]) == 1 else None

    def loosen(self) -> None:
        """Let every way start as late as it can, so that what is before it may last longer."""
        for _, _, activity in self.places():
            legs = activity["transports"]
            later = clock_minutes(activity["start_time"]) - self.free_before(activity)
            for leg in legs if later > 0 else ():
                for key in ("start_time", "end_time"):
                    leg[key] = clock_text(clock_minutes(leg[key]) + later)

    def copied(self, seed: int) -> Trip:
        """A copy that may be changed."""
        return replace(self, plan=copy.deepcopy(self.plan), random=random.Random(seed))


Mutation = Callable[[Trip], "Trip | None"]


@dataclass(frozen=True)
class Break:
    """A mutation, the constraint that must fail, and those that may fail with it."""

    name: str
    constraint: str
    mutate: Mutation
    also: frozenset[str] = frozenset()


BREAKS: list[Break] = []
NEAR_MISSES: list[tuple[str, Mutation]] = []


def breaks(constraint: str, *also: str) -> Callable[[Mutation], Mutation]:
    """Register a mutation under its function's name."""

    def keep(mutate: Mutation) -> Mutation:
        name = mutate.__name__.replace("_", " ")
        BREAKS.append(Break(name, constraint, mutate, frozenset(also)))
        return mutate

    return keep


def near_miss(mutate: Mutation) -> Mutation:
    """Register a change that leaves the plan good."""
    NEAR_MISSES.append((mutate.__name__.replace("_", " "), mutate))
    return mutate


def _each(*kinds: str, **by: float) -> Mutation:
    """Add to numbers of one activity of the kinds."""

    def mutate(trip: Trip) -> Trip | None:
        for activity in trip.activities(*kinds):
            for key, more in by.items():
                activity[key] += more
            return trip
        return None

    return mutate


def _dearer(count: str, *kinds: str) -> Mutation:
    """A price one yuan too high, with the cost that it gives."""

    def mutate(trip: Trip) -> Trip | None:
        people = trip.plan["people_number"]
        for activity in trip.activities(*kinds):
            if activity["type"] == "breakfast" and activity["price"] == 0:
                continue
            activity["price"] += 1
            activity["cost"] = activity["price"] * activity.get(count, people)
            return trip
        return None

    return mutate


def _ticket_more(count: str, *kinds: str) -> Mutation:
    def mutate(trip: Trip) -> Trip | None:
        for activity in trip.activities(*kinds):
            activity[count] += 1
            activity["cost"] = activity["price"] * activity[count]
            return trip
        return None

    return mutate


def _renamed(old: str, new: str) -> Callable[[Any], Any]:
    def rename(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: rename(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [rename(inner) for inner in value]
        return new if value == old else value

    return rename


def _unknown(*kinds: str) -> Mutation:
    """A place that no table has, everywhere in the plan."""

    def mutate(trip: Trip) -> Trip | None:
        for activity in trip.activities(*kinds):
            name = activity["position"]
            if kinds != ("accommodation",) and trip.world.find("hotel", name):
                continue
            trip.plan = _renamed(name, f"{name} that is not there")(trip.plan)
            return trip
        return None

    return mutate


def _twice(*kinds: str) -> Mutation:
    """One visit split into two, one after the other."""

    def mutate(trip: Trip) -> Trip | None:
        for activity in trip.activities(*kinds):
            if activity["price"] == 0 and activity["type"] == "breakfast":
                continue
            for day in trip.plan["itinerary"]:
                if not any(activity is a for a in day["activities"]):
                    continue
                middle = (clock_minutes(activity["start_time"]) + clock_minutes(activity["end_time"])) // 2  # fmt: skip
                again = {**copy.deepcopy(activity), "transports": []}
                activity["end_time"] = again["start_time"] = clock_text(middle)
                at = next(i for i, a in enumerate(day["activities"]) if a is activity)
                day["activities"].insert(at + 1, again)
                return trip
        return None

    return mutate


def _register_amounts() -> None:
    """Prices, costs and counts, existence and repeats: the same for every kind of activity."""
    for name, table, count, kinds in (
        ("sight", "attraction", "tickets", ("attraction",)),
        ("meal", "restaurant", "people", MEALS),
        ("night", "hotel", "rooms", ("accommodation",)),
        ("journey", "intercity", "tickets", JOURNEYS),
    ):
        price = {"hotel": "hotel_room", "intercity": "intercity_details"}.get(table, f"{table}_price")  # fmt: skip
        BREAKS.append(Break(f"{name} a yuan too dear", price, _dearer(count, *kinds)))
        BREAKS.append(Break(f"{name} with a wrong sum", f"{table}_cost", _each(*kinds, cost=1)))
        if table in ("attraction", "restaurant"):
            BREAKS.append(Break(f"{name} twice", f"{table}_repeated", _twice(*kinds)))
        if table in ("attraction", "intercity"):
            more = _ticket_more("tickets", *kinds)
            BREAKS.append(Break(f"{name} with a ticket too many", f"{table}_cost", more))
        if table != "intercity":
            hotel = {"restaurant_exists", "restaurant_repeated"}  # its breakfasts
            also = frozenset(hotel if table == "hotel" else ())
            BREAKS.append(Break(f"{name} that no table has", f"{table}_exists", _unknown(*kinds), also))  # fmt: skip


_register_amounts()


def _early(trip: Trip, table: str, *kinds: str) -> Trip | None:
    for activity in trip.activities(*kinds):
        span = trip.hours(activity, table)
        if span is not None and trip.free_before(activity) < span[0]:
            activity["start_time"] = clock_text(span[0] - 1)
            return trip
    return None


def _late(trip: Trip, table: str, *kinds: str) -> Trip | None:
    trip.loosen()
    for activity in trip.activities(*kinds):
        span = trip.hours(activity, table)
        if span is not None and span[1] < min(trip.free_after(activity), 1440):
            activity["end_time"] = clock_text(span[1] + 1)
            return trip
    return None


@breaks("attraction_open")
def sight_a_minute_before_it_opens(trip: Trip) -> Trip | None:
    return _early(trip, "attraction", "attraction")


@breaks("attraction_open")
def sight_a_minute_after_it_closes(trip: Trip) -> Trip | None:
    return _late(trip, "attraction", "attraction")


@breaks("restaurant_open", "meal_time")
def meal_a_minute_after_closing(trip: Trip) -> Trip | None:
    return _late(trip, "restaurant", "lunch", "dinner")


@breaks("attraction_open", "restaurant_open")
def sight_on_the_day_it_is_closed(trip: Trip) -> Trip | None:
    import datetime as dt

    if trip.request.start_date is None:
        return None
    shifts = [1, 2, 3, 4, 5, 6]
    trip.random.shuffle(shifts)
    for days in shifts:
        moved = replace(trip.request, start_date=trip.request.start_date + dt.timedelta(days=days))
        for day, _, activity in trip.places():
            found = trip.world.find("attraction", activity.get("position", ""))
            if activity["type"] != "attraction" or len(found) != 1 or found[0].hours is None:
                continue
            if found[0].hours.days(moved.date(day)) == [()]:
                return replace(trip, request=moved)
    return None


@breaks("meal_time", "restaurant_open")
def meal_a_minute_before_its_window(trip: Trip) -> Trip | None:
    for meal in trip.activities(*MEALS):
        begins = MEAL_WINDOWS[meal["type"]][0]
        if trip.free_before(meal) < begins:
            meal["start_time"] = clock_text(begins - 1)
            return trip
    return None


@breaks("meal_time", "restaurant_open")
def meal_a_minute_after_its_window(trip: Trip) -> Trip | None:
    trip.loosen()
    for meal in trip.activities(*MEALS):
        ends = MEAL_WINDOWS[meal["type"]][1]
        if trip.free_after(meal) > ends:
            meal["end_time"] = clock_text(ends + 1)
            return trip
    return None


@breaks("connected")
def missing_transfer(trip: Trip) -> Trip | None:
    for activity in trip.activities():
        legs = activity["transports"]
        if legs and legs[0]["start"] != legs[-1]["end"]:
            activity["transports"] = []
            return trip
    return None


@breaks("connected", "way_exists", "way_details")
def way_to_another_place(trip: Trip) -> Trip | None:
    names = sorted({a["position"] for a in trip.activities("attraction")})
    for activity in trip.activities("attraction"):
        others = [name for name in names if name != activity["position"]]
        if activity["transports"] and others:
            activity["transports"][-1]["end"] = trip.random.choice(others)
            return trip
    return None


@breaks("way_details")
def ride_a_yuan_too_dear(trip: Trip) -> Trip | None:
    for leg in trip.legs("taxi", "metro"):
        leg["price"] += 1
        leg["cost"] = leg["price"] * (leg.get("cars") or leg.get("tickets"))
        return trip
    return None


@breaks("way_details")
def way_a_kilometre_too_long(trip: Trip) -> Trip | None:
    for leg in trip.legs("taxi", "metro", "walk"):
        leg["distance"] += 1
        return trip
    return None


@breaks("way_details")
def way_a_minute_too_slow(trip: Trip) -> Trip | None:
    for activity in trip.activities():
        legs = activity["transports"]
        if len(legs) == 1 and legs[0]["end_time"] < activity["start_time"]:
            legs[0]["end_time"] = clock_text(clock_minutes(legs[0]["end_time"]) + 1)
            return trip
    return None


@breaks("way_cost")
def ride_with_a_wrong_sum(trip: Trip) -> Trip | None:
    for leg in trip.legs("taxi", "metro"):
        leg["cost"] += 1
        return trip
    return None


@breaks("way_cost")
def taxi_too_many(trip: Trip) -> Trip | None:
    for leg in trip.legs("taxi"):
        leg["cars"] += 1
        leg["cost"] = leg["price"] * leg["cars"]
        return trip
    return None


@breaks("way_exists")
def metro_without_walks(trip: Trip) -> Trip | None:
    for leg in trip.legs("taxi"):
        leg["mode"] = "metro"
        return trip
    return None


@breaks("intercity_exists")
def train_that_no_table_has(trip: Trip) -> Trip | None:
    for journey in trip.activities(*JOURNEYS):
        journey["TrainID" if journey["type"] == "train" else "FlightID"] += "X9"
        return trip
    return None


@breaks("intercity_details")
def journey_a_minute_too_early(trip: Trip) -> Trip | None:
    for journey in trip.activities(*JOURNEYS):
        start = clock_minutes(journey["start_time"])
        if start - 1 > trip.free_before(journey):
            journey["start_time"] = clock_text(start - 1)
            return trip
    return None


@breaks("intercity_present")
def no_return(trip: Trip) -> Trip | None:
    last = trip.plan["itinerary"][-1]["activities"]
    if len(last) < 2:
        return None
    last.pop()
    return trip


@breaks("hotel_room")
def room_of_a_type_that_there_is_not(trip: Trip) -> Trip | None:
    for night in trip.activities("accommodation"):
        found = trip.world.find("hotel", night["position"])
        lacking = [n for name, n in ROOM_NUMBERS.items() if all(name not in p.rooms for p in found)]
        if lacking:
            night["room_type"] = trip.random.choice(lacking)
            return trip
    return None


@breaks("hotel_needed", "connected")
def night_without_a_hotel(trip: Trip) -> Trip | None:
    days = trip.plan["itinerary"][:-1]
    trip.random.shuffle(days)
    for day in days:
        kept = [a for a in day["activities"] if a["type"] != "accommodation"]
        if kept and len(kept) < len(day["activities"]):
            day["activities"] = kept
            return trip
    return None


@breaks("duration")
def visit_that_takes_no_time(trip: Trip) -> Trip | None:
    for activity in trip.activities("attraction", *MEALS):
        activity["end_time"] = activity["start_time"]
        return trip
    return None


@breaks("order", "attraction_open", "restaurant_open", "meal_time")
def start_before_arrival(trip: Trip) -> Trip | None:
    for activity in trip.activities("attraction", *MEALS):
        legs = activity["transports"]
        if legs and legs[-1]["end_time"] > legs[0]["start_time"]:
            activity["start_time"] = clock_text(clock_minutes(legs[-1]["end_time"]) - 1)
            return trip
    return None


@breaks("order", "attraction_open", "restaurant_open", "meal_time")
def end_after_the_next_way_starts(trip: Trip) -> Trip | None:
    for activity in trip.activities("attraction", *MEALS):
        after = trip.free_after(activity)
        if after < 1440:
            activity["end_time"] = clock_text(after + 1)
            return trip
    return None


@breaks("request")
def a_day_more_than_asked_for(trip: Trip) -> Trip | None:
    return replace(trip, request=replace(trip.request, days=trip.request.days - 1))


def _cost_yuan(trip: Trip) -> float:
    """The cost that the plan states, yuan."""
    stays = sum(a["cost"] for _, _, a in trip.places())
    return float(stays + sum(leg["cost"] for leg in trip.legs("taxi", "metro", "walk")))


@breaks("query:1:budget")
def budget_a_yuan_short(trip: Trip) -> Trip | None:
    budget = made("budget", "all", (), int(-(-_cost_yuan(trip) // 1)) - 1)
    return replace(trip, request=replace(trip.request, requirements=(budget,)))


@near_miss
def budget_just_enough(trip: Trip) -> Trip | None:
    budget = made("budget", "all", (), int(-(-_cost_yuan(trip) // 1)))
    return replace(trip, request=replace(trip.request, requirements=(budget,)))


@near_miss
def sight_at_the_minute_it_opens(trip: Trip) -> Trip | None:
    trip_early = _early(trip, "attraction", "attraction")
    if trip_early is None:
        return None
    for activity in trip_early.activities("attraction"):
        span = trip_early.hours(activity, "attraction")
        if span is not None and clock_minutes(activity["start_time"]) == span[0] - 1:
            activity["start_time"] = clock_text(span[0])
    return trip_early


@near_miss
def sight_until_the_minute_it_closes(trip: Trip) -> Trip | None:
    trip.loosen()
    for activity in trip.activities("attraction"):
        span = trip.hours(activity, "attraction")
        if span is not None and span[1] <= min(trip.free_after(activity), 1440):
            activity["end_time"] = clock_text(span[1])
            return trip
    return None


@near_miss
def meal_until_its_window_ends(trip: Trip) -> Trip | None:
    trip.loosen()
    for meal in trip.activities("lunch", "dinner"):
        span, ends = trip.hours(meal, "restaurant"), MEAL_WINDOWS[meal["type"]][1]
        if trip.free_after(meal) >= ends and span is not None and span[1] >= ends:
            meal["end_time"] = clock_text(ends)
            return trip
    return None


@near_miss
def meal_until_the_minute_the_table_closes(trip: Trip) -> Trip | None:
    trip.loosen()
    for meal in trip.activities("lunch", "dinner"):
        span, ends = trip.hours(meal, "restaurant"), MEAL_WINDOWS[meal["type"]][1]
        if span is not None and span[1] <= min(ends, trip.free_after(meal)):
            meal["end_time"] = clock_text(span[1])
            return trip
    return None


@near_miss
def ways_as_late_as_they_can(trip: Trip) -> Trip | None:
    trip.loosen()
    return trip


@near_miss
def ride_ten_cents_off(trip: Trip) -> Trip | None:
    for leg in trip.legs("taxi"):
        leg["price"] = round(leg["price"] + 0.1, 2)
        leg["cost"] = round(leg["price"] * leg["cars"], 2)
        return trip
    return None


@near_miss
def visit_a_minute_shorter(trip: Trip) -> Trip | None:
    for activity in trip.activities("attraction"):
        ends = clock_minutes(activity["end_time"])
        if ends - 1 > clock_minutes(activity["start_time"]):
            activity["end_time"] = clock_text(ends - 1)
            return trip
    return None


@near_miss
def a_field_more(trip: Trip) -> Trip | None:
    for activity in trip.activities():
        activity["remark"] = "window seat"
        return trip
    return None
