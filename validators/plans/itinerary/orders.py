"""List the orders in which a day's sights are tried with real restaurants, best first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations

from validators.plans.itinerary.courses import weigh_course
from validators.plans.itinerary.draft import Draft
from validators.plans.itinerary.suiting import rank_best_known
from validators.plans.outing import Frame, walk

#: How many orders of the same sights are tried.
_ORDERS = 4
#: The most sights of which every order is compared.
_PERMUTED = 5


def list_orders(draft: Draft, day: int, frame: Frame) -> Iterator[tuple[int, ...]]:
    """Yield the best orders of a day's sights, then orders that omit one or two of the worst
    sights.
    """
    sights, known = draft.days[day], set(rank_best_known(draft))
    droppable = sorted(
        (n for n in sights if n not in draft.demanded),
        key=lambda n: (n in known, draft.sights.worths[n], n),
    )
    for count in range(min(len(droppable), 2) + 1):
        for gone in combinations(droppable, count):
            kept = [n for n in sights if n not in gone]
            yield from rank_orders(draft, frame, kept)[:_ORDERS]
    yield tuple(n for n in sights if n in draft.demanded)


def rank_orders(draft: Draft, frame: Frame, nodes: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the possible orders of the sights, those with the least travel and waiting first."""
    orders = permutations(nodes) if len(nodes) <= _PERMUTED else [tuple(nodes)]
    found = []
    for order in orders:
        course = walk(frame, order, draft.ground, None)
        if course is not None:
            lost = course.travel + course.idle // 2
            lost += weigh_course(course, frame, draft.sights.near, seniors=draft.trip.seniors)
            found.append((lost, order))
    return [order for _, order in sorted(found)]
