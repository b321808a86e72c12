"""Rate in points how well a sight fits a day: its worth, minus penalties for similar sights and for
the detour.
"""

from __future__ import annotations

from validators.plans.appeal import is_fun
from validators.plans.itinerary.draft import Draft

#: The fewest points for which a sight is worth going to.
WORTHWHILE = 40
#: Points that a minute on the way costs: to the best known, to what is wished for, to all others.
WAY_MUST, WAY_WISHED, WAY = 1, 2, 3
#: Points of a sight for an evening that has none.
FOR_THE_EVENING = 80
#: Points lost for another sight of the same type.
_ALIKE = 45
#: Points that a sight loses for each neighbour on another day, up to this many neighbours.
_SPLIT, _MOST_SPLIT = 120, 2
#: Kinds of which one is enough for most.
_ONCE = frozenset(
    {"boat", "viewpoint", "show", "transport", "bridge", "zoo", "aquarium", "rides", "indoor_fun"}
)


def weigh_sight(draft: Draft, node: int, day: int) -> int:
    """Return the points that a sight is worth on a given day.

    The sight loses points if neighbouring sights are visited on other days.
    """
    near = draft.sights.near[node]
    split = sum(o in near for d, seen in enumerate(draft.days) if d != day for o in seen)
    return draft.sights.worths[node] - _SPLIT * min(split, _MOST_SPLIT)


def weigh_likeness(draft: Draft, node: int, day: int) -> int | None:
    """Return the points that a sight loses because of other sights of the same type.

    The result is None if the day already has an amusement park.
    """
    places, visits = draft.sights.places, draft.sights.visits
    same_day = [places[o] for o in draft.days[day]]
    if is_fun(places[node]) and any(is_fun(s) for s in same_day):
        return None
    types = draft.setting.renown.base_types
    own, kind = types.get(places[node].place_id), visits[node].kind
    again = sum(types.get(s.place_id) == own for s in same_day)
    too_many = sum(visits[o].kind == kind for o in draft.list_sights()) if kind in _ONCE else 0
    if draft.sights.met[node] - {draft.trip.occasion} and not too_many:
        return again * _ALIKE // 4
    ever = sum(types.get(places[o].place_id) == own for o in draft.list_sights())
    return (again + 4 * too_many) * _ALIKE + ever * _ALIKE // 3


def measure_detour(draft: Draft, day: int, node: int, at: int) -> int:
    """Return the minutes of effort that a sight at a given position adds to a day."""
    frame, order, ways = draft.frames[day], draft.days[day], draft.ways
    start = ways.find_home(day) if frame.start is None and ways.hotels else frame.start
    before = order[at - 1] if at else start
    after = order[at] if at < len(order) else frame.end
    to = 0 if before is None else ways.efforts[before][node]
    onward = 0 if after is None else ways.efforts[node][after]
    direct = 0 if before is None or after is None else ways.efforts[before][after]
    return to + onward - direct
