"""Fill evenings with a sight after dinner."""

from __future__ import annotations

from validators.plans.itinerary.courses import count_evening
from validators.plans.itinerary.draft import Draft
from validators.plans.itinerary.fitting import (
    comes_home,
    count_evening_sights,
    is_apart,
    is_crowded,
    suits_the_evening,
)
from validators.plans.itinerary.gains import (
    FOR_THE_EVENING,
    measure_detour,
    weigh_likeness,
    weigh_sight,
)
from validators.plans.itinerary.suiting import may_come
from validators.plans.outing import walk

#: How many sights are tried for an evening.
_TRIED = 60


def fill_evenings(draft: Draft) -> None:
    """Add a sight after dinner to each day that has none.

    On a trip with nights out, each day gets up to two evening sights.

    If the party includes old people, no sights are added to the evenings.
    """
    if draft.trip.seniors:
        return
    rounds = count_evening_sights(draft.trip)
    for day, frame in [*enumerate(draft.frames)] * rounds:
        course = walk(frame, draft.days[day], draft.ground, None)
        if course is None or "dinner" not in frame.meals:
            continue
        had = count_evening(course)
        if had < rounds:
            _extend_evening(draft, day, had)


def _extend_evening(draft: Draft, day: int, had: int) -> None:
    """Append the best sight that can be visited after dinner on a day, if there is one."""
    for lost, node in _rank_for_evening(draft, day)[:_TRIED]:
        order = [*draft.days[day], node]
        course = walk(draft.frames[day], order, draft.ground, None)
        if (
            lost < 0
            and course is not None
            and count_evening(course) > had
            and comes_home(draft, course)
        ):
            draft.days[day] = order
            break


def _rank_for_evening(draft: Draft, day: int) -> list[tuple[int, int]]:
    """Return the sights that may end a day, each with the points lost by adding it, best first."""
    order = draft.days[day]
    return sorted(
        (
            measure_detour(draft, day, n, len(order))
            - weigh_sight(draft, n, day)
            - FOR_THE_EVENING * draft.ground.late[n],
            n,
        )
        for n in range(len(draft.sights.places))
        if suits_the_evening(draft, n)
        and may_come(draft, n)
        and weigh_likeness(draft, n, day) is not None
        and not is_apart(draft, n, day, order)
        and not is_crowded(draft, n, order)
    )
