"""Kinds of sights and occasions: how long, when, and what suits."""

from __future__ import annotations

import pytest

from schemas.taxonomy import CONSTRAINTS
from validators.plans.appeal import visit_of, wishes_met, wishes_of
from validators.plans.kinds import OCCASIONS, is_shared, kind_of, only_for_some, suits
from validators.plans.renown import Renown
from validators.plans.trip import Trip, trip_of
from validators.plans.world import Place


def sight(name: str, *types: str, **more: int) -> Place:
    return Place("attraction", "p", name, (30.0, 104.0), frozenset(types), **more)  # type: ignore[arg-type]


def renown(base: str | None, category: str | None = None) -> Renown:
    return Renown({}, {"p": base}, {"p": category}, {}, {})


def trip(constraint: str | None, kind: str) -> Trip:
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
        ("某某故居", "museum_memorial", "house", "day"),
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
