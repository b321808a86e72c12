"""Check which sights suit a trip as a whole, given its other sights and the effort of getting to
each sight.
"""

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

    If the trip has enough sights of a kind, one more is allowed only if it meets an unmet wish.
    """
    if node in draft.sights.unasked or is_day_too_many(draft, node) or not is_new(draft, node):
        return False
    return _is_short_of(draft, node) or not _has_enough_like(draft, node)


def is_new(draft: Draft, node: int) -> bool:
    """Check whether a sight is not yet covered by any visit on the trip."""
    places, same_visit = draft.sights.places, draft.setting.same_visit
    return not any(same_visit(places[node], places[o]) for o in draft.list_sights())


def _is_short_of(draft: Draft, node: int) -> bool:
    """Check whether a sight meets a wish that fewer than two sights on the trip meet."""
    return any(
        sum(wish in draft.sights.met[o] for o in draft.list_sights()) < TWICE
        and fit(draft.sights.places[node], draft.setting.renown, wish) >= 0
        for wish in draft.sights.met[node] - {draft.trip.occasion}
    )


def _has_enough_like(draft: Draft, node: int) -> bool:
    """Check whether the trip has reached its limit for a sight's narrow kind.

    The limit does not apply to the very best known sights.
    """
    if node in draft.sights.best:
        return False
    trip, visits = draft.trip, draft.sights.visits
    had = Counter(g for o in draft.list_sights() for g in list_bounds(trip, visits[o].kind))
    return any(had[g] >= most for g, most in list_bounds(trip, visits[node].kind).items())


def is_day_too_many(draft: Draft, node: int) -> bool:
    """Check whether a sight is a second park that takes half a day, on a trip for adults with other
    wishes.
    """
    others = set(wishes_of(draft.trip)) - {draft.trip.occasion}
    if draft.trip.children or not others or not draft.sights.takes_the_day(node):
        return False
    return any(draft.sights.takes_the_day(n) for n in draft.list_sights())


def rank_best_known(draft: Draft) -> list[int]:
    """Return the best known sights in order of precedence.

    The very best known sights come first, then sights that are usually closed on a day of the trip.
    Within each group, the sights that are most worthwhile for the party come first.
    """
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
    """Check whether a sight is nearby, or is worth most of a day."""
    trip, sights, ways = draft.trip, draft.sights, draft.ways
    is_very_far = ways.centre_minutes[node] > _VERY_FAR_MIN and not sights.met[node]
    if is_very_far and trip.request.days < _VERY_FAR_TRIP + trip.gentle:
        return False
    if not ways.is_far(node):
        return True
    if "transport_time" in trip.objectives:
        return False
    if is_too_dear(ways.centre_fares[node], draft.setting.offers.budget_cents):
        return False
    is_asked = not wishes_of(trip) or bool(sights.met[node]) or node in sights.best
    return is_asked and draft.ground.stays[node] >= FILLS_A_DAY_MIN


def find_flagship(draft: Draft, known: Sequence[int]) -> int | None:
    """Return the best known remote sight, or None.

    Trips of several days include this sight, regardless of the wishes.
    """
    ids = {k.place_id for k in draft.setting.known[:_FLAGSHIPS]}
    far = filter(draft.ways.is_far, known)
    return next((n for n in far if draft.sights.places[n].place_id in ids), None)
