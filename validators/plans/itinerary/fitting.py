"""Check what fits into a day: how many sights, how far apart they may be, and which may follow
dinner.
"""

from __future__ import annotations

from collections.abc import Sequence

from validators.plans.appeal import seeks_quiet
from validators.plans.itinerary.draft import Draft
from validators.plans.itinerary.scope import LONG_TRIP, MANY
from validators.plans.itinerary.ways import BESIDE_M, NEAR_HOME_MIN, measure_metres
from validators.plans.outing import ALL_DAY_MIN, EVENING, Course
from validators.plans.trip import TripRequest

#: Sights that may follow dinner on a trip that wishes for nightlife.
_SIGHTS_OUT = 2
#: The most minutes of the way to the hotel after an evening.
_LATE_HOME_MIN = 40
#: A full day with fewer minutes of visits may have one more sight; the second is for slow trips.
_SHORT_DAY_MIN, _SHORT_SLOW_DAY_MIN = 270, 180
#: The minutes that a day needs for a remote sight or a long visit.
_FAR_DAY_MIN = 480
#: A visit of this length is enough for a remote day with children or old people.
FILLS_A_DAY_MIN = 120
#: Kinds that are as good after dark, besides those that are best then.
_BY_NIGHT = frozenset({"waterside", "square", "viewpoint", "show"})


# -- how many ------------------------------------------------------------------------------


def limit_sights(draft: Draft, day: int, order: Sequence[int]) -> int:
    """Return the maximum number of sights in one day.

    The limit is higher if the daytime visits are short, and if sights follow dinner.
    """
    frame, most = draft.frames[day], draft.trip.stops_a_day
    seen = sum(draft.ground.stays[n] for n in order if not draft.ground.late[n])
    by_day = len(order) - sum(draft.ground.late[n] for n in order)
    short = _SHORT_SLOW_DAY_MIN if draft.trip.pace == "slow" else _SHORT_DAY_MIN
    more = 0 < frame.most <= min(by_day, MANY) and seen < short
    return min(frame.most + more + _count_late(draft, order, day), most)


def _count_late(draft: Draft, order: Sequence[int], day: int) -> int:
    """Return how many of the sights may follow dinner: at most one, or two on a trip with nights
    out.
    """
    if "dinner" not in draft.frames[day].meals:
        return 0
    return min(sum(draft.ground.late[n] for n in order), count_evening_sights(draft.trip))


def count_evening_sights(trip: TripRequest) -> int:
    """Return the maximum number of sights that may follow dinner."""
    return _SIGHTS_OUT if trip.nights_out else 1


def count_free_minutes(draft: Draft, day: int) -> int:
    """Return how many minutes of a day are not used for visits and meals."""
    frame = draft.frames[day]
    taken = sum(draft.ground.stays[n] for n in draft.days[day])
    taken += len(frame.meals) * draft.ground.meal_min
    return min(frame.deadline, frame.latest) - frame.begins - taken


def is_crowded(draft: Draft, node: int, others: Sequence[int]) -> bool:
    """Check whether a day would get two of the best known sights on a trip that avoids crowds."""
    best = draft.sights.best
    return seeks_quiet(draft.trip) and node in best and any(n in best for n in others)


# -- how far -------------------------------------------------------------------------------


def is_whole(draft: Draft, day: int) -> bool:
    """Check whether a day has time for a remote sight or a long visit.

    On trips of several days, only days without a journey have enough time.
    """
    frame = draft.frames[day]
    travels = draft.booking.pair is not None and day in (0, len(draft.frames) - 1)
    free = min(frame.deadline, frame.latest) - frame.begins
    return free >= _FAR_DAY_MIN and not (travels and draft.trip.request.days >= LONG_TRIP)


def is_apart(draft: Draft, node: int, day: int, others: Sequence[int]) -> bool:
    """Check whether a sight is too far from another sight to share a day with it.

    A remote sight shares a day only with neighbouring sights, and with an evening sight near the
    hotel.
    """
    far = draft.ways.is_far(node)
    if (far or draft.ground.stays[node] >= ALL_DAY_MIN) and not is_whole(draft, day):
        return True
    return any(
        (far or draft.ways.is_far(other))
        and not _is_for_the_evening(draft, other if far else node, day)
        and (
            measure_metres(draft.sights.places[node], draft.sights.places[other]) > BESIDE_M
            or (draft.trip.gentle and _is_long_visit(draft, node) and _is_long_visit(draft, other))
        )
        for other in others
    )


def _is_long_visit(draft: Draft, node: int) -> bool:
    """Check whether a visit is too long for children or old people to make a second such visit on a
    day far from the hotel.
    """
    return draft.ground.stays[node] >= FILLS_A_DAY_MIN


def is_near_home(draft: Draft, node: int, day: int) -> bool:
    """Check whether a sight is near the hotel, so that it can follow a remote sight."""
    ways = draft.ways
    if not ways.hotels or ways.is_far(node):
        return False
    return ways.efforts[node][ways.find_home(day)] <= NEAR_HOME_MIN


# -- the evening ---------------------------------------------------------------------------


def suits_the_evening(draft: Draft, node: int) -> bool:
    """Check whether a sight is best after dark, or just as good after dark as by day."""
    return draft.ground.late[node] or draft.sights.visits[node].kind in _BY_NIGHT


def _is_for_the_evening(draft: Draft, node: int, day: int) -> bool:
    """Check whether a sight may end a day spent far away from the hotel."""
    return suits_the_evening(draft, node) and is_near_home(draft, node, day)


def opens_evening(draft: Draft, node: int, day: int) -> bool:
    """Check whether a sight may follow dinner on a day that has room for an evening sight."""
    if not draft.ground.late[node] or "dinner" not in draft.frames[day].meals:
        return False
    return sum(draft.ground.late[o] for o in draft.days[day]) < count_evening_sights(draft.trip)


def keeps_evening(draft: Draft, course: Course, day: int, order: Sequence[int]) -> bool:
    """Check that an additional evening sight follows dinner, and that the way home is short."""
    if not comes_home(draft, course):
        return False
    if (
        len(order) <= limit_sights(draft, day, order) - _count_late(draft, order, day)
        or not draft.ground.late[order[-1]]
    ):
        return True
    return course.stops[-1].node == order[-1] and course.stops[-1].start >= EVENING


def comes_home(draft: Draft, course: Course) -> bool:
    """Check whether the last sight of an evening is close enough to the hotel.

    A must-see sight may be farther from the hotel.
    """
    last = course.stops[-1] if course.stops else None
    if last is None or last.node is None or last.start < EVENING:
        return True
    must = last.node in draft.demanded or last.node in draft.sights.best
    return must or draft.ground.remote or course.to_end <= _LATE_HOME_MIN
