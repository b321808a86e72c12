"""Ways to break a good plan, each with the constraint that must catch it: amounts, places, ways.

A mutation changes a plan's JSON (or the request) in one place that a seed chooses, and gives None
where the plan has no such place. ``also`` names constraints that the same break may touch. Breaks
of time stand in ``broken_times``; ``trips`` registers all of them.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from schemas.plans import JOURNEYS, MEALS, ROOM_NUMBERS
from schemas.values import clock_minutes, clock_text
from tests.counterexamples.trips import BREAKS, Break, Mutation, Trip, breaks


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
                middle = (
                    clock_minutes(activity["start_time"]) + clock_minutes(activity["end_time"])
                ) // 2
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
        price = {"hotel": "hotel_room", "intercity": "intercity_details"}.get(
            table, f"{table}_price"
        )
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
            BREAKS.append(
                Break(f"{name} that no table has", f"{table}_exists", _unknown(*kinds), also)
            )


_register_amounts()


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


@breaks("restaurant_price", "connected")
def breakfast_at_a_hotel_of_others(trip: Trip) -> Trip | None:
    nights = {a["position"] for a in trip.activities("accommodation")}
    hotels = trip.world.places["hotel"]
    others = sorted(n for n in hotels if n not in nights and not trip.world.find("restaurant", n))
    for meal in trip.activities("breakfast"):
        if meal["position"] in nights and others:
            meal["position"] = trip.random.choice(others)
            return trip
    return None


@breaks("duration")
def journey_of_the_next_day(trip: Trip) -> Trip | None:
    """The tables say that the train of these clock times takes a day longer."""
    (first, *_) = trip.activities("train", "airplane")
    number = first.get("TrainID") or first.get("FlightID")
    journeys = [
        replace(j, arrives_min=j.arrives_min + 1440) if j.number == number else j
        for j in trip.world.journeys
    ]
    trip.world = replace(trip.world, journeys=journeys)
    return trip


@breaks("hotel_needed")
def two_nights_on_one_day(trip: Trip) -> Trip | None:
    """The night is told twice: one until an hour before its end, the other from there."""
    for day in trip.plan["itinerary"][:-1]:
        night = day["activities"][-1]
        if night["type"] == "accommodation" and night["start_time"] < "22:30":
            day["activities"].append({**night, "start_time": "23:00", "transports": []})
            night["end_time"] = "23:00"
            return trip
    return None


@breaks("request")
def a_day_more_than_asked_for(trip: Trip) -> Trip | None:
    return replace(trip, request=replace(trip.request, days=trip.request.days - 1))
