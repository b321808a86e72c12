"""Queries from outside: their forms, what is understood of them, and what is told otherwise."""

from __future__ import annotations

import json
from typing import Any

import pytest

from queries.given.cities import KnownCities
from queries.given.forms import QueryEntry, RefusedEntry, entry_of, objects_of, text_entry
from queries.given.understand import Understood, city_of, texts_of, understand
from queries.given.wording import not_understood, plain
from queries.grounding import Destination, offer_published
from schemas.cities import find_city
from schemas.expressions import parse_constraint

BUILT = tuple(find_city(slug) for slug in ("hangzhou", "shanghai"))
KNOWN = KnownCities(BUILT)
NAMES = {"青鹭寺公园": "attraction_name"}
TRAVELEVAL = {
    "uid": "T0001", "tag": "easy", "start_city": "上海", "target_city": "杭州", "days": 3,
    "people_number": 2, "people_composition": {"adults": 2, "children": 0, "seniors": 0},
    "budget": 4000, "dates": "2026-05-01 to 2026-05-03", "transportation": {},
    "accommodations": {}, "diet": {"preferences": ["火锅"], "constraints": []}, "attractions": {},
    "rhythm": {}, "nature_language": "我们两个人从上海去杭州玩3天，预算4000元，想吃火锅。",
}  # fmt: skip


def read(entry: QueryEntry) -> Understood:
    city = city_of(entry, KNOWN)
    return understand(entry, Destination(city, offer_published(city, BUILT)), KNOWN, NAMES, 2026)


def constraints_of(text: str) -> list[tuple[Any, ...]]:
    plan = json.loads(read(text_entry("f", 1, text)).row["structure"])
    for constraint in plan["constraints"]:
        parse_constraint(constraint["expression"])
    return [(c["kind"], c["mode"], c["values"], c["amount"]) for c in plan["constraints"]]


@pytest.mark.parametrize(
    ("given", "form"),
    [
        ({"query_id": "q", "family": "tprag", "structure": {}}, "tripbed"),
        (TRAVELEVAL, "traveleval"),
        ({"start_city": "上海", "target_city": "杭州", "nature_language": "…"}, "chinatravel"),
        ({"start_city": "a", "target_city": "b", "departure_day": "Monday"}, "triptailor"),
        ({"destination": "Hangzhou", "duration": 3}, "tripscore"),
        ({"query": "杭州旅游", "who": "me"}, "text"),
        ({"who": "me"}, "none"),
        ("杭州", "none"),
    ],
)
def test_a_form_is_told_by_its_fields(given: object, form: str) -> None:
    assert entry_of("f", 1, given).form == form


def test_fields_that_nothing_is_made_of_are_named() -> None:
    assert entry_of("f", 1, {"text": "杭州旅游", "who": "me"}).unread == ("who",)


def test_queries_of_groups_stand_one_by_one() -> None:
    data = {"version": "1", "queries": [{"uid": 1}], "query_groups": [[{"uid": 2}, {"uid": 3}]]}
    assert [one["uid"] for one in objects_of(data)] == [1, 2, 3]


@pytest.mark.slow
def test_a_trip_between_cities_gets_constraints_with_expressions() -> None:
    text = (
        "当前位置上海。我和我的两个朋友想去杭州玩两天，预算2100人民币，住两间双床房，坐地铁游玩，"
        "想吃海鲜，想去青鹭寺公园，不去博物馆"
    )
    row = read(text_entry("f", 1, text)).row
    plan = json.loads(row["structure"])
    assert (row["family"], plan["start_city"], plan["days"], plan["people_number"]) == (
        "chinatravel", "shanghai", 2, 3,
    )  # fmt: skip
    assert constraints_of(text) == [
        ("budget", "all", [], 2100),
        ("rooms", "all", ["双床房"], 2),
        ("city_transport", "all", ["地铁"], None),
        ("cuisine", "all", ["海鲜"], None),
        ("attraction_name", "all", ["青鹭寺公园"], None),
        ("attraction_type", "none", ["博物馆/纪念馆"], None),
    ]
    assert (row["understanding"], row["not_understood"]) == ("whole", [])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "missed"),
    [
        (
            "从上海去杭州两天，两个人，预算1500（不包括车票住宿），吃火锅",
            ["预算1500（不包括车票住宿）"],
        ),
        ("从上海去杭州两天，两个人，想尝试当地菜", ["想尝试当地菜"]),
        ("去杭州三天，不吃辣", ["不吃辣"]),
        ("Two days in Hangzhou, love pandas and museums", ["love pandas and museums"]),
        ("从上海去杭州两天，两个人，不坐飞机", ["不坐飞机"]),
        ("从上海去杭州两天，两个人，吃火锅", []),
    ],
)
def test_what_was_not_understood_is_quoted(text: str, missed: list[str]) -> None:
    assert read(text_entry("f", 1, text)).row["not_understood"] == missed


def test_a_budget_of_a_part_is_no_budget_of_the_trip() -> None:
    assert not constraints_of("从上海去杭州两天，两个人，预算1500（不包括车票住宿）")
    assert constraints_of("从上海去杭州两天，两个人，预算人均1500") == [("budget", "all", [], 3000)]


def test_words_that_only_look_like_refusals_refuse_nothing() -> None:
    assert constraints_of("从上海去杭州两天，两个人，预算不超过3000元想吃火锅") == [
        ("cuisine", "all", ["火锅"], None),
        ("budget", "all", [], 3000),
    ]


def test_a_city_without_more_is_a_query_of_preferences() -> None:
    row = read(text_entry("f", 1, "想去Hangzhou玩3天，不想太累，看古迹")).row
    plan = json.loads(row["structure"])
    assert (row["family"], row["constraint_kind"], row["constraint_code"]) == (
        "tripscore",
        "pacing",
        "relaxed",
    )
    assert (plan["destinations"], plan["attraction_types"]) == (["hangzhou"], ["历史古迹"])


def test_a_text_of_the_published_form_is_that_query() -> None:
    row = read(text_entry("f", 1, "杭州五一三日游")).row
    assert row["query_id"] == "tprag-hangzhou-labor_day-3d"
    assert (row["text_en"], row["given_line"]) == (
        "3 days in Hangzhou over the Labour Day holiday",
        1,
    )


def test_personal_data_is_masked() -> None:
    made = read(text_entry("f", 1, "我叫张三，电话13800001234，想去杭州三天看古迹"))
    assert made.masked == 2
    assert "13800001234" not in made.row["text_zh"]
    assert made.row["not_understood"] == []


@pytest.mark.parametrize(
    ("change", "check"),
    [
        ({"budget": 0}, "budget"),
        ({"days": 4}, "dates"),
        ({"dates": "soon"}, "dates"),
        ({"days": "many"}, "fields"),
        ({"days": "nan"}, "fields"),
        ({"budget": float("inf")}, "fields"),
        ({"people_number": 3}, "people"),
        ({"target_city": "上海"}, "cities"),
        ({"start_city": "北京"}, "text_differs"),
        ({"diet": {"preferences": ["火锅"], "constraints": ["火锅"]}}, "contradiction"),
        ({"nature_language": ""}, "empty"),
        ({"nature_language": "Хочу в Ханчжоу"}, "language"),
    ],
)
def test_a_row_that_cannot_be_is_refused(change: dict[str, Any], check: str) -> None:
    with pytest.raises(RefusedEntry) as refused:
        read(entry_of("f", 1, TRAVELEVAL | change))
    assert refused.value.check == check


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "check"),
    [("想去东京玩3天", "city_not_built"), ("去火星玩两天", "no_city"), ("我想出去玩", "no_city")],
)
def test_a_text_about_no_city_of_the_build_says_why(text: str, check: str) -> None:
    with pytest.raises(RefusedEntry) as error:
        city_of(text_entry("f", 1, text), KNOWN)
    assert error.value.check == check


def test_fields_and_text_that_agree_are_understood_as_a_whole() -> None:
    row = read(entry_of("f", 1, TRAVELEVAL)).row
    assert (row["family"], row["constraint_code"], row["understanding"]) == (
        "traveleval",
        "easy",
        "whole",
    )
    untold = {**TRAVELEVAL, "diet": {"preferences": ["火锅", "海鲜"], "constraints": []}}
    assert read(entry_of("f", 1, untold)).row["not_understood"] == [
        "diet: 海鲜 is not found in the text"
    ]


def test_past_dates_stay_and_are_remarked() -> None:
    past = {**TRAVELEVAL, "dates": "2024-05-01 to 2024-05-03"}
    assert read(entry_of("f", 1, past)).remarks == ("its dates are in the past (before 2026)",)


def test_published_programs_become_expressions() -> None:
    given = {
        "uid": "h1", "start_city": "上海", "target_city": "杭州", "days": 2, "people_number": 1,
        "hard_logic": ["days==2", "people_number==1", "cost<=1800", "strange(plan)"],
        "nature_language": "当前位置上海。我一个人想去杭州玩两天，预算1800人民币。",
    }  # fmt: skip
    row = read(entry_of("f", 1, given)).row
    found = [c["expression"] for c in json.loads(row["structure"])["constraints"]]
    assert found == ["plan.days == 2", "plan.people == 1", "plan.cost <= cny(1800)"]
    assert row["not_understood"] == ["a program cannot be translated: strange(plan)"]


def test_a_text_in_other_words_keeps_its_clauses() -> None:
    text = "坐火车去，不想错过夜市；住一间大床房"
    assert plain(text).count("，") == 1
    assert not_understood(text, KNOWN.names, [], {}) == []


def test_a_mixed_text_is_read_as_chinese() -> None:
    assert texts_of(text_entry("f", 1, "想去Hangzhou玩")).zh == "想去Hangzhou玩"
