from __future__ import annotations

import itertools
import random

import numpy as np
import polars as pl
import pytest

from geocoding.bulk import dedupe
from geocoding.bulk.dedupe import group
from geocoding.bulk.languages import ACROSS
from geocoding.bulk.names import take_apart
from geocoding.bulk.scoring import CONFLICTS
from tests.conftest import ROOT

METRE = 1 / 111_195
Row = tuple[str, float | None]


def rows(*places: Row, city: str | None = "云州") -> pl.DataFrame:
    """Names, and how many metres north of one point; None: no coordinates."""
    return pl.DataFrame(
        [
            {"name": name, "city": city, "source_id": None,
             "lat": None if north is None else 30.0 + north * METRE,
             "lon": None if north is None else 110.0}
            for name, north in places
        ],
        schema={"name": pl.String, "city": pl.String, "source_id": pl.String,
                "lat": pl.Float64, "lon": pl.Float64},
    )  # fmt: skip


def places_of(frame: pl.DataFrame) -> list[int]:
    return dedupe(frame).members["place"].to_list()


@pytest.mark.parametrize(
    ("one", "two", "north"),
    [
        ("云来酒店(湖滨店)", "云来酒店（湖滨店）", 40.0),
        ("云来酒店(湖滨店)", "雲來酒店(湖濱店)", 120.0),
        ("灵峰寺", "云州灵峰寺", 60.0),
        ("灵峰寺", "云州市灵峰寺", 60.0),
        ("青莲湖", "青莲湖风景名胜区", 250.0),
        ("老张家牛肉面馆", "老张家牛肉面", 30.0),
        ("竹篮巷老茶馆", "竹篮巷老茶館", None),
        ("Lotus Tea House", "LOTUS TEA-HOUSE", 10.0),
        ("云来酒店（原湖滨宾馆）", "云来酒店", 10.0),
    ],
)
def test_one_place(one: str, two: str, north: float | None) -> None:
    assert places_of(rows((one, 0.0), (two, north))) == [0, 0]
    assert places_of(rows((two, north), (one, 0.0))) == [0, 0]


@pytest.mark.parametrize(
    ("one", "two", "north"),
    [
        ("云来酒店(湖滨店)", "云来酒店(江滨店)", 90.0),
        ("云来酒店(1号店)", "云来酒店(2号店)", 20.0),
        ("竹篮巷12号院", "竹篮巷21号院", 20.0),
        ("灵峰寺", "灵峰寺", 20_000.0),
        ("东竹亭", "西竹亭", 50.0),
        ("青莲美术馆", "青莲博物馆", 20.0),
        ("云州大酒店", "云州大酒店荷花厅餐厅", 10.0),
        ("灵峰寺-北门", "灵峰寺-南门", 100.0),
        ("云来酒店", "云来酒店(湖滨店)", 900.0),
    ],
)
def test_two_places(one: str, two: str, north: float) -> None:
    assert places_of(rows((one, 0.0), (two, north))) == [0, 1]


def test_same_name_in_two_cities_without_coordinates() -> None:
    both = pl.concat([rows(("灵峰寺", None)), rows(("灵峰寺", None), city="远州")])
    assert places_of(both) == [0, 1]


def test_hierarchy_and_its_direction() -> None:
    found = dedupe(
        rows(("青莲湖公园", 0.0), ("青莲湖公园-北门", 300.0), ("青莲湖公园观景台", 200.0))
    )
    assert found.hierarchy.select("place", "parent_place").rows() == [(1, 0), (2, 0)]


def test_no_chain_joins_two_strangers() -> None:
    """A bare name between two branches joins one of them, never both."""
    found = places_of(
        rows(("云来酒店(湖滨店)", 0.0), ("云来酒店", 45.0), ("云来酒店(江滨店)", 90.0))
    )
    assert found[0] != found[2]
    assert len(set(found)) == 2


def test_group_respects_strangers_in_a_chain() -> None:
    same, apart = ("same", 5.0, 0), ("different", -8.0, 0)
    pairs = pl.DataFrame(
        [(0, 1, *same), (1, 2, *same), (2, 3, *same), (0, 3, *apart), (4, 5, *same)],
        ["first", "second", "label", "balance", "conflicts"], orient="row",
    )  # fmt: skip
    label = group(pairs, 6)
    assert label[0] != label[3]
    assert label[4] == label[5] == 4
    assert len(set(label.tolist())) == 3


def test_canonical_record_says_where_each_field_comes_from() -> None:
    frame = rows(("灵峰寺", None), ("云州灵峰寺", 0.0)).with_columns(
        rating=pl.Series([None, 4.5], dtype=pl.Float64)
    )
    place = dedupe(frame).places.to_dicts()[0]
    assert (place["name"], place["rating"], place["n_rows"]) == ("灵峰寺", 4.5, 2)
    assert (place["name_row"], place["rating_row"], place["point_row"]) == (0, 1, 1)


def test_order_of_rows_does_not_change_the_groups() -> None:
    names = [
        f"{a}{b}{c}" for a, b, c in itertools.product("青绿红", "莲竹松", ["湖饭店", "山酒家"])
    ]
    frame = rows(*((name, 37.0 * at) for at, name in enumerate(names * 2)))
    order = list(range(frame.height))
    random.Random(3).shuffle(order)
    straight, turned = places_of(frame), places_of(frame[order])
    back = np.argsort(order)
    again = [turned[at] for at in back]
    assert [straight.index(x) for x in straight] == [again.index(x) for x in again]


def test_pairs_keep_their_comparison_values() -> None:
    pair = dedupe(rows(("云来酒店(湖滨店)", 0.0), ("云来酒店(江滨店)", 90.0))).pairs.to_dicts()[0]
    assert pair["label"] == "different"
    assert pair["conflicts"] == 1 << CONFLICTS.index("brackets")
    assert pair["distance_m"] == pytest.approx(90.0, abs=0.5)


def test_empty_and_nameless() -> None:
    assert dedupe(rows()).places.height == 0
    assert places_of(rows(("", 0.0), ("", 0.0), ("…", 0.0), ("湖", None))) == [0, 1, 2, 3]


def test_parts_of_names() -> None:
    names = pl.Series(["云州灵峰寺（东门店）", "青莲湖－望月亭", "ＡＢＣ·茶館", None])
    parts = take_apart(names, pl.Series(["云州", "云州", None, None]))
    assert parts["main"].to_list() == ["灵峰寺", "青莲湖", "abc茶馆", None]
    assert parts["bracket"].to_list()[:2] == ["东门店", ""]
    assert parts["tail"].to_list()[:2] == ["", "望月亭"]
    assert parts["kind"].to_list()[:2] == ["temple", "lake"]


@pytest.mark.parametrize(
    ("chinese", "latin", "north", "joined"),
    [
        ("灵峰寺", "Lingfeng Temple", 60.0, True),
        ("云州植物园", "Yunzhou Botanical Garden", 90.0, True),
        ("鼓楼", "Gulou", 20.0, True),
        ("灵峰寺", "Lingfeng Temple", 900.0, False),
        ("灵峰寺", "Qinglian Temple", 10.0, False),
        ("灵峰寺", "Lingfeng Hotel", 10.0, False),
        ("灵峰寺", "Lingfeng Temple", None, False),
    ],
)
def test_a_place_in_two_languages(
    chinese: str, latin: str, north: float | None, joined: bool
) -> None:
    for order in (((chinese, 0.0), (latin, north)), ((latin, north), (chinese, 0.0))):
        assert places_of(rows(*order)) == ([0, 0] if joined else [0, 1])


def test_a_latin_name_between_two_equals_joins_neither() -> None:
    """Two temples sound the same; which of them is meant cannot be told."""
    same_sound = ("灵峰寺", 0.0), ("凌峰寺", 30.0), ("Lingfeng Temple", 15.0)
    assert places_of(rows(*same_sound))[2] == 2
    assert places_of(rows(("灵峰寺", 0.0), ("灵峰寺", 30.0), ("Lingfeng Temple", 15.0))) == [
        0,
        0,
        0,
    ]


def test_pairs_in_two_languages_say_so() -> None:
    (pair,) = dedupe(rows(("灵峰寺", 0.0), ("Lingfeng Temple", 60.0))).pairs.to_dicts()
    assert (pair["first"], pair["second"], pair["label"]) == (0, 1, "same")
    assert pair["name_level"] == ACROSS
    assert pair["distance_m"] == pytest.approx(60, abs=1)


def test_the_samples_places_join_their_english_names_and_no_others() -> None:
    gazetteer = pl.read_csv(ROOT / "sources" / "sample" / "hangzhou" / "tables" / "gazetteer.csv")
    known = gazetteer.drop_nulls(["name_zh", "name_en", "lat", "lon"]).with_row_index("place")
    jitter = random.Random(4)
    moved = [jitter.uniform(-70, 70) * METRE for _ in range(2 * known.height)]
    both = pl.concat(
        [
            known.select("place", "lat", "lon", name="name_zh"),
            known.select(
                "place", pl.col("lat") + pl.Series(moved[::2]),
                pl.col("lon") + pl.Series(moved[1::2]), name="name_en",
            ),
        ],
        how="diagonal",
    )  # fmt: skip
    asked = both.select(
        "name", "lat", "lon", city=pl.lit("杭州"), source_id=pl.lit(None, pl.String)
    )
    place = both["place"].to_list()
    owners = dedupe(asked).members["place"].to_list()[known.height :]
    joined = [(place[o], n) for n, o in enumerate(owners) if o < known.height]
    assert [pair for pair in joined if pair[0] != pair[1]] == []
    assert 2 * len(joined) > known.height


@pytest.mark.parametrize(
    ("one", "two", "is_one"),
    [
        ("Restaurante Lua", "Restaurante Mar", False),
        ("Restaurant Bella", "Restaurant Luna", False),
        ("Restaurante Serra", "Restaurante Sera", True),
        ("Café Lisboa Antiga", "Cafe Lisboa Antiga", True),
        ("Museum of Modern Art", "Museum Modern Art", True),
    ],
)
def test_words_that_names_do_not_share_tell_them_apart(one: str, two: str, is_one: bool) -> None:
    rows = pl.DataFrame({"name": [one, two], "city": [None, None], "lat": [38.5, 38.5003],
                         "lon": [-7.9, -7.9], "source_id": ["1", "2"]})  # fmt: skip
    assert (dedupe(rows).places.height == 1) == is_one
