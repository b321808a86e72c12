"""Judged metrics from what a model said: by hand, and at the edge."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from validators.metrics import judged, tripscore
from validators.metrics.judged import JUDGED, JudgedMetric, Samples, units

Count = Callable[[Samples], float | None]


class TestVisits:
    @pytest.mark.parametrize(
        "count",
        [judged.start_time_rationality, judged.poi_relevance, judged.time_schedule_relevance],
    )
    def test_two_samples_of_four_visits(self, count: Count) -> None:
        assert count([(1, 1, 0, 1), (1, 0, 0, 1)]) == pytest.approx((3 / 4 + 2 / 4) / 2)
        assert count([]) is None


class TestPoints:
    @pytest.mark.parametrize("count", [judged.iconic_landmarks, judged.attraction_diversity])
    def test_from_one_to_five(self, count: Count) -> None:
        assert count([(1,)]) == 0.0
        assert count([(5,), (4,)]) == pytest.approx((1 + 3 / 4) / 2)
        assert count([]) is None

    def test_a_query_that_asks_for_nothing_has_no_figure(self) -> None:
        assert judged.user_request([(5,), (3,), (0,)]) == pytest.approx(0.8)
        assert judged.user_request([(0,), (0,)]) is None

    @pytest.mark.parametrize(
        ("samples", "value"),
        [
            ([(4, 3)], 1.0),
            ([(3, 3)], 1.0),
            ([(4, 3), (2, 4)], 0.0),
            ([(5, 3), (2, 4)], 1.0),
            ([], None),
        ],
    )
    def test_a_plan_that_reaches_its_reference_surpasses(
        self, samples: Samples, value: float | None
    ) -> None:
        assert judged.surpasses(samples) == value

    def test_the_reward_takes_them_among_the_soft_scores(self) -> None:
        rules = {"schedule_density": 1.0}
        assert tripscore.reward(1.0, 1.0, rules) == pytest.approx(3.0)
        both = rules | {"attraction_diversity": 0.5}
        # Table 5 weighs density 0.7 and diversity 0.2.
        assert tripscore.reward(1.0, 1.0, both) == pytest.approx(2 + (0.7 + 0.2 * 0.5) / 0.9)
        assert tripscore.reward(1.0, 0.0, both) == 0.0


def metric(label: str) -> JudgedMetric:
    return next(one for one in JUDGED if one.label == label)


def test_samples_agree_on_visits_plans_or_which_is_better() -> None:
    assert units(metric("STR"), [(1, 0), (1, 1)]) == [(1, 1), (0, 1)]
    assert units(metric("user_request"), [(4,), (5,)]) == [(4, 5)]
    assert units(metric("Surpassing Rate"), [(4, 3), (2, 3), (3, 3)]) == [(1, 0, 1)]


def test_every_one_says_what_it_counts() -> None:
    assert len({one.column for one in JUDGED}) == len(JUDGED)
    assert all(
        "table" in (one.count.__doc__ or "") or "C.2" in (one.count.__doc__ or "") for one in JUDGED
    )
