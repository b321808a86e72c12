"""What stands around a name: part of another name, a locator, a question or a wish."""

from __future__ import annotations

import pytest

from flows.pipeline.stages.sentences import (
    is_no_stop,
    is_part_of_name,
    is_real,
    is_source_heading,
    only_describes,
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
        ("面馆(听枫寺APP店)", "听枫寺", True),
        ("琴师先唱听枫寺、茉莉二曲", "听枫寺", True),
        ("读《听枫寺》", "听枫寺", True),
        ("寺内立听枫寺诗碑", "听枫寺", True),
        ("听枫寺(旧称望湖寺)", "听枫寺", False),
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


@pytest.mark.parametrize(
    ("text", "describes"),
    [
        ("旺季联票(含门票、听枫寺) | 34元", True),
        ("听枫寺门票 | 10元", True),
        ("听枫寺 | 10元 | 8:00-18:00", False),
        ("由望湖阁、听枫寺及塔组成", True),
        ("游了望湖阁、听枫寺及塔", False),
        ("听枫寺好玩吗 - 甲的回答 - 知乎", True),
        ("吴地旧志云：听枫寺，在城南", True),
        ("去听枫寺看枫叶", False),
        ("二号票（含听枫寺、展览馆）", True),
        ("（3）听枫寺（即入东院）参观门票：10元", True),
        ("逛完老街（听枫寺就在街口）", False),
    ],
)
def test_a_name_that_only_describes(text: str, describes: bool) -> None:
    assert only_describes(text, *span(text, "听枫寺")) == describes


@pytest.mark.parametrize(
    ("text", "locates"),
    [
        ("乘高铁不一刻过听枫寺，已到", True),
        ("步行过听枫寺", False),
        ("酒店位于市中心，去听枫寺和湖边都方便", True),
        ("与听枫寺联成屏障", True),
        ("Nearby: 听枫寺 (10 min walk)", True),
    ],
)
def test_a_name_that_is_only_near(text: str, locates: bool) -> None:
    assert only_locates(text, *span(text, "听枫寺")) == locates


@pytest.mark.parametrize(
    ("text", "is_none"),
    [
        ("步行到听枫寺乘坐402路", True),
        ("2011年秋天来过一次，被拉去听枫寺", True),
        ("2011年秋天去听枫寺", False),
        ("坐车到听枫寺", False),
    ],
)
def test_where_one_only_boards_is_no_stop(text: str, is_none: bool) -> None:
    assert is_no_stop(text, *span(text, "听枫寺")) == is_none


def test_headings_over_titles_of_other_pages() -> None:
    assert is_source_heading("Sources")
    assert is_source_heading("参考资料：")
    assert not is_source_heading("Sources of the river")
