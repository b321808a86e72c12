"""The traveleval family: quotas, grounding, texts that a reader recovers, rules with mutants."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from queries.audit.traveleval import RULES, audit, read_text
from queries.grounding import Offer, Origin
from queries.traveleval import QUOTAS, plan_queries, rounded
from schemas.cities import find_city

CITY = find_city("hangzhou")
NAMES = {CITY.city_id: "杭州"}
OFFER = Offer(
    features=("湖景房", "民宿", "泳池"),
    cuisines=("江浙菜", "火锅", "素食"),
    types=("历史古迹", "公园", "亲子友好"),
    origins=(
        Origin(find_city("beijing"), by_train=True, by_flight=True, round_trip_cents=90_000),
        Origin(find_city("suzhou"), by_train=False, by_flight=False, round_trip_cents=9_000),
    ),
    room_cents=20_000,
    meal_cents=3_000,
)


def rows() -> list[dict[str, Any]]:
    return plan_queries(CITY, OFFER).to_dicts()


def test_strata_are_a_tenth_of_the_published_table() -> None:
    strata = Counter((row["constraint_code"], row["n_days"]) for row in rows())
    for difficulty, quotas in QUOTAS.items():
        assert [strata[difficulty, days] for days in range(2, 8)] == list(quotas)
    assert sum(strata.values()) == 100


def test_ours_break_no_rule() -> None:
    assert {rule: ids for rule, ids in audit(rows(), NAMES).items() if ids} == {}


def test_equal_inputs_equal_queries() -> None:
    assert rows() == rows()


def test_tags_are_drawn_from_the_offer_only() -> None:
    allowed = {"accommodations": OFFER.features, "diet": OFFER.cuisines, "attractions": OFFER.types}
    for row in rows():
        plan = json.loads(row["structure"])
        for category, tags in allowed.items():
            for side in plan[category].values():
                assert set(side) <= set(tags)
        if plan["start_city"] == "suzhou":
            assert plan["transportation"] == {}, "no train or plane connects"


def test_budgets_cover_journey_room_and_meals() -> None:
    for row in rows():
        plan = json.loads(row["structure"])
        people, days = plan["people_number"], plan["days"]
        journey = 900 if plan["start_city"] == "beijing" else 90
        least = journey * people + (people + 1) // 2 * (days - 1) * 200 + people * days * 2 * 30
        assert plan["budget"] >= least


@pytest.mark.parametrize(
    ("raw", "budget"),
    [(7249, 7000), (7250, 7500), (9749, 9500), (9999, 10000), (10999, 10000), (11000, 12000)],
)
def test_rounding(raw: int, budget: int) -> None:
    assert rounded(raw) == budget


def test_no_origin_no_query() -> None:
    assert plan_queries(CITY, Offer((), (), (), (), 0, 0)).height == 0


def test_a_reader_recovers_both_texts() -> None:
    for row in rows():
        plan = json.loads(row["structure"])
        for column in ("text_zh", "text_en"):
            read = read_text(row[column])
            assert {key: plan[key] for key in read} == read


def mutated(rule: str) -> list[dict[str, Any]]:
    changes: dict[str, dict[str, Any]] = {
        "cities_differ": {"start_city": "hangzhou"},
        "party": {"people_composition": {"adults": 0, "children": 1, "seniors": 0}},
        "budget": {"budget": 5600},
        "dates": {"dates": "2026-05-01 to 2026-05-09"},
        "days": {"days": 9},
        "categories": {"rhythm": {}, "diet": {}, "attractions": {}, "transportation": {}},
        "exclusions": {c: {} for c in ("accommodations", "diet", "attractions")},
        "tags": {"diet": {"preferences": ["月饼"], "constraints": []}},
        "contradiction": {"diet": {"preferences": ["火锅"], "constraints": ["火锅"]}},
        "rhythm_fits_party": {
            "rhythm": {"preferences": ["特种兵式"], "constraints": []},
            "people_composition": {"adults": 1, "children": 0, "seniors": 1},
        },
    }
    row = next(row for row in rows() if row["constraint_code"] == "hard")
    plan = {**json.loads(row["structure"]), **changes[rule]}
    return [{**row, "structure": json.dumps(plan)}]


@pytest.mark.parametrize("rule", RULES)
def test_each_rule_is_broken_by_its_mutant(rule: str) -> None:
    broken = audit(mutated(rule), NAMES)
    assert len(broken[rule]) == 1


@pytest.mark.parametrize("column", ["text_zh", "text_en"])
def test_a_text_that_says_something_else(column: str) -> None:
    row = rows()[0]
    plan = json.loads(row["structure"])
    changed = {**row, column: row[column].replace(str(plan["budget"]), "77")}
    assert audit([changed], NAMES)[column] == [row["query_id"]]
