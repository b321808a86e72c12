"""Lines that may be titles of other pages: many short ones without a sentence."""

from __future__ import annotations

import pytest

from extractors.lists import title_lines
from tests.support.extractors.reading_documents import document

LINES = [f"带着老妈游云州第{n}篇" for n in range(6)]


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (LINES, 6),
        (LINES[:5], 0),
        ([*LINES[:3], "# 标题", *LINES[3:]], 0),
        ([*LINES, "我们第二天去了松风寺，很喜欢。"], 6),
        ([f"{line}。" for line in LINES], 0),
        ([f"- {line}" for line in LINES], 6),
    ],
)
def test_many_short_lines_may_be_titles(lines: list[str], found: int) -> None:
    assert len(title_lines(document("\n".join(lines)))) == found
