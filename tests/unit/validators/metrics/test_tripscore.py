"""TripScore's soft and preference scores and its reward: by hand, and at the edge."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.trips import Trip, TripDay
from tests.support.validators.plans.measured import case, day, meal, night, visit
from validators.metrics import tripscore
from validators.metrics.case import Case, read_asked


def asked(*days: TripDay, **structure: Any) -> Case:
    return case(*days, asked=read_asked(structure))


def full(number: int, *hours: float) -> TripDay:
    """A day of visits that last so many hours, from 8:00 on."""
    start, events = 480, []
    for at, length in enumerate(hours):
        end = start + int(length * 60)
        events.append(visit(f"sight {number}{at}", start, end, day=number))
        start = end
    return TripDay(number, "", tuple(events))


class TestSoft:
    @pytest.mark.parametrize(
        ("hours", "score"), [(4.0, 1.0), (3.9, 2 / 3), (10.0, 1.0), (10.5, 2 / 3)]
    )
    def test_density_of_a_middle_day(self, hours: float, score: float) -> None:
        found = case(full(1, 1), full(2, hours), full(3, 1))
        assert tripscore.schedule_density(found) == pytest.approx(score)

    def test_density_without_times(self) -> None:
        assert tripscore.schedule_density(case(day(1))) is None

    def test_one_change_of_three_nights(self) -> None:
        days = [day(n, ending=night(name, n)) for n, name in enumerate(("inn", "inn", "lodge"), 1)]
        assert tripscore.hotel_consistency(case(*days)) == pytest.approx(2 / 3)
        assert tripscore.hotel_consistency(case(day(1))) is None

    def test_a_day_that_starts_at_six_in_the_evening(self) -> None:
        late = day(2, visit("museum", 1080, 1140, day=2))
        early = day(1, visit("garden", 1079, 1140))
        assert tripscore.daytime_utilization(case(early, late)) == pytest.approx(0.5)
        assert tripscore.daytime_utilization(case(day(1))) is None

    @pytest.mark.parametrize(
        ("names", "score"),
        [
            ("ab", 1.0),
            ("aab", 1.0),
            ("abab", 1 - (2 + 2 * 0.05) / 4),
            ("abaca", 1 - (1 + 4 * 0.05) / 5),
            ("", None),
        ],
    )
    def test_repeated_places(self, names: str, score: float | None) -> None:
        found = tripscore.unique_attractions(case(day(1, *(visit(n, 1, 2) for n in names))))
        assert found == (None if score is None else pytest.approx(score))

    def test_a_far_way_among_short_ones(self) -> None:
        """Of six pairs the three to the mountain are long; the longest fifth holds one of them."""
        names = ("museum", "tower", "garden", "mount 山")
        found = case(day(1, *(visit(n, 1, 2) for n in names)))
        # 0.40 and 0.39 lie beyond the border, 0.38 (garden to mountain, the only one gone) does
        # not.
        assert tripscore.location_clustering(found) == 1.0
        gone = case(day(1, *(visit(n, 1, 2) for n in ("tower", "garden", "museum", "mount 山"))))
        assert tripscore.location_clustering(gone) == pytest.approx(3 / 4)

    def test_one_sight_is_together(self) -> None:
        assert tripscore.location_clustering(case(day(1, visit("museum", 1, 2)))) == 1.0
        assert tripscore.location_clustering(case(day(1, visit("nowhere", 1, 2)))) is None


class TestPreferences:
    @pytest.mark.parametrize(
        ("budget", "score"), [("economy", 0.5), ("moderate", 0.0), ("luxury", 0.5), ("any", None)]
    )
    def test_stars(self, budget: str, score: float | None) -> None:
        days = (day(1, ending=night("inn")), day(2, ending=night("lodge", 2)))
        assert tripscore.budget_preference(asked(*days, budget=budget)) == score

    def test_unknown_stars(self) -> None:
        days = (day(1, ending=night("no inn")),)
        assert tripscore.budget_preference(asked(*days, budget="luxury")) is None

    @pytest.mark.parametrize(
        ("pace", "hours", "score"),
        [
            ("relaxed", 6.0, 1.0),
            ("relaxed", 7.0, 0.75),
            ("compact", 6.0, 1.0),
            ("compact", 2.0, 0.0),
        ],
    )
    def test_pace(self, pace: str, hours: float, score: float) -> None:
        assert tripscore.pacing_preference(asked(full(1, hours), pacing=pace)) == pytest.approx(
            score
        )

    def test_no_pace_asked_for(self) -> None:
        assert tripscore.pacing_preference(asked(full(1, 2))) is None

    def test_types(self) -> None:
        days = (day(1, visit("garden", 1, 2), visit("museum", 1, 2), visit("nowhere", 1, 2)),)
        found = asked(*days, attraction_types=["园林"])
        assert tripscore.attraction_preference(found) == pytest.approx(1 / 3)
        assert tripscore.attraction_preference(asked(*days)) is None

    @pytest.mark.parametrize(
        ("days", "wanted", "score"),
        [
            ((0, 0), "light", 1.0), ((1, 0), "moderate", 1.0), ((1, 1), "strenuous", 1.0),
            ((3, 0, 0), "strenuous", 1 / 3), ((2,), "moderate", 1.0),
        ],
    )  # fmt: skip
    def test_effort(self, days: tuple[int, ...], wanted: str, score: float) -> None:
        """A mountain is one point; a day beside one with effort is not light."""
        made = [
            TripDay(n, "", (visit("garden", 1, 2, n), *[visit("mount 山", 1, 2, n)] * points))
            for n, points in enumerate(days, 1)
        ]
        found = tripscore.effort_preference(asked(*made, physical_effort=wanted))
        assert found == pytest.approx(score)

    def test_no_effort_asked_for(self) -> None:
        assert tripscore.effort_preference(asked(day(1))) is None


class TestReward:
    SCORES = dict.fromkeys((*tripscore.SOFT, *tripscore.PREFERENCE))

    def test_format_comes_first(self) -> None:
        assert tripscore.reward(0.0, 1.0, self.SCORES) == -3.0
        assert tripscore.reward(None, 1.0, self.SCORES) == -3.0
        assert tripscore.reward(1.0, 0.0, self.SCORES) == 0.0

    def test_weighted_parts(self) -> None:
        """Density 0.5 (weight 0.7) and hotels 1 (0.5); pace 0.5 of weight 0.1."""
        scores = self.SCORES | {
            "schedule_density": 0.5,
            "hotel_consistency": 1.0,
            "pacing_preference": 0.5,
        }
        expected = 2 + (0.7 * 0.5 + 0.5) / 1.2 + 0.1 * 0.5
        assert tripscore.reward(1.0, 1.0, scores) == pytest.approx(expected)

    def test_everything_perfect_is_three_and_a_tenth(self) -> None:
        assert tripscore.reward(1.0, 1.0, dict.fromkeys(self.SCORES, 1.0)) == pytest.approx(3.1)


def test_meals_fill_hours_too() -> None:
    found = Trip("tprag", (day(1, meal("table", 480, 960)),), frozenset({"times"}))
    assert tripscore.schedule_density(Case(found, case(day(1)).guide)) == 1.0
