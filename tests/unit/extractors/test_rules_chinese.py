"""Chinese pages in the forms that people write: rows, chains, asides that are no visits."""

from __future__ import annotations

import pytest

from tests.support.extractors.reading_documents import facts, read, roles, route

_DAY = "# 云州游记\n## Day1\n{}我们去了镜水湖公园，又逛了青石古镇。"


@pytest.mark.parametrize(
    ("aside", "role"),
    [
        ("本来打算去松风寺，结果下雨没去成。", "rejected"),
        ("前年我们来过云州，那次逛了松风寺。\n", "mentioned"),
    ],
)
def test_what_was_not_done_now_is_no_stop(aside: str, role: str) -> None:
    found = read(_DAY.format(aside))
    assert roles(found)["松风寺"] == role
    assert route(found) == {1: ["镜水湖公园", "青石古镇"]}


@pytest.mark.parametrize(
    "aside", ["从青石古镇坐3路车到松风寺站下车。\n", "> 松风寺外钟声远，镜水湖边柳色新。\n"]
)
def test_rides_and_verses_name_no_stops(aside: str) -> None:
    found = read(_DAY.format(aside))
    assert "松风寺" not in roles(found)
    assert route(found) == {1: ["镜水湖公园", "青石古镇"]}


def test_history_names_without_recommending() -> None:
    found = read("# 云州攻略\n## 镜水湖公园\n公园始建于1920年，当年与松风寺齐名。门票30元。")
    assert roles(found) == {"镜水湖公园": "recommended", "松风寺": "mentioned"}
    assert {fact[:3] for fact in facts(found)} == {("镜水湖公园", "ticket_price_cny", "30")}


@pytest.mark.parametrize("head", ["## Day{}\n", "D{}:"])
def test_blanks_part_the_names_of_a_row(head: str) -> None:
    found = read(
        f"# 云州两日游\n{head.format(1)}松风寺 镜水湖公园 青石古镇\n"
        f"{head.format(2)}云州博物馆 明月楼 南山公园"
    )
    assert route(found) == {
        1: ["松风寺", "镜水湖公园", "青石古镇"],
        2: ["云州博物馆", "明月楼", "南山公园"],
    }


def test_a_chain_with_remarks_is_a_days_route() -> None:
    found = read("# 云州一日游\n松风寺（1小时）—镜水湖公园（2小时）—青石古镇（3小时）")
    assert route(found) == {1: ["松风寺", "镜水湖公园", "青石古镇"]}
    assert {fact[:3] for fact in facts(found)} == {
        ("松风寺", "duration_hours", "1"),
        ("镜水湖公园", "duration_hours", "2"),
        ("青石古镇", "duration_hours", "3"),
    }


def test_chains_to_choose_from_are_no_route() -> None:
    assert route(read("# 云州一日游\n路线一：松风寺→镜水湖公园\n路线二：青石古镇→明月楼")) is None
    assert route(read("# 云州攻略\n松风寺→镜水湖公园→青石古镇→明月楼")) is None


def test_hours_in_words_are_lengths() -> None:
    found = read("# 云州游记\n## Day1\n### 青石古镇\n逛了六七个小时才走完。")
    assert ("青石古镇", "duration_hours", "6-7") in {fact[:3] for fact in facts(found)}


def test_a_heading_beside_those_of_sights_is_one_too() -> None:
    found = read("# 云州攻略\n## 松风寺\n门票20元。\n## 王安明故居\n免费。\n## 镜水湖公园\n人多。")
    assert set(roles(found)) == {"松风寺", "王安明故居", "镜水湖公园"}
