"""Lines that hold a place's data and nothing else."""

from __future__ import annotations

import pytest

from flows.pipeline.stages.sentences import is_data, stands_in_data
from schemas.documents import Block


def _blocks(*rows: tuple[str, str]) -> list[Block]:
    found, at = [], 0
    for kind, text in rows:
        found.append(Block.model_validate({"kind": kind, "text": text, "start": at}))
        at += len(text) + 1
    return found


def _stands(name: str, *rows: tuple[str, str]) -> bool:
    blocks = _blocks(*rows)
    index = next(i for i, block in enumerate(blocks) if name in block.text)
    start = blocks[index].start + blocks[index].text.index(name)
    return stands_in_data(blocks, index, start, start + len(name))


@pytest.mark.parametrize(
    "text",
    ["旺季65元、淡季45元；", "免 6号线 全天", "开放时间：8:00-17:00", "Price: 230-280 a head",
     "10 8:00-18:00 周一休", "Booking: 1-7 days ahead recommended", "free, line 2, 9:00-17:00"],
)  # fmt: skip
def test_data(text: str) -> None:
    assert is_data(text)


@pytest.mark.parametrize(
    "text",
    [
        "爬到塔顶看日落，30元很值",
        "值得一去",
        "We loved it, 30 yuan well spent",
        "上午先去，下午再逛老街2小时",
    ],
)
def test_words_for_a_place_are_more_than_data(text: str) -> None:
    assert not is_data(text)


def test_a_row_of_prices_and_lines_is_data() -> None:
    assert _stands("青石园", ("table_row", "青石园 | 免 | 6号线 | 全天"))
    assert _stands("青石园", ("table_row", "青石园 |  |  |"))
    assert not _stands("青石园", ("table_row", "青石园 | 10元 | 园里的回廊最值得慢慢走"))
    assert not _stands("青石园", ("table_row", "第一天 | 上午青石园，下午双桥古街 | 宿湖东"))


def test_a_name_above_its_price_is_data() -> None:
    assert _stands("云岩塔", ("paragraph", "云岩塔"), ("paragraph", "旺季65元、淡季45元；"))
    assert not _stands("云岩塔", ("paragraph", "云岩塔"), ("paragraph", "塔顶看日落最好。"))
    assert not _stands("云岩塔", ("paragraph", "我们爬了云岩塔"), ("paragraph", "门票：30元"))


def test_an_index_of_files_is_data() -> None:
    line = 'walks-2024.md: "Seven walks", with Cloudrock Pagoda and Twin Bridge Street'
    assert _stands("Cloudrock Pagoda", ("list_item", line))
