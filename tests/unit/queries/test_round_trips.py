"""Fuzz: any plan of any family survives its texts in both languages.

Plans are drawn here, wider than the families plan them; the texts come from the families' writers
and are read by the audits, which share nothing with them.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from queries import chinatravel_constraints, chinatravel_text, tprag, tripscore, triptailor
from queries.audit import chinatravel as china_audit
from queries.audit import preferences as audit
from queries.audit.cities import names_of
from queries.audit.reading import read_request
from queries.audit.tprag import ParsedQuery, parse, read
from queries.audit.trials import agrees
from schemas.cities import find_city
from schemas.expressions import parse_constraint
from schemas.taxonomy import BASE_TYPES, CUISINES, HOTEL_FEATURES, TREND_TYPES, TRIPTAILOR_CUISINES

CITIES = tuple(
    find_city(n) for n in ("hangzhou", "beijing", "chengdu", "xian", "tokyo", "new york")
)
BY_SLUG = {city.slug: city for city in CITIES}
NAMES = names_of(CITIES)
SLUGS = st.sampled_from([city.slug for city in CITIES])
PAIRS = st.permutations([city.slug for city in CITIES]).map(lambda found: found[:2])
SEEDS = st.text("abc0123", min_size=1, max_size=6)
HAN = st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FA5), min_size=3, max_size=10)
#: Names of places that look like words of a request.
TRAPS = ["北京饭店", "三天门公园", "不去不行小馆", "一个人的食堂", "五口人家", "预算九百元酒店",
    "地铁公园", "特色住宿", "两个成人之家",
         "从成都出发民宿", "不要辣川菜", "任选一家", "住宿越便宜越好", "火锅"]  # fmt: skip
PLACE_NAMES = st.one_of(HAN, st.sampled_from(TRAPS))
TYPES = [t.zh for t in (*BASE_TYPES, *TREND_TYPES) if t.code != "other"]
PARTIES = st.tuples(st.integers(1, 6), st.integers(0, 3), st.integers(0, 2))


def some(values: list[str], most: int = 3, least: int = 0) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(values), unique=True, min_size=least, max_size=most)


def zh_en(slug: str) -> tuple[str, str]:
    city = BY_SLUG[slug]
    return city.name_zh or city.name_en, city.name_en


@settings(max_examples=150, deadline=None)
@given(SLUGS, st.sampled_from(tprag.strata((None, *range(1, 11)))))
def test_tprag(slug: str, stratum: tprag.Stratum) -> None:
    zh, en = zh_en(slug)
    told = (stratum.kind, stratum.constraint_code, stratum.n_days)
    published = parse(tprag.text_zh(BY_SLUG[slug], stratum))
    assert published is None or published.city != zh or published == ParsedQuery(zh, *told)
    assert read(tprag.text_en(BY_SLUG[slug], stratum), en, "en") == ParsedQuery(en.lower(), *told)
    assert read(tprag.text_zh(BY_SLUG[slug], stratum), zh, "zh") == ParsedQuery(zh.lower(), *told)


@st.composite
def constraints(draw: Any, kind: str) -> dict[str, Any]:
    """A constraint of a kind, with any mode and values that the family may give it."""
    mode = draw(st.sampled_from(china_audit._MODES_OF[kind]))
    values: list[str] = []
    amount = None
    if kind.endswith("_name"):
        values = draw(st.lists(PLACE_NAMES, unique=True, min_size=1, max_size=2))
    elif kind == "budget":
        amount = draw(st.integers(1, 999)) * 100
    elif kind == "time":
        amount = draw(st.integers(0, 1439))
    else:
        options = {
            "attraction_type": TYPES,
            "cuisine": [t.zh for t in CUISINES if "other" not in t.code],
            "hotel_feature": [
                t.zh for t in HOTEL_FEATURES if t.zh not in chinatravel_constraints.ROOM_TYPES
            ],
            "transport": ["高铁", "飞机"],
            "rooms": list(chinatravel_constraints.ROOM_TYPES),
            "city_transport": list(chinatravel_constraints.CITY_MODES),
        }[kind]
        several = kind in ("attraction_type", "cuisine")
        values = draw(some(options, 3 if several else 1, 1))
        amount = draw(st.integers(1, 6)) if kind == "rooms" else None
    return {"kind": kind, "mode": mode, "values": values, "amount": amount}


def test_a_cuisine_that_bears_the_name_of_a_city() -> None:
    zh = "人在成都，我一个人想去杭州待2天，吃的从北京菜、闽菜里任选一种。"
    en = (
        "From Chengdu to Hangzhou, 2 days; any one from Beijing cuisine and Fujian cuisine is"
        " enough."
    )
    for text in (zh, en):
        read = read_request(text, NAMES)
        assert (read.start, read.targets[0]) == ("chengdu", "hangzhou"), text


@st.composite
def china_plans(draw: Any) -> dict[str, Any]:
    start, target = draw(PAIRS)
    party = draw(PARTIES)
    kinds = draw(some(sorted(china_audit._MODES_OF), 5, 1))
    goals = draw(
        some(
            [
                "attractions",
                "transport_time",
                "restaurant_time",
                "food_share",
                "hotel_cost",
                "near",
            ],
            1,
        )
    )
    return {
        "uid": draw(SEEDS),
        "start_city": start,
        "target_city": target,
        "days": draw(st.integers(1, 9)),
        "people_number": sum(party),
        "people_composition": dict(zip(("adults", "children", "seniors"), party, strict=True)),
        "constraints": [draw(constraints(kind)) for kind in kinds],
        "objectives": [
            {"name": g, "value": draw(PLACE_NAMES) if g == "near" else None} for g in goals
        ],
    }


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(china_plans())
def test_chinatravel(plan: dict[str, Any]) -> None:
    ends = [zh_en(plan[key]) for key in ("start_city", "target_city")]
    zh = chinatravel_text.text_zh(plan, ends[0][0], ends[1][0], "")
    en = chinatravel_text.text_en(plan, ends[0][1], ends[1][1], "")
    assert china_audit.says(zh, plan, NAMES), zh
    assert china_audit.says(en, plan, NAMES), en
    for constraint in plan["constraints"]:
        expression = parse_constraint(chinatravel_constraints.expression_of(constraint))
        assert agrees(constraint, expression), constraint


@st.composite
def score_plans(draw: Any) -> dict[str, Any]:
    return {
        "uid": draw(SEEDS),
        "destinations": draw(some([c.slug for c in CITIES], 4, 1)),
        "days": draw(st.integers(1, 30)),
        "budget": draw(st.sampled_from(list(tripscore.BUDGETS))),
        "pacing": draw(st.sampled_from(list(tripscore.PACES))),
        "attraction_types": draw(some(TYPES)),
        "physical_effort": draw(st.sampled_from(list(tripscore.EFFORTS))),
    }


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(score_plans())
def test_tripscore(plan: dict[str, Any]) -> None:
    ends = [zh_en(slug) for slug in plan["destinations"]]
    zh = tripscore.text_zh(plan, [e[0] for e in ends], plan["uid"])
    en = tripscore.text_en(plan, [e[1] for e in ends], plan["uid"])
    assert audit.tripscore_says(zh, plan, NAMES), zh
    assert audit.tripscore_says(en, plan, NAMES), en


@st.composite
def tailor_plans(draw: Any) -> dict[str, Any]:
    start, target = draw(PAIRS)
    days, weekday = draw(st.integers(1, 14)), draw(st.integers(0, 6))
    parts = st.sampled_from(list(triptailor.PARTS))
    return {
        "uid": draw(SEEDS), "start_city": start, "target_city": target, "days": days,
        "departure_day": triptailor.WEEKDAYS[weekday], "departure_part": draw(parts),
        "return_day": triptailor.WEEKDAYS[(weekday + days - 1) % 7], "return_part": draw(parts),
        "budget": draw(st.integers(1, 999)) * 100, "interests": draw(some(TYPES)),
        "cuisines": draw(some([t.zh for t in TRIPTAILOR_CUISINES if t.code != "other"])),
        "intensity": draw(st.sampled_from(list(triptailor.INTENSITIES))),
    }  # fmt: skip


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(tailor_plans())
def test_triptailor(plan: dict[str, Any]) -> None:
    ends = [zh_en(plan[key]) for key in ("start_city", "target_city")]
    zh = triptailor.text_zh(plan, ends[0][0], ends[1][0], plan["uid"])
    en = triptailor.text_en(plan, ends[0][1], ends[1][1], plan["uid"])
    assert audit.triptailor_says(zh, plan, NAMES), zh
    assert audit.triptailor_says(en, plan, NAMES), en
