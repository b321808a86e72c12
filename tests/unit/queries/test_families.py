"""chinatravel, tripscore and triptailor: plans, round trips in both languages, mutants, imports."""

from __future__ import annotations

import datetime as dt
import json
from collections import Counter
from copy import deepcopy
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from queries.audit.cities import names_of
from queries.audit.rows import audit_rows
from queries.audit.traveleval import AuditContext, says
from queries.audit.variety import skeleton, variety
from queries.chinatravel_import import import_query, translate
from queries.families import plan_family, quotas
from queries.preferences import CATEGORIES
from queries.requests import import_requests, language, mask, words
from queries.settings import (
    ChinaTravelSettings,
    PlanningError,
    QuerySettings,
    SplitSettings,
    TravelEvalSettings,
    TripScoreSettings,
    TripTailorSettings,
)
from queries.traveleval_text import text_en, text_zh
from schemas.expressions import evaluate, parse_constraint
from schemas.plan_view import ActivityView, PlanView, RideView
from schemas.taxonomy import BASE_TYPES, CUISINES, HOTEL_FEATURES, TREND_TYPES
from tests.support.queries.offers import CITIES, PLACES

#: Settings of a small profile.
ASKED = QuerySettings(
    days=(None, 3),
    constraint_kinds=("generic", "season"),
    year=2026,
    traveleval=TravelEvalSettings(easy=(2,) * 6, medium=(2,) * 6, hard=(2,) * 6, groups=(1,) * 6),
    chinatravel=ChinaTravelSettings(easy=110, medium=110, preference=40),
    tripscore=TripScoreSettings(queries=150),
    triptailor=TripTailorSettings(queries=150),
)


FAMILIES = ("tprag", "traveleval", "chinatravel", "tripscore", "triptailor")


@cache
def _planned(family: str) -> tuple[dict[str, Any], ...]:
    return tuple(plan_family(family, PLACES, ASKED, f"{family}-"))


def rows(family: str) -> list[dict[str, Any]]:
    """What is planned of a family, to be changed."""
    return list(deepcopy(_planned(family)))


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_breaks_no_rule_and_is_the_same_again(family: str) -> None:
    planned = rows(family)
    assert planned == plan_family(family, PLACES, ASKED, f"{family}-")
    assert {r: ids for r, ids in audit_rows(family, planned, CITIES).items() if ids} == {}
    assert len({row["query_id"] for row in planned}) == len(planned)
    assert {row["split"] for row in planned} == {"train", "validation", "test"}
    expected = quotas(family, PLACES, ASKED)
    if expected:
        assert sum(expected.values()) == len(planned)


def test_constraint_kinds_and_their_pairs_are_level() -> None:
    medium = [
        json.loads(r["structure"]) for r in rows("chinatravel") if r["constraint_code"] == "medium"
    ]
    kinds = Counter(c["kind"] for plan in medium for c in plan["constraints"])
    assert max(kinds.values()) - min(kinds.values()) <= 2
    sizes = Counter(len(plan["constraints"]) for plan in medium)
    assert set(sizes) == {2, 3, 4, 5}
    assert max(sizes.values()) - min(sizes.values()) <= 1


def test_infeasible_budgets_only_where_asked_for() -> None:
    hopeless = ChinaTravelSettings(easy=110, medium=0, preference=0, infeasible_share=1.0)
    assert {r["status"] for r in rows("chinatravel")} == {"kept"}
    planned = plan_family(
        "chinatravel", PLACES, ASKED.model_copy(update={"chinatravel": hopeless}), "x-"
    )
    marked = [r for r in planned if r["status"] == "infeasible"]
    budgets = [r for r in planned if '"kind":"budget"' in r["structure"]]
    assert len(marked) == len(budgets) > 0
    assert all("by design" in r["reason"] for r in marked)


VIEW = PlanView(
    3,
    2,
    "beijing",
    "hangzhou",
    (
        ActivityView(1, "train", end_min=900, destination="hangzhou"),
        ActivityView(1, "dinner", "阿婆小馆", frozenset({"火锅"}), 10_000),
        ActivityView(2, "attraction", "望江楼", frozenset({"历史古迹"}), 0),
        ActivityView(
            1, "accommodation", "西子宾馆", frozenset({"泳池"}), 50_000, rooms=1, room_type="大床房"
        ),
        ActivityView(3, "train", end_min=1200, destination="beijing"),
    ),
    (RideView(1, "metro"), RideView(2, "walk")),
)


def test_each_constraint_is_checked_by_its_expression() -> None:
    """The expression and the fields agree, for every kind, over a plan that we know."""
    seen = set()
    for row in rows("chinatravel"):
        for c in json.loads(row["structure"])["constraints"]:
            found = evaluate(parse_constraint(c["expression"]), VIEW)
            there = {
                "attraction_type": {"历史古迹"},
                "attraction_name": {"望江楼"},
                "cuisine": {"火锅"},
                "restaurant_name": {"阿婆小馆"},
                "hotel_feature": {"泳池"},
                "hotel_name": {"西子宾馆"},
            }.get(c["kind"])
            values = set(c["values"])
            if there is not None:
                expected: bool | None = {
                    "all": values <= there, "any": bool(values & there), "none": not values & there,
                }[c["mode"]]  # fmt: skip
            elif c["kind"] == "transport":
                expected = values == {"高铁"}
            elif c["kind"] == "rooms":
                expected = (c["amount"], values) == (1, {"大床房"})
            elif c["kind"] == "budget":
                expected = None  # some costs of the plan are unknown
            elif c["kind"] == "city_transport":
                used = "地铁" in values
                walked = "步行" in values
                expected = not (used or walked) if c["mode"] == "none" else used
            else:
                expected = (1200 if c["mode"] == "back" else 900) <= c["amount"]
            assert found is expected, c
            seen.add((c["kind"], c["mode"]))
    assert len({kind for kind, _ in seen}) == 11


MUTANTS: dict[str, dict[str, Any]] = {
    "chinatravel.fields": {"days": ...},
    "chinatravel.cities_differ": {"target_city": "=start_city"},
    "chinatravel.party": {"people_number": 9},
    "chinatravel.count": {"constraints": []},
    "chinatravel.expression": {"constraints.0.expression": "open('x')"},
    "chinatravel.expression_agrees": {"constraints.0.values": ["别处"]},
    "chinatravel.objective": {
        "objectives": [
            {"name": "near", "value": None, "direction": "up", "expression": "plan.days"}
        ]
    },
    "chinatravel.text_zh": {"days": 9},
    "chinatravel.text_en": {"days": 9},
    "tripscore.destinations": {"destinations": ["hangzhou", "hangzhou"]},
    "tripscore.days": {"days": 0},
    "tripscore.levels": {"pacing": "lazy"},
    "tripscore.tags": {"attraction_types": ["月球"]},
    "tripscore.text_zh": {"physical_effort": "none"},
    "tripscore.text_en": {"budget": "none"},
    "triptailor.cities_differ": {"target_city": "=start_city"},
    "triptailor.days": {"days": 0},
    "triptailor.weekdays": {"days": 99},
    "triptailor.parts": {"return_part": "noon"},
    "triptailor.budget": {"budget": 0},
    "triptailor.levels": {"intensity": "mad"},
    "triptailor.tags": {"cuisines": ["石头"]},
    "triptailor.text_zh": {"cuisines": ["披萨"]},
    "triptailor.text_en": {"interests": ["图书馆"]},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MUTANTS)
def test_each_rule_is_broken_by_its_mutant(name: str) -> None:
    family, rule = name.split(".")
    planned = rows(family)
    position, row = next(
        (n, r) for n, r in enumerate(planned)
        if family != "chinatravel" or '"kind":"attraction_name"' in r["structure"]
    )  # fmt: skip
    structure = json.loads(row["structure"])
    for key, value in MUTANTS[name].items():
        head, *rest = key.split(".")
        if value is ...:
            del structure[head]
        elif rest:
            structure[head][int(rest[0])][rest[1]] = value
        else:
            structure[head] = structure[value[1:]] if str(value).startswith("=") else value
    planned[position] = {**row, "structure": json.dumps(structure)}
    assert row["query_id"] in audit_rows(family, planned, CITIES)[rule]


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES[2:])
def test_duplicates_and_leaks_are_found(family: str) -> None:
    planned = rows(family)
    uid = json.loads(planned[0]["structure"])["uid"]
    twin = {**planned[0], "split": "other"}
    broken = audit_rows(family, [*planned, twin], CITIES)
    for rule in ("duplicate_uid", "duplicate_text", "duplicate_structure"):
        assert broken[rule] == [planned[0]["query_id"]]
    assert planned[0]["query_id"] in broken["split_leak"]
    assert uid


def test_kinds_that_repeat_or_contradict() -> None:
    planned = rows("chinatravel")
    structure = json.loads(planned[0]["structure"])
    wish = {
        "kind": "cuisine",
        "mode": "all",
        "values": ["火锅"],
        "amount": None,
        "expression": "'火锅' == '火锅'",
    }
    structure |= {"tag": "medium", "constraints": [wish, {**wish, "mode": "none"}]}
    broken = audit_rows("chinatravel", [{**planned[0], "structure": json.dumps(structure)}], CITIES)
    assert broken["repeated_kind"] == broken["contradiction"] == [planned[0]["query_id"]]


@pytest.mark.slow
def test_a_quota_over_the_number_of_combinations_stops() -> None:
    greedy = TripScoreSettings(queries=400_000, durations=(1,), several_share=0)
    poor = [PLACES[0].__class__(PLACES[0].city, PLACES[0].offer.__class__((), (), (), (), 0, 0))]
    with pytest.raises(PlanningError, match="the quota is too high: only 15 different queries"):
        plan_family("tripscore", poor, ASKED.model_copy(update={"tripscore": greedy}), "x-")


NAMES = names_of(CITIES)
SLUGS = [city.slug for city in CITIES]
TAGS = {
    "transportation": ["高铁", "飞机"],
    "accommodations": [t.zh for t in HOTEL_FEATURES],
    "diet": [t.zh for t in CUISINES if "other" not in t.code],
    "attractions": [t.zh for t in (*BASE_TYPES, *TREND_TYPES) if t.code != "other"],
    "rhythm": ["慢游", "特种兵式"],
}


@st.composite
def plans(draw: Any) -> dict[str, Any]:
    start, target = draw(st.permutations(SLUGS))[:2]
    party = draw(st.tuples(st.integers(1, 6), st.integers(0, 3), st.integers(0, 2)))
    days = draw(st.integers(2, 7))
    first = draw(
        st.dates(
            min_value=dt.date(2000, 1, 1),
            max_value=dt.date(2090, 1, 1),
        )
    )
    last = first + dt.timedelta(days=days - 1)
    found: dict[str, Any] = {
        "uid": draw(st.text("abc012", min_size=1, max_size=6)),
        "start_city": start,
        "target_city": target,
        "days": days,
        "people_number": sum(party),
        "budget": draw(st.integers(1, 400)) * 500,
        "people_composition": dict(zip(("adults", "children", "seniors"), party, strict=True)),
        "dates": f"{first} to {last}",
    }
    for category in CATEGORIES:
        tags = draw(st.lists(st.sampled_from(TAGS[category]), unique=True, max_size=3))
        cut = draw(st.integers(0, len(tags))) if category != "rhythm" else len(tags)
        found[category] = {"preferences": tags[:cut], "constraints": tags[cut:]} if tags else {}
    return found


@pytest.mark.slow
@settings(max_examples=120, deadline=None)
@given(plans())
def test_any_plan_survives_its_texts(plan: dict[str, Any]) -> None:
    ends = [next(c for c in CITIES if c.slug == plan[k]) for k in ("start_city", "target_city")]
    check = AuditContext(NAMES, strict=True)
    zh = text_zh(plan, *(str(c.name_zh) for c in ends))
    en = text_en(plan, *(c.name_en for c in ends))
    assert says(zh, plan, check), zh
    assert says(en, plan, check), en


@pytest.mark.parametrize("last", TAGS["accommodations"])
def test_every_hotel_to_avoid_is_heard_within_a_list(last: str) -> None:
    check = AuditContext(NAMES, strict=True)
    others = [tag for tag in TAGS["accommodations"] if tag != last]
    for n in range(0, len(others) - 1, 6):
        avoided = [others[n], last, others[n + 1]]
        plan = {
            "uid": f"{n}",
            "start_city": SLUGS[0],
            "target_city": SLUGS[1],
            "days": 2,
            "budget": 500,
            "people_number": 1,
            "people_composition": {"adults": 1, "children": 0, "seniors": 0},
            "dates": "2026-05-01 to 2026-05-02",
            **{category: {} for category in CATEGORIES},
            "accommodations": {"preferences": [], "constraints": avoided},
        }
        text = text_en(plan, *(c.name_en for c in (CITIES[0], CITIES[1])))
        assert says(text, plan, check), text


class TestImport:
    MEALS = """
total=0
for act in allactivities(plan):
    typ = activity_type(act)
    if typ=="breakfast" or typ=="lunch" or typ=="dinner": total = total + activity_cost(act)
result=(total<=100)
"""
    FOOD = """
found=set()
for act in allactivities(plan):
    if activity_type(act) in ['breakfast', 'lunch', 'dinner']:
        found.add(restaurant_type(act, target_city(plan)))
result=({'火锅'}<=found)
"""
    TOTAL = """
cost=0
for act in allactivities(plan):
    cost+=activity_cost(act)
    cost += innercity_transport_cost(activity_transports(act))
result=(cost<=3000)
"""

    @pytest.mark.parametrize(
        ("program", "value"),
        [
            (MEALS, True),
            (FOOD, True),
            (TOTAL, None),
            ("days==3", True),
            ("cost<=3000", None),
            ("{'望江楼'} <= attraction_names", True),
            ("not ({'石塔公园'} <= attraction_names)", True),
            (MEALS.replace("100", "99"), False),
            (FOOD.replace("火锅", "粤菜"), False),
            ("result=(people_count(plan)==2)", True),
        ],
    )
    def test_programs_become_expressions(self, program: str, value: object) -> None:
        assert evaluate(translate(program), VIEW) is value

    def test_what_has_no_counterpart_is_kept_as_text(self) -> None:
        left = ["__import__('os').system('x')", "result=weather(plan)=='sun'", "while True: pass"]
        query = import_query({"uid": "h1", "hard_logic_py": ["days==2", *left]})
        assert (query.constraints, query.untranslated) == (("plan.days == 2",), tuple(left))


class TestRequests:
    LONG = "We would like to see temples and eat noodles in Kyoto for three days"

    def test_short_ones_are_rejected_and_all_are_accounted_for(self) -> None:
        lines = [(1, self.LONG), (2, "three days in Kyoto please"), (3, self.LONG + "!"), (4, " ")]
        kept, rejected = import_requests(lines, SplitSettings())
        assert [(r.line, r.reason) for r in rejected] == [
            (2, "too_short"),
            (3, "duplicate"),
            (4, "empty"),
        ]
        assert len(kept) == 1
        assert words("三天两晚带父母去西湖边慢慢走走吃吃") == 8

    @pytest.mark.parametrize(
        ("text", "label"),
        [
            ("call me at 13812345678 tonight", "[phone]"),
            ("写信到 a.b@mail.example.cn 谢谢", "[email]"),
            ("身份证330106199001011234订票", "[id]"),
            ("加微信号: abc_12345 聊", "[account]"),
            ("my name is Ann Li and", "[name]"),
            ("see https://a.example/x?y=1 there", "[link]"),
        ],
    )
    def test_personal_data_is_masked(self, text: str, label: str) -> None:
        masked, count = mask(text)
        assert label in masked
        assert count == 1

    def test_amounts_and_dates_stay(self) -> None:
        text = "预算12000元，2026年10月1日到10月5日，5天4晚，3大1小"
        assert mask(text) == (text, 0)

    def test_language(self) -> None:
        assert [
            language(t)
            for t in ("想去杭州玩三天", "three days in the mountains", "три дня в горах", "9")
        ] == ["zh", "en", "other", "other"]

    def test_near_duplicates_share_a_split(self) -> None:
        lines = [(n, f"{self.LONG} with a budget of {n} dollars") for n in range(1, 40)]
        kept, _ = import_requests(lines, SplitSettings())
        assert len({request.split for request in kept}) == 1


def test_variety_is_of_the_template_not_of_its_slots() -> None:
    assert skeleton("从北京去杭州玩3天，想吃火锅、川菜", ["北京", "杭州"]) == skeleton(
        "从杭州去北京玩5天，想吃粤菜", ["北京", "杭州"]
    )
    found = variety(["去杭州玩3天", "去北京玩4天", "到北京待4天"], ["北京", "杭州"])
    assert found["skeletons"] == 2
    assert found["commonest_skeleton_share"] == pytest.approx(0.6667)
