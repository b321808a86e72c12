"""What stands around a name: part of another name, a locator, a question or a wish."""

from __future__ import annotations

import pytest

from flows.pipeline.stages.sentences import (
    is_part_of_name,
    is_real,
    only_locates,
    sentence_of,
)


def span(text: str, name: str) -> tuple[int, int]:
    return text.index(name), text.index(name) + len(name)


@pytest.mark.parametrize(
    ("text", "name", "is_part"),
    [
        ("去听枫寺小吃店吃面", "听枫寺", True),
        ("听枫寺饭店很近", "听枫寺", True),
        ("在微信公众号：听枫寺预约", "听枫寺", True),
        ("提前下载听枫寺官方App", "听枫寺", True),
        ("去听枫寺看枫叶", "听枫寺", False),
        ("堵在听枫寺隧道里", "听枫寺", True),
        ("走过听枫寺桥", "听枫寺", True),
        ("听枫寺老街很热闹", "听枫寺", True),
        ("坐到听枫寺(地铁站)下车", "听枫寺", True),
        ("火锅（听枫寺时代广场店）", "听枫寺", True),
        ("听枫寺禅茶养生园，很静", "听枫寺", True),
        ("听枫寺望湖园都去了", "听枫寺", False),
        ("听枫寺里有家店铺", "听枫寺", False),
        ("the Maple Temple Hotel", "Maple Temple", True),
        ("the Maple Temple is near our hotel", "Maple Temple", False),
    ],
)
def test_a_name_within_another(text: str, name: str, is_part: bool) -> None:
    assert is_part_of_name(text, *span(text, name)) == is_part


@pytest.mark.parametrize(
    ("text", "name", "locates"),
    [
        ("酒店离听枫寺不远", "听枫寺", True),
        ("住在听枫寺附近", "听枫寺", True),
        ("它与听枫寺并称", "听枫寺", True),
        ("酒店距离望湖阁、听枫寺不远", "听枫寺", True),
        ("步行到听枫寺乘坐公交", "听枫寺", True),
        ("下午去了听枫寺", "听枫寺", False),
        ("a hostel near Maple Temple", "Maple Temple", True),
        ("walking distance from the gate and Maple Temple", "Maple Temple", False),
        ("walking distance from Maple Temple", "Maple Temple", True),
    ],
)
def test_a_name_that_only_tells_where_something_is(text: str, name: str, locates: bool) -> None:
    assert only_locates(text, *span(text, name)) == locates


@pytest.mark.parametrize(
    ("sentence", "real"),
    [
        ("我们去了听枫寺", True),
        ("听枫寺值得去吗？", False),
        ("下次再去听枫寺", False),
        ("没去听枫寺", False),
    ],
)
def test_questions_and_wishes_are_not_real(sentence: str, real: bool) -> None:
    assert is_real(sentence) == real


def test_a_sentence_ends_with_its_line() -> None:
    text = "第一天。去听枫寺\n再去望湖阁"
    assert text[slice(*sentence_of(text, *span(text, "听枫寺")))] == "去听枫寺\n"
