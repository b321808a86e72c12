"""Lines that begin days: their numbers, their months, and overviews with a story behind them."""

from __future__ import annotations

import pytest

from extractors.rules.common.day_lines import day_lines, day_numbers, tails_of_overviews


def test_days_that_a_text_counts() -> None:
    assert day_numbers("D1 到达\n第二天 登山\nDay 4: home") == {1, 2, 4}
    assert day_numbers("一路走到天黑") == frozenset()


@pytest.mark.parametrize(
    ("line", "months"),
    [
        ("7月28日 晴", [7]),
        ("2021年3月28日 周日", [3]),
        ("D1，3/6周六：城墙", [3]),
        ("Day 2: the wall", [None]),
        ("5th of May", [5]),
        ("3.1 城墙", []),
        ("票价 20 元", []),
        ("去年7月28日来过", []),
    ],
)
def test_a_line_that_begins_a_day(line: str, months: list[int | None]) -> None:
    assert [month for _, month in day_lines(f"游记\n{line}\n到此")] == months


STORY = "行程\nD1：城墙，古塔\nD2：湖心亭\n到了城墙，天色已晚。\n古塔也去了。"


def test_a_story_behind_an_overview_is_of_no_one_day() -> None:
    ((start, end),) = tails_of_overviews(STORY)
    assert STORY[start:end] == "\n到了城墙，天色已晚。\n古塔也去了。"


def test_it_ends_where_a_day_begins() -> None:
    text = f"{STORY}\nD3：回家\n再见"
    ((start, end),) = tails_of_overviews(text)
    assert "D3" not in text[start:end]


@pytest.mark.parametrize(
    "text",
    [
        "D1：城墙\n很高。\nD2：湖\n很大。",
        "D1：城墙\n很高。",
        "没有日子",
        "第一天 城墙\n\n古塔\n第二天 湖",
    ],
)
def test_days_with_their_own_text_are_no_overview(text: str) -> None:
    assert tails_of_overviews(text) == []
