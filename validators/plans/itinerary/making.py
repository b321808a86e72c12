"""Make one plan: choose the sights for each day, move sights and exchange them, and assemble the
days.
"""

from __future__ import annotations

from schemas.plans import Plan
from validators.plans.appeal import seeks_quiet, wishes_of
from validators.plans.itinerary.assembling import assemble
from validators.plans.itinerary.candidates import Candidates
from validators.plans.itinerary.draft import Draft
from validators.plans.itinerary.evenings import fill_evenings
from validators.plans.itinerary.frames import frame_days
from validators.plans.itinerary.gains import WAY, WAY_MUST
from validators.plans.itinerary.ground import lay_ground
from validators.plans.itinerary.inserting import insert_best, insert_demanded
from validators.plans.itinerary.rearranging import exchange_sights, move_sights
from validators.plans.itinerary.scope import (
    FIRST_KNOWN,
    LONG_TRIP,
    count_first_known,
    goes_far,
    is_long,
)
from validators.plans.itinerary.setting import Booking, Setting
from validators.plans.itinerary.sights import describe_sights
from validators.plans.itinerary.suiting import find_flagship, is_day_too_many, rank_best_known
from validators.plans.itinerary.ways import Ways
from validators.plans.itinerary.wished import (
    insert_for_children,
    insert_meanings,
    insert_nature,
    insert_wished,
)


def begin_draft(
    setting: Setting, booking: Booking, candidates: Candidates, ways: Ways, *, strict: bool
) -> Draft:
    """Return a plan that has no sights yet.

    With ``strict``, night sights are visited at night even if they are among the best known sights.
    """
    sights = describe_sights(setting, candidates, strict=strict)
    ground = lay_ground(setting, booking, sights, ways)
    frames = frame_days(setting, booking, sights, ways, ground)
    days: list[list[int]] = [[] for _ in frames]
    return Draft(setting.trip, setting, booking, sights, ways, ground, frames, days)


def make_plan(draft: Draft, *, keen: bool) -> Plan | None:
    """Return the plan, or None if a required place does not fit.

    With ``keen``, the best known sights take precedence over everything else.
    """
    insert_demanded(draft)
    if not draft.holds_all_demanded():
        return None
    known = rank_best_known(draft)
    _insert_what_comes_first(draft, known)
    _insert_first_known(draft, known, keen=keen)
    _insert_the_rest(draft, known)
    exchange_sights(draft)
    fill_evenings(draft)
    days = [list(day) for day in draft.days]
    plan = assemble(draft)
    if plan is None and any(d.kind == "restaurant" for d in draft.setting.offers.demands):
        draft.days = days
        plan = assemble(draft, pressing=True)
    return plan


def _insert_what_comes_first(draft: Draft, known: list[int]) -> None:
    """Insert the sights that take precedence over the best known sights.

    These are the best known remote sight on a long trip, a great natural sight, sights for children
    and, on a short trip, one sight for each wish.
    """
    flagship = find_flagship(draft, known) if goes_far(draft.trip) else None
    if flagship is not None:
        insert_best(draft, [flagship], WAY_MUST)
    insert_nature(draft)
    insert_for_children(draft)
    if draft.trip.request.days < LONG_TRIP:
        insert_wished(draft, wishes_of(draft.trip), rounds=1)


def _insert_first_known(draft: Draft, known: list[int], *, keen: bool) -> None:
    """Insert those of the best known sights that take precedence over wishes.

    On a trip without wishes, all of the best known sights are inserted. With ``keen``, the first
    few of the best known sights are inserted by force.
    """
    has_wishes = bool(wishes_of(draft.trip))
    most = count_first_known(draft.trip, draft.frames)
    held = 0
    for n in known:
        first = held < most and (n in draft.sights.best or is_long(draft.trip))
        if keen and first and held < FIRST_KNOWN and not is_day_too_many(draft, n):
            held += insert_best(draft, [n], WAY_MUST, forced=True)
        elif not has_wishes or (first and not draft.sights.takes_the_day(n)):
            held += insert_best(draft, [n], WAY_MUST)


def _insert_the_rest(draft: Draft, known: list[int]) -> None:
    """Insert sights for the wishes, then more of the best known sights, and finally any other
    sights that are worth the travel.
    """
    wishes = wishes_of(draft.trip)
    insert_meanings(draft, wishes)
    insert_wished(draft, wishes)
    for n in known:
        if n in draft.sights.best or not seeks_quiet(draft.trip):
            insert_best(draft, [n], WAY_MUST)
    move_sights(draft)
    while insert_best(draft, range(len(draft.sights.places)), WAY):
        pass
    move_sights(draft)
