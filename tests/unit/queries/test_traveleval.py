"""The traveleval family: quotas, groups, grounding, texts that a reader recovers, rules with
mutants.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from queries.audit.cities import cities_named, names_of
from queries.audit.reading import read_request
from queries.audit.rows import audit_rows
from queries.audit.traveleval import (
    DAYS_TABLE,
    FILE_RULES,
    PROMPT_TAGS,
    REPO_TAGS,
    RULES,
    AuditContext,
    AuditedQuery,
    audit_items,
)
from queries.grounding import Offer
from queries.settings import PlanningError, SplitSettings, TravelEvalSettings
from queries.traveleval import plan, plan_queries, round_budget
from schemas.cities import find_city
from tests.support.queries.offers import CITIES, CITY, OFFER, PLACES

NAMES = names_of([*CITIES, find_city("suzhou")])
SMALL = TravelEvalSettings(easy=(1,) * 6, medium=(2,) * 6, hard=(2,) * 6, groups=(1,) * 6)


def rows() -> list[dict[str, Any]]:
    return plan_queries(CITY, OFFER).to_dicts()


def items() -> list[AuditedQuery]:
    found = []
    for row in plan(PLACES, SMALL):
        structure = json.loads(row["structure"])
        uid = structure["uid"]
        group = uid.split("-")[0] if uid.startswith("G") else None
        found.append(
            AuditedQuery(uid, structure, row["text_zh"], row["text_en"], group, row["split"])
        )
    return found


TABLE = {"easy": (1,) * 6, "medium": (2,) * 6, "hard": (2,) * 6, "group": (1,) * 6}
CHECK = AuditContext(NAMES, days_table=TABLE, strict=True)


def test_a_city_has_a_tenth_of_the_published_table() -> None:
    strata = Counter(row["stratum"] for row in rows())
    assert [strata[f"easy/{days}d"] for days in range(2, 8)] == [2, 3, 4, 4, 3, 4]
    assert [strata[f"hard/{days}d"] for days in range(2, 8)] == [4, 6, 8, 8, 6, 8]
    assert sum(n for s, n in strata.items() if s.startswith("group/")) == 15
    assert sum(strata.values()) == 115


def test_ours_break_no_rule() -> None:
    broken = audit_rows("traveleval", rows(), [CITY, *(o.city for o in OFFER.origins)])
    assert {rule: ids for rule, ids in broken.items() if ids} == {}
    assert {rule: ids for rule, ids in audit_items(items(), CHECK).items() if ids} == {}


def test_equal_inputs_equal_queries() -> None:
    assert rows() == rows()


@pytest.mark.slow
def test_destinations_and_difficulties_are_balanced() -> None:
    planned = plan(PLACES, TravelEvalSettings())
    assert len(planned) == 1150
    per_city = Counter(
        row["city_id"] for row in planned if not row["query_id"].endswith(("-2", "-3"))
    )
    assert max(per_city.values()) - min(per_city.values()) <= 1
    economy = 0
    for row in planned:
        structure = json.loads(row["structure"])
        if structure["tag"] == "hard" and structure["uid"].startswith("T"):
            tight = (500 * structure["days"] + 500) * structure["people_number"] + 1000
            economy += structure["budget"] <= tight
    assert economy >= 200, "half of the 400 hard ones are economy"


def test_tags_are_drawn_from_the_offer_only() -> None:
    allowed = {"accommodations": OFFER.features, "diet": OFFER.cuisines, "attractions": OFFER.types}
    for row in rows():
        structure = json.loads(row["structure"])
        for category, tags in allowed.items():
            for side in structure[category].values():
                assert set(side) <= set(tags)
        if structure["start_city"] == "suzhou":
            assert structure["transportation"] == {}, "no train or plane connects"


def test_budgets_cover_journey_room_and_meals() -> None:
    for row in rows():
        structure = json.loads(row["structure"])
        people, days = structure["people_number"], structure["days"]
        journey = 900 if structure["start_city"] == "beijing" else 90
        least = journey * people + (people + 1) // 2 * (days - 1) * 200 + people * days * 2 * 30
        assert structure["budget"] >= least


@pytest.mark.parametrize(
    ("raw", "budget"),
    [(7249, 7000), (7250, 7500), (9749, 9500), (9999, 10000), (10999, 10000), (11000, 12000)],
)
def test_rounding(raw: int, budget: int) -> None:
    assert round_budget(raw) == budget


def test_no_origin_no_query() -> None:
    assert plan_queries(CITY, Offer((), (), (), (), 0, 0)).height == 0


def test_an_empty_tag_set_stops_the_plan() -> None:
    poor = Offer((), (), (), OFFER.origins, 0, 0)
    with pytest.raises(PlanningError, match="Hangzhou has too few tags") as caught:
        plan_queries(CITY, poor)
    assert caught.value.path[:2] == ("queries", "traveleval")


def test_held_out_cities_are_in_test_only() -> None:
    planned = plan(PLACES, SMALL, SplitSettings(test_cities=("wuhan",)))
    wuhan = find_city("wuhan").city_id
    assert {row["split"] for row in planned if row["city_id"] == wuhan} == {"test"}
    assert {row["split"] for row in planned} == {"train", "validation", "test"}
    with pytest.raises(PlanningError, match="paris is not a destination in this profile"):
        plan(PLACES, SMALL, SplitSettings(test_cities=("paris",)))


def changed(uid: str, /, **fields: Any) -> Callable[[list[AuditedQuery]], list[AuditedQuery]]:
    def mutate(found: list[AuditedQuery]) -> list[AuditedQuery]:
        return [
            AuditedQuery(i.uid, {**i.plan, **fields}, i.text_zh, i.text_en, i.group, i.split)
            if i.uid == uid
            else i
            for i in found
        ]

    return mutate


def retold(uid: str, /, **fields: str) -> Callable[[list[AuditedQuery]], list[AuditedQuery]]:
    def mutate(found: list[AuditedQuery]) -> list[AuditedQuery]:
        return [AuditedQuery(**{**vars(i), **fields}) if i.uid == uid else i for i in found]

    return mutate


def _tag(*wishes: str, refused: tuple[str, ...] = ()) -> dict[str, list[str]]:
    return {"preferences": [*wishes], "constraints": [*refused]}


HARD, MEDIUM, GROUP = "T0025", "T0010", "G01"
MUTANTS: dict[str, tuple[Callable[[list[AuditedQuery]], list[AuditedQuery]], str]] = {
    "fields": (lambda f: [AuditedQuery("T0001", {"uid": "T0001"}, "", ""), *f[1:]], "T0001"),
    "uid": (changed(HARD, uid="H-1"), HARD),
    "cities_differ": (changed(HARD, start_city="wuhan", target_city="wuhan"), HARD),
    "party": (
        changed(
            HARD, people_composition={"adults": 0, "children": 2, "seniors": 0}, people_number=2
        ),
        HARD,
    ),
    "budget_rounding": (changed(HARD, budget=5_600), HARD),
    "budget_class": (changed(HARD, budget=500, people_number=6), HARD),
    "dates": (changed(HARD, dates="2026-05-01 to 2026-05-31"), HARD),
    "days": (changed(HARD, days=9), HARD),
    "categories": (changed(HARD, **{c: {} for c in PROMPT_TAGS}), HARD),
    "medium_tags": (changed(MEDIUM, diet=_tag("火锅", "川菜", "粤菜")), MEDIUM),
    "exclusions": (changed(MEDIUM, diet=_tag("火锅", refused=("川菜",))), MEDIUM),
    "contradiction": (changed(HARD, diet=_tag("火锅", refused=("火锅",))), HARD),
    "party_fit": (
        changed(
            HARD,
            rhythm=_tag("特种兵式"),
            people_composition={"adults": 1, "children": 0, "seniors": 1},
        ),
        HARD,
    ),
    "tags": (changed(HARD, diet=_tag("月饼", refused=("火锅",))), HARD),
    "known_city": (changed(HARD, start_city="atlantis"), HARD),
    "duplicate_uid": (retold("T0002", uid="T0001"), "T0001"),
    "duplicate_text": (
        lambda f: [f[0], AuditedQuery(**{**vars(f[1]), "text_zh": f[0].text_zh + "！"}), *f[2:]],
        "T0002",
    ),
    "duplicate_structure": (
        lambda f: [
            f[0],
            AuditedQuery(**{**vars(f[1]), "plan": {**f[0].plan, "uid": "T0002"}}),
            *f[2:],
        ],
        "T0002",
    ),
    "group_core": (changed("G01-2", budget=98_000), GROUP),
    "group_progress": (changed("G01-3", **{c: {} for c in PROMPT_TAGS}), GROUP),
    "days_table": (lambda f: f[1:], "easy/2d: 0 instead of 1"),
    "text_zh": (retold(HARD, text_zh="我一个人从北京去武汉玩3天，预算77元。"), HARD),
    "text_en": (retold(HARD, text_en="One adult from Beijing to Wuhan, 3 days, 77 RMB."), HARD),
    "split_leak": (retold("G01-1", split="other"), "G01-2"),
}


@pytest.mark.slow
@pytest.mark.parametrize("rule", [rule for rule in (*RULES, *FILE_RULES) if rule != "journey"])
def test_each_rule_is_broken_by_its_mutant(rule: str) -> None:
    mutate, uid = MUTANTS[rule]
    assert uid in audit_items(mutate(items()), CHECK)[rule]


def test_a_journey_that_no_table_knows() -> None:
    found = items()
    wished = changed(found[0].uid, transportation=_tag("飞机"))(found)[0]
    pair = (str(wished.plan["start_city"]), str(wished.plan["target_city"]))
    for journeys, broken in (
        ({pair: frozenset({"高铁", "any"})}, [wished.uid]),
        ({}, [wished.uid]),
        ({pair: frozenset({"飞机", "any"})}, []),
    ):
        assert audit_items([wished], AuditContext(NAMES, journeys=journeys))["journey"] == broken


def test_the_tag_set_of_the_code_knows_two_more_paces() -> None:
    one = changed(HARD, rhythm=_tag("普通"))(items())
    assert HARD in audit_items(one, CHECK)["tags"]
    assert audit_items(one, AuditContext(NAMES, REPO_TAGS))["tags"] == []


def published(shared: Path, name: str) -> list[AuditedQuery]:
    folder = shared / "data" / "traveleval" / "environment" / "data" / "queries"
    data = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    groups = data.get("query_groups", [[query] for query in data.get("queries", [])])
    return [
        AuditedQuery(
            q["uid"],
            q,
            q["nature_language"],
            q["nature_language_en"],
            q["uid"][:3] if len(group) == 3 else None,
        )
        for group in groups
        for q in group
    ]


def published_check(found: list[AuditedQuery]) -> AuditContext:
    cities = cities_named(str(i.plan[k]) for i in found for k in ("start_city", "target_city"))
    assert len(cities) == 10
    return AuditContext(names_of(cities), days_table=DAYS_TABLE)


def test_the_published_files_counted_another_way(shared: Path) -> None:
    """Counts by plain loops over the JSON, written apart from the audit's rules."""
    found = published(shared, "easy")
    broken = audit_items(found, published_check(found))
    rough = [
        i.uid for i in found if i.plan["budget"] % (500 if i.plan["budget"] < 10_000 else 2_000)
    ]
    assert broken["budget_rounding"] == rough
    assert len(rough) == 123
    texts = Counter(i.text_zh for i in found)
    assert len(broken["duplicate_text"]) == sum(n - 1 for n in texts.values()) == 16
    assert broken["days_table"][0] == "easy/2d: 33 instead of 20"
    hard = published(shared, "hard")
    broken = audit_items(hard, published_check(hard))
    outside = [
        i.uid
        for i in hard
        if any(
            t not in PROMPT_TAGS[c]
            for c in PROMPT_TAGS
            for side in i.plan[c].values()
            for t in side
        )
    ]
    assert broken["tags"] == outside
    assert len(outside) == 113
    groups = published(shared, "progressive")
    assert audit_items(groups, published_check(groups))["group_core"] == []


@pytest.mark.parametrize("column", ["text_zh", "text_en"])
def test_the_reader_recovers_the_published_texts(shared: Path, column: str) -> None:
    found = [
        i for name in ("easy", "medium", "hard", "progressive") for i in published(shared, name)
    ]
    check = published_check(found)
    right = 0
    for item in found:
        read = read_request(getattr(item, column), check.cities)
        ends = [check.cities.keys[str(item.plan[k]).lower()] for k in ("start_city", "target_city")]
        right += (
            read.days == item.plan["days"]
            and read.people == item.plan["people_number"]
            and read.budget == item.plan["budget"]
            and [read.start, *read.targets[:1]] == ends
        )
    assert len(found) == 1150
    assert right / len(found) >= 0.99
