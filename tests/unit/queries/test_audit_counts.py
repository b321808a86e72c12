"""Small files counted by hand: for every rule of the audits, what breaks it and what just does not.

Plans and texts are written here, without our writers. ``BAD`` and ``GOOD`` stand on both sides of
a rule's bound, so that a rule that is switched off, turned round or moved by one is noticed.
"""

from __future__ import annotations

from typing import Any

import pytest

from queries.audit import traveleval
from queries.audit.cities import names_of
from queries.audit.traveleval import AuditContext, AuditedQuery, audit_items
from schemas.cities import find_city

Changes = list[dict[str, Any]]
CITIES = names_of(find_city(name) for name in ("hangzhou", "beijing", "suzhou"))


def wish(*tags: str, no: tuple[str, ...] = ()) -> dict[str, list[str]]:
    return {"preferences": [*tags], "constraints": [*no]}


def party(adults: int, children: int = 0, seniors: int = 0) -> dict[str, Any]:
    people = {"adults": adults, "children": children, "seniors": seniors}
    return {"people_number": adults + children + seniors, "people_composition": people}


# --- traveleval ----------------------------------------------------------------------------------

EASY = {
    "uid": "T0001",
    "tag": "easy",
    "start_city": "beijing",
    "target_city": "hangzhou",
    "days": 3,
    **party(2),
    "budget": 5500,
    "dates": "2026-04-30 to 2026-05-02",
    "transportation": {},
    "accommodations": {},
    "diet": {},
    "attractions": {},
    "rhythm": {},
}
MEDIUM = {**EASY, "tag": "medium", "diet": wish("火锅")}
HARD = {
    **EASY,
    "tag": "hard",
    "diet": wish("火锅"),
    "rhythm": wish("慢游"),
    "attractions": wish("公园", no=("园林",)),
}
TEXT_ZH = "两位成人，2026年4月30日到2026年5月2日，从北京去杭州玩3天，一共准备5500元。"
TEXT_EN = (
    "Two adults from Beijing to Hangzhou for 3 days, 2026-04-30 to 2026-05-02, budget 5500 RMB."
)
WITHOUT = {k: v for k, v in EASY.items() if k != "budget"}
#: Rules of one query: plans that break it, plans that just do not.
TRAVELEVAL: dict[str, tuple[Changes, Changes]] = {
    "fields": (
        [
            WITHOUT,
            {"uid": "T1", "tag": "easy"},
            {**EASY, "days": "3"},
            {**EASY, "people_composition": 2},
            {**EASY, "diet": ["火锅"]},
            {**EASY, "diet": {"preferences": "火锅"}},
        ],
        [EASY, {**EASY, "diet": None}, {**EASY, "diet": {"preferences": None}}],
    ),
    "uid": (
        [{**EASY, "uid": u} for u in ("T001", "H0001", "G01-4", "G1-1", "T0001x")],
        [{**EASY, "uid": u} for u in ("T0001", "T12345", "G01-1", "G50-3")],
    ),
    "cities_differ": ([{**EASY, "target_city": "beijing"}], [{**EASY, "target_city": "suzhou"}]),
    "party": (
        [
            EASY | party(0, 1, 1),
            EASY | party(7),
            EASY | party(1, 4),
            EASY | party(1, 0, 3),
            EASY | party(0),
            {**EASY, "people_number": 3},
            EASY | party(0, 2),
        ],
        [
            EASY | party(1),
            EASY | party(6),
            EASY | party(1, 3),
            EASY | party(1, 0, 2),
            EASY | party(1, 3, 2),
            EASY | party(1, 1),
            EASY | party(1, 0, 1),
        ],
    ),
    "budget_rounding": (
        [{**EASY, "budget": b} for b in (0, 250, 9_750, 9_999, 10_500, 11_000)],
        [{**EASY, "budget": b} for b in (500, 9_500, 10_000, 12_000)],
    ),
    # Two people, three days. Economy 1,600 to 4,000; medium 5,400 to 8,400; high 10,000 to 34,000.
    "budget_class": (
        [{**EASY, "budget": b} for b in (1_000, 4_500, 5_000, 9_000, 36_000)],
        [{**EASY, "budget": b} for b in (1_500, 4_000, 5_500, 8_500, 10_000, 34_000)],
    ),
    "dates": (
        [
            {**EASY, "dates": d}
            for d in (
                "2026-04-30 to 2026-05-03",
                "2026-04-30 to 2026-05-01",
                "2026-04-31 to 2026-05-03",
                "2026-04-30",
            )
        ],
        [EASY, {**EASY, "dates": "2028-02-28 to 2028-03-01"}],
    ),
    "days": ([{**EASY, "days": n} for n in (1, 8)], [{**EASY, "days": n} for n in (2, 7)]),
    "categories": (
        [
            {**EASY, "diet": wish("火锅")},
            {**EASY, "tag": "medium"},
            {**HARD, "tag": "medium"},
            {**HARD, "rhythm": {}},
            {**HARD, "transportation": wish("高铁"), "accommodations": wish("泳池")},
            {**EASY, "tag": "mild"},
        ],
        [
            EASY,
            MEDIUM,
            {**MEDIUM, "rhythm": wish("慢游")},
            HARD,
            {**HARD, "transportation": wish("高铁")},
        ],
    ),
    "medium_tags": (
        [{**MEDIUM, "diet": wish("火锅", "川菜", "粤菜")}, {**MEDIUM, "diet": wish(no=("火锅",))}],
        [
            MEDIUM,
            {**MEDIUM, "diet": wish("火锅", "川菜")},
            {**HARD, "diet": wish("火锅", "川菜", "粤菜")},
        ],
    ),
    "exclusions": (
        [{**HARD, "attractions": wish("公园")}, {**MEDIUM, "diet": wish("火锅", no=("川菜",))}],
        [HARD, MEDIUM, EASY],
    ),
    "contradiction": ([{**HARD, "attractions": wish("公园", "园林", no=("园林",))}], [HARD]),
    "party_fit": (
        [
            {**HARD, "rhythm": wish("特种兵式")} | party(1, 0, 1),
            {**HARD, "rhythm": wish("特种兵式")} | party(1, 1),
            {**HARD, "rhythm": wish(no=("慢游",))} | party(1, 0, 1),
            {**HARD, "accommodations": wish("情侣房")} | party(2, 1),
            {**HARD, "attractions": wish("公园", no=("亲子友好",))} | party(2, 1),
        ],
        [
            {**HARD, "rhythm": wish("特种兵式")},
            {**HARD, "rhythm": wish(no=("慢游",))},
            {**HARD, "accommodations": wish("情侣房")},
            {**HARD, "attractions": wish("公园", no=("亲子友好",))},
            {**HARD, "accommodations": wish("家庭房")} | party(2, 1),
        ],
    ),
    "tags": (
        [
            {**MEDIUM, "diet": wish("月饼")},
            {**HARD, "rhythm": wish("普通")},
            {**MEDIUM, "diet": wish("公园")},
            {**HARD, "attractions": wish("公园", no=("月亮",))},
        ],
        [MEDIUM, HARD, EASY],
    ),
    "known_city": (
        [{**EASY, "start_city": "atlantis"}, {**EASY, "target_city": ""}],
        [EASY, {**EASY, "start_city": "苏州"}],
    ),
    "journey": (
        [{**EASY, "start_city": "suzhou"}, {**MEDIUM, "transportation": wish("飞机")}],
        [
            EASY,
            {**MEDIUM, "transportation": wish("高铁")},
            {**MEDIUM, "transportation": wish("高铁", "飞机")},
        ],
    ),
}
JOURNEYS = {("beijing", "hangzhou"): frozenset({"高铁", "any"})}


def items(plans: Changes, **fields: Any) -> list[AuditedQuery]:
    return [
        AuditedQuery(
            **{"uid": f"{n}", "plan": plan, "text_zh": f"{TEXT_ZH}{n}", "text_en": TEXT_EN} | fields
        )
        for n, plan in enumerate(plans)
    ]


@pytest.mark.parametrize("rule", TRAVELEVAL)
def test_traveleval_alone(rule: str) -> None:
    bad, good = TRAVELEVAL[rule]
    found = audit_items(items([*bad, *good]), AuditContext(CITIES, journeys=JOURNEYS))[rule]
    assert found == [str(n) for n in range(len(bad))]


def group(name: str, *plans: dict[str, Any]) -> list[AuditedQuery]:
    return [AuditedQuery(f"{name}-{n}", p, TEXT_ZH, TEXT_EN, name) for n, p in enumerate(plans, 1)]


def test_traveleval_groups() -> None:
    hard = {**HARD, "diet": wish("火锅", "川菜")}
    files = [
        *group("G01", EASY, MEDIUM, hard),
        *group("G02", EASY, {**MEDIUM, "budget": 6000}, hard),  # another budget
        *group("G03", EASY, MEDIUM),  # one is missing
        *group("G04", MEDIUM, EASY, hard),  # wrong order
        *group("G05", EASY, MEDIUM, {**hard, "diet": wish("川菜")}),  # loses a wish
        *group(
            "G06", EASY, {**MEDIUM, "diet": wish("火锅", no=("粤菜",))}, hard
        ),  # loses an exclusion
    ]
    broken = audit_items(files, AuditContext(CITIES))
    assert broken["group_core"] == ["G02"]
    assert broken["group_progress"] == ["G03", "G04", "G05", "G06"]


def test_traveleval_files() -> None:
    rows = [
        AuditedQuery("a", EASY, TEXT_ZH, TEXT_EN, split="train"),
        AuditedQuery("b", EASY, TEXT_ZH.replace("，", ", ") + "！", TEXT_EN, split="train"),
        AuditedQuery("b", {**EASY, "days": 4}, "x", TEXT_EN, split="test"),
        AuditedQuery("c", {**EASY, "start_city": "suzhou"}, "y", TEXT_EN, split="test"),
        AuditedQuery(
            "d", {**EASY, "start_city": "suzhou", "uid": "T0009"}, "z", TEXT_EN, split="test"
        ),
    ]
    table = {"easy": (0, 2, 2, 0, 0, 0), "group": (9,) * 6}
    broken = audit_items(rows, AuditContext(CITIES, days_table=table))
    assert broken["duplicate_uid"] == ["b"]
    assert broken["duplicate_text"] == ["b"]
    assert broken["duplicate_structure"] == ["b", "d"]
    assert broken["days_table"] == ["easy/3d: 4 instead of 2", "easy/4d: 1 instead of 2"]
    assert broken["split_leak"] == ["a", "b", "b"]


STRANGE_ZH = ("6天", "3位成人", "去苏州玩", "从苏州", "6500元", "", "5月1日")
STRANGE_EN = ("6 days", "Three adults", "to Suzhou", "from Suzhou", "6500 RMB", "", "2026-05-01")
SAID_ZH = ("3天", "两位成人", "去杭州玩", "从北京", "5500元", TEXT_ZH, "5月2日")
SAID_EN = ("3 days", "Two adults", "to Hangzhou", "from Beijing", "5500 RMB", TEXT_EN, "2026-05-02")


@pytest.mark.parametrize(("strict", "broken"), [(False, 6), (True, 7)])
def test_traveleval_texts(strict: bool, broken: int) -> None:
    """A text that tells another number, city or amount; dates count among ours only."""
    zh = [TEXT_ZH.replace(a, b) for a, b in zip(SAID_ZH, STRANGE_ZH, strict=True)]
    en = [TEXT_EN.replace(a, b) for a, b in zip(SAID_EN, STRANGE_EN, strict=True)]
    rows = [AuditedQuery(str(n), EASY, *texts) for n, texts in enumerate(zip(zh, en, strict=True))]
    found = audit_items(
        [*rows, AuditedQuery("good", EASY, TEXT_ZH, TEXT_EN)], AuditContext(CITIES, strict=strict)
    )
    assert found["text_zh"] == found["text_en"] == [str(n) for n in range(broken)]


def test_traveleval_wishes_in_texts() -> None:
    zh, en = TEXT_ZH + "想吃火锅。", TEXT_EN + " We want to eat hot pot."
    rows = [
        AuditedQuery("good", MEDIUM, zh, en),
        AuditedQuery(
            "refused", MEDIUM, zh.replace("想吃", "不吃"), en.replace("want to", "do not")
        ),
        AuditedQuery(
            "another", MEDIUM, zh.replace("火锅", "川菜"), en.replace("hot pot", "Sichuan cuisine")
        ),
        AuditedQuery("left out", MEDIUM, TEXT_ZH, TEXT_EN),
        AuditedQuery("added", EASY, zh, en),
    ]
    found = audit_items(rows, AuditContext(CITIES, strict=True))
    assert found["text_zh"] == found["text_en"] == ["refused", "another", "left out", "added"]


ELSEWHERE = {
    "traveleval": {
        "group_core",
        "group_progress",
        "duplicate_uid",
        "duplicate_text",
        "duplicate_structure",
        "days_table",
        "split_leak",
        "text_zh",
        "text_en",
    }
}


def test_every_rule_of_traveleval_has_a_case() -> None:
    rules = {*traveleval.RULES, *traveleval.FILE_RULES}
    assert set(TRAVELEVAL) | ELSEWHERE["traveleval"] == rules
