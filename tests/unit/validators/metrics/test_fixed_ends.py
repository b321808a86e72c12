"""Shortest paths between given ends: equal to trying all orders, and bounded beyond."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from validators.metrics.fixed_ends import EXACT_STOPS, measure_fixed_ends
from validators.plans.tours import path_length


def matrix(seed: int, n: int) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    points = np.random.default_rng(seed).random((n, 2))
    return np.asarray(np.linalg.norm(points[:, None] - points[None], axis=2))


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 7))
def test_as_short_as_the_best_order(seed: int, n: int) -> None:
    metres = matrix(seed, n)
    orders = ((0, *middle, n - 1) for middle in itertools.permutations(range(1, n - 1)))
    best = min(sum(metres[a, b] for a, b in itertools.pairwise(order)) for order in orders)
    assert measure_fixed_ends(metres) == pytest.approx(best)


@pytest.mark.parametrize("n", [EXACT_STOPS, EXACT_STOPS + 4])
def test_longer_days_are_no_longer_than_gone(n: int) -> None:
    metres = matrix(1, n)
    assert 0 < measure_fixed_ends(metres) <= float(path_length(metres)) + 1e-9


def test_one_stop_has_no_way() -> None:
    assert measure_fixed_ends(np.zeros((1, 1))) == 0.0
