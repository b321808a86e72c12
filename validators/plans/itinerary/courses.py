"""Judge the course of a day: its evening, its gaps and its neighbouring sights."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from validators.plans.itinerary.frames import HOME_BY
from validators.plans.outing import EVENING, Course, Frame

#: The minutes that two neighbours are worth if one follows the other.
_NEIGHBOURS_MIN = 60
#: The minutes that an evening without a sight counts.
_NO_EVENING_MIN = 45


def weigh_course(
    course: Course, frame: Frame, near: Sequence[frozenset[int]], *, seniors: bool
) -> int:
    """Return the penalty for an evening without a sight minus the bonus for neighbouring sights, in
    minutes.

    If the party includes old people, there is no penalty for an empty evening.
    """
    early = "dinner" in frame.meals and not (has_evening(course) or seniors)
    return _NO_EVENING_MIN * early - _NEIGHBOURS_MIN * count_neighbours(course, near)


def count_neighbours(course: Course, near: Sequence[frozenset[int]]) -> int:
    """Return how often a sight is followed by a neighbouring sight without a meal in between."""
    nodes = [stop.node for stop in course.stops]
    return sum(a is not None and b is not None and b in near[a] for a, b in pairwise(nodes))


def has_evening(course: Course) -> bool:
    """Check whether a sight is visited after dinner."""
    return count_evening(course) > 0


def count_evening(course: Course) -> int:
    """Return how many sights are visited after dinner."""
    return sum(stop.node is not None and stop.start >= EVENING for stop in course.stops)


def measure_gap(course: Course, frame: Frame, *, packed: bool) -> int:
    """Return the longest unplanned time in minutes before a stop or before the return journey.

    On ``packed`` days, the evening and the wait for the first sight to open also count.
    """
    free, gaps = frame.begins, [0]
    for stop in course.stops:
        waits = stop.node is None or (packed and free == frame.begins)
        gaps.append((stop.start if waits else stop.arrives) - stop.minutes - free)
        free = stop.end
    if frame.deadline < HOME_BY:
        gaps.append(frame.deadline - course.to_end - free)
    elif packed:
        gaps.append(frame.latest - course.to_end - free)
    return max(gaps)
