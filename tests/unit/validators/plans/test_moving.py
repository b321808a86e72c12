"""Sights that move between days: only where the days get better by it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from validators.plans.moving import move_visits

#: Where each sight lies on a line, in minutes.
AT = {1: 0, 2: 5, 3: 60, 4: 65, 5: 2}


def spread(day: int, order: Sequence[int]) -> int | None:
    """Minutes from sight to sight; at most three a day."""
    if len(order) > 3:
        return None
    return sum(abs(AT[a] - AT[b]) for a, b in pairwise(order))


def test_days_that_cross_are_untangled() -> None:
    days = move_visits([[1, 3], [2, 4]], spread, lambda node, day: False)
    assert sorted(sorted(day) for day in days) == [[1, 2], [3, 4]]


def test_a_sight_goes_where_its_neighbours_are_and_none_is_lost() -> None:
    days = move_visits([[1, 2], [3, 5, 4]], spread, lambda node, day: False)
    assert [sorted(day) for day in days] == [[1, 2, 5], [3, 4]]


def test_what_cannot_be_kept_is_left() -> None:
    full = [[1, 2, 5], [3, 4]]
    assert move_visits(full, spread, lambda node, day: False) == full
    crossed = [[1, 3], [2, 4]]
    assert move_visits(crossed, lambda day, order: None, lambda node, day: False) == crossed
    assert move_visits(crossed, spread, lambda node, day: True) == crossed
