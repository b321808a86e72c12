"""Add sights to the long gaps in a day for which the restaurants have already been chosen."""

from __future__ import annotations

from validators.plans.itinerary.courses import measure_gap
from validators.plans.itinerary.draft import Draft
from validators.plans.itinerary.fitting import (
    comes_home,
    is_apart,
    is_crowded,
    is_near_home,
    limit_sights,
)
from validators.plans.itinerary.gains import (
    WAY,
    WORTHWHILE,
    measure_detour,
    weigh_likeness,
    weigh_sight,
)
from validators.plans.itinerary.orders import rank_orders
from validators.plans.itinerary.seating import seat_meals
from validators.plans.itinerary.suiting import may_come
from validators.plans.outing import Course, Frame
from validators.plans.tables_near import NearTables, State

#: A gap of this length is filled; the second is for slow travellers, the third for the time before
#: the journey back, without that for bags and the station.
_GAP_MIN, _GAP_SLOW_MIN, _GAP_HOME_MIN = 80, 150, 60
#: How many positions of sights are tried for a gap, and how many sights in a new order of the day.
_TRIED, _REORDERED = 60, 6


def fill_gaps(
    draft: Draft, day: int, frame: Frame, course: Course, tables: NearTables, before: State
) -> Course:
    """Add sights while a day has a long gap and a nearby sight fits; return the day's course."""
    if frame.most == 0 or not has_gap(draft, course, frame):
        return course
    order, after = draft.days[day], tables.state()
    found = sorted(
        (measure_detour(draft, day, n, at) * WAY - weigh_sight(draft, n, day), n, at)
        for n in range(len(draft.sights.places))
        if may_come(draft, n)
        and weigh_sight(draft, n, day) >= WORTHWHILE
        and not (draft.trip.nights_out and draft.ground.late[n])
        and weigh_likeness(draft, n, day) is not None
        and n not in draft.sights.shut[day]
        and (not is_apart(draft, n, day, order) or is_near_home(draft, n, day))
        and not is_crowded(draft, n, order)
        for at in range(len(order) + 1)
    )
    orders = [(*order[:at], node, *order[at:]) for _, node, at in found[:_TRIED]]
    for node in list(dict.fromkeys(n for _, n, _ in found))[:_REORDERED]:
        orders += rank_orders(draft, frame, [*order, node])[:1]
    for fuller_order in orders:
        tables.restore(before)
        fuller = seat_meals(draft, frame, fuller_order, tables)
        if fuller is not None and comes_home(draft, fuller):
            draft.days[day] = list(fuller_order)
            if len(fuller_order) >= limit_sights(draft, day, fuller_order):
                return fuller
            return fill_gaps(draft, day, frame, fuller, tables, before)
    tables.restore(after)
    return course


def has_gap(draft: Draft, course: Course, frame: Frame) -> bool:
    """Check whether a day has a long unplanned gap.

    On a slow trip, only a longer gap counts. Before the return journey, a shorter gap is enough.
    """
    least = _GAP_SLOW_MIN if draft.trip.pace == "slow" else _GAP_MIN
    waits = draft.booking.pair is not None and frame.number == draft.trip.request.days
    if waits and frame.deadline - course.to_end - course.free >= _GAP_HOME_MIN:
        return True
    return measure_gap(course, frame, packed=draft.trip.pace == "special_forces") >= least
