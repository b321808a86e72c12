"""Check attractions, restaurants and hotels: existence, hours, prices, repetitions and nights."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence

from schemas.plans import JOURNEYS, MEALS, ROOM_NUMBERS, Activity, Plan
from schemas.values import clock_text
from validators.plans.request import Request
from validators.plans.verdicts import Findings
from validators.plans.view import table_of
from validators.plans.world import ROOM_BEDS, Place, World
from warehouse.opening import holds

#: Minutes after midnight in which a meal must lie (ChinaTravel, table 5).
MEAL_WINDOWS = {"breakfast": (360, 540), "lunch": (660, 840), "dinner": (1020, 1200)}
_ROOM_TYPES = {number: room_type for room_type, number in ROOM_NUMBERS.items()}


def stays(plan: Plan) -> Iterator[tuple[str, int, Activity]]:
    """Yield each activity that is not a journey, with its day and a description of where it stands
    in the plan.
    """
    for day in plan.itinerary:
        for index, activity in enumerate(day.activities):
            if activity.type not in JOURNEYS:
                yield (
                    f"day {day.day}, activity {index + 1} ({activity.position})",
                    day.day,
                    activity,
                )


def check_stays(plan: Plan, world: World, request: Request | None, found: Findings) -> None:
    """Check that attractions and restaurants exist, are open, have the right prices and are not
    repeated.
    """
    seen: dict[tuple[str, str], str] = {}
    nights = {day: a.position for _, day, a in stays(plan) if a.type == "accommodation"}
    for where, day, activity in stays(plan):
        if activity.type in MEALS:
            _window(activity, where, found)
        if activity.type == "accommodation":
            continue
        if activity.type == "breakfast" and world.find("hotel", activity.position or ""):
            # Only ``hotel_needed`` reports a missing night.
            slept = nights.get(day - 1, activity.position if day > 1 else None)
            if activity.position == slept or not world.find("restaurant", activity.position or ""):
                _hotel_breakfast(activity, plan.people_number, slept, where, found)
                continue
        table = str(table_of(activity.type))
        name = activity.position or ""
        if (table, name) in seen:
            found.fail(
                f"{table}_repeated",
                where,
                f"the plan already visits this place on {seen[table, name]}",
            )
        seen.setdefault((table, name), where)
        places = world.find(table, name)
        if not places:
            _missing(name, table, world, where, found)
            continue
        _open(places, activity, request.when(day) if request else None, where, found)
        _price(places, activity, plan.people_number, where, found)


def _missing(name: str, table: str, world: World, where: str, found: Findings) -> None:
    found.fail(
        f"{table}_exists", where, f"the tables for {world.slug} list no {table} with this name"
    )
    others = [kind for kind in world.places if kind != table and world.find(kind, name)]
    if others:
        found.fail(
            "information_relevant",
            where,
            f"the tables list the place among the {others[0]}s, not among the {table}s",
        )


def _hotel_breakfast(
    activity: Activity, people: int, slept: str | None, where: str, found: Findings
) -> None:
    """Check that breakfast is free and at the hotel of the night before.

    ChinaTravel's public checker has the same rule.
    """
    if activity.position != slept:
        told = (
            f"the travellers spend the previous night at {slept}"
            if slept
            else "the plan has no hotel for the night before"
        )
        found.fail(
            "restaurant_price",
            where,
            f"only guests of a hotel can have breakfast there, but {told}",
        )
    elif activity.price != 0:
        found.fail(
            "restaurant_price", where, "breakfast at the hotel is free, so its price must be 0"
        )
    if activity.cost != activity.price * people:
        found.fail(
            "restaurant_cost", where, "the cost must be the price times the number of people"
        )


def _window(activity: Activity, where: str, found: Findings) -> None:
    begins, ends = MEAL_WINDOWS[activity.type]
    if not begins <= activity.start_time <= activity.end_time <= ends:
        span = f"{clock_text(activity.start_time)}-{clock_text(activity.end_time)}"
        window = f"{clock_text(begins)} and {clock_text(ends)}"
        found.fail(
            "meal_time",
            where,
            f"{activity.type} must take place between {window}, not at {span}",
        )


def _open(
    places: Sequence[Place],
    activity: Activity,
    when: dt.date | int | None,
    where: str,
    found: Findings,
) -> None:
    constraint = f"{table_of(activity.type)}_open"
    days = [spans for p in places if p.hours for spans in p.hours.days(when)]
    told = [holds(spans, activity.start_time, activity.end_time) for spans in days]
    span = f"{clock_text(activity.start_time)}-{clock_text(activity.end_time)}"
    unknown = any(p.hours is None or not p.hours.days(when) for p in places)
    if not told or (not all(told) and (unknown or any(told))):
        found.doubt(constraint, where, f"it is unknown whether the place is open at {span}")
    elif not any(told):
        hours = ", ".join(f"{clock_text(a)}-{clock_text(b)}" for a, b in days[0]) or "closed"
        on = f" on {when}" if isinstance(when, dt.date) else ""
        found.fail(constraint, where, f"{span} is not within the opening hours{on}: {hours}")


def _price(
    places: Sequence[Place], activity: Activity, people: int, where: str, found: Findings
) -> None:
    table = table_of(activity.type)
    prices = {place.price_cents for place in places}
    if activity.price not in prices:
        if None in prices:
            found.doubt(f"{table}_price", where, "the tables give no price for this place")
        else:
            known = ", ".join(
                f"{price / 100:g}" for price in sorted(p for p in prices if p is not None)
            )
            found.fail(
                f"{table}_price", where, f"the price is {known}, not {activity.price / 100:g}"
            )
    count = activity.tickets if table == "attraction" else people
    if table == "attraction" and count != people:
        found.fail("attraction_cost", where, f"the number of tickets must be {people}, not {count}")
    elif activity.cost != activity.price * (count or 0):
        found.fail(
            f"{table}_cost", where,
            f"the cost must be {activity.price / 100:g} x {count}, not {activity.cost / 100:g}",
        )  # fmt: skip


def check_hotels(plan: Plan, world: World, request: Request | None, found: Findings) -> None:
    """Check that every night has a hotel with free rooms of the stated type and enough beds.

    Prices must agree with the tables. If the query specifies a number of rooms, beds are not
    counted.
    """
    told = request is not None and any(r.kind == "rooms" for r in request.hard)
    nights: dict[int, list[Activity]] = {}
    for where, day, activity in stays(plan):
        if activity.type != "accommodation":
            continue
        nights.setdefault(day, []).append(activity)
        places = world.find("hotel", activity.position or "")
        if not places:
            _missing(activity.position or "", "hotel", world, where, found)
        else:
            _room(places, activity, where, found)
        if not activity.rooms:
            found.fail("hotel_room", where, "the number of rooms is missing")
        elif activity.cost != activity.price * activity.rooms:
            found.fail(
                "hotel_cost", where,
                f"the cost must be {activity.price / 100:g} x {activity.rooms}, not "
                f"{activity.cost / 100:g}",
            )  # fmt: skip
    for day in [day.day for day in plan.itinerary][:-1]:
        beds = sum((a.rooms or 0) * beds_of(a) for a in nights.get(day, []))
        ends = [a.type for d, a in plan.activities() if d == day][-1:]
        if day not in nights:
            found.fail("hotel_needed", f"day {day}", "the plan has no hotel for the night")
            found.fail("complete", f"day {day}", "the plan has no hotel for the night")
        elif len(nights[day]) > 1:
            found.fail(
                "hotel_needed",
                f"day {day}",
                f"the day must have only one night at a hotel, not {len(nights[day])}",
            )
        elif ends != ["accommodation"]:
            found.fail(
                "hotel_needed",
                f"day {day}",
                f"the day must end with the night at the hotel, not with {ends[0]}",
            )
        elif beds < plan.people_number and not told:
            found.fail(
                "complete",
                f"day {day}",
                f"the rooms have only {beds} beds for {plan.people_number} people",
            )


def beds_of(activity: Activity) -> int:
    """Return how many people fit in the activity's type of room, or two if the type is unknown."""
    return ROOM_BEDS.get(_ROOM_TYPES.get(activity.room_type or 0, ""), 2)


def _room(places: Sequence[Place], activity: Activity, where: str, found: Findings) -> None:
    room_type = _ROOM_TYPES.get(activity.room_type or 0)
    if room_type is None:
        known = ", ".join(f"{number} {name}" for number, name in sorted(_ROOM_TYPES.items()))
        told = "is missing" if activity.room_type is None else f"{activity.room_type} is unknown"
        found.fail("hotel_room", where, f"the room type {told}: choose one of {known}")
        return
    rooms = [p.rooms[room_type] for p in places if room_type in p.rooms]
    if not rooms:
        found.fail(
            "hotel_room",
            where,
            f"the hotel has no rooms of type {room_type} ({activity.room_type})",
        )
        return
    priced = [room for room in rooms if room.price_cents == activity.price]
    if not priced and all(room.price_cents is not None for room in rooms):
        prices = ", ".join(f"{(room.price_cents or 0) / 100:g}" for room in rooms)
        found.fail(
            "hotel_room", where, f"the price per night is {prices}, not {activity.price / 100:g}"
        )
    elif not priced:
        found.doubt("hotel_room", where, "the tables give no price for this room type")
    elif all(room.stock is not None and room.stock < (activity.rooms or 0) for room in priced):
        free = max(room.stock or 0 for room in priced)
        found.fail(
            "hotel_room", where, f"the plan needs {activity.rooms} rooms, but only {free} are free"
        )
