"""Kinds of sights and occasions: how long, when, and what suits."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from schemas.taxonomy import CONSTRAINTS
from validators.plans.appeal import visit_of, wishes_met, wishes_of
from validators.plans.kinds import (
    OCCASIONS,
    fit,
    is_shared,
    is_usually_closed,
    kind_of,
    only_for_some,
    suits,
)
from validators.plans.renown import Renown
from validators.plans.trip import TripRequest, trip_of
from validators.plans.world import Place
from warehouse.opening import Hours


def sight(name: str, *types: str, **more: Any) -> Place:
    return Place("attraction", "p", name, (30.0, 104.0), frozenset(types), **more)


def renown(base: str | None, category: str | None = None) -> Renown:
    return Renown({}, {"p": base}, {"p": category}, {}, {})


def trip(constraint: str | None, kind: str) -> TripRequest:
    structure = {"city": "hangzhou", "constraint": constraint, "constraint_kind": kind, "days": 3}
    return trip_of({"query_id": "q", "family": "tprag", "structure": structure})


@pytest.mark.parametrize(
    ("name", "base", "kind", "when"),
    [
        ("某江夜游", "amusement_sports", "boat", "night"),
        ("某城大剧院", "cultural_landscape", "show", "show"),
        ("某某欢乐谷", "amusement_sports", "rides", "rides"),
        ("某地熊猫基地", "amusement_sports", "zoo", "day"),
        ("熊猫主题邮局", "commercial_district", "mall", "late"),
        ("某禅寺", "historic_site", "temple", "day"),
        ("某省博物院", "museum_memorial", "great_museum", "day"),
        ("某某故居", "museum_memorial", "former_home", "day"),
        ("某某祠", "historic_site", "house", "day"),
        ("某某总督府", "historic_site", "mansion", "day"),
        ("某湖", "park", "lake", "day"),
        ("某某步行街", "commercial_district", "town_street", "late"),
        ("无名", None, "other", "day"),
    ],
)
def test_kind_goes_by_words_and_types(name: str, base: str | None, kind: str, when: str) -> None:
    found = kind_of(sight(name), renown(base))
    assert (found.name, found.when) == (kind, when)


def test_recommended_minutes_count_within_the_kind() -> None:
    usual = trip(None, "generic")
    temple = renown("historic_site", "religious_spiritual")
    long = visit_of(sight("某寺", least_min=180, most_min=240), usual, temple, None)
    short = visit_of(sight("某寺", least_min=10, most_min=20), usual, temple, None)
    best = visit_of(sight("某寺", least_min=10, most_min=20), usual, temple, 0)
    assert (long.minutes, short.minutes, best.minutes) == (75, 60, 90)


def test_night_tours_begin_after_dark_and_rides_take_the_day() -> None:
    usual = trip(None, "generic")
    night = visit_of(sight("某江夜游"), usual, renown("amusement_sports"), None)
    rides = visit_of(sight("某某欢乐谷"), usual, renown("amusement_sports"), None)
    assert night.floor >= 18 * 60
    assert night.late
    assert rides.minutes >= 360
    assert rides.evening


def test_seasons_and_travellers_have_their_rows_and_no_row_is_of_something_else() -> None:
    codes = {kind: {t.code for t in terms} for kind, terms in CONSTRAINTS.items()}
    assert codes["season"] | codes["traveller"] <= OCCASIONS
    assert codes["season"] | codes["traveller"] | codes["holiday"] >= OCCASIONS


def test_an_occasion_without_rows_is_no_wish() -> None:
    assert wishes_of(trip("obon", "holiday")) == ()
    assert wishes_of(trip("winter", "season")) == ("winter",)


def test_occasions_tell_sights_apart() -> None:
    snow, pool = sight("某冰雪世界"), sight("某水上乐园")
    fun = renown("amusement_sports")
    assert suits(snow, fun, ("winter",)) > 0 > suits(pool, fun, ("winter",))
    assert wishes_met(snow, trip("winter", "season"), fun) == {"winter"}
    assert wishes_met(pool, trip("winter", "season"), fun) == frozenset()


def test_category_and_pace_of_a_query_shape_its_trip() -> None:
    temple = sight("某寺"), renown("historic_site", "religious_spiritual")
    asked = trip("religious_spiritual", "poi_category")
    assert wishes_met(temple[0], asked, temple[1]) == {"religious_spiritual"}
    assert trip("special_forces", "compactness").pace == "special_forces"


def test_hotels_for_some_and_shared_beds_are_known_by_name() -> None:
    assert only_for_some("某某女生公寓")
    assert is_shared("某某青年旅舍")
    assert not only_for_some("某某大酒店")
    assert not is_shared("某某大酒店")


@pytest.mark.parametrize(
    ("name", "wish", "expected"),
    [
        ("某某欢乐谷", "游乐园/体育娱乐", 1),
        ("某山索道", "游乐园/体育娱乐", -1),
        ("某某山庄", "游乐园/体育娱乐", 0),
        ("某某大学", "大学校园", 1),
        ("某某大学-图书馆", "大学校园", -1),
        ("某某夜市", "夜经济热点", 1),
    ],
)
def test_names_tell_how_well_a_wish_is_met(name: str, wish: str, expected: int) -> None:
    assert fit(sight(name), renown(None), wish) == expected


def test_science_halls_answer_art_and_technology_wherever_tables_put_them() -> None:
    asked = trip("art_technology", "poi_category")
    hall = renown("museum_memorial", "historical_cultural")
    assert wishes_met(sight("某省科技馆"), asked, hall) == {"art_technology"}
    assert not wishes_met(sight("某省博物馆"), asked, hall)


def opened(*weekdays: int) -> Hours:
    return Hours(tuple(((540, 1020),) if day in weekdays else () for day in range(7)))


def test_museums_are_closed_on_mondays_unless_their_hours_tell_weekdays() -> None:
    museum = renown("museum_memorial")
    daily, told = opened(*range(7)), opened(0, 2, 3, 4, 5, 6)
    assert is_usually_closed(replace(sight("某博物馆"), hours=daily), museum, 0)
    assert not is_usually_closed(replace(sight("某博物馆"), hours=daily), museum, 1)
    assert not is_usually_closed(replace(sight("某博物馆"), hours=told), museum, 0)
    assert is_usually_closed(replace(sight("某王府"), hours=daily), renown("historic_site"), 0)
    assert is_usually_closed(replace(sight("某故居"), hours=daily), renown("historic_site"), 0)
    assert not is_usually_closed(replace(sight("某某祠"), hours=daily), renown("historic_site"), 0)
    assert not is_usually_closed(replace(sight("某公园"), hours=daily), renown("park"), 0)


def test_night_sights_wait_for_the_evening_only_where_it_is_open_then() -> None:
    street = sight("某某老街", "夜经济热点")
    kind = renown("commercial_district")
    late = visit_of(street, trip(None, "generic"), kind, None, strict=True)
    early = visit_of(
        replace(street, hours=opened(*range(7))), trip(None, "generic"), kind, None, strict=True
    )
    assert (late.floor, early.floor) == (960, 630)


def test_one_name_near_another_is_one_visit() -> None:
    known = Renown({}, {"a": "park", "b": "historic_site"}, {}, {}, {})
    here = Place("attraction", "a", "云溪烟树", (30.0, 104.0), frozenset())
    there = Place("attraction", "b", "云溪十八弯", (30.004, 104.0), frozenset())
    assert known.same_visit(here, there)
    assert not known.same_visit(here, replace(there, point=(30.1, 104.0)))
    assert not known.same_visit(replace(here, name="中山堂"), replace(there, name="中山书局旧址"))


def test_who_tells_no_date_starts_on_a_tuesday_and_a_told_weekday_counts() -> None:
    free = trip(None, "generic").request
    assert [free.weekday(day) for day in (1, 6, 7)] == [1, 6, 0]
    structure = {
        "start_city": "beijing",
        "target_city": "hangzhou",
        "days": 2,
        "budget": 5000,
        "interests": [],
        "cuisines": [],
        "intensity": "relaxed",
        "departure_part": "evening",
        "return_part": "evening",
        "departure_day": "Sunday",
    }
    told = trip_of({"query_id": "q", "family": "triptailor", "structure": structure}).request
    assert (told.when(1), told.when(2), told.date(1)) == (6, 0, None)
    assert opened(*range(1, 7)).days(told.when(2)) == [()]


@pytest.mark.parametrize(
    ("wish", "base", "meant", "hardly"),
    [
        ("亲子友好", "museum_memorial", "某市科技馆", "某证券博物馆"),
        ("自然风光", "natural_scenery", "某某山", "某某游船码头"),
        ("美食目的地", "commercial_district", "某某小吃街", "某某大厦"),
        ("沉浸式体验", "museum_memorial", "某某光影体验馆", "某某遇难同胞纪念馆"),
    ],
)
def test_names_say_what_is_meant_by_a_wish(wish: str, base: str, meant: str, hardly: str) -> None:
    known = renown(base)
    assert fit(sight(meant, wish), known, wish) == 1
    assert fit(sight(hardly, wish), known, wish) == -1


def test_seasons_refuse_what_is_of_another() -> None:
    snow, blossom = sight("某冰雪世界"), sight("某樱花园")
    fun, park = renown("amusement_sports"), renown("park")
    assert suits(snow, fun, ("summer",)) < 0
    assert suits(blossom, park, ("autumn",)) < 0 < suits(blossom, park, ("spring",))
    assert fit(blossom, park, "spring") == 1
    assert fit(sight("某公园"), park, "spring") == 0


def test_cheap_rides_are_no_whole_day() -> None:
    usual, fun = trip(None, "generic"), renown("amusement_sports")
    few = visit_of(sight("某某儿童乐园", price_cents=1000), usual, fun, None)
    many = visit_of(sight("某某欢乐谷", price_cents=20000), usual, fun, None)
    assert few.minutes < 300 <= many.minutes


def test_the_slow_see_half_of_the_span_and_the_best_known_all_of_it() -> None:
    museum, base = sight("某省博物馆"), renown("museum_memorial")
    slow = replace(trip(None, "generic"), pace="slow", effort="moderate")
    minutes = [visit_of(museum, slow, base, rank).minutes for rank in (0, 7, None)]
    assert minutes == [180, 150, 150]
