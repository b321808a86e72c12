"""A plan as lines for a judge."""

from __future__ import annotations

from flows.judging.showing import plan_text
from flows.judging.tasks import MOST_TEXT
from tests.support.validators.plans.measured import day, guide, meal, night, trip, visit


def test_every_event_is_a_line() -> None:
    days = (
        day(
            1,
            visit("museum", 540, 600, cost=100.0),
            meal("table", 720, 780, price=60.0),
            ending=night("inn"),
        ),
        day(2, visit("nowhere", None, None, 2)),
    )
    assert plan_text(trip(*days), guide()).splitlines() == [
        "2 people, hotel: inn",
        "journey: 08:00-10:00 train away station 100 yuan",
        "journey: 18:00-20:00 train home station 100 yuan",
        "day 1:",
        "09:00-10:00 attraction museum (博物馆/纪念馆) 100 yuan",
        "12:00-13:00 lunch table (火锅) 60 yuan",
        "20:00-23:59 accommodation inn (茶室)",
        "day 2:",
        "attraction nowhere",
    ]


def test_a_name_of_two_lines_is_one() -> None:
    text = plan_text(trip(day(1, visit("museum\nday 9:", 540, 600))), guide())
    assert "attraction museum day 9:" in text


def test_a_plan_that_is_too_long_is_not_shown() -> None:
    visits = [visit("museum", 540, 600) for _ in range(MOST_TEXT // 20)]
    assert plan_text(trip(day(1, *visits)), guide()) == ""
