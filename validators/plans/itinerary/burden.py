"""Compute the burden of a day: travel, waiting, tiring visits, and anything that is missing."""

from __future__ import annotations

from collections.abc import Sequence

from validators.plans.appeal import is_fun
from validators.plans.itinerary.courses import weigh_course
from validators.plans.itinerary.draft import Draft
from validators.plans.itinerary.fitting import (
    is_apart,
    is_crowded,
    is_whole,
    keeps_evening,
    limit_sights,
)
from validators.plans.outing import Course, walk

#: Each minute of a way beyond this many counts three times.
_SHORT_WAY_MIN = 25
#: The minutes that a second sight of the same kind on a day counts.
_SAME_KIND_MIN = 12
#: Minutes of visits by day beyond which each counts; with children or old people, and on trips that
#: take it easy.
_TIRED_MIN, _TIRED_GENTLE_MIN = 360, 300
#: The minutes that a whole day without a sight for the trip's children counts.
_NO_CHILD_MIN = 60


def weigh_day(draft: Draft, day: int, order: Sequence[int]) -> int | None:
    """Return the burden of a day in minutes, or None if the day is impossible.

    The burden includes travel, waiting, fatigue and sights of the same kind.
    """
    frame = draft.frames[day]
    course = walk(frame, order, draft.ground, None)
    if course is None or not _fits_in(draft, day, order, course):
        return None
    ways = [*(stop.minutes for stop in course.stops), course.to_end]
    minutes = sum(way + 2 * max(way - _SHORT_WAY_MIN, 0) for way in ways) + course.idle // 2
    if frame.start is None and order and draft.ways.hotels:
        minutes += draft.ways.efforts[order[0]][draft.ways.find_home(day)] // 2
    minutes += weigh_course(course, frame, draft.sights.near, seniors=draft.trip.seniors)
    minutes += weigh_weariness(draft, order)
    if draft.trip.children and is_whole(draft, day):
        minutes += _NO_CHILD_MIN * (not set(order) & set(draft.sights.childish))
    kinds = [draft.sights.visits[n].kind for n in order]
    return minutes + _SAME_KIND_MIN * (len(kinds) - len(set(kinds)))


def weigh_weariness(draft: Draft, order: Sequence[int]) -> int:
    """Return the number of minutes by which a day's visits are too long, not counting evening
    sights.

    Because of the penalty, two sights with long visits are planned on different days.
    """
    if draft.trip.pace == "special_forces":
        return 0
    light = draft.trip.gentle or draft.trip.pace == "slow" or draft.trip.effort == "light"
    seen = sum(draft.ground.stays[n] for n in order if not draft.ground.late[n])
    return max(seen - (_TIRED_GENTLE_MIN if light else _TIRED_MIN), 0)


def _fits_in(draft: Draft, day: int, order: Sequence[int], course: Course) -> bool:
    """Check whether the pace allows this many sights in one day, and whether they fit together."""
    if len(order) > limit_sights(draft, day, order) or not keeps_evening(draft, course, day, order):
        return False
    if sum(is_fun(draft.sights.places[n]) for n in order) > 1 or any(
        n in draft.sights.shut[day] for n in order
    ):
        return False
    if any(is_crowded(draft, n, [o for o in order if o != n]) for n in order):
        return False
    return not any(is_apart(draft, n, day, [o for o in order if o != n]) for n in order)
