from __future__ import annotations

import pytest

from geocoding.name_index import NameIndex
from geocoding.places import TablePlaces, places_from_tables
from geocoding.resolve import resolve_name
from tests.support.geocoding.builders import CITY, attraction, attractions


@pytest.fixture(scope="module")
def places() -> TablePlaces:
    rows = attractions(
        attraction(2, "竹篮巷", 0),
        attraction(3, "灵峰寺", 2_000, name_en="Lingfeng Temple", aliases=["大灵峰"]),
        attraction(4, "青莲湖风景名胜区", 6_000),
        attraction(5, "青莲博物馆", 9_000),
        attraction(6, "青莲湖-望月亭", 6_500),
        attraction(7, "双塔", 12_000),
        attraction(8, "双塔", 60_000),
        attraction(9, "云州大学(江北校区)", 20_000),
    )
    return places_from_tables(rows, CITY)


def resolve(places: TablePlaces, name: str) -> tuple[str, str | None]:
    found = resolve_name(NameIndex.of(places, CITY), name)
    name_of = dict(zip(places.pois["poi_id"], places.pois["name_zh"], strict=True))
    assert 0 <= found.score <= 1
    return found.resolution, name_of.get(found.poi_id or "")


@pytest.mark.parametrize(
    ("name", "standard"),
    [
        ("竹篮巷", "竹篮巷"),
        ("竹籃巷", "竹篮巷"),
        ("竹篮巷景区", "竹篮巷"),
        ("云州竹篮巷", "竹篮巷"),
        ("Zhulan Xiang", "竹篮巷"),
        ("大灵峰", "灵峰寺"),
        ("Lingfeng Monastery", "灵峰寺"),
        ("the Lingfeng Temple", "灵峰寺"),
        ("青莲湖", "青莲湖风景名胜区"),
        ("Green Lotus Lake", "青莲湖风景名胜区"),
    ],
)
def test_linked(places: TablePlaces, name: str, standard: str) -> None:
    assert resolve(places, name) == ("linked", standard)


@pytest.mark.parametrize(
    "name", ["青莲公园", "灵峰塔", "青莲湖酒店", "公园", "寺", "Park", "无名谷", "!!"]
)
def test_unknown_places_are_never_guessed(places: TablePlaces, name: str) -> None:
    assert resolve(places, name)[0] == "unresolved"


def test_one_name_of_two_places_goes_to_review(places: TablePlaces) -> None:
    assert resolve(places, "双塔") == ("review", None)
    assert resolve(places, "云州大学") == ("review", None)


def test_a_places_own_name_outranks_the_alias_of_its_branch() -> None:
    rows = attractions(
        attraction(2, "竹编博物馆(桥东馆区)", 0, aliases=["竹编博物馆"]),
        attraction(3, "竹编博物馆", 9_000),
    )
    assert resolve(places_from_tables(rows, CITY), "竹编博物馆") == ("linked", "竹编博物馆")


def test_a_name_that_only_branches_bear_is_one_of_them() -> None:
    rows = attractions(
        attraction(2, "云州画馆(江北馆)", 0), attraction(3, "云州画馆(江南馆)", 9_000)
    )
    found = resolve_name(NameIndex.of(places_from_tables(rows, CITY), CITY), "云州画馆")
    assert (found.resolution, found.poi_id, len(found.rivals)) == ("review", None, 2)


def test_a_part_of_a_known_place_is_not_left_for_review_as_that_place(places: TablePlaces) -> None:
    assert resolve(places, "竹篮巷渡轮") == ("unresolved", None)
