"""Ways to break the times and the budget of a good plan, and near misses that leave it good."""

from __future__ import annotations

from dataclasses import replace

from schemas.plans import MEALS
from schemas.values import clock_minutes, clock_text
from tests.counterexamples.trips import Trip, breaks, near_miss
from validators.plans.check_places import MEAL_WINDOWS
from validators.plans.request import make_requirement
from warehouse.opening import Hours


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


def _rehoured(
    trip: Trip, table: str, kinds: tuple[str, ...], spare: tuple[int, int] | None
) -> Trip | None:
    """The tables open one visited place for just the visit, more or less by ``spare`` minutes
    before and after it; None closes it for the day of the week.
    """
    if trip.request.start_date is None:
        return None
    for activity in trip.activities(*kinds):
        found = trip.world.find(table, activity["position"])
        if len(found) != 1:
            continue
        day = next(day for day, _, a in trip.places() if a is activity)
        date = trip.request.date(day)
        assert date is not None
        times = [clock_minutes(activity[key]) for key in ("start_time", "end_time")]
        span = ((times[0] - spare[0], times[1] + spare[1]),) if spare else ()
        always = tuple(span if n == date.weekday() else ((0, 1440),) for n in range(7))
        rows = {**trip.world.places[table]}
        rows[found[0].name] = [replace(found[0], hours=Hours(always))]
        return replace(trip, world=replace(trip.world, places={**trip.world.places, table: rows}))
    return None


@breaks("attraction_open")
def sight_opens_a_minute_later_in_the_tables(trip: Trip) -> Trip | None:
    return _rehoured(trip, "attraction", ("attraction",), (-1, 60))


@breaks("attraction_open")
def sight_closes_a_minute_earlier_in_the_tables(trip: Trip) -> Trip | None:
    return _rehoured(trip, "attraction", ("attraction",), (60, -1))


@breaks("attraction_open")
def sight_closed_on_its_weekday(trip: Trip) -> Trip | None:
    return _rehoured(trip, "attraction", ("attraction",), None)


@breaks("restaurant_open")
def meal_while_the_tables_say_closed(trip: Trip) -> Trip | None:
    return _rehoured(trip, "restaurant", ("lunch", "dinner"), (0, -1))


@near_miss
def sight_open_for_just_the_visit(trip: Trip) -> Trip | None:
    return _rehoured(trip, "attraction", ("attraction",), (0, 0))


@near_miss
def meal_open_for_just_the_meal(trip: Trip) -> Trip | None:
    return _rehoured(trip, "restaurant", ("lunch", "dinner"), (0, 0))


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


def _cost_yuan(trip: Trip) -> float:
    """The cost that the plan states, yuan."""
    stays = sum(a["cost"] for _, _, a in trip.places())
    return float(stays + sum(leg["cost"] for leg in trip.legs("taxi", "metro", "walk")))


@breaks("query:1:budget")
def budget_a_yuan_short(trip: Trip) -> Trip | None:
    budget = make_requirement("budget", "all", (), int(-(-_cost_yuan(trip) // 1)) - 1)
    return replace(trip, request=replace(trip.request, requirements=(budget,)))


@near_miss
def budget_just_enough(trip: Trip) -> Trip | None:
    budget = make_requirement("budget", "all", (), int(-(-_cost_yuan(trip) // 1)))
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
