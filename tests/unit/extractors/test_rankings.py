"""Which lists rank places, and which only name them."""

from __future__ import annotations

import re

import pytest

from extractors.lists import list_ranks
from schemas.documents import BlockKind, Document, GivenBlock

NAMES = ("兰亭", "沈园", "东湖", "柯岩", "Orchid Pavilion", "Shen Garden", "East Lake")


def ranks(title: str, *lines: str, kind: BlockKind = "paragraph") -> list[tuple[str, int]]:
    """The names that lists of a document give, each with its position."""
    blocks: list[GivenBlock] = [("title", 1, title, False)]
    for line in lines:
        is_heading = line.startswith("# ")
        blocks.append(
            (
                "heading" if is_heading else kind,
                2 if is_heading else 0,
                line.removeprefix("# "),
                False,
            )
        )
    document = Document.from_texts("d", "p", blocks, title=title)
    spans = [match.span() for match in re.finditer("|".join(NAMES), document.text)]
    return [
        (document.text[at : at + 2], n) for at, n in sorted(list_ranks(document, spans).items())
    ]


RANKED = [("兰亭", 1), ("沈园", 2), ("东湖", 3)]


@pytest.mark.parametrize(
    ("title", "lines"),
    [
        ("绍兴景点排行榜", ["1. 兰亭", "2. 沈园", "3. 东湖"]),
        ("绍兴必去景点", ["一、兰亭", "二、《沈园》", "三、东湖"]),
        ("绍兴", ["# 最受欢迎的景点", "1、兰亭：书法圣地", "2、沈园", "3、东湖"]),
        ("绍兴", ["第一名：兰亭", "曲水流觞。", "第二名：沈园", "第三名：东湖"]),
        ("绍兴", ["TOP1 兰亭", "TOP2 沈园", "TOP3 东湖"]),
        ("绍兴", ["No.3 东湖", "No.2 沈园", "No.1 兰亭"]),
        ("绍兴三大景点", ["兰亭", "沈园", "东湖"]),
        ("绍兴景点排名", ["# 1. 兰亭", "曲水流觞。", "# 2. 沈园", "# 3. 东湖"]),
    ],
)
def test_rankings(title: str, lines: list[str]) -> None:
    assert sorted(ranks(title, *lines), key=lambda row: row[1]) == RANKED


def test_what_one_does_at_a_place_may_stand_before_it() -> None:
    lines = (
        "# 1. Visit the Orchid Pavilion (兰亭)",
        "Early.",
        "# 2. Walk around Shen Garden",
        "# 3. East Lake",
    )
    assert ranks("Top 3 things to do", *lines) == [("Or", 1), ("Sh", 2), ("Ea", 3)]


def test_a_place_that_was_not_read_keeps_its_position() -> None:
    lines = ["1. 兰亭", "2. 沈园", "3. 无名", "4. 东湖", "5. 柯岩"]
    assert [n for _, n in ranks("必去景点排名", *lines)] == [1, 2, 4, 5]


@pytest.mark.parametrize(
    ("title", "lines"),
    [
        ("绍兴景点名录", ["兰亭", "沈园", "东湖"]),
        ("绍兴免费景点", ["1. 兰亭", "2. 沈园", "3. 东湖"]),
        ("绍兴最佳步行路线", ["1. 兰亭", "2. 沈园", "3. 东湖"]),
        ("绍兴十大景点", ["兰亭", "沈园", "东湖"]),
        ("The best of Shaoxing", ["Orchid Pavilion", "Shen Garden", "East Lake"]),
    ],
)
def test_plain_lists(title: str, lines: list[str]) -> None:
    found = ranks(title, *lines)
    assert len(found) == 3
    assert {n for _, n in found} == {0}


@pytest.mark.parametrize(
    "lines",
    [
        ["1. 去兰亭坐车。", "2. 在沈园早起。", "3. 东湖有船。"],
        ["兰亭很美，我们去了。", "沈园也好。", "东湖有船。"],
        ["1. 兰亭", "2. 沈园"],
        ["1. 兰亭", "3. 沈园", "5. 东湖"],
        ["# 兰亭", "曲水流觞。", "# 沈园", "词墙。", "# 东湖"],
    ],
)
def test_no_lists(lines: list[str]) -> None:
    assert ranks("绍兴必去", *lines) == []
