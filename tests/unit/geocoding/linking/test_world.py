"""Cities and regions that a text names."""

from __future__ import annotations

import pytest

from geocoding.linking.path import best_path
from geocoding.linking.world import (
    city_in_front,
    outings,
    place_named,
    place_told,
    spots,
    spots_in_path,
)

HANGZHOU, SHANGHAI, NANJING, CHONGQING = "gn1808926", "gn1796236", "gn1799962", "gn1814906"


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("从上海出发去杭州，住两晚", [SHANGHAI, HANGZHOU]),
        ("南京路和北京大学都去了", []),
        ("We flew to Shanghai, then Hangzhou.", [SHANGHAI, HANGZHOU]),
        ("a nice day in Nice", []),
        ("日本旅行", ["JP"]),
        ("云南很美", ["CN.29"]),
        ("重庆火锅", [CHONGQING]),
    ],
)
def test_what_a_text_names(text: str, places: list[str]) -> None:
    assert [spot.place for spot in spots(text)] == places


def test_names_of_sights_are_masked() -> None:
    assert not list(spots("南京博物院", [(0, 5)]))


@pytest.mark.parametrize(
    ("name", "place"),
    [("北京鼓楼", "gn1816670"), ("南京路", None), ("鼓楼", None), ("杭州西湖", HANGZHOU),
     ("Nanjing Road", None), ("Nanjing City Wall", NANJING), ("Nanjing Lu Road", None)],
)  # fmt: skip
def test_a_city_in_front_of_a_name(name: str, place: str | None) -> None:
    found = city_in_front(name)
    assert (found.place if found else None) == place


def test_a_whole_text_as_a_city_or_region() -> None:
    found = {name: place_named(name) for name in ("杭州市", "Hangzhou", "四川省", "Japan", "某处")}
    assert [spot.place if spot else None for spot in found.values()] == [
        HANGZHOU, HANGZHOU, "CN.32", "JP", None,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "between"),
    [
        ("第四天 成都>丹霞寨>成都", [">丹霞寨>"]),
        ("Day 3: Chengdu – Redcliff Fort – Chengdu", ["– Redcliff Fort –"]),
        ("上海 - 杭州 - 上海", []),
        ("北京-故宫-颐和园", []),
        ("成都\n丹霞寨-成都", []),
    ],
)
def test_what_stands_between_a_city_and_itself(text: str, between: list[str]) -> None:
    assert [text[start:end] for start, end in outings(text)] == between


def test_a_path_names_cities_without_capitals() -> None:
    assert [spot.place for spot in spots_in_path("posts/three-days-in-hangzhou.md")] == [HANGZHOU]


def test_a_path_changes_city_where_a_heading_says_so() -> None:
    blocks = [{"a": 60}, {"a": 20}, {"b": 60}, {}, {"b": 20}]
    heads = [frozenset("a"), frozenset(), frozenset("b"), frozenset(), frozenset()]
    assert best_path(blocks, heads) == ["a", "a", "b", "b", "b"]


def test_one_word_of_another_city_changes_nothing() -> None:
    blocks = [{"a": 60}, {"b": 20}, {"a": 20}]
    assert best_path(blocks, [frozenset()] * 3) == ["a", "a", "a"]


def test_a_text_that_tells_nothing_is_nowhere() -> None:
    assert best_path([{}, {"a": 12}], [frozenset()] * 2) == ["", ""]
    assert best_path([], []) == []


@pytest.mark.parametrize("name", ["澳门", "澳門", "Macau", "新加坡", "Singapore", "廣州"])
def test_a_city_that_bears_its_countrys_name_is_a_city(name: str) -> None:
    spot = place_named(name)
    assert spot is not None
    assert spot.is_city


@pytest.mark.parametrize(
    ("text", "place"),
    [("杭州", HANGZHOU), ("浙江省杭州市", HANGZHOU), ("杭州城外", HANGZHOU), ("杭州周边", None),
     ("near Hangzhou", None), ("从上海到杭州", None), ("鹰嘴山", None)],
)  # fmt: skip
def test_where_a_text_puts_something(text: str, place: str | None) -> None:
    found = place_told(text)
    assert (found.place if found else None) == place


@pytest.mark.parametrize("name", ["东方之亭", "天安坊", "老街口牌坊"])
def test_a_city_that_is_an_ordinary_word_stands_in_front_of_nothing(name: str) -> None:
    assert city_in_front(name) is None
    assert not list(spots(name))


def test_it_is_meant_where_the_text_calls_it_a_city() -> None:
    assert place_named("东方市") is not None
    assert city_in_front("东方市文化广场") is not None


def test_a_district_of_a_municipality_is_the_city() -> None:
    found = [place_told(text) for text in ("浦东", "上海浦东新区", "Pudong", "涪陵", "徐汇区")]
    assert [spot.place if spot else None for spot in found] == [
        SHANGHAI, SHANGHAI, SHANGHAI, CHONGQING, SHANGHAI,
    ]  # fmt: skip
    assert place_named("宁波") != place_named("杭州"), "cities of a province are cities"


def test_a_small_part_of_a_municipality_tells_no_city() -> None:
    assert place_named("城西") is None
