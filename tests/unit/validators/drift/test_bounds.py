"""The formulas of drift against published values, and what counts make of them."""

from __future__ import annotations

import numpy as np
import pytest
from pydantic import ValidationError

from validators.drift.bounds import (
    FINE,
    REFUSED,
    WARNED,
    DriftSettings,
    change_level,
    critical_distance,
    farthest_apart,
    farthest_ratio,
    share_level,
    wilson_low,
)

BOUNDS = DriftSettings()


class TestWilson:
    @pytest.mark.parametrize(
        ("count", "of", "low"), [(8, 10, 0.490), (1, 10, 0.018), (81, 263, 0.255), (10, 10, 0.722)]
    )
    def test_the_lower_end_at_95_percent(self, count: int, of: int, low: float) -> None:
        """81 of 263 is Newcombe's example (Stat. Med. 17, 1998, table I, method 3)."""
        assert wilson_low(count, of, 1.96) == pytest.approx(low, abs=6e-4)

    def test_nothing_is_no_share(self) -> None:
        assert wilson_low(0, 40, 2.0) == 0.0
        assert wilson_low(0, 0, 2.0) == 0.0


class TestShares:
    def test_the_same_loss_of_few_rows_is_noise(self) -> None:
        """Two of three rows gone may be chance; two of three of thirty are not."""
        levels = [
            share_level(gone, of, BOUNDS.rows_lost, BOUNDS.sigmas)
            for gone, of in ((1, 3), (2, 3), (6, 9), (20, 30))
        ]
        assert levels == [FINE, WARNED, REFUSED, REFUSED]

    def test_hotels_of_the_first_failure(self) -> None:
        assert share_level(17, 18, BOUNDS.rows_lost, BOUNDS.sigmas) == REFUSED

    def test_a_twentieth_more_or_less_is_nothing(self) -> None:
        for of in (10, 40, 160, 5_000):
            assert share_level(of // 20, of, BOUNDS.rows_lost, BOUNDS.sigmas) == FINE

    def test_two_shares_differ_by_more_than_a_bound_and_chance(self) -> None:
        levels = [
            change_level((n, n), (now, n), BOUNDS.share, BOUNDS.sigmas)
            for n, now in ((4, 1), (40, 38), (40, 33), (40, 20))
        ]
        assert levels == [WARNED, FINE, WARNED, REFUSED]

    def test_without_rows_nothing_is_said(self) -> None:
        assert change_level((0, 0), (5, 9), BOUNDS.share, BOUNDS.sigmas) == FINE


class TestDistributions:
    def test_the_critical_distance_of_smirnov(self) -> None:
        """1.358 is the coefficient of the tables for a level of 0.05."""
        assert critical_distance((50, 50), 1.95996) == pytest.approx(
            1.358 * (2 / 50) ** 0.5, abs=1e-3
        )

    def test_distance_and_factor(self) -> None:
        old = np.linspace(10, 20, 41)
        assert farthest_apart(old, old) == 0
        assert farthest_apart(old, old * 100) == 1
        assert farthest_apart(old, np.linspace(15, 25, 41)) == pytest.approx(0.5, abs=0.03)
        assert farthest_ratio(old, old * 100, 0.001) == pytest.approx(100, rel=1e-2)
        assert farthest_ratio(old, old / 4, 0.001) == pytest.approx(4, rel=1e-2)


def test_the_second_bound_lies_beyond_the_first() -> None:
    with pytest.raises(ValidationError, match="rows_lost: both bounds must be at least 0"):
        DriftSettings(rows_lost=(0.5, 0.2))
