"""The index of all places: what it holds in memory does not grow with the tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import polars as pl
import pytest

from geocoding.linking.index import CityPlaces, CityShelf, PlaceIndex
from geocoding.names import name_key, pinyin
from schemas.cities import City
from tests.support.geocoding.linking import HANGZHOU, NANJING, index_of, linked, place_of, told

TABLES = {HANGZHOU: ("青莲古塔(南园)", "竹篮巷"), NANJING: ("玄石城墙", "青莲古塔")}
TEXT = told(["杭州、南京", "竹篮巷、玄石城墙、青莲古塔"], ["竹篮巷", "玄石城墙", "青莲古塔"])


def counted(index: PlaceIndex, most: int) -> tuple[PlaceIndex, Counter[City]]:
    """The same index, of which so many names are open at once, and how often a city is opened."""
    shelf, opened = CityShelf(most), Counter[City]()

    def counting(held: CityPlaces) -> CityPlaces:
        def read(name: str, columns: Sequence[str] | None) -> pl.DataFrame:
            opened[held.city] += name == "keys"
            return held.read(name, columns)

        return CityPlaces(held.city, read, "1", shelf)

    return PlaceIndex.of({key: counting(held) for key, held in index.cities.items()}), opened


@pytest.mark.parametrize(("most", "times"), [(100, 1), (1, 3)])
def test_a_city_is_opened_again_where_no_more_may_be_open(most: int, times: int) -> None:
    index, opened = counted(index_of(TABLES), most)
    for _ in range(3):
        for held in index.cities.values():
            assert held.opened.n_names
    assert opened == {HANGZHOU: times, NANJING: times}


def test_links_are_the_same_whatever_is_open() -> None:
    index = index_of(TABLES)
    assert linked(TEXT, index) == linked(TEXT, counted(index, 1)[0])


def test_only_names_that_are_asked_for_are_held() -> None:
    every = index_of(TABLES)
    asked = PlaceIndex.of(every.cities, ["青莲古塔", "无名台"])
    assert asked.exact("青莲古塔") == every.exact("青莲古塔") == {
        (HANGZHOU.city_id, place_of(every, HANGZHOU, "青莲古塔(南园)")),
        (NANJING.city_id, place_of(every, NANJING, "青莲古塔")),
    }  # fmt: skip
    assert asked.exact("竹篮巷") == frozenset()
    assert every.exact("竹篮巷")


def test_another_version_of_a_table_is_opened_anew() -> None:
    index, opened = counted(index_of(TABLES), 100)
    held = index.cities[HANGZHOU.city_id]
    assert held.opened is held.opened
    assert replace(held, version="2").opened is not held.opened
    assert opened[HANGZHOU] == 2


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        ("重庆路", "chongqinglu"),
        ("重山", "zhongshan"),
        ("长安", "changan"),
        ("绿洲A座", "lvzhouazuo"),
    ],
)
def test_pinyin_reads_phrases_as_phrases(text: str, spelled: str) -> None:
    assert pinyin(text) == spelled


def test_names_are_found_by_key_by_end_and_by_letters() -> None:
    held = index_of(TABLES).cities[HANGZHOU.city_id].opened
    tower, alley = (held.resolve(name).poi_id for name in TABLES[HANGZHOU])
    assert held.index.bearing(map(name_key, [*TABLES[HANGZHOU], "无"])) == {tower, alley}
    assert held.index.ending_in("篮巷") == {alley}
    assert held.holds("莲古")
    assert not held.holds("玄石")
    assert tower is not None
    assert next(name.raw for name in held.index.names_of(tower)) == "青莲古塔(南园)"


def test_only_its_own_name_is_a_places_own() -> None:
    index = index_of(TABLES).cities[HANGZHOU.city_id].opened.index
    assert index.bearing(["竹篮巷"], own=True) == index.bearing(["竹篮巷"])
    assert index.bearing([], own=True) == set()
