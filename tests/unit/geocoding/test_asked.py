"""What a list of pairs says beside the names. Every name is made up."""

from __future__ import annotations

import pytest

from geocoding.asked import AskedPair, as_listed, share_of_other_names
from geocoding.match import match_pairs
from geocoding.verdicts import NameVerdict

POINT = {"lat_a": "30.0", "lon_a": "110.0", "lat_b": "", "lon_b": ""}


def row(a: str, b: str, **cells: str) -> dict[str, str]:
    return {"city": "", "name_a": a, "name_b": b, **POINT, **cells}


NAMES = [
    row(f"{name}湖风景区", f"{name}湖")
    for name in (
        "青莲",
        "白鹿",
        "灵峰",
        "松涛",
        "望月",
        "竹篮",
        "云栖",
        "归云",
        "梅影",
        "石泉",
        "鹤鸣",
        "霜叶",
    )
]
UNLIKE = row("望江楼", "大酒壶")


def test_a_list_of_other_names_is_believed_where_names_say_nothing() -> None:
    found = match_pairs([*NAMES, UNLIKE])[-1]
    assert found["label"] == "same"
    assert 0.55 <= found["score"] < 0.95
    assert "of this list" in found["why"]


def test_a_pair_judged_by_itself_or_in_another_list_stays_different() -> None:
    assert match_pairs([UNLIKE])[0]["label"] == "different"
    assert match_pairs([*NAMES, UNLIKE], alone=True)[-1]["label"] == "different"
    others = [row(f"{one}寺", f"{two}桥") for one in "青白灵松" for two in "望竹云归"]
    assert match_pairs([*NAMES, *others, UNLIKE])[-1]["label"] == "different"


@pytest.mark.parametrize(
    "pair",
    [
        row("望江楼", "大酒壶", lat_b="30.0005", lon_b="110.0"),
        row("望江楼", "大酒壶", lat_a="", lon_a=""),
        row("松涛博物馆", "松涛美术馆"),
        row("望江楼", "Big Flagon"),
        {**row("望江楼", "大酒壶"), "city": "beijing;shanghai"},
    ],
)
def test_only_names_that_say_nothing_about_a_place_without_a_point(pair: dict[str, str]) -> None:
    alone = match_pairs([pair])[0]
    assert match_pairs([*NAMES, pair])[-1] == alone
    assert alone["label"] != "same"


def test_the_share_is_corrected_and_small_lists_say_little() -> None:
    same, unlike = (AskedPair(NameVerdict(label, 0.8, ""), True) for label in ("same", "different"))
    assert share_of_other_names([]) == share_of_other_names([AskedPair(same.verdict, False)] * 50)
    assert (
        share_of_other_names([same] * 2) < 0.7 < share_of_other_names([same] * 20 + [unlike] * 10)
    )
    assert share_of_other_names([unlike] * 500) < 0.01
    assert share_of_other_names([same] * 500) == 0.98


def test_a_clear_verdict_stays() -> None:
    clear = AskedPair(NameVerdict("different", 0.8, "museum is not gallery"), True)
    assert as_listed(clear, 0.98) == clear.verdict
    open_ = AskedPair(NameVerdict("different", 0.8, "different names", guess=True), True)
    assert as_listed(open_, 0.98).label == "same"
    assert as_listed(open_, 0.3) == open_.verdict


@pytest.mark.parametrize(
    ("a", "b", "label"),
    [
        ("Lingfeng Palace", "望月桥", "parent-of"),
        ("Qinglian Lake", "Sunset Bridge", "parent-of"),
        ("Qinglian Lake", "Hall of Sunset Glow", "parent-of"),
        ("Lingfeng Tower", "望月桥", "different"),
        ("Lingfeng Palace", "望月宫", "different"),
        ("松涛寺", "望月桥", "different"),
        ("Qinglian Lake", "青莲湖海洋乐园", "parent-of"),
        ("Lingfeng Zoo", "灵峰野生动物园", "different"),
        ("Qinglian Ancient Town", "望月园", "parent-of"),
        ("Lingfeng Temple", "望月殿", "parent-of"),
        ("Lingfeng Temple", "望月峰", "different"),
        ("青莲博物馆(新馆)", "青莲博物馆", "same"),
        ("青莲博物馆", "青莲博物馆(新馆)", "different"),
    ],
)
def test_parts_are_asked_of_what_has_such_parts(a: str, b: str, label: str) -> None:
    assert match_pairs([row(a, b, lat_a="", lon_a="")])[0]["label"] == label


@pytest.mark.parametrize(
    ("first", "second", "label"),
    [
        ("青莲寺香雪", "青莲寺", "same"),
        ("松涛历史博物馆(望月园)", "望月园", "same"),
        ("松涛饭店博物馆", "松涛饭店", "different"),
        ("竹篮古戏台", "Zhulan", "different"),
        ("青莲湖公园游船", "青莲湖", "different"),
        ("竹篮海酒吧街", "竹篮海", "different"),
        ("竹篮府花园", "竹篮府", "different"),
        ("竹篮府博物馆", "竹篮府", "same"),
        ("长夜鬼屋(竹篮坊店)", "竹篮坊", "different"),
        ("青莲塘文庙", "青莲塘景区", "different"),
    ],
)
def test_a_part_that_is_a_thing_of_its_own_is_no_longer_name(
    first: str, second: str, label: str
) -> None:
    assert match_pairs([row(first, second)])[0]["label"] == label
