"""Rearrange the sights in a plan: move them between days, and replace them by better ones."""

from __future__ import annotations

from functools import partial
from itertools import combinations

from validators.plans.itinerary.burden import weigh_day
from validators.plans.itinerary.draft import Draft
from validators.plans.itinerary.gains import (
    WAY,
    WORTHWHILE,
    measure_detour,
    weigh_likeness,
    weigh_sight,
)
from validators.plans.itinerary.suiting import TWICE, may_come, rank_best_known
from validators.plans.itinerary.ways import NEAR_HOME_MIN
from validators.plans.moving import move_visits

#: How many sights without room are tried, and how many positions in a day for each.
_EXCHANGED, _POSITIONS = 15, 2


def move_sights(draft: Draft) -> None:
    """Move sights to the days on which they cause the least burden."""
    draft.days = move_visits(draft.days, partial(weigh_day, draft), partial(_is_hopeless, draft))


def _is_hopeless(draft: Draft, node: int, day: int) -> bool:
    """Check whether a sight is closed on a day or far from all other sights on that day."""
    near = [draft.ways.efforts[node][o] for o in draft.days[day]]
    return node in draft.sights.shut[day] or (bool(near) and min(near) > NEAR_HOME_MIN)


def exchange_sights(draft: Draft) -> None:
    """Replace sights by better ones that did not fit before, trying the best ones first.

    One of the best known sights may replace two sights of a day.
    """
    held = set(draft.list_sights())
    known = set(rank_best_known(draft))
    left = [
        n for n in range(len(draft.sights.places)) if n not in held and not draft.sights.is_unfit(n)
    ]
    left.sort(key=lambda n: (-draft.sights.worths[n], n))
    for node in left[:_EXCHANGED]:
        for count in (1, 2) if node in known else (1,):
            found = [
                swap
                for day, order in enumerate(draft.days)
                for old in combinations(order, count)
                if (swap := _try_swap(draft, node, old, day)) is not None
            ]
            if found:
                _, day, order = min(found)
                draft.days[day] = order
                draft.failed.clear()
                break


def _try_swap(
    draft: Draft, node: int, old: tuple[int, ...], day: int
) -> tuple[int, int, list[int]] | None:
    """Return the points lost if one sight replaces others on a day, with the day and its new order.

    Returns None if the replacement gains too little or is not possible.
    """
    before = draft.days[day]
    gain = weigh_sight(draft, node, day) - max(weigh_sight(draft, n, day) for n in old)
    if gain < WORTHWHILE or not all(_may_go(draft, n, node, day) for n in old):
        return None
    draft.days[day] = rest = [n for n in before if n not in old]
    alike = weigh_likeness(draft, node, day) if may_come(draft, node) else None
    lost = max(weigh_likeness(draft, n, day) or 0 for n in old)
    places = sorted((measure_detour(draft, day, node, at), at) for at in range(len(rest) + 1))
    draft.days[day] = before
    burden = weigh_day(draft, day, before)
    if alike is None or burden is None:
        return None
    found = []
    for _, at in places[:_POSITIONS]:
        order = [*rest[:at], node, *rest[at:]]
        more = weigh_day(draft, day, order)
        if more is not None:
            found.append((WAY * (more - burden) - gain + alike - lost, day, order))
    return min((f for f in found if f[0] <= -WORTHWHILE), default=None)


def _may_go(draft: Draft, old: int, node: int, day: int) -> bool:
    """Check whether one sight may replace another.

    Required and remote sights are never replaced. Only the best known sights may replace sights for
    children or sights that meet a wish. A sight that is among the best known may be replaced only
    by another of the best known sights.
    """
    best = node in draft.sights.best
    if old in draft.demanded or draft.ways.is_far(old):
        return False
    if old in draft.sights.best and not best:
        return False
    held = [n for n in draft.list_sights() if n != old]
    if draft.trip.children and old in draft.sights.childish and node not in draft.sights.childish:
        rest = held if best else [n for n in draft.days[day] if n != old]
        if not set(rest) & set(draft.sights.childish):
            return False
    wishes = draft.sights.met[old] - draft.sights.met[node]
    twice = all(sum(wish in draft.sights.met[n] for n in held) >= TWICE for wish in wishes)
    return not wishes or (best and twice)
