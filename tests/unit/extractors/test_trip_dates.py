"""When a journey was, by the first lines of its document."""

from __future__ import annotations

import datetime as dt

import pytest

from extractors.rules.common.day_lines import journey_months, journey_season, months_of_diary


@pytest.mark.parametrize(
    ("text", "months"),
    [
        ("Harbour notes\n出行时间：2023.4.28～5.2\n", {4, 5}),
        ("Dates: Oct 3 to Oct 6\nWe took the ferry.", {10}),
        ("2022年11月5日 星期六 晴\n上午游览青石园。", {11}),
        ("青石园3月15日开园，游人很多。", set()),
    ],
)
def test_months_stand_in_a_line_of_dates(text: str, months: set[int]) -> None:
    assert journey_months(text) == months


@pytest.mark.parametrize(
    ("text", "season"),
    [
        ("秋游青石园\n一早出门。", "autumn"),
        ("两日游\n\n春天去的,花开得正好。", "spring"),
        ("两日游\n我们是冬天来的。", "winter"),
        ("Two days by the lake\nWe went in late fall, and it rained.", "autumn"),
        ("Two days by the lake\nBest in spring; we went in summer.", "summer"),
    ],
)
def test_a_season_is_the_journeys(text: str, season: str) -> None:
    assert journey_season(text) == season


@pytest.mark.parametrize(
    "text",
    [
        "两日游\n最好春天去，花开得正好。",
        "春游与秋游\n两次都很好。",
        "Two days by the lake\nSpring is best, as everyone says.",
        "Two days by the lake\n" + "The road was long. " * 12 + "We went in spring.",
    ],
)
def test_no_season_where_none_or_two_are_given(text: str) -> None:
    assert journey_season(text) is None


def test_a_diary_of_the_day_has_its_month() -> None:
    assert months_of_diary("今天去了青石园。", dt.date(2024, 5, 1)) == {4, 5}
    assert months_of_diary("去了青石园。", dt.date(2024, 5, 1)) == frozenset()
    assert months_of_diary("今天去了青石园。", None) == frozenset()
