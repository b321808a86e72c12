"""Small files counted by hand for the audits of tprag, chinatravel, tripscore and triptailor.

As in ``test_audit_counts``: plans and texts are written here, on both sides of each rule's bound.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from queries.audit import chinatravel, preferences, tprag
from queries.audit.cities import names_of
from queries.chinatravel_import import ImportedQuery
from schemas.cities import find_city

Plan = dict[str, Any]
CITIES = names_of(find_city(name) for name in ("hangzhou", "beijing", "suzhou"))

# --- tprag ---------------------------------------------------------------------------------------

ROW: Plan = {
    "query_id": "a",
    "city_id": "gn1",
    "constraint_kind": "season",
    "constraint_code": "spring",
    "n_days": 3,
    "text_zh": "杭州春季三日游",
    "text_en": "3-day trip in Hangzhou in spring",
    "split": "train",
    "structure": '{"city": "gn1", "constraint_kind": "season", "constraint": "spring", "days": 3}',
}
GENERIC: Plan = {
    **ROW,
    "constraint_kind": "generic",
    "constraint_code": None,
    "n_days": None,
    "text_zh": "杭州旅游",
    "text_en": "trip in Hangzhou",
    "structure": '{"city": "gn1", "constraint_kind": "generic", "constraint": null, "days": null}',
}
TPRAG: dict[str, tuple[list[Plan], list[Plan]]] = {
    "fields": (
        [{**ROW, "structure": ROW["structure"].replace("3}", "4}")}, {**ROW, "structure": "{}"}],
        [ROW, GENERIC],
    ),
    "form": (
        [
            {**ROW, "text_zh": t}
            for t in ("杭州春季三日或四日", "春季三日游去苏州", "春天或夏天去杭州玩三天", "")
        ],
        [
            ROW,
            GENERIC,
            {**ROW, "text_zh": "春季三日游去杭州"},
            {**ROW, "text_zh": "春天想在杭州玩3天"},
            {**GENERIC, "text_zh": "去杭州玩"},
        ],
    ),
    "city": ([{**ROW, "text_zh": "苏州春季三日游"}, {**ROW, "city_id": "gn2"}], [ROW, GENERIC]),
    "constraint": (
        [
            {**ROW, "text_zh": "杭州夏季三日游"},
            {**ROW, "text_zh": "杭州三日游"},
            {**GENERIC, "text_zh": "杭州亲子旅游"},
            {**ROW, "constraint_kind": "holiday"},
        ],
        [ROW, GENERIC],
    ),
    "days": (
        [
            {**ROW, "text_zh": "杭州春季四日游"},
            {**ROW, "text_zh": "杭州春季旅游"},
            {**GENERIC, "text_zh": "杭州三日游"},
        ],
        [ROW, GENERIC],
    ),
    "text_en": (
        [
            {**ROW, "text_en": t}
            for t in (
                "4-day trip in Hangzhou in spring",
                "trip in Hangzhou in spring",
                "3-day trip in Suzhou in spring",
                "3-day trip in Hangzhou in summer",
                "3-day trip in Hangzhou",
                "special-forces-style 3-day trip in Hangzhou in spring",
                "spring in Hangzhou",
                "",
            )
        ],
        [
            ROW,
            GENERIC,
            {**ROW, "text_en": "Where should I go in Hangzhou for three days in spring?"},
        ],
    ),
}


def tprag_rows(*plans: Plan) -> list[Plan]:
    return [{**plan, "query_id": str(n)} for n, plan in enumerate(plans)]


@pytest.mark.parametrize("rule", TPRAG)
def test_tprag_alone(rule: str) -> None:
    bad, good = TPRAG[rule]
    found = tprag.audit(tprag_rows(*bad, *good), {"gn1": ("杭州", "Hangzhou")})[rule]
    assert found == [str(n) for n in range(len(bad))]


def test_tprag_files() -> None:
    four = {**ROW, "n_days": 4, "text_zh": "杭州春季四日游"}
    rows = tprag_rows(ROW, ROW, four, {**four, "split": "test"}, {**GENERIC, "split": "test"})
    names = {"gn1": ("杭州", "Hangzhou")}
    broken = tprag.audit(rows, names)
    assert broken["duplicate"] == ["1", "3"]
    assert broken["split_leak"] == ["0", "1", "2", "3"]
    assert set(tprag.audit([], names)) == set(TPRAG) | {"duplicate", "split_leak"}


def test_tprag_lines() -> None:
    """Four cities of which one is unknown; 苏州 lacks a query that 杭州 and 北京 have."""
    texts = [
        "杭州旅游", "北京旅游", "苏州旅游", "杭州春节三日游", "北京春节三日游", "杭州旅游",
        "去北京玩", "某地旅游",
        "某地春节三日游",
    ]  # fmt: skip
    broken = tprag.audit_lines([(str(n), t) for n, t in enumerate(texts)], lambda c: c != "某地")
    assert broken == {
        "duplicate": ["5"],
        "form": ["6"],
        "city": ["7", "8"],
        "gap": ["苏州 spring_festival 3"],
    }
    assert set(broken) == set(tprag.LINE_RULES)


# --- chinatravel ---------------------------------------------------------------------------------

FOOD: Plan = {
    "kind": "cuisine",
    "mode": "all",
    "values": ["火锅"],
    "amount": None,
    "expression": (
        "{'火锅'} <= {t for a in plan.activities if a.kind in {'breakfast', 'lunch', 'dinner'} for"
        " t in a.types}"
    ),
}
MONEY = {
    "kind": "budget",
    "mode": "all",
    "values": [],
    "amount": 3000,
    "expression": "plan.cost <= cny(3000)",
}
GOAL = {
    "name": "transport_time",
    "value": None,
    "direction": "min",
    "expression": "sum(r.duration for r in plan.rides)",
}
CHINA = {
    "uid": "E1",
    "tag": "easy",
    "start_city": "beijing",
    "target_city": "hangzhou",
    "days": 3,
    "people_number": 2,
    "people_composition": {"adults": 2, "children": 0, "seniors": 0},
    "constraints": [FOOD],
    "objectives": [],
}
MEDIUM = {**CHINA, "tag": "medium", "constraints": [FOOD, MONEY]}
FIVE = [{**MONEY, "kind": kind} for kind in ("cuisine", "budget", "time", "rooms", "transport")]
NOT = {
    **FOOD,
    "mode": "none",
    "expression": FOOD["expression"].replace("{'火锅'} <=", "not '火锅' in"),
}
PARK: Plan = {
    "kind": "attraction_type",
    "mode": "all",
    "values": ["公园"],
    "amount": None,
    "expression": (
        "{'公园'} <= {t for a in plan.activities if a.kind == 'attraction' for t in a.types}"
    ),
}
CHINATRAVEL: dict[str, tuple[list[Plan], list[Plan]]] = {
    "fields": (
        [
            {k: v for k, v in CHINA.items() if k != name}
            for name in ("days", "constraints", "objectives")
        ],
        [CHINA],
    ),
    "cities_differ": ([{**CHINA, "target_city": "beijing"}], [{**CHINA, "target_city": "suzhou"}]),
    "party": (
        [
            {**CHINA, "people_number": 3},
            {**CHINA, "people_composition": {"adults": 0, "children": 2}},
        ],
        [CHINA, {**CHINA, "people_composition": {"adults": 1, "children": 1}}],
    ),
    "count": (
        [
            {**CHINA, "constraints": []},
            {**CHINA, "constraints": [FOOD, MONEY]},
            {**MEDIUM, "constraints": [FOOD]},
            {**MEDIUM, "constraints": [*FIVE, FOOD]},
        ],
        [CHINA, MEDIUM, {**MEDIUM, "constraints": FIVE}],
    ),
    "repeated_kind": ([{**MEDIUM, "constraints": [MONEY, MONEY]}], [MEDIUM]),
    "tags": (
        [
            {**CHINA, "constraints": [{**FOOD, "values": ["月饼"]}]},
            {**CHINA, "constraints": [{**FOOD, "kind": "weather"}]},
            {**CHINA, "constraints": [{**FOOD, "mode": "some"}]},
        ],
        [CHINA, MEDIUM],
    ),
    "expression": (
        [
            {**CHINA, "constraints": [{**FOOD, "expression": e}]}
            for e in ("open('x')", "plan.cost <= ", "plan.days")
        ],
        [CHINA, MEDIUM],
    ),
    "expression_agrees": (
        [
            {**CHINA, "constraints": [{**MONEY, "amount": 2999}]},
            {**CHINA, "constraints": [{**FOOD, "values": ["川菜"]}]},
            {**CHINA, "constraints": [{**FOOD, "mode": "none"}]},
            {**CHINA, "constraints": [{**MONEY, "expression": "plan.cost >= cny(3000)"}]},
            {
                **CHINA,
                "constraints": [
                    {
                        **PARK,
                        "expression": PARK["expression"].replace("== 'attraction'", "== 'dinner'"),
                    }
                ],
            },
        ],
        [CHINA, MEDIUM, {**CHINA, "constraints": [NOT]}, {**CHINA, "constraints": [PARK]}],
    ),
    "objective": (
        [
            {**CHINA, "objectives": [{**GOAL, "direction": "up"}]},
            {**CHINA, "objectives": [{**GOAL, "expression": "plan"}]},
        ],
        [CHINA, {**CHINA, "objectives": [GOAL]}],
    ),
    "contradiction": (
        [{**MEDIUM, "constraints": [FOOD, NOT]}],
        [MEDIUM, {**CHINA, "constraints": [NOT]}],
    ),
}
CHINA_ZH = "当前位置北京，我们两个人想去杭州玩3天，想吃火锅。"
CHINA_EN = "Two adults want to travel from Beijing to Hangzhou for 3 days; we want to eat hot pot."


def told(plans: list[Plan], zh: str, en: str) -> list[tuple[Plan, str, str, str | None]]:
    return [({**plan, "uid": str(n)}, f"{zh}{n}", en, None) for n, plan in enumerate(plans)]


@pytest.mark.parametrize("rule", CHINATRAVEL)
def test_chinatravel_alone(rule: str) -> None:
    bad, good = CHINATRAVEL[rule]
    found = chinatravel.audit_plans(told([*bad, *good], CHINA_ZH, CHINA_EN), CITIES)[rule]
    assert found == [str(n) for n in range(len(bad))]


def test_chinatravel_sizes_are_a_setting() -> None:
    two = [({**MEDIUM, "uid": "two"}, CHINA_ZH, CHINA_EN, None)]
    assert chinatravel.audit_plans(two, CITIES, (3, 5))["count"] == ["two"]
    assert chinatravel.audit_plans(two, CITIES, (2, 2))["count"] == []


def test_chinatravel_texts() -> None:
    zh = [
        CHINA_ZH.replace(*c)
        for c in (
            ("3天", "4天"),
            ("两", "三"),
            ("北京", "苏州"),
            ("杭州", "苏州"),
            ("想吃", "不吃"),
            ("火锅", "川菜"),
            ("。", "，预算3000元。"),
            ("。", "，希望景点越多越好。"),
        )
    ]
    en = [
        CHINA_EN.replace(*c)
        for c in (
            ("3 days", "4 days"),
            ("Two", "Three"),
            ("Beijing", "Suzhou"),
            ("Hangzhou", "Suzhou"),
            ("we want to", "do not"),
            ("hot pot", "Sichuan cuisine"),
            ("pot.", "pot; a total budget of 3000 RMB."),
            ("pot.", "pot; as many attractions as possible."),
        )
    ]
    rows = [
        ({**CHINA, "uid": str(n)}, *texts, None) for n, texts in enumerate(zip(zh, en, strict=True))
    ]
    good = ({**CHINA, "uid": "good"}, CHINA_ZH, CHINA_EN, None)
    broken = chinatravel.audit_plans([*rows, good], CITIES)
    assert broken["text_zh"] == broken["text_en"] == [str(n) for n in range(8)]


def test_chinatravel_files() -> None:
    other = {**CHINA, "start_city": "suzhou"}
    rows = [
        ({**CHINA, "uid": "a"}, "一", CHINA_EN, "train"),
        ({**CHINA, "uid": "a"}, "一。", CHINA_EN, "test"),
        ({**other, "uid": "c"}, "二", CHINA_EN, "test"),
        ({**other, "uid": "d"}, "三", CHINA_EN, "test"),
    ]
    broken = chinatravel.audit_plans(rows, CITIES)
    assert broken["duplicate_uid"] == broken["duplicate_text"] == ["a"]
    assert broken["duplicate_structure"] == ["a", "d"]
    assert broken["split_leak"] == ["a", "a"]


def test_chinatravel_of_others() -> None:
    """A field that the text does not tell is not held against it; another value is."""
    fields = {"start_city": "北京", "target_city": "杭州", "days": 3, "people_number": 2}
    texts = [
        "当前位置北京。我们两个人想去杭州玩3天。",
        "想去杭州玩",
        "当前位置北京。我们两个人想去杭州玩4天。",
        "当前位置苏州。我们两个人想去杭州玩3天。",
        "当前位置北京。我们三个人想去杭州玩3天。",
        "当前位置北京。我们两个人想去苏州玩3天。",
    ]
    queries = [
        ImportedQuery(str(n), {**fields, "nature_language": t}, (), ()) for n, t in enumerate(texts)
    ]
    assert chinatravel.audit_imported(queries, CITIES) == ["2", "3", "4", "5"]


# --- tripscore and triptailor --------------------------------------------------------------------

SCORE = {
    "uid": "S1",
    "destinations": ["hangzhou", "suzhou"],
    "days": 2,
    "budget": "economy",
    "pacing": "relaxed",
    "attraction_types": ["公园"],
    "physical_effort": "light",
}
SCORE_ZH = "想去杭州、苏州玩2天，消费经济实惠，节奏轻松，体力消耗轻度，喜欢公园。"
SCORE_EN = (
    "2 days in Hangzhou, then Suzhou; spending: budget-friendly; at a relaxed pace; light physical"
    " effort; seeing park."
)
TAILOR = {
    "uid": "R1",
    "start_city": "beijing",
    "target_city": "hangzhou",
    "days": 3,
    "departure_day": "Friday",
    "departure_part": "evening",
    "return_day": "Sunday",
    "return_part": "afternoon",
    "budget": 3000,
    "interests": ["公园"],
    "cuisines": ["川菜"],
    "intensity": "relaxed",
}
TAILOR_ZH = (
    "我想从北京去杭州玩3天，周五晚上出发，周日下午返回，预算3000元，"
    "想逛公园，想吃川菜，行程强度轻松。"
)
TAILOR_EN = (
    "A 3-day trip from Beijing to Hangzhou, out on Friday evening, back on Sunday afternoon, budget"
    " 3000 RMB; seeing park; eating Sichuan cuisine; relaxed intensity."
)
FAMILIES: dict[str, tuple[Plan, str, str, dict[str, tuple[list[Plan], list[Plan]]]]] = {
    "tripscore": (
        SCORE,
        SCORE_ZH,
        SCORE_EN,
        {
            "destinations": (
                [{"destinations": []}, {"destinations": ["hangzhou", "hangzhou"]}],
                [{}, {"destinations": ["suzhou"]}],
            ),
            "days": (
                [{"days": 1}, {"days": 0, "destinations": ["suzhou"]}],
                [{}, {"days": 1, "destinations": ["suzhou"]}],
            ),
            "levels": (
                [{"budget": "cheap"}, {"pacing": "luxury"}, {"physical_effort": "none"}],
                [{}, {"budget": "luxury"}, {"pacing": "compact"}, {"physical_effort": "strenuous"}],
            ),
            "tags": (
                [{"attraction_types": ["月球"]}, {"attraction_types": ["公园", "火锅"]}],
                [{}, {"attraction_types": []}],
            ),
        },
    ),
    "triptailor": (
        TAILOR,
        TAILOR_ZH,
        TAILOR_EN,
        {
            "cities_differ": ([{"target_city": "beijing"}], [{}, {"target_city": "suzhou"}]),
            "days": ([{"days": 0}], [{}, {"days": 1, "return_day": "Friday"}]),
            "weekdays": (
                [{"return_day": "Monday"}, {"days": 4}, {"departure_day": "Thursday"}],
                [{}, {"days": 10}],
            ),
            "parts": (
                [{"departure_part": "noon"}, {"return_part": "night"}],
                [{}, {"return_part": "early morning"}],
            ),
            "budget": ([{"budget": 0}, {"budget": -100}], [{}, {"budget": 100}]),
            "levels": (
                [{"intensity": "mad"}, {"intensity": "light"}],
                [{}, {"intensity": "packed"}],
            ),
            "tags": (
                [{"interests": ["月球"]}, {"cuisines": ["石头"]}, {"interests": ["川菜"]}],
                [{}, {"interests": [], "cuisines": []}],
            ),
        },
    ),
}
ALONE = [(family, rule) for family, parts in FAMILIES.items() for rule in parts[3]]


@pytest.mark.parametrize(("family", "rule"), ALONE)
def test_preferences_alone(family: str, rule: str) -> None:
    base, zh, en, cases = FAMILIES[family]
    bad, good = cases[rule]
    rows = told([{**base, **change} for change in (*bad, *good)], zh, en)
    found = preferences.audit_plans(family, rows, CITIES)[rule]
    assert found == [str(n) for n in range(len(bad))]


#: What is changed in each text so that it tells another plan: Chinese, English.
RETOLD = {
    "tripscore": (
        [
            ("2天", "3天"),
            ("杭州、苏州", "苏州、杭州"),
            ("、苏州", ""),
            ("经济实惠", "中等价位"),
            ("轻松", "紧凑"),
            ("轻度", "中度"),
            ("喜欢公园", "喜欢园林"),
            ("，喜欢公园", ""),
        ],
        [
            ("2 days", "3 days"),
            ("Hangzhou, then Suzhou", "Suzhou, then Hangzhou"),
            (", then Suzhou", ""),
            ("budget-friendly", "mid-range"),
            ("relaxed", "compact"),
            ("light", "moderate"),
            ("park", "library"),
            ("; seeing park", ""),
        ],
    ),
    "triptailor": (
        [
            ("3天", "4天"),
            ("北京", "苏州"),
            ("杭州", "苏州"),
            ("周五", "周四"),
            ("晚上", "清晨"),
            ("周日", "周六"),
            ("下午", "上午"),
            ("3000", "3100"),
            ("公园", "园林"),
            ("川菜", "粤菜"),
            ("轻松", "紧凑"),
        ],
        [
            ("3-day", "4-day"),
            ("Beijing", "Suzhou"),
            ("Hangzhou", "Suzhou"),
            ("Friday", "Thursday"),
            ("evening", "early morning"),
            ("Sunday", "Saturday"),
            ("afternoon", "late morning"),
            ("3000", "3100"),
            ("park", "library"),
            ("Sichuan", "Guangdong"),
            ("relaxed", "packed"),
        ],
    ),
}


@pytest.mark.parametrize("family", FAMILIES)
def test_preferences_texts(family: str) -> None:
    base, zh, en, _ = FAMILIES[family]
    changes = list(zip(*RETOLD[family], strict=True))
    assert all(a[0] in zh and b[0] in en for a, b in changes)
    rows = told([base], zh, en)[:1]
    for n, (chinese, english) in enumerate(changes, 1):
        rows.append(({**base, "uid": str(n)}, zh.replace(*chinese), en.replace(*english), None))
    broken = preferences.audit_plans(family, rows, CITIES)
    assert broken["text_zh"] == broken["text_en"] == [str(n) for n in range(1, len(rows))]


@pytest.mark.parametrize("family", FAMILIES)
def test_preferences_files(family: str) -> None:
    base = FAMILIES[family][0]
    moved = {"destinations": ["suzhou"]} if family == "tripscore" else {"target_city": "suzhou"}
    rows = [
        ({**base, "uid": "a"}, "一", "", "train"),
        ({**base, "uid": "a"}, " 一！", "", "test"),
        ({**base, **moved, "uid": "c"}, "二", "", "test"),
        ({**base, **moved, "uid": "d"}, "三", "", "test"),
    ]
    broken = preferences.audit_plans(family, rows, CITIES)
    assert broken["duplicate_uid"] == broken["duplicate_text"] == ["a"]
    assert broken["duplicate_structure"] == ["a", "d"]
    assert broken["split_leak"] == ["a", "a"]


def test_every_rule_has_a_case() -> None:
    texts_and_files = {
        "text_zh",
        "text_en",
        "duplicate_uid",
        "duplicate_text",
        "duplicate_structure",
        "split_leak",
    }
    assert set(TPRAG) | {"duplicate", "split_leak"} == set(tprag.RULES)
    assert set(CHINATRAVEL) | texts_and_files == set(chinatravel.RULES)
    for family, (rules, _) in preferences.FAMILIES.items():
        assert set(FAMILIES[family][3]) == set(rules)
    assert set(preferences.FILE_RULES) == texts_and_files
    assert json.loads(str(ROW["structure"]))["days"] == 3
