"""Trips that somebody would take: how far, for how much, and how it is said."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import polars as pl
import pytest

from queries import chinatravel, traveleval, tripscore, triptailor
from queries.audit.rows import audit_rows
from queries.audit.variety import variety
from queries.chinatravel_text import text_en, text_zh
from queries.grounding import Destination, Origin, _meals, offer_published
from queries.journeys import distance_m, modest_cents, origins_for, ways_of
from queries.phrases import tags_en, tags_zh
from queries.plausible import Traveller, apart, likely, unlike
from queries.settings import ChinaTravelSettings, TripScoreSettings, TripTailorSettings
from queries.tprag import plan_queries, write_published_zh
from queries.wording import WishPhrase, request_en
from schemas.cities import find_city
from schemas.taxonomy import TPRAG_CITIES
from tests.support.queries.offers import CITIES, PLACES

TEN = tuple(find_city(name) for name in traveleval.PUBLISHED_CITIES)
BARE = tuple(Destination(city, offer_published(city, TEN), grounded=False) for city in TEN)


@pytest.mark.parametrize(("days", "farthest_km"), [(2, 800), (3, 1_300)])
def test_short_trips_lead_not_far(days: int, farthest_km: int) -> None:
    for place in BARE:
        found = origins_for(place.city, place.offer, days)
        far = [o for o in found if distance_m(place.city, o) > farthest_km * 1_000]
        assert found
        assert not far or len(found) == 2
    assert origins_for(BARE[0].city, BARE[0].offer, 5) == BARE[0].offer.origins


def test_nobody_flies_to_a_neighbour_or_without_an_airport() -> None:
    by_slug = {place.city.slug: place for place in BARE}
    nanjing, suzhou = by_slug["nanjing"], by_slug["suzhou"]
    assert not any(origin.by_flight for origin in suzhou.offer.origins)
    for slug, ways in (("wuhan", ("高铁",)), ("chengdu", ("高铁", "飞机"))):
        origin = Origin(find_city(slug), by_train=True, by_flight=True, round_trip_cents=0)
        assert ways_of(nanjing.city, origin) == ways
    only = Origin(find_city("wuhan"), by_train=False, by_flight=True, round_trip_cents=0)
    assert ways_of(nanjing.city, only) == ("飞机",)


def test_budgets_pay_for_a_modest_trip() -> None:
    slugs = {place.city.slug: place for place in BARE}
    rows = chinatravel.plan(BARE, ChinaTravelSettings(easy=60, medium=60, preference=20))
    rows += triptailor.plan(BARE, TripTailorSettings(queries=120))
    seen = 0
    for row in rows:
        plan = json.loads(row["structure"])
        asked = [c["amount"] for c in plan.get("constraints", ()) if c["kind"] == "budget"]
        for budget in asked or [plan["budget"]] if "budget" in plan else asked:
            place = slugs[plan["target_city"]]
            origin = next(o for o in place.offer.origins if o.city.slug == plan["start_city"])
            people = plan.get("people_number", 1)
            least = modest_cents(place.city, place.offer, origin, plan["days"], people)
            assert budget * 100 >= least
            seen += 1
    assert seen > 120


def test_the_ten_cities_share_out_the_published_table() -> None:
    quotas = (5, 8, 10, 10, 8, 9)
    shares = [traveleval._tenth(city, quotas) for city in TEN]
    assert tuple(map(sum, zip(*shares, strict=True))) == quotas
    assert {sum(share) for share in shares} == {5}


def test_the_queries_of_one_city_are_in_every_split() -> None:
    rows = tripscore.plan(PLACES[:1], TripScoreSettings(queries=50))
    splits = Counter(row["split"] for row in rows)
    assert set(splits) == {"train", "validation", "test"}
    assert not any(audit_rows("tripscore", rows, CITIES).values())


def test_several_destinations_are_neighbours_with_two_days_each() -> None:
    settings = TripScoreSettings(queries=100, several_share=0.2)
    plans = [json.loads(row["structure"]) for row in tripscore.plan(BARE, settings)]
    several = [plan for plan in plans if len(plan["destinations"]) > 1]
    assert len(several) == 20
    assert all(plan["days"] >= 2 * len(plan["destinations"]) for plan in several)


def test_english_texts_name_places_in_english_or_are_left_out() -> None:
    settings = ChinaTravelSettings(easy=80, medium=40, preference=20)
    for places in (PLACES, [replace(p, offer=replace(p.offer, names_en={})) for p in PLACES]):
        rows = chinatravel.plan(places, settings)
        assert not any(audit_rows("chinatravel", rows, CITIES).values())
        named = [row for row in rows if "「" in row["text_zh"]]
        assert named
        assert all((row["text_en"] is None) == (places is not PLACES) for row in named)
        assert not any("一" <= letter <= "鿿" for row in rows for letter in row["text_en"] or "")


def test_the_audit_misses_an_english_text_that_could_be_written() -> None:
    rows = chinatravel.plan(PLACES, ChinaTravelSettings(easy=80, medium=10, preference=0))
    named = next(row for row in rows if "names_en" in row["structure"])
    named["text_en"] = None
    assert audit_rows("chinatravel", rows, CITIES)["text_en"] == [named["query_id"]]


def test_a_refusal_behind_its_wish_does_not_name_the_topic_again() -> None:
    wishes = [
        WishPhrase("cuisine", "avoid", {"and": "seafood", "or": "seafood"}),
        WishPhrase("rhythm/慢游", "wish", {}),
        WishPhrase("cuisine", "wish", {"and": "hot pot", "or": "hot pot"}),
    ]
    for seed in map(str, range(40)):
        text = request_en("tripscore", {"where": "Wuhan", "days": 3}, wishes, seed, alone=True)
        liked, refused = text.index("hot pot"), text.index("seafood")
        between = text[liked:refused]
        assert liked < refused
        assert between.count(".") <= 1
        assert not any(word in between for word in ("food", "eat", "meal"))


def test_the_layout_of_tprag_has_the_published_form() -> None:
    forms = {
        r["query_id"]: write_published_zh(r) for r in plan_queries(find_city("hangzhou")).to_dicts()
    }
    assert forms["tprag-hangzhou-spring-3d"] == "杭州春季三日游"
    assert forms["tprag-hangzhou-generic-any"] == "杭州旅游"


def test_high_budgets_stay_within_what_people_spend() -> None:
    low, _, journey = traveleval.CLASSES["high"]
    high = 0
    for number in range(400):
        place, days, people = BARE[number % 10], 2 + number % 6, 1 + number % 4
        origin = origins_for(place.city, place.offer, days)[0]
        budget = traveleval._budget(f"b{number}", place, origin, days, people, tight=False)
        most = max(traveleval.MOST_YUAN * days, low * days + journey) * people
        assert budget <= most + 1_000, (budget, days, people)  # rounding to 2,000
        # The dearest of the class below has 400 yuan a person less.
        high += budget > (low * days + journey - 400) * people
    assert 0.25 < high / 400 < 0.42


def test_one_day_is_said_as_a_day() -> None:
    settings = TripScoreSettings(queries=60, durations=(1,))
    rows = tripscore.plan(PLACES, settings)
    assert not any(audit_rows("tripscore", rows, CITIES).values())
    single = [row for row in rows if len(json.loads(row["structure"])["destinations"]) == 1]
    assert single
    for row in single:
        assert "一" in row["text_zh"]
        assert "1天" not in row["text_zh"]
        assert "1-day" not in row["text_en"]
        assert "1 day" not in row["text_en"]


@pytest.mark.parametrize(
    ("tags", "said"),
    [
        (["博物馆/纪念馆", "游乐园/体育娱乐"], "visit museums and go to amusement parks"),
        (["美食目的地", "博物馆/纪念馆"], "visit museums and places known for good food"),
        (["大学校园", "美术馆/艺术馆", "游乐园/体育娱乐"],
         "visit university campuses and art galleries, and go to amusement parks"),
    ],
)  # fmt: skip
def test_english_deeds_of_one_verb_stand_together(tags: list[str], said: str) -> None:
    assert tags_en("attractions", tags, "seed", avoided=False)["do"] == said


def test_chinese_foods_share_their_verb() -> None:
    assert tags_zh("diet", ["粤菜", "西餐"], "s", avoided=False)["do"] == "吃粤菜和西餐"


@pytest.mark.parametrize(
    ("names", "zh", "en"),
    [
        (["望江楼"], "「望江楼」", "a meal at"),
        (["望江楼", "松鹤楼"], "「望江楼」和「松鹤楼」", "meals at"),
    ],
)
def test_several_restaurants_have_a_meal_each(names: list[str], zh: str, en: str) -> None:
    constraint = {"kind": "restaurant_name", "mode": "all", "values": names, "amount": None}
    plan = {
        "uid": "", "days": 3, "people_composition": {"adults": 2, "children": 0, "seniors": 0},
        "constraints": [constraint], "objectives": [],
        "names_en": {"望江楼": "River View", "松鹤楼": "Pine and Crane"},
    }  # fmt: skip
    for seed in map(str, range(12)):
        chinese = text_zh(plan, "北京", "杭州", seed)
        assert zh in chinese
        assert ("各吃" in chinese) == (len(names) > 1)
        english = text_en(plan, "Beijing", "Hangzhou", seed)
        assert en in english or "eat at" in english


def test_a_meal_is_asked_for_where_people_sit_down_to_one() -> None:
    rows = pl.DataFrame(
        [
            ("四季饭庄", "beijing"),
            ("阿婆小馆", None),
            ("老街甜铺", "bakery"),
            ("河边婚礼公园", "western"),
        ],
        schema=["name_zh", "cuisine"],
        orient="row",
    )
    assert _meals(rows)["name_zh"].to_list() == ["四季饭庄", "阿婆小馆"]


def test_tags_may_be_near_to_several_others() -> None:
    assert "红色景点" not in unlike(["红色景点", "公园"], ["历史古迹"])
    assert len(apart(["历史古迹", "人文景观"], 2, "seed")) == 1
    assert len(apart(["历史古迹", "红色景点"], 2, "seed")) == 2
    assert len(apart(["素食", "海鲜"], 2, "seed")) == len(apart(["素食", "烧烤"], 2, "seed")) == 1


def test_pastries_are_no_meal_to_travel_for() -> None:
    assert likely(("面包甜点", "粤菜"), Traveller((2, 0, 0))) == ("粤菜",)


def test_no_skeleton_is_more_than_one_text_in_fifty() -> None:
    cities = [find_city(slug) for slug, _ in TPRAG_CITIES]
    rows = [row for city in cities for row in plan_queries(city).to_dicts()]
    for column, name in (("text_zh", "name_zh"), ("text_en", "name_en")):
        names = [getattr(city, name) for city in cities]
        share = variety([row[column] for row in rows], names)["commonest_skeleton_share"]
        assert isinstance(share, float)
        assert share <= 0.02
