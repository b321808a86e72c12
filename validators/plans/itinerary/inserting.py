"""Insert sights into days, at the positions that bring the most points once travel is deducted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from validators.plans.itinerary.draft import Draft
from validators.plans.itinerary.fitting import (
    count_free_minutes,
    is_apart,
    is_crowded,
    keeps_evening,
    limit_sights,
    opens_evening,
)
from validators.plans.itinerary.gains import (
    FOR_THE_EVENING,
    WAY_MUST,
    WORTHWHILE,
    measure_detour,
    weigh_likeness,
    weigh_sight,
)
from validators.plans.itinerary.suiting import is_new, may_come
from validators.plans.outing import HALF_DAY_MIN, walk

#: Points of a sight that is inserted by force, in addition to its own.
_FORCED = 10**6
#: Points that a usual closing day costs a sight that is inserted by force.
_SHUT = 400
#: Points that a sight loses for each sight that contains it or belongs to it, up to so many sights.
_IN_AREA, _MOST_IN_AREA = 110, 2
#: So many minutes of other visits on the day cost a point, which spreads sights evenly.
_EVEN = 4
#: The way to the first sight of a day counts by this part, as the day has to go somewhere.
_FIRST = 3
#: The most minutes from the centre on trips of so many days, unless a sight is required.
_SHORT_TRIP_MIN = {1: 35, 2: 45}


def insert_best(
    draft: Draft, nodes: Sequence[int] | range, way: int, *, forced: bool = False,
    days: Sequence[int] = (),
) -> bool:  # fmt: skip
    """Insert one sight, choosing the sight, the day and the position that together bring the most
    points once travel is deducted.

    ``days`` limits the days that are tried; by default, all are tried.
    """
    found = [
        (-score, node, day, at)
        for node in nodes
        if (is_new(draft, node) if forced else may_come(draft, node))
        for day in days or range(len(draft.frames))
        for at, score in _find_slots(draft, node, day, way, forced=forced)
    ]
    for _, node, day, at in sorted(found):
        order = [*draft.days[day][:at], node, *draft.days[day][at:]]
        if (day, *order) in draft.failed:
            continue
        course = walk(draft.frames[day], order, draft.ground, None)
        if course is not None and keeps_evening(draft, course, day, order):
            draft.days[day] = order
            return True
        draft.failed.add((day, *order))
    return False


def _find_slots(
    draft: Draft, node: int, day: int, way: int, *, forced: bool
) -> Iterator[tuple[int, int]]:
    """Yield the positions at which a sight can be inserted into a day, with the points of each."""
    is_evening, before = opens_evening(draft, node, day), draft.days[day]
    is_full = len(before) >= limit_sights(draft, day, before) + forced
    if is_full and not is_evening:
        return
    if count_free_minutes(draft, day) < draft.ground.stays[node]:
        return
    if not (forced or _may_join(draft, node, day)):
        return
    points = _weigh_on_day(draft, node, day)
    if points is None:
        return
    points += _FORCED * forced
    for at in range(len(before) + 1):
        is_last = is_evening and at == len(before)
        if is_full and not is_last:
            continue
        more = measure_detour(draft, day, node, at)
        score = points - way * (more if before else more // _FIRST) + FOR_THE_EVENING * is_last
        if forced or not before or score >= WORTHWHILE:
            yield at, score


def _may_join(draft: Draft, node: int, day: int) -> bool:
    """Check whether a sight may be visited on a day, together with the day's other sights."""
    order = draft.days[day]
    most_minutes = _SHORT_TRIP_MIN.get(draft.trip.request.days)
    if most_minutes is not None and draft.ways.centre_minutes[node] > most_minutes:
        return False
    return not (
        node in draft.sights.shut[day]
        or is_apart(draft, node, day, order)
        or is_crowded(draft, node, order)
    )


def _weigh_on_day(draft: Draft, node: int, day: int) -> int | None:
    """Return the points of a sight on a day, ignoring travel, or None if the day already has an
    amusement park.
    """
    alike = weigh_likeness(draft, node, day)
    if alike is None:
        return None
    beside = draft.sights.beside[node]
    in_area = sum(o in beside for o in draft.list_sights())
    points = weigh_sight(draft, node, day) - alike
    points -= _SHUT * (node in draft.sights.shut[day])
    points -= _IN_AREA * min(in_area, _MOST_IN_AREA)
    return points - sum(draft.ground.stays[o] for o in draft.days[day]) // _EVEN


def insert_demanded(draft: Draft) -> None:
    """Insert a sight for each requirement that asks for particular sights."""
    for demand in draft.setting.list_demanded_sights():
        named = [n for n, s in enumerate(draft.sights.places) if s.name in demand.names]
        before = set(draft.list_sights())
        if before.intersection(named):
            draft.demanded |= before.intersection(named)
        elif _insert_one_of(draft, named) or _insert_anyway(draft, named):
            draft.demanded |= set(draft.list_sights()) - before


def _insert_one_of(draft: Draft, nodes: Sequence[int]) -> bool:
    """Insert one of several sights; if none can be inserted, try again with looser rules."""
    return any(insert_best(draft, nodes, WAY_MUST, forced=f) for f in (False, True))


def _insert_anyway(draft: Draft, nodes: Sequence[int]) -> bool:
    """Insert one of several sights, regardless of distance and time of day.

    A remote sight gets half a day, which includes lunch.
    """
    draft.failed.clear()
    ground = draft.ground
    give_half_a_day(draft, nodes)
    draft.ground = replace(draft.ground, anyway=ground.anyway | set(nodes))
    if _insert_one_of(draft, nodes):
        return True
    draft.ground = ground
    return False


def give_half_a_day(draft: Draft, nodes: Sequence[int]) -> None:
    """Lengthen the visits to remote sights to at least half a day."""
    stays = list(draft.ground.stays)
    for node in filter(draft.ways.is_far, nodes):
        stays[node] = max(stays[node], HALF_DAY_MIN)
    draft.ground = replace(draft.ground, stays=stays)
