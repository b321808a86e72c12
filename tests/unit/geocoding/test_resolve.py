from __future__ import annotations

import pytest

from geocoding.places import Places, places_from_tables
from geocoding.resolve import resolve_names
from tests.support.geocoding.builders import CITY, attraction, attractions, surface, surfaces


@pytest.fixture(scope="module")
def places() -> Places:
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


def resolve(places: Places, name: str, **more: object) -> tuple[str, str | None]:
    row = resolve_names(surfaces(surface(1, name, **more)), places, CITY).row(0, named=True)
    name_of = dict(zip(places.pois["poi_id"], places.pois["name_zh"], strict=True))
    assert (row["poi_id"] is not None) == (row["resolution"] == "linked")
    assert 0 <= row["resolution_score"] <= 1
    return row["resolution"], name_of.get(row["poi_id"])


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
def test_linked(places: Places, name: str, standard: str) -> None:
    assert resolve(places, name) == ("linked", standard)


@pytest.mark.parametrize(
    "name", ["青莲公园", "灵峰塔", "青莲湖酒店", "公园", "寺", "Park", "无名谷", "!!"]
)
def test_unknown_places_are_never_guessed(places: Places, name: str) -> None:
    assert resolve(places, name)[0] == "unresolved"


def test_one_name_of_two_places_goes_to_review(places: Places) -> None:
    assert resolve(places, "双塔") == ("review", None)
    assert resolve(places, "云州大学") == ("review", None)


def test_a_places_own_name_outranks_the_alias_of_its_branch() -> None:
    rows = attractions(
        attraction(2, "竹编博物馆(桥东馆区)", 0, aliases=["竹编博物馆"]),
        attraction(3, "竹编博物馆", 9_000),
    )
    assert resolve(places_from_tables(rows, CITY), "竹编博物馆") == ("linked", "竹编博物馆")


def test_the_standard_name_of_the_reading_decides(places: Places) -> None:
    assert resolve(places, "那座小寺", standard="灵峰寺") == ("linked", "灵峰寺")
    assert resolve(places, "那座小寺", standard="没有的寺") == ("unresolved", None)


def test_conflicting_standards_decide_nothing(places: Places) -> None:
    names = surfaces(surface(1, "那里", standard="灵峰寺"), surface(2, "那里", standard="竹篮巷"))
    row = resolve_names(names, places, CITY).row(0, named=True)
    assert row["resolution"] == "unresolved"


def test_one_row_a_name_in_any_order(places: Places) -> None:
    rows = [
        surface(d, n) for d, n in ((1, "竹篮巷"), (2, "竹篮巷"), (3, "灵峰寺"), (1, "青莲公园"))
    ]
    one = resolve_names(surfaces(*rows), places, CITY)
    assert one.equals(resolve_names(surfaces(*reversed(rows)), places, CITY))
    assert one["name"].to_list() == sorted({"竹篮巷", "灵峰寺", "青莲公园"})
    assert resolve_names(surfaces(), places, CITY).height == 0
