"""TravelEval's metrics: each counted by hand, and one at its edge."""

from __future__ import annotations

import datetime as dt
import math
from dataclasses import replace
from typing import Any

import pytest

from schemas.trips import COSTS, Claims, Rooms
from tests.support.validators.plans.measured import (
    WEDNESDAY,
    case,
    day,
    meal,
    night,
    ride,
    taxi,
    visit,
    wishes,
)
from validators.metrics import traveleval_facts as facts
from validators.metrics import traveleval_quality as quality
from validators.metrics.case import AskedTrip, read_asked

#: Museum from 10:00 for two hours (9 minutes of queue), then lunch, then the garden for an hour.
ONE = day(
    1, visit("museum", 600, 720), meal("table", 730, 790, cost=120.0), visit("garden", 800, 860)
)


class TestCosts:
    TWO = (
        day(
            1, visit("museum", 600, 720, cost=100.0, price=50.0, tickets=2, way=taxi(20)),
            meal("table", 730, 790, cost=120.0, way=taxi(15)), ending=night("inn"),
        ),
        day(2, visit("garden", 600, 660, day=2, cost=0.0)),
    )  # fmt: skip

    def test_composition(self) -> None:
        found = case(*self.TWO)
        assert found.costs == {
            "accommodation": 300.0, "attractions": 100.0, "intercity_transportation": 400.0,
            "intracity_transportation": 35.0, "meals": 120.0, "other": 0.0,
        }  # fmt: skip
        assert quality.meals_cost(found) == 120.0
        assert quality.other_cost(found) == 0.0

    def test_fares_above_a_ticket_are_the_journey_itself(self) -> None:
        found = case(day(1, visit("museum", 600, 720, way=taxi(100.0))))
        assert found.costs is not None
        assert found.costs["intracity_transportation"] == 0.0

    def test_deviation(self) -> None:
        right = dict(zip(COSTS, (300.0, 100.0, 400.0, 35.0, 120.0, 0.0), strict=True))
        stated = Claims(2, tuple({**right, "meals": 215.5}.items()), None, within_budget=True)
        assert facts.cost_calculation_deviation(case(*self.TWO, claims=stated)) == pytest.approx(
            95.5 / 955
        )

    def test_nothing_stated(self) -> None:
        assert facts.cost_calculation_deviation(case(*self.TWO)) is None

    @pytest.mark.parametrize(("budget", "kept"), [(955.0, 1.0), (954.99, 0.0), (None, None)])
    def test_budget(self, budget: float | None, kept: float | None) -> None:
        assert facts.budget_compliance(case(*self.TWO, asked=AskedTrip(budget=budget))) == kept

    def test_efficiency(self) -> None:
        """Ratings 4 and 5 for 955 yuan."""
        assert quality.budget_efficiency(case(*self.TWO)) == pytest.approx(9000 / 955)

    def test_efficiency_of_a_trip_for_nothing(self) -> None:
        assert quality.budget_efficiency(case(ONE, journeys=(), rooms=())) == pytest.approx(
            9000 / 120
        )
        free = day(1, visit("museum", 600, 720))
        assert quality.budget_efficiency(case(free, journeys=())) is None


class TestAccuracy:
    def test_fictitious(self) -> None:
        found = case(
            day(1, visit("museum", 600, 700), visit("nowhere", 720, 780), visit("inn", 800, 810))
        )
        assert facts.fictitious_attraction_rate(found) == pytest.approx(1 / 3)
        assert facts.fictitious_attraction_rate(case(day(1))) is None

    @pytest.mark.parametrize(
        ("start", "rate"), [(539, 1.0), (540, 0.0), (1020, 0.0), (1021, 1.0)]
    )  # fmt: skip
    def test_opening_hours(self, start: int, rate: float) -> None:
        assert facts.opening_hours_violations(case(day(1, visit("museum", start, 1100)))) == rate

    def test_unknown_hours_are_not_counted(self) -> None:
        assert facts.opening_hours_violations(case(day(1, visit("tower", 100, 200)))) is None

    @pytest.mark.parametrize(("gap", "rate"), [(3, 0.0), (2, 1.0)])
    def test_a_way_needs_its_minutes(self, gap: int, rate: float) -> None:
        """2.2 km are 3 minutes by taxi at 40 km/h."""
        found = case(day(1, visit("museum", 600, 700), visit("garden", 700 + gap, 800)))
        assert facts.traffic_connection_failures(found) == rate

    def test_one_place_has_no_way(self) -> None:
        assert facts.traffic_connection_failures(case(day(1, visit("museum", 600, 700)))) is None

    def test_journeys(self) -> None:
        """Two hours by the table; planned are three hours and two."""
        late = (ride("away station", 480, 660), ride("home station", 1080, 1200))
        assert facts.intercity_deviation(case(ONE, journeys=late)) == pytest.approx(1 / 4)
        assert facts.intercity_deviation(case(ONE, journeys=())) == 1.0
        assert facts.intercity_deviation(case(ONE, journeys=(ride("moon", 480, 600),))) == 1.0

    def test_personnel(self) -> None:
        """One bed too many, seats for four, one ticket of two: (1 + 2 + 1) / 3 for three people."""
        found = case(
            day(1, visit("museum", 600, 700, tickets=2, way=taxi(10))), day(2),
            rooms=(Rooms("double", 1, 1.0, 1), Rooms("single", 2, 1.0, 1)),
            asked=AskedTrip(days=2, people=3),
        )  # fmt: skip
        assert facts.personnel_deviation(found) == pytest.approx((1 + 1 + 1) / 3)

    def test_personnel_is_one_at_most(self) -> None:
        found = case(day(1), day(2), rooms=(Rooms("family", 9, 1.0, 1),))
        assert facts.personnel_deviation(found) == 1.0
        assert facts.personnel_deviation(case(ONE, asked=AskedTrip())) is None


class TestCompliance:
    def test_days(self) -> None:
        assert facts.time_compliance(case(ONE)) == 1.0
        assert facts.time_compliance(case(ONE, asked=AskedTrip(days=2))) == 0.0
        assert facts.time_compliance(case(ONE, asked=AskedTrip())) is None

    @pytest.mark.parametrize(
        ("changed", "enough"),
        [
            ({}, 1.0), ({"people": 3}, 0.0), ({"rooms": (Rooms("single", 1, 1.0, 1),)}, 0.0),
            ({"journeys": (ride("away station", 1, 2, tickets=1),)}, 0.0),
        ],
    )  # fmt: skip
    def test_headcount(self, changed: dict[str, Any], enough: float) -> None:
        days = (day(1, visit("museum", 600, 700, tickets=2, way=taxi(9))), day(2))
        assert facts.headcount_compliance(case(*days, **changed)) == enough

    def test_a_taxi_too_few(self) -> None:
        asked = AskedTrip(days=1, people=5)
        full = visit("museum", 600, 700, tickets=5, way=taxi(9, cars=1))
        found = case(day(1, full), people=5, journeys=(), asked=asked)
        assert facts.headcount_compliance(found) == 0.0
        two = replace(full, way=taxi(9, cars=2))
        assert (
            facts.headcount_compliance(case(day(1, two), people=5, journeys=(), asked=asked)) == 1.0
        )

    def test_hotel(self) -> None:
        days = (day(1), day(2))
        wanted = wishes("accommodations", ("茶室", "温泉"), days=2)
        assert facts.hotel_preference(case(*days, asked=wanted)) == 1.0
        assert facts.hotel_preference(case(*days, asked=wanted, hotel="no inn")) == 0.0
        assert facts.hotel_preference(case(*days, asked=wanted, nights=2.0)) == 0.0
        not_wanted = wishes("accommodations", (), ("茶室",), days=2)
        assert facts.hotel_preference(case(*days, asked=not_wanted)) == 0.0

    def test_vehicles(self) -> None:
        assert facts.transport_preference(case(ONE)) == 1.0
        assert (
            facts.transport_preference(case(ONE, asked=wishes("transportation", ("高铁",)))) == 1.0
        )
        assert (
            facts.transport_preference(case(ONE, asked=wishes("transportation", ("飞机",)))) == 0.0
        )
        without = wishes("transportation", (), ("高铁",))
        mixed = (ride("away station", 1, 2), ride("home station", 3, 4, vehicle="飞机"))
        assert facts.transport_preference(case(ONE, asked=without, journeys=mixed)) == 0.0
        assert facts.transport_preference(case(ONE, asked=without, journeys=())) == 0.0

    def test_cuisines(self) -> None:
        both = day(1, meal("table", 1, 2), meal("bench", 3, 4))
        asked = wishes("diet", ("火锅", "川菜"))
        assert facts.cuisine_preference(case(both, asked=asked)) == 1.0
        assert facts.cuisine_preference(case(ONE, asked=asked)) == 0.0
        assert (
            facts.cuisine_preference(case(both, asked=wishes("diet", ("火锅",), ("川菜",)))) == 0.0
        )
        assert facts.cuisine_preference(case(day(1))) == 1.0

    @pytest.mark.parametrize(("minutes", "kept"), [(68, 0.0), (69, 1.0), (129, 1.0), (130, 0.0)])
    def test_tour_time(self, minutes: int, kept: float) -> None:
        """60 to 120 minutes are recommended; the queue at 10:00 takes 9."""
        found = case(day(1, visit("museum", 600, 600 + minutes)))
        assert facts.tour_time_compliance(found) == kept


class TestTime:
    def test_scene_time_ratio(self) -> None:
        """111 of 120 minutes, and all 60."""
        assert quality.scene_time_ratio(case(ONE)) == pytest.approx((111 / 120 + 1) / 2)

    def test_too_short_a_visit_counts_nothing(self) -> None:
        assert quality.scene_time_ratio(case(day(1, visit("museum", 600, 660)))) == 0.0
        assert quality.scene_time_ratio(case(day(1, visit("museum", 600, 600)))) == 0.0
        assert quality.scene_time_ratio(case(day(1))) is None

    def test_weekends_have_longer_queues(self) -> None:
        saturday = AskedTrip(days=1, people=2, start_date=WEDNESDAY + dt.timedelta(days=3))
        found = case(day(1, visit("museum", 600, 780)), asked=saturday)
        assert found.visits[0].effective == pytest.approx((180 - 10 * 7.55 * 0.9) / 60)

    def test_daily_utilization(self) -> None:
        """171 minutes of the day from 8:00, the train's start, to 20:00, its end."""
        assert quality.daily_time_utilization(case(ONE)) == pytest.approx(171 / 720)

    def test_a_day_of_rest_counts_nothing(self) -> None:
        days = (day(1, visit("museum", 600, 720), ending=night("inn")), day(2))
        # From the train's start at 8:00 to 23:59.
        assert quality.daily_time_utilization(case(*days)) == pytest.approx(111 / (1439 - 480) / 2)

    def test_overall_utilization(self) -> None:
        """171 minutes of the twelve hours from 8:00 to 20:00."""
        assert quality.overall_time_utilization(case(ONE)) == pytest.approx(171 / 720)
        assert quality.overall_time_utilization(case(ONE, journeys=(ride("x", 600, 500),))) is None


class TestSpace:
    def test_route(self) -> None:
        """From the inn at 0 to 0.02, 0.01 and 0.03: 0.05 gone where 0.03 would do."""
        found = case(
            day(
                1,
                visit("garden", 600, 660),
                visit("tower", 700, 760),
                visit("away station", 800, 810),
            )
        )
        assert quality.scene_sequence_rationality(found) == pytest.approx(0.05 / 0.03 - 1, rel=1e-6)

    def test_nothing_to_order(self) -> None:
        assert quality.scene_sequence_rationality(case(day(1, visit("garden", 600, 660)))) == 0.0
        assert quality.scene_sequence_rationality(case()) is None

    def test_days_that_should_be_swapped(self) -> None:
        """Museum (0) and garden (0.02) on day 1, tower (0.01) on day 2.

        Museum: 0.02 to its mate, 0.01 to the other day; garden the same; the tower is alone.
        """
        days = (
            day(1, visit("museum", 1, 2), visit("garden", 3, 4)),
            day(2, visit("tower", 1, 2, day=2)),
        )
        assert sorted(quality.cross_day_mismatch(case(*days))) == pytest.approx(
            [0.0, 2.0, 2.0], rel=1e-6
        )
        assert quality.cross_day_mismatch_90(case(*days)) == pytest.approx(2.0, rel=1e-6)
        assert quality.cross_day_mismatch_95(case(*days)) == pytest.approx(2.0, rel=1e-6)

    def test_one_day_has_no_other(self) -> None:
        assert quality.cross_day_mismatch(case(ONE)) == [0.0, 0.0, 0.0]
        assert quality.cross_day_mismatch_90(case(day(1, visit("nowhere", 1, 2)))) is None


class TestUtility:
    def test_diversity(self) -> None:
        """Museum 1, garden a half each of two types: shares 1/2, 1/4, 1/4."""
        assert quality.experience_diversity(case(ONE)) == pytest.approx(1.5 / math.log2(24))
        assert quality.experience_diversity(case(day(1, visit("museum", 1, 2)))) == 0.0
        assert quality.experience_diversity(case(day(1, visit("nowhere", 1, 2)))) is None

    @pytest.mark.parametrize(
        ("structure", "target"),
        [
            ({}, 3.54), ({"rhythm": {"preferences": ["慢游"]}}, 2.0),
            ({"people_composition": {"adults": 1, "children": 1}}, 2.75),
            ({"rhythm": {"preferences": ["特种兵式"]}, "people_composition": {"seniors": 1}}, 6.0),
        ],
    )  # fmt: skip
    def test_density(self, structure: dict[str, object], target: float) -> None:
        assert quality.attractions_density(case(ONE, asked=read_asked(structure))) == pytest.approx(
            2 / target
        )

    def test_quality_efficiency(self) -> None:
        """(4 x 111 + 5 x 60) minutes of twelve hours."""
        assert quality.attractions_quality_efficiency(case(ONE)) == pytest.approx((444 + 300) / 720)
        unrated = case(day(1, visit("mount 山", 600, 660)))
        assert quality.attractions_quality_efficiency(unrated) is None

    @pytest.mark.parametrize(
        ("asked", "value"),
        [
            (wishes("attractions"), 4.5),
            (wishes("attractions", ("园林", "网红打卡点")), (4 + 15) / 2),
            (wishes("attractions", ("园林",), ("网红打卡点",)), 4 / 2),
        ],
    )
    def test_profit(self, asked: AskedTrip, value: float) -> None:
        assert quality.profit(case(ONE, asked=asked)) == pytest.approx(value)

    def test_unknown_ratings_are_unknown(self) -> None:
        assert quality.profit(case(day(1, visit("mount 山", 1, 2)))) is None
        assert quality.profit(case(day(1))) is None
