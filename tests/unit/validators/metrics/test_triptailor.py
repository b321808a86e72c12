"""TripTailor's criteria and rates: by hand, and at the edge."""

from __future__ import annotations

import math

import pytest

from schemas.geo import geodesic_m
from schemas.trips import Event
from tests.support.validators.plans.measured import (
    WEDNESDAY,
    case,
    day,
    guide,
    meal,
    night,
    ride,
    visit,
)
from validators.metrics import triptailor
from validators.metrics.case import AskedTrip, Case, read_asked

GOOD = day(1, visit("museum", 600, 700), meal("table", 720, 780, price=60.0), ending=night("inn"))
#: Metres of a hundredth of a degree on the equator.
STEP = geodesic_m(0.0, 0.0, 0.0, 0.01)


def numbered(number: str | None) -> tuple[object, ...]:
    return ride("away station", 480, 600, number=number), ride(
        "home station", 1080, 1200, number="G2"
    )


class TestFeasibility:
    def test_all_in_the_tables(self) -> None:
        found = case(GOOD, journeys=numbered("G1"))
        assert triptailor.within_sandbox(found) == 1.0
        assert triptailor.complete_information(found) == 1.0
        assert triptailor.feasible(found) == 1.0

    @pytest.mark.parametrize(
        "event", [visit("nowhere", 1, 2), meal("museum", 1, 2), night("no inn")]
    )
    def test_one_that_is_not(self, event: Event) -> None:
        assert triptailor.within_sandbox(case(day(1, event))) == 0.0

    def test_a_train_that_is_not(self) -> None:
        assert triptailor.within_sandbox(case(GOOD, journeys=numbered("G9"))) == 0.0

    def test_information_lacks(self) -> None:
        assert triptailor.complete_information(case(GOOD, journeys=numbered(None))) == 0.0
        assert triptailor.complete_information(case(GOOD, journeys=())) == 0.0
        assert (
            triptailor.complete_information(case(GOOD, GOOD, hotel=None, journeys=numbered("G1")))
            == 0.0
        )


class TestRationality:
    def test_nothing_twice(self) -> None:
        twice = case(
            day(1, visit("museum", 1, 2), meal("table", 1, 2)),
            day(2, visit("Museum", 1, 2), meal("bench", 1, 2)),
        )
        assert triptailor.diverse_attractions(twice) == 0.0
        assert triptailor.diverse_restaurants(twice) == 1.0

    @pytest.mark.parametrize(
        ("price", "fair"), [(40.0, 1.0), (80.0, 1.0), (80.5, 0.0), (39.5, 0.0)]
    )
    def test_meals_within_the_range_of_the_query(self, price: float, fair: float) -> None:
        found = case(
            day(1, meal("table", 1, 2, price=price)),
            asked=read_asked({"meal_price_range": [40, 80]}),
        )
        assert triptailor.reasonable_meal_prices(found) == fair

    def test_meals_within_the_range_of_the_city(self) -> None:
        """Restaurants at 40 and 60 yuan: nine tenths lie from 41 to 59."""
        assert guide().meal_prices == pytest.approx((41.0, 59.0))
        assert (
            triptailor.reasonable_meal_prices(case(day(1, meal("table", 1, 2, price=60.0)))) == 0.0
        )
        assert triptailor.reasonable_meal_prices(case(day(1, meal("table", 1, 2)))) is None

    @pytest.mark.parametrize(("minutes", "fits"), [(0, 1.0), (180, 1.0), (181, 0.0)])
    def test_stays_an_hour_off_at_most(self, minutes: int, fits: float) -> None:
        """An hour to two are recommended."""
        found = case(day(1, visit("museum", 600, 600 + minutes)))
        assert triptailor.appropriate_duration(found) == fits

    def test_unknown_places_have_no_fitting_stay(self) -> None:
        assert triptailor.appropriate_duration(case(day(1, visit("nowhere", 1, 2)))) == 0.0

    def test_visits_within_opening_hours(self) -> None:
        assert triptailor.appropriate_time(case(day(1, visit("museum", 540, 1020)))) == 1.0
        assert triptailor.appropriate_time(case(day(1, visit("museum", 540, 1021)))) == 0.0
        assert triptailor.appropriate_time(case(day(1, visit("tower", 540, 600)))) is None

    def test_budget(self) -> None:
        """Journeys cost 400 yuan."""
        assert triptailor.within_budget(case(day(1), asked=AskedTrip(budget=400))) == 1.0
        assert triptailor.within_budget(case(day(1), asked=AskedTrip(budget=399))) == 0.0
        assert triptailor.budget_score(case(day(1), asked=AskedTrip(budget=500))) == pytest.approx(
            0.8
        )
        assert triptailor.budget_score(case(day(1), asked=AskedTrip(budget=320))) == pytest.approx(
            0.75
        )
        assert triptailor.budget_score(case(day(1), asked=AskedTrip(budget=100))) == 0.0

    def test_one_unknown_leaves_the_rest_open(self) -> None:
        fair = {"meal_price_range": [40, 80]}
        assert triptailor.rational(case(GOOD, asked=read_asked(fair))) is None, "no budget"
        assert triptailor.rational(case(GOOD, asked=read_asked(fair | {"budget": 9999}))) == 1.0
        assert triptailor.rational(case(GOOD, asked=read_asked(fair | {"budget": 1}))) == 0.0

    def test_hard_reward(self) -> None:
        """Feasible; of four criteria one (twice the museum) is not met."""
        twice = day(2, visit("museum", 600, 700, 2))
        found = case(GOOD, twice, journeys=numbered("G1"), asked=AskedTrip(start_date=WEDNESDAY))
        assert triptailor.hard_reward(found) == pytest.approx((1 + 3 / 4) / 2)


class TestRoutes:
    #: Inn 0, garden 0.02, museum 0, inn 0: three legs of 2, 2 and 0 steps.
    THERE = day(1, visit("garden", 600, 660), visit("museum", 700, 760))

    def test_distances(self) -> None:
        found = case(self.THERE, day(2, visit("tower", 1, 2, 2)))
        assert triptailor.route_distance(found) == pytest.approx(
            (2 + 2 + 0 + 1 + 1) / 5 * STEP, rel=1e-6
        )
        assert triptailor.route_distance_without_hotel(found) == pytest.approx(2 * STEP, rel=1e-6)
        assert triptailor.daily_route_distance(found) == pytest.approx(2 * STEP, rel=1e-6)

    def test_meals_are_stops_unless_left_out(self) -> None:
        found = case(day(1, visit("museum", 1, 2), meal("table", 3, 4), visit("tower", 5, 6)))
        assert triptailor.route_distance_without_hotel(found) == pytest.approx(STEP / 2, rel=1e-6)
        assert triptailor.route_distance_of_sights(found) == pytest.approx(STEP, rel=1e-6)

    def test_an_unknown_place_leaves_no_route(self) -> None:
        assert triptailor.route_distance(case(day(1, visit("nowhere", 1, 2)))) is None
        assert triptailor.route_distance_of_sights(case(day(1, visit("museum", 1, 2)))) is None

    def test_ratio_and_final_pass(self) -> None:
        plan = read_asked({"budget": 9999, "meal_price_range": [40, 80]})
        long = case(day(1, visit("garden", 600, 660)), journeys=numbered("G1"), asked=plan)
        short = case(day(1, visit("tower", 600, 660)), journeys=numbered("G1"), asked=plan)
        assert triptailor.route_ratio(long, short) == pytest.approx(2.0, rel=1e-6)
        assert triptailor.final_pass(long, short) == 0.0
        assert triptailor.final_pass(short, long) == 1.0
        assert triptailor.final_pass(short, None) is None

    def test_route_score(self) -> None:
        plan = case(self.THERE)
        other: Case = case(day(1, visit("tower", 1, 2), visit("museum", 3, 4)))
        assert triptailor.route_score(plan, other) == pytest.approx(math.exp(-1.2), rel=1e-6)
        assert triptailor.route_score(other, plan) == 1.0
