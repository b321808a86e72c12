"""Check the journeys between cities, the travel within the city, and the order of events."""

from __future__ import annotations

from collections.abc import Sequence

from schemas.plans import JOURNEYS, Activity, Plan, Transport
from schemas.values import MINUTES_PER_DAY, clock_text
from validators.plans.verdicts import Findings
from validators.plans.world import Journey, World
from warehouse.ways import MODES, Mode, cars

#: The tolerance for the price (cents) and distance (metres) of a leg. ChinaTravel's public checker
#: allows 0.1 of its units.
PRICE_SLACK_CENTS, DISTANCE_SLACK_M = 10, 100


def check_journeys(plan: Plan, world: World, found: Findings, *, asked: bool = True) -> None:
    """Check that journeys come first and last, are in the tables, and have the correct details.

    The details are prices, times and tickets. If the query has no origin, ``asked`` is False and
    the plan need not contain any journeys.
    """
    every = [(day.day, i, a) for day in plan.itinerary for i, a in enumerate(day.activities)]
    journeys = [entry for entry in every if entry[2].type in JOURNEYS]
    ends = (("first", every[:1]), ("last", every[-1:])) if asked or journeys else ()
    for name, end in ends:
        if not end or end[0][2].type not in JOURNEYS:
            found.fail(
                "intercity_present",
                f"the {name} activity",
                "the activity must be a train or a flight",
            )
            found.fail(
                "complete", f"the {name} activity", "the activity must be a train or a flight"
            )
    if len(every) == 1 and (asked or journeys):
        found.fail(
            "intercity_present",
            "the plan",
            "the plan has only one activity, so the outbound or the return journey is missing",
        )
    start, target = world.city_of(plan.start_city), world.city_of(plan.target_city)
    leaves = start
    for number, (day, index, activity) in enumerate(journeys):
        where = f"day {day}, activity {index + 1} ({activity.number})"
        between = (start, target) if number % 2 == 0 else (target, start)
        matches = _matches(activity, world)
        if not matches:
            found.fail(
                "intercity_exists", where,
                f"no {activity.type} {activity.number} from {activity.start} to {activity.end}",
            )  # fmt: skip
        else:
            _cities(matches, between, where, found)
            _details(matches, activity, where, found)
            _direction(matches, leaves, where, found)
            leaves = matches[0].destination_city
        _tickets(activity, plan.people_number, where, found)
    if len(journeys) > 2:
        found.fail(
            "transport_consistent",
            "the plan",
            f"the plan has {len(journeys)} journeys instead of one outbound and one return journey",
        )


def _matches(activity: Activity, world: World) -> list[Journey]:
    return [
        journey
        for journey in world.journeys_by_number.get(activity.number or "", [])
        if (journey.kind, journey.start, journey.end)
        == (activity.type, activity.start, activity.end)
    ]


def _cities(
    matches: Sequence[Journey], ends: tuple[str | None, str | None], where: str, found: Findings
) -> None:
    if not any((j.origin_city, j.destination_city) == ends for j in matches):
        found.fail(
            "intercity_exists", where, "the journey does not connect the two cities in the plan"
        )


def _direction(matches: Sequence[Journey], leaves: str | None, where: str, found: Findings) -> None:
    if not any(journey.origin_city == leaves for journey in matches):
        found.fail(
            "transport_consistent",
            where,
            "the journey does not start in the city where the traveller is",
        )


def _details(matches: Sequence[Journey], activity: Activity, where: str, found: Findings) -> None:
    times = activity.start_time, activity.end_time
    timed = [j for j in matches if (j.departs_min, clock_of(j.arrives_min)) == times]
    if timed and not any(j.same_day for j in timed):
        later = (timed[0].arrives_min - 1) // MINUTES_PER_DAY
        days = "on the next day" if later == 1 else f"{later} days later"
        found.fail(
            "duration",
            where,
            f"the journey arrives {days}, but a journey in a plan must arrive on the day of "
            "departure",
        )
    if not timed:
        known = ", ".join(
            sorted(
                {f"{clock_text(j.departs_min)}-{clock_text(j.arrives_min % 1440)}" for j in matches}
            )
        )
        told = f"{clock_text(times[0])}-{clock_text(times[1])}"
        found.fail(
            "intercity_details",
            where,
            f"according to the tables, the journey is at {known}, not at {told}",
        )
    elif not any(j.price_cents == activity.price for j in timed):
        if any(j.price_cents is None for j in timed):
            found.doubt("intercity_details", where, "the tables give no price for this journey")
            return
        prices = ", ".join(sorted({f"{(j.price_cents or 0) / 100:g}" for j in timed}))
        found.fail(
            "intercity_details", where, f"the price is {prices}, not {activity.price / 100:g}"
        )


def clock_of(minute: int) -> int:
    """Return a time in a plan as minutes after midnight: each day starts at 0, but 24:00 stays
    1440.
    """
    return minute if minute <= 1440 else minute % 1440


def _tickets(activity: Activity, people: int, where: str, found: Findings) -> None:
    if activity.tickets != people:
        found.fail(
            "intercity_cost",
            where,
            f"the number of tickets must be {people}, not {activity.tickets}",
        )
    elif activity.cost != activity.price * people:
        found.fail(
            "intercity_cost", where,
            f"the cost must be {activity.price / 100:g} x {people}, not {activity.cost / 100:g}",
        )  # fmt: skip


def check_moves(plan: Plan, world: World, found: Findings) -> None:
    """Check that times never run backwards, places are connected, and each ride exists."""
    place: str | None = None
    for day in plan.itinerary:
        clock, blocked = 0, False
        for index, activity in enumerate(day.activities):
            where = f"day {day.day}, activity {index + 1} ({activity.position or activity.number})"
            clock = _times(activity, clock, blocked, where, found)
            _check_connected(activity, place, where, found)
            _way(activity, plan.people_number, world, where, found)
            place, blocked = activity.ends_at, activity.type in JOURNEYS


def _times(activity: Activity, clock: int, blocked: bool, where: str, found: Findings) -> int:
    """Check that an activity and the travel to it do not start before ``clock``; return the minute
    by which both have ended.
    """
    now = clock
    for leg in activity.transports:
        if leg.start_time < now:
            _late(leg.start_time, now, "the route starts", blocked, where, found)
        if leg.end_time < leg.start_time:
            found.fail("duration", where, f"{leg.mode}: the end time is before the start time")
        now = max(now, leg.end_time)
    if activity.start_time < now:
        blocked = blocked and not activity.transports
        _late(activity.start_time, now, "the activity starts", blocked, where, found)
    if activity.end_time <= activity.start_time and not _tells_overnight(activity, found, where):
        found.fail("duration", where, "the activity must end after it starts")
    return max(now, activity.end_time)


def _tells_overnight(activity: Activity, found: Findings, where: str) -> bool:
    """Check whether it has already been reported that the journey ends on a later day."""
    return activity.type in JOURNEYS and any(
        told.startswith(f"{where}: the journey arrives ") for told in found.failures["duration"]
    )


def _late(start: int, now: int, what: str, blocked: bool, where: str, found: Findings) -> None:
    why = f"{what} at {clock_text(start)}, but the traveller is busy until {clock_text(now)}"
    found.fail("order", where, why)
    if blocked:
        found.fail("block_out", where, f"{why} because of the journey")


def _check_connected(activity: Activity, place: str | None, where: str, found: Findings) -> None:
    legs = activity.transports
    if place is None:
        if legs:
            found.fail("connected", where, "the route to the first activity has no starting point")
        return
    here = activity.begins_at
    if not legs:
        if here != place:
            found.fail(
                "connected", where, f"the plan does not say how to get from {place} to {here}"
            )
            found.fail("location", where, f"the traveller is still at {place}")
        return
    points = [place, *(name for leg in legs for name in (leg.start, leg.end)), here]
    for a, b in zip(points[::2], points[1::2], strict=True):
        if a != b:
            found.fail("connected", where, f"the route has a gap between {a} and {b}")
            found.fail("location", where, f"the route has a gap between {a} and {b}")


def _way(activity: Activity, people: int, world: World, where: str, found: Findings) -> None:
    legs = activity.transports
    if not legs:
        return
    mode = _mode(legs)
    if mode is None:
        found.fail(
            "way_exists",
            where,
            f"{'-'.join(leg.mode for leg in legs)} is not a valid combination of modes of "
            "transport",
        )
        return
    ends = legs[0].start, legs[-1].end
    points = [world.point(name) for name in ends]
    if points[0] is None or points[1] is None:
        known = [name for name, point in zip(ends, points, strict=True) if point is None]
        found.doubt("way_exists", where, f"the coordinates of {', '.join(known)} are unknown")
        return
    way = world.network.way((ends[0], points[0]), (ends[1], points[1]), legs[0].start_time, mode)
    if way is None:
        found.fail("way_exists", where, f"no metro route leads from {ends[0]} to {ends[1]}")
        return
    for told, real in zip(legs, way, strict=True):
        if (told.start, told.end, told.mode) != (real.start, real.end, real.mode):
            found.fail(
                "way_exists",
                where,
                f"the leg must be {real.mode} from {real.start} to {real.end}, not {told.mode} "
                f"from {told.start} to {told.end}",
            )
        if (told.start_time, told.end_time) != (real.start_min, real.end_min):
            found.fail(
                "way_details",
                where,
                f"the {told.mode} leg must start at {clock_text(real.start_min)} and take "
                f"{real.end_min - real.start_min} minutes",
            )
        if real.price_cents is None:
            found.doubt("way_details", where, f"the {told.mode} fare is unknown")
        elif abs(told.price - real.price_cents) > PRICE_SLACK_CENTS:
            found.fail(
                "way_details",
                where,
                f"the {told.mode} leg costs {real.price_cents / 100:g}, not {told.price / 100:g}",
            )
        if abs(told.distance - real.distance_m) > DISTANCE_SLACK_M:
            found.fail(
                "way_details",
                where,
                f"the {told.mode} leg is {real.distance_m:.0f} m long, not {told.distance:.0f}",
            )
        _leg_cost(told, people, where, found)


def _mode(legs: Sequence[Transport]) -> Mode | None:
    modes = tuple(leg.mode for leg in legs)
    if modes == ("walk", "metro", "walk"):
        return "metro"
    return next((m for m in MODES if modes == (m,) and m != "metro"), None)


def _leg_cost(leg: Transport, people: int, where: str, found: Findings) -> None:
    if leg.mode == "walk":
        if leg.cost or leg.price:
            found.fail("way_cost", where, "walking costs nothing")
        return
    of_cars = leg.mode != "metro"
    told, need = (leg.cars, cars(people)) if of_cars else (leg.tickets, people)
    if told != need:
        what = "cars" if of_cars else "tickets"
        found.fail(
            "way_cost", where, f"{leg.mode}: the number of {what} must be {need}, not {told}"
        )
    elif leg.cost != leg.price * need:
        found.fail(
            "way_cost",
            where,
            f"{leg.mode}: the cost must be {leg.price / 100:g} x {need}, not {leg.cost / 100:g}",
        )
