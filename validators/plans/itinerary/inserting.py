"""Insert sights into days, each where its points less its way are highest."""

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
    """Insert the sight with the highest worth minus travel into the day where it fits best.

    ``days`` limits the days to try; by default, all days are tried.
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
    """Yield the positions of a sight in a day, with the points of each position."""
    evening, before = opens_evening(draft, node, day), draft.days[day]
    full = len(before) >= limit_sights(draft, day, before) + forced
    off = (
        draft.ways.centre_minutes[node] > _SHORT_TRIP_MIN.get(draft.trip.request.days, 1440)
        and not forced
    )
    if off or (full and not evening) or count_free_minutes(draft, day) < draft.ground.stays[node]:
        return
    shut = node in draft.sights.shut[day]
    alike = weigh_likeness(draft, node, day)
    if (
        alike is None
        or (shut and not forced)
        or (not forced and (is_apart(draft, node, day, before) or is_crowded(draft, node, before)))
    ):
        return
    points = weigh_sight(draft, node, day) + _FORCED * forced - _SHUT * shut
    points -= _IN_AREA * min(
        sum(o in draft.sights.beside[node] for o in draft.list_sights()), _MOST_IN_AREA
    )
    points -= alike + sum(draft.ground.stays[o] for o in before) // _EVEN
    for at in range(len(before) + 1):
        last = evening and at == len(before)
        if full and not last:
            continue
        more = measure_detour(draft, day, node, at)
        score = points - way * (more if before else more // _FIRST) + FOR_THE_EVENING * last
        if forced or not before or score >= WORTHWHILE:
            yield at, score


def insert_demanded(draft: Draft) -> None:
    """Insert a sight for each requirement that asks for certain sights."""
    for demand in draft.setting.list_demanded_sights():
        here = [n for n, s in enumerate(draft.sights.places) if s.name in demand.names]
        if any(n in day for day in draft.days for n in here):
            draft.demanded.update(n for n in here if any(n in day for day in draft.days))
            continue
        before = set(draft.list_sights())
        if _insert_one_of(draft, here) or _insert_anyway(draft, here):
            draft.demanded.update(set(draft.list_sights()) - before)


def _insert_one_of(draft: Draft, nodes: Sequence[int]) -> bool:
    """Insert one of some sights, if necessary by force."""
    return any(insert_best(draft, nodes, WAY_MUST, forced=f) for f in (False, True))


def _insert_anyway(draft: Draft, nodes: Sequence[int]) -> bool:
    """Insert one of some sights at any distance and hour.

    A remote sight gets half a day, with lunch inside.
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
    """Lengthen the visits to some sights to at least half a day if they are remote."""
    stays = list(draft.ground.stays)
    for node in filter(draft.ways.is_far, nodes):
        stays[node] = max(stays[node], HALF_DAY_MIN)
    draft.ground = replace(draft.ground, stays=stays)
