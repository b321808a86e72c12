"""Check which sights suit a trip as a whole: what it has enough of, and what is worth its way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from validators.plans.appeal import wishes_of
from validators.plans.itinerary.draft import Draft
from validators.plans.itinerary.fitting import FILLS_A_DAY_MIN
from validators.plans.itinerary.scope import is_too_dear, list_bounds
from validators.plans.kinds import fit

#: Each wish is met this often, whatever else a trip has enough of.
TWICE = 2
#: A sight that is more minutes than this from the centre and meets no wish is only for trips of so
#: many days, and one more with children or old people.
_VERY_FAR_MIN, _VERY_FAR_TRIP = 120, 5
#: A long trip visits a remote sight that is among this many best known, whatever it wishes for.
_FLAGSHIPS = 8


def may_come(draft: Draft, node: int) -> bool:
    """Check whether a sight is new to the trip, suits the party and adds variety.

    A sight of a kind that the trip has enough of may come if it meets an unmet wish.
    """
    if node in draft.sights.unasked or is_day_too_many(draft, node) or not is_new(draft, node):
        return False
    return _is_short_of(draft, node) or not _has_enough_like(draft, node)


def is_new(draft: Draft, node: int) -> bool:
    """Check whether no visit of the trip covers a sight yet."""
    sight = draft.sights.places[node]
    return not any(
        draft.setting.same_visit(sight, draft.sights.places[o]) for o in draft.list_sights()
    )


def _is_short_of(draft: Draft, node: int) -> bool:
    """Check whether a sight meets a wish that the trip does not yet meet twice."""
    return any(
        sum(wish in draft.sights.met[o] for o in draft.list_sights()) < TWICE
        and fit(draft.sights.places[node], draft.setting.renown, wish) >= 0
        for wish in draft.sights.met[node] - {draft.trip.occasion}
    )


def _has_enough_like(draft: Draft, node: int) -> bool:
    """Check whether the trip has reached its limit for a narrow kind.

    The limit does not apply to the very best known sights.
    """
    if node in draft.sights.best:
        return False
    had = Counter(
        group
        for o in draft.list_sights()
        for group in list_bounds(draft.trip, draft.sights.visits[o].kind)
    )
    return any(
        had[g] >= most
        for g, most in list_bounds(draft.trip, draft.sights.visits[node].kind).items()
    )


def is_day_too_many(draft: Draft, node: int) -> bool:
    """Check whether an adults' trip with other wishes already has a park that takes half a day."""
    others = set(wishes_of(draft.trip)) - {draft.trip.occasion}
    if draft.trip.children or not others or not draft.sights.takes_the_day(node):
        return False
    return any(draft.sights.takes_the_day(n) for n in draft.list_sights())


def rank_best_known(draft: Draft) -> list[int]:
    """Return the best known sights, those with the highest worth for the party first."""
    ids = {k.place_id for k in draft.setting.list_musts()}
    found = [
        n for n, s in enumerate(draft.sights.places)
        if s.place_id in ids and not draft.sights.is_unfit(n) and _is_worth_its_way(draft, n)
    ]  # fmt: skip
    return sorted(
        found,
        key=lambda n: (
            n not in draft.sights.best,
            not any(n in shut for shut in draft.sights.shut),
            -draft.sights.worths[n],
            n,
        ),
    )


def _is_worth_its_way(draft: Draft, node: int) -> bool:
    """Check whether a sight is near, or is worth the better part of a day."""
    asked = not wishes_of(draft.trip) or bool(draft.sights.met[node])
    known = node in draft.sights.best
    budget = draft.setting.offers.budget_cents
    if draft.ways.is_far(node) and is_too_dear(draft.ways.centre_fares[node], budget):
        return False
    if draft.ways.is_far(node) and "transport_time" in draft.trip.objectives:
        return False
    longer = _VERY_FAR_TRIP + draft.trip.gentle
    if (
        draft.ways.centre_minutes[node] > _VERY_FAR_MIN
        and draft.trip.request.days < longer
        and not draft.sights.met[node]
    ):
        return False
    return not draft.ways.is_far(node) or (
        draft.ground.stays[node] >= FILLS_A_DAY_MIN and (asked or known)
    )


def find_flagship(draft: Draft, known: Sequence[int]) -> int | None:
    """Return the best known remote sight, or None.

    Trips of some days visit it whatever they wish for.
    """
    ids = {k.place_id for k in draft.setting.known[:_FLAGSHIPS]}
    return next(
        (n for n in known if draft.ways.is_far(n) and draft.sights.places[n].place_id in ids), None
    )
