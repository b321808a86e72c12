"""The layout of TP-RAG: tags and popularity of the query's own context, days from 1."""

from __future__ import annotations

from typing import Any

from warehouse.export.tprag import _days, _place, _rank, _tag

Row = dict[str, Any]
WEEK = [{"weekday": day, "open_min": 480, "close_min": 1200} for day in range(7)]
TAGS: dict[tuple[str, str], Any] = {
    ("any:any", "p"): {"duration_min_min": 60, "duration_max_min": 120, "description": "A lake."},
    ("season:winter", "p"): {"hours_weekly": WEEK, "description": "Frozen and quiet."},
}
PLACE = {
    "name": "湖", "lat": None, "lon": None, "category": None, "hours_weekly": None,
    "duration_min_min": None, "duration_max_min": 300,
}  # fmt: skip


def test_a_value_of_the_own_context_holds_before_that_of_any() -> None:
    detail = _place(PLACE, _tag(TAGS, "season:winter", "p"))["detail"]
    assert detail == {
        "开放时间": "8:00-20:00", "推荐到达时间": None, "预计游玩时长": "1-2",
        "描述": "Frozen and quiet.",
    }  # fmt: skip


def test_a_context_without_a_tag_has_what_any_context_has() -> None:
    assert _place(PLACE, _tag(TAGS, "season:summer", "p"))["detail"]["描述"] == "A lake."
    assert _place(PLACE, _tag(TAGS, "generic:None", "q"))["detail"] == {
        "开放时间": None, "推荐到达时间": None, "预计游玩时长": "5", "描述": None,
    }  # fmt: skip


def test_places_are_ranked_by_the_own_context_then_by_any() -> None:
    popularity = {("season:winter", "b"): 1, ("any:any", "a"): 2, ("any:any", "c"): 1}
    places = sorted("dcba", key=lambda poi: _rank(popularity, "season:winter", poi))
    assert places == ["b", "c", "a", "d"]


def test_days_count_from_one() -> None:
    visits: list[Row] = [
        {"day": day, "order": 1, "name": name} for day, name in ((0, "甲"), (1, "乙"), (3, "丙"))
    ]
    assert list(_days(visits)) == ["第一天", "第二天", "第四天"]
    assert next(iter(_days([{**visit, "day": visit["day"] + 4} for visit in visits]))) == "第一天"
    assert _days([]) == {}
