"""Trips that somebody would take: how far, for how much, and how it is said."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import pytest

from queries import chinatravel, traveleval, tripscore, triptailor
from queries.audit.rows import audit_rows
from queries.grounding import Origin, Place, published_offer
from queries.journeys import distance_m, modest_cents, origins_for, ways_of
from queries.settings import ChinaTravelSettings, TripScoreSettings, TripTailorSettings
from queries.tprag import plan_queries, published_zh
from queries.wording import Wish, request_en
from schemas.cities import find_city
from tests.support.queries.offers import CITIES, PLACES

TEN = tuple(find_city(name) for name in traveleval.PUBLISHED_CITIES)
BARE = tuple(Place(city, published_offer(city, TEN), grounded=False) for city in TEN)


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
        Wish("cuisine", "avoid", {"and": "seafood", "or": "seafood"}),
        Wish("rhythm/慢游", "wish", {}),
        Wish("cuisine", "wish", {"and": "hot pot", "or": "hot pot"}),
    ]
    for seed in map(str, range(40)):
        text = request_en("tripscore", {"where": "Wuhan", "days": 3}, wishes, seed, alone=True)
        liked, refused = text.index("hot pot"), text.index("seafood")
        between = text[liked:refused]
        assert liked < refused
        assert between.count(".") <= 1
        assert not any(word in between for word in ("food", "eat", "meal"))


def test_the_layout_of_tprag_has_the_published_form() -> None:
    forms = {r["query_id"]: published_zh(r) for r in plan_queries(find_city("hangzhou")).to_dicts()}
    assert forms["tprag-hangzhou-spring-3d"] == "杭州春季三日游"
    assert forms["tprag-hangzhou-generic-any"] == "杭州旅游"
