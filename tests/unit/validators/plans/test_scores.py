"""TP-RAG's rule metrics: counted by hand, within bounds, and optimal where brute force can tell."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from validators.plans.scores import METRICS, VISITS, quality, score
from validators.plans.tours import EXACT_STOPS, distance_matrix, optimal_length, path_length

#: Metres of a degree of longitude on the equator, on the mean sphere.
DEGREE_M = 6_371_008.8 * math.pi / 180


def visit(order: int, place: str, **known: Any) -> dict[str, Any]:
    row = dict.fromkeys(VISITS) | {
        "plan_id": "p", "day": 1, "order": order, "place": place, "is_candidate": True,
        "leaderboard": 0,
    }  # fmt: skip
    return row | known


def scored(*rows: dict[str, Any]) -> dict[str, Any]:
    return score(pl.DataFrame(list(rows), VISITS)).to_dicts()[0]


class TestByHand:
    def test_two_of_five_are_no_candidates(self) -> None:
        rows = [visit(n, f"{n}", is_candidate=n > 2) for n in range(1, 6)]
        assert scored(*rows)["failure_rate"] == pytest.approx(0.4)

    def test_unknown_candidates_are_no_failures(self) -> None:
        rows = [visit(1, "a", is_candidate=None), visit(2, "b", is_candidate=None)]
        assert scored(*rows)["failure_rate"] is None

    def test_one_place_three_times_among_four_visits(self) -> None:
        rows = [visit(n, name) for n, name in enumerate("abaa", 1)]
        assert scored(*rows)["repetition_rate"] == pytest.approx(0.5)

    def test_a_detour_on_the_equator(self) -> None:
        """Stops at 0, 2 and 1 degrees: 2 + 1 degrees gone, 2 would do."""
        rows = [visit(n, f"{n}", lat=0.0, lon=lon) for n, lon in enumerate((0.0, 2.0, 1.0), 1)]
        found = scored(*rows)
        assert found["length_m"] == pytest.approx(3 * DEGREE_M, rel=1e-6)
        assert found["optimal_m"] == pytest.approx(2 * DEGREE_M, rel=1e-6)
        assert found["distance_margin_ratio"] == pytest.approx(0.5, rel=1e-6)
        assert found["optimum_proven"] is True

    def test_days_are_one_path(self) -> None:
        rows = [
            visit(2, "c", day=2, lat=0.0, lon=1.0), visit(1, "a", lat=0.0, lon=0.0),
            visit(1, "b", day=2, lat=0.0, lon=2.0),
        ]  # fmt: skip
        assert scored(*rows)["length_m"] == pytest.approx(3 * DEGREE_M, rel=1e-6)

    def test_one_point_needs_no_way(self) -> None:
        rows = [visit(n, f"{n}", lat=30.0, lon=120.0) for n in (1, 2, 3)]
        assert scored(*rows)["distance_margin_ratio"] == 0

    def test_one_located_visit_has_no_margin(self) -> None:
        found = scored(visit(1, "a", lat=30.0, lon=120.0), visit(2, "b"))
        assert found["distance_margin_ratio"] is None

    def test_an_hour_where_two_are_recommended(self) -> None:
        """Underflows of 0.5, 0 (longer than recommended); the third has no recommendation."""
        rows = [
            visit(1, "a", start_min=540, end_min=600, recommended_min=120),
            visit(2, "b", start_min=620, end_min=800, recommended_min=60),
            visit(3, "c", start_min=820, end_min=821),
        ]
        assert scored(*rows)["duration_underflow"] == pytest.approx(0.25)

    def test_half_an_hour_between_visits_of_four_hours(self) -> None:
        """Day 1: 30 of 240 minutes; day 2 has one visit and no share; day 3: 60 of 180."""
        rows = [
            visit(1, "a", start_min=540, end_min=660), visit(2, "b", start_min=690, end_min=780),
            visit(1, "c", day=2, start_min=540, end_min=600),
            visit(1, "d", day=3, start_min=600, end_min=660),
            visit(2, "e", day=3, start_min=720, end_min=780),
        ]  # fmt: skip
        assert scored(*rows)["time_buffer"] == pytest.approx((30 + 60) / (240 + 180))

    def test_overlapping_visits_leave_no_buffer(self) -> None:
        rows = [
            visit(1, "a", start_min=540, end_min=780), visit(2, "b", start_min=600, end_min=660),
            visit(3, "c", start_min=780, end_min=840),
        ]  # fmt: skip
        assert scored(*rows)["time_buffer"] == 0

    def test_two_of_the_top_four(self) -> None:
        rows = [
            visit(n, f"{n}", rank=rank, leaderboard=50) for n, rank in enumerate((1, 4, 5, None), 1)
        ]
        assert scored(*rows)["poi_popularity"] == pytest.approx(0.5)

    def test_a_repeated_place_counts_once(self) -> None:
        """Two places: of the top two, one is visited."""
        rows = [
            visit(n, name, rank=rank, leaderboard=9)
            for n, (name, rank) in enumerate((("a", 1), ("a", 1), ("b", 3)), 1)
        ]
        assert scored(*rows)["poi_popularity"] == pytest.approx(0.5)

    def test_a_leaderboard_shorter_than_the_plan(self) -> None:
        rows = [
            visit(n, f"{n}", rank=rank, leaderboard=2)
            for n, rank in enumerate((1, 2, None, None), 1)
        ]
        assert scored(*rows)["poi_popularity"] == 1

    def test_without_a_leaderboard(self) -> None:
        assert scored(visit(1, "a"))["poi_popularity"] is None

    def test_a_frame_without_its_columns(self) -> None:
        with pytest.raises(ValueError, match="must also have the columns day"):
            score(pl.DataFrame({"plan_id": ["p"]}))


times = st.one_of(st.none(), st.integers(0, 1440))
visits = st.lists(
    st.fixed_dictionaries(
        {
            "plan_id": st.sampled_from(["p", "q"]), "day": st.integers(1, 3),
            "order": st.integers(1, 5), "place": st.sampled_from("abcdef"),
            "start_min": times, "end_min": times,
            "lat": st.one_of(st.none(), st.floats(20, 45)),
            "lon": st.one_of(st.none(), st.floats(80, 130)),
            "is_candidate": st.one_of(st.none(), st.booleans()),
            "recommended_min": st.one_of(st.none(), st.integers(0, 300)),
            "rank": st.one_of(st.none(), st.integers(1, 8)),
            "leaderboard": st.integers(8, 20),
        }
    ),
    min_size=1, max_size=14,
)  # fmt: skip


class TestProperties:
    @settings(max_examples=25, deadline=None)
    @given(visits)
    def test_rates_are_shares(self, rows: list[dict[str, Any]]) -> None:
        for plan in score(pl.DataFrame(rows, VISITS)).to_dicts():
            for metric in METRICS:
                value = plan[metric]
                top = math.inf if metric == "distance_margin_ratio" else 1
                assert value is None or 0 <= value <= top + 1e-12, metric
            if plan["length_m"] is not None:
                assert plan["optimal_m"] <= plan["length_m"] + 1e-6

    @settings(max_examples=12, deadline=None)
    @given(visits, st.randoms(use_true_random=False))
    def test_rows_come_in_any_order(self, rows: list[dict[str, Any]], random: Any) -> None:
        unique = {(r["plan_id"], r["day"], r["order"]): r for r in rows}
        rows = list(unique.values())
        shuffled = random.sample(rows, len(rows))
        a, b = (score(pl.DataFrame(part, VISITS)) for part in (rows, shuffled))
        for left, right in zip(a.to_dicts(), b.to_dicts(), strict=True):
            assert left == pytest.approx(right)

    @settings(max_examples=12, deadline=None)
    @given(st.permutations(range(5)))
    def test_what_does_not_depend_on_the_order_of_visits(self, order: list[int]) -> None:
        def plan(numbers: list[int]) -> dict[str, Any]:
            return scored(
                *(
                    visit(
                        at, f"{n % 4}", lat=30 + n * 0.01, lon=120 + n * n % 7 * 0.01,
                        is_candidate=n > 1, rank=n % 4 + 1, leaderboard=6,
                        start_min=480 + at * 60, end_min=500 + at * 60 + n, recommended_min=60,
                    )
                    for at, n in enumerate(numbers, 1)
                )
            )  # fmt: skip

        first, other = plan(list(range(5))), plan(order)
        for metric in (
            "failure_rate",
            "repetition_rate",
            "duration_underflow",
            "poi_popularity",
            "optimal_m",
        ):
            assert first[metric] == pytest.approx(other[metric])


class TestTours:
    @pytest.mark.parametrize("stops", range(2, 10))
    def test_optimal_paths_agree_with_brute_force(self, stops: int) -> None:
        numbers = np.random.default_rng(stops)
        count = 2 if stops == 9 else 4
        matrix = distance_matrix(
            30 + numbers.random((count, stops)) / 5, 120 + numbers.random((count, stops)) / 5
        )
        orders = np.array([p for p in itertools.permutations(range(stops)) if p[0] < p[-1]])
        lengths = matrix[:, orders[:, :-1], orders[:, 1:]].sum(axis=2)
        assert optimal_length(matrix) == pytest.approx(lengths.min(axis=1), abs=1e-6)

    def test_long_paths_are_never_longer_than_told(self) -> None:
        numbers = np.random.default_rng(1)
        stops = EXACT_STOPS + 8
        matrix = distance_matrix(30 + numbers.random((3, stops)), 120 + numbers.random((3, stops)))
        assert (optimal_length(matrix) <= path_length(matrix)).all()

    def test_a_line_of_many_stops_is_found(self) -> None:
        lon = np.array([[(n * 7) % 20 / 10 for n in range(20)]])
        matrix = distance_matrix(np.zeros((1, 20)), lon)
        assert optimal_length(matrix)[0] == pytest.approx(1.9 * DEGREE_M, rel=1e-6)


def test_quality_goes_by_popularity_then_by_faults() -> None:
    rows = pl.DataFrame(
        {
            "query_id": ["q"] * 4, "plan_id": list("abcd"),
            "poi_popularity": [0.5, 0.7, 0.7, None], "failure_rate": [0.0, 0.2, 0.1, 0.0],
            "repetition_rate": [0.0] * 4, "distance_margin_ratio": [0.0] * 4,
        }
    )  # fmt: skip
    assert quality(rows).sort("quality_rank")["plan_id"].to_list() == ["c", "b", "a", "d"]
