"""Scores, reasons and thresholds of resolved names, and which candidate comes first."""

from __future__ import annotations

import pytest

from geocoding.name_index import NameIndex
from geocoding.places import TablePlaces, places_from_tables
from geocoding.resolve import LINKED, REVIEW, Resolution, resolve_name
from tests.support.geocoding.builders import CITY, attraction, attractions

#: Pairs of names of which a bare one is the first, since "old" only fills; the second is like it.
_BARE = (
    "松涛茶马驿站",
    "柳溪石磨广场",
    "云坪竹海长廊",
    "金梭水车公园",
    "丹枫渡口码头",
    "玉屏采石工坊",
)
_RIVALS = ("栗坪云雾茶寮", "枫坪云雾茶寮")
_SITES = [f"{n[:2]}{which}{n[2:]}" for n in _BARE for which in "老新"]


@pytest.fixture(scope="module")
def places() -> TablePlaces:
    names = ["竹篮巷", "青莲湖风景名胜区", "双塔", "双塔", "白鹭洲", *_SITES, *_RIVALS]
    rows = [attraction(2 + i, name, 5_000 * i) for i, name in enumerate(names)]
    temple = attraction(90, "灵峰寺", 2_000, name_en="Lingfeng Temple", aliases=["大灵峰"])
    return places_from_tables(attractions(*rows, temple), CITY)


def resolve(places: TablePlaces, name: str) -> Resolution:
    return resolve_name(NameIndex.of(places, CITY), name)


@pytest.mark.parametrize(
    ("name", "resolution", "score", "why"),
    [
        ("竹篮巷", "linked", 1.0, "the name is known"),
        ("大灵峰", "linked", 1.0, "the name is known"),
        ("双塔", "review", 0.7, "2 places bear the name"),
        ("公园", "unresolved", 0.0, "no known place is near the name"),
        ("Bailuzhou", "linked", 0.92, "白鹭洲: the pinyin of the name"),
        ("茶马驿站", "review", 0.75, "松涛老茶马驿站: equal but for 松涛老 in front"),
        ("云雾茶寮", "review", 0.75, "two in front; 1 more fit as well"),
        ("松涛老花马驿站", "review", 0.75, "松涛老茶马驿站: different names"),
    ],
)  # fmt: skip
def test_score_and_reason(
    places: TablePlaces, name: str, resolution: str, score: float, why: str
) -> None:
    row = resolve(places, name)
    assert (row.resolution, round(row.score, 3)) == (resolution, score)
    if "fit as well" in why:
        assert row.why.endswith("1 more fit as well")
    else:
        assert row.why.split(" (poi_")[0].split(": 双塔")[0] == why


def test_scores_keep_to_the_thresholds(places: TablePlaces) -> None:
    names = [*_SITES, *_BARE, "双塔", "灵峰寺院", "松涛老茶马驿", "茶马驿站", "Songtao Station"]
    for row in (resolve(places, name) for name in names):
        assert (row.resolution == "unresolved") == (row.score < REVIEW)
        assert row.resolution != "linked" or row.score >= LINKED
    assert resolve(places, "松涛老茶马驿").resolution == "review"


def test_the_best_candidate_is_first_whatever_its_id(places: TablePlaces) -> None:
    ids = dict(places.pois.select("name_zh", "poi_id").iter_rows())
    olds, news = _SITES[::2], _SITES[1::2]
    later = [ids[old] > ids[new] for old, new in zip(olds, news, strict=True)]
    assert any(later), "some best candidate stands behind the other by id"
    for bare, old in zip(_BARE, olds, strict=True):
        row = resolve(places, bare)
        assert (row.resolution, row.poi_id) == ("linked", ids[old])


def test_a_likeness_never_links(places: TablePlaces) -> None:
    """One character of a long name differs: a person should look."""
    row = resolve(places, "松涛老花马驿站")
    assert (row.resolution, row.poi_id) == ("review", None)
    assert row.score < LINKED
