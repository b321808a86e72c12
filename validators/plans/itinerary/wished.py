"""Insert the sights that matter most to a trip: for its wishes, for children, and for nature."""

from __future__ import annotations

from collections.abc import Sequence

from validators.plans.itinerary.draft import Draft
from validators.plans.itinerary.fitting import is_whole
from validators.plans.itinerary.gains import WAY_MUST, WAY_WISHED
from validators.plans.itinerary.inserting import give_half_a_day, insert_best
from validators.plans.kinds import fit, meanings, means

#: The share of a trip's sights that is for its wishes, in hundredths: on trips about a category, on
#: trips that wish for types of sights, and on all others.
_OF_CATEGORY, _OF_TYPES, _OF_OCCASION = 90, 75, 65
#: For every so many days, a wish with several meanings has a sight for each of them.
_MEANING_DAYS = 2
#: A trip that wishes for nature goes out of town if it has at least so many whole days.
_NATURE_DAYS = 3
#: The most minutes from the centre to a sight for children.
_CHILDREN_MIN = 45


def insert_wished(draft: Draft, wishes: Sequence[str], rounds: int | None = None) -> None:
    """Insert sights for each wish in turn, until each wish has its share of the trip.

    ``rounds`` limits the number of turns.
    """
    if not wishes:
        return
    share = _OF_TYPES if draft.trip.list_wished("attraction_type") else _OF_OCCASION
    share = _OF_CATEGORY if draft.trip.category else share
    each = -(-sum(f.most for f in draft.frames) * share // (100 * len(wishes)))
    answers = {w: [_list_answers(draft, w, least) for least in (1, 0, -1)] for w in wishes}
    for turn in range(1, min(each, rounds or each) + 1):
        for wish in wishes:
            _take_turn(draft, wish, turn, answers[wish])


def _take_turn(draft: Draft, wish: str, turn: int, answers: Sequence[list[int]]) -> None:
    """Insert a sight for a wish, unless the trip already has ``turn`` sights that meet the wish
    well.

    ``answers`` contains three groups of sights: those that match the wish's meaning, those that
    meet the wish well, and all others. Sights in the first group are tried first; the last group is
    tried only in the first turn.
    """
    meant, good, _ = answers
    if turn == 1 and not set(meant).intersection(draft.list_sights()):
        insert_best(draft, meant, WAY_MUST)
    if sum(n in good for n in draft.list_sights()) >= turn:
        return
    way, tried = (WAY_MUST, answers) if turn == 1 else (WAY_WISHED, answers[:-1])
    for nodes in (list_answers_in_turn(draft, wish, turn), *tried):
        if insert_best(draft, nodes, way):
            break


def insert_meanings(draft: Draft, wishes: Sequence[str]) -> None:
    """For each wish with several meanings, insert one sight for each meaning for every two days of
    a trip.
    """
    most = -(-draft.trip.request.days // _MEANING_DAYS)
    for wish in wishes:
        for part in range(meanings(wish) if meanings(wish) > 1 else 0):
            nodes = list_answers_in_turn(draft, wish, part + 1)
            for _ in range(most):
                if sum(n in nodes for n in draft.list_sights()) < most:
                    insert_best(draft, nodes, WAY_MUST)


def _list_answers(draft: Draft, wish: str, least: int) -> list[int]:
    """Return the sights that meet a wish and fit it with a score of at least ``least``."""
    places, renown = draft.sights.places, draft.setting.renown
    meets = [n for n, met in enumerate(draft.sights.met) if wish in met]
    return [n for n in meets if fit(places[n], renown, wish) >= least]


def list_answers_in_turn(draft: Draft, wish: str, turn: int) -> list[int]:
    """Return the sights for one meaning of a wish, such as technology in the first turn and art in
    the second.
    """
    part = (turn - 1) % meanings(wish)
    places, renown = draft.sights.places, draft.setting.renown
    return [n for n in _list_answers(draft, wish, 1) if part in means(places[n], renown, wish)]


def insert_nature(draft: Draft) -> None:
    """Insert a great natural sight outside the city into a full day of the trip.

    A trip without wishes for nature has no great natural sights to choose from. A remote sight gets
    at least half a day. Nothing is inserted if the trip already has a great natural sight.
    """
    whole = [day for day in range(len(draft.frames)) if is_whole(draft, day)]
    out = [n for n in draft.sights.outside if not draft.sights.is_unfit(n)]
    if len(whole) < _NATURE_DAYS or any(n in out for n in draft.list_sights()):
        return
    draft.failed.clear()
    # A day that begins nowhere would end far from the tables for its lunch.
    days = [day for day in whole if draft.frames[day].start is not None]
    for node in out:
        give_half_a_day(draft, [node])
        if insert_best(draft, [node], 0, days=days):
            return


def insert_for_children(draft: Draft) -> None:
    """Insert a sight designed for children into each full day, if the party includes children."""
    if not draft.trip.children:
        return
    childish = draft.sights.childish
    near = [n for n in childish if draft.ways.centre_minutes[n] <= _CHILDREN_MIN]
    for day in range(len(draft.frames)):
        if is_whole(draft, day) and not any(n in childish for n in draft.days[day]):
            insert_best(draft, near, WAY_WISHED, days=(day,))
