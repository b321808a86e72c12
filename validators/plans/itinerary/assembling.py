"""Assemble the plan: choose each day's restaurants, and drop sights and meals that do not fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from schemas.plans import Day, Plan
from validators.plans.departures import LEAVING_MIN
from validators.plans.itinerary.draft import Draft
from validators.plans.itinerary.filling import fill_gaps
from validators.plans.itinerary.orders import list_orders
from validators.plans.itinerary.seating import seat_meals
from validators.plans.outing import HALF_DAY_MIN, Course, Frame
from validators.plans.tables_near import NearTables
from validators.plans.writing import Writer

#: When a day begins that goes far and is back in time for lunch.
_FAR_BEGINS = 450
#: The most minutes from the remote sight to that lunch.
_TO_LUNCH_MIN = 45


def assemble(draft: Draft, *, pressing: bool = False) -> Plan | None:
    """Return the plan with restaurants, or None if no such plan is possible.

    With ``pressing``, the required restaurants may be far away.
    """
    restaurants = draft.setting.snacks if draft.booking.level.snacks else draft.setting.tables
    demands = [d for d in draft.setting.offers.demands if d.kind == "restaurant"]
    tables = NearTables(
        restaurants, draft.ways.nodes, draft.trip, draft.booking.level, draft.booking.riders,
        demands, draft.ground.meal_min, pressing,
    )  # fmt: skip
    writer = Writer(
        draft.trip, draft.ways.nodes, restaurants, draft.ways.modes, draft.setting.offers.modes,
        draft.sights.visits, draft.booking.nights, draft.booking.pair, draft.setting.world.network,
    )  # fmt: skip
    days = []
    for day, frame in enumerate(draft.frames):
        course = _find_course(draft, day, frame, tables)
        if course is None:
            return None
        days.append(Day(day=frame.number, activities=writer.activities(draft.frames[day], course)))
    if tables.demands or not draft.holds_all_demanded():
        return None
    return Plan(
        people_number=draft.trip.request.people, start_city=draft.trip.request.start_city,
        target_city=draft.trip.request.target_city, itinerary=days,
    )  # fmt: skip


def _find_course(draft: Draft, day: int, frame: Frame, tables: NearTables) -> Course | None:
    """Return a day with real restaurants, or None if no such day is possible.

    If a day is impossible as planned, the function first drops sights, then the full time for
    lunch, then meals.
    """
    tables.when = draft.trip.request.when(frame.number)
    for fewer in _vary_meals(draft, frame):
        for order in list_orders(draft, day, fewer):
            before = tables.state()
            early = _find_early_start(draft, fewer, order, tables)
            if early is not None:
                draft.days[day] = list(order)
                return fill_gaps(draft, day, early[0], early[1], tables, before)
            course = seat_meals(draft, fewer, order, tables)
            if course is not None:
                draft.days[day] = list(order)
                draft.frames[day] = replace(frame, begins=fewer.begins, hasty=fewer.hasty)
                return fill_gaps(draft, day, fewer, course, tables, before)
    return None


def _vary_meals(draft: Draft, frame: Frame) -> Iterator[Frame]:
    """Yield the day as planned, then with a hasty lunch, then with fewer meals.

    On the day of arrival, the party does not take its luggage to the hotel before a hasty lunch.
    """
    yield frame
    if "lunch" in frame.meals:
        begins = frame.begins
        if frame.number == 1 and draft.booking.pair is not None:
            begins = draft.booking.pair[0].arrives_min + LEAVING_MIN[draft.booking.pair[0].kind]
        yield replace(frame, begins=begins, hasty=frame.hasty | {"lunch"})
    for meals in dict.fromkeys((frame.meals[1:], frame.meals[:1], ())):
        yield replace(frame, meals=meals)


def _find_early_start(
    draft: Draft, frame: Frame, order: Sequence[int], tables: NearTables
) -> tuple[Frame, Course] | None:
    """Return a day with an early start for a remote sight and lunch on the way back, or None.

    A party with children or old people never starts early.
    """
    far = (
        bool(order) and draft.ways.is_far(order[0]) and draft.ground.stays[order[0]] >= HALF_DAY_MIN
    )
    if not far or "lunch" not in frame.meals or draft.trip.gentle or frame.number == 1:
        return None
    ground, stays = draft.ground, list(draft.ground.stays)
    stays[order[0]] = HALF_DAY_MIN
    draft.ground = replace(ground, stays=stays)
    frame = replace(frame, begins=min(frame.begins, _FAR_BEGINS), inside=False)
    before = tables.state()
    course = seat_meals(draft, frame, order, tables)
    if course is not None and all(
        s.minutes <= _TO_LUNCH_MIN for s in course.stops if s.kind == "lunch"
    ):
        draft.frames[frame.number - 1] = frame
        return frame, course
    tables.restore(before)
    draft.ground = ground
    return None
