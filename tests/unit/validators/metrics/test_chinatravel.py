"""ChinaTravel's rates and preference ranks: by hand, and at the edge."""

from __future__ import annotations

import polars as pl
import pytest

from schemas.trips import Way
from tests.support.validators.plans.measured import case, day, meal, night, visit
from validators.metrics import chinatravel
from validators.metrics.case import read_asked
from validators.metrics.chinatravel import Marks, rate

#: Passes all; breaks the environment; breaks one of three requirements; has no form.
FOUR = [
    Marks(True, 25, 3, 3), Marks(True, 24, 3, 3), Marks(True, 25, 2, 3), Marks(False, 0, 0, 3),
]  # fmt: skip


class TestRates:
    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("DR", 3 / 4), ("EPR micro", 74 / 100), ("EPR macro", 2 / 4), ("LPR micro", 8 / 12),
            ("LPR macro", 2 / 4), ("C-LPR", 5 / 12), ("FPR", 1 / 4),
        ],
    )  # fmt: skip
    def test_of_four_plans(self, name: str, value: float) -> None:
        assert rate(name, FOUR) == pytest.approx(value)
        assert rate(name, []) is None

    def test_plans_without_a_query_have_no_logic(self) -> None:
        alone = [Marks(True, 25, 0, 0)]
        assert rate("EPR macro", alone) == 1.0
        assert rate("LPR micro", alone) is None
        assert rate("LPR macro", alone) is None
        assert rate("FPR", alone) is None


def way(minutes: int) -> Way:
    return Way("walk", minutes, 0.0, 100.0, 100.0)


class TestValues:
    DAYS = (
        day(
            1,
            visit("museum", 1, 2, way=way(10)),
            meal("table", 3, 4, cost=120.0, way=way(20)),
            ending=night("inn"),
        ),
        day(2, visit("garden", 1, 2, 2)),
    )

    def test_of_a_plan(self) -> None:
        found = case(*self.DAYS, form="chinatravel")
        assert chinatravel.daily_attractions(found) == 1.0
        assert chinatravel.transport_time(found) == pytest.approx(30 / 4)
        assert chinatravel.restaurant_time(found) == 20.0
        assert chinatravel.food_share(found) == pytest.approx(120 / (400 + 300 + 120))
        assert chinatravel.hotel_cost(found) == 300.0

    def test_nothing_to_value(self) -> None:
        assert chinatravel.restaurant_time(case(day(1))) is None
        assert chinatravel.food_share(case(day(1), journeys=())) is None

    def test_near_a_place(self) -> None:
        asked = read_asked({"objectives": [{"name": "near", "value": "museum"}]})
        found = chinatravel.distance_to_place(
            case(day(1, visit("garden", 1, 2), visit("museum", 3, 4)), asked=asked)
        )
        assert found == pytest.approx(2226.39 / 2, rel=1e-4)
        assert chinatravel.distance_to_place(case(day(1, visit("garden", 1, 2)))) is None


class TestRanks:
    def ranks(self, *rows: tuple[str, str, str, str, float | None]) -> dict[str, float]:
        columns = ["query_id", "method", "preference", "direction", "value"]
        found = chinatravel.preference_ranks(pl.DataFrame(list(rows), columns, orient="row"))
        return dict(found.select("method", "rank").iter_rows())

    def test_more_is_better_or_less_is(self) -> None:
        assert self.ranks(
            ("q1", "a", "attractions", "max", 3.0), ("q1", "b", "attractions", "max", 2.0),
            ("q2", "a", "attractions", "max", 1.0), ("q2", "b", "attractions", "max", 1.0),
        ) == {"a": 1.0, "b": 1.5}  # fmt: skip
        assert self.ranks(
            ("q", "a", "hotel_cost", "min", 300.0), ("q", "b", "hotel_cost", "min", 200.0)
        ) == {"a": 2.0, "b": 1.0}

    def test_one_method_alone_has_no_rank(self) -> None:
        assert (
            self.ranks(
                ("q", "a", "hotel_cost", "min", 300.0), ("q", "b", "hotel_cost", "min", None)
            )
            == {}
        )
