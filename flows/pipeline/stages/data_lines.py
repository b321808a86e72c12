"""Finds lines that only hold data about a place: prices, hours, metro lines, how to book.

``Clock Hall | 10 | line 1 | 8:00-17:00`` tells the reader where to look up a price. It does not
recommend the place: a table of thirty sights recommends none of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from schemas.documents import Block

#: Most characters of a line of data, and most of them that are in no word of the list.
_LONGEST, _OTHER = 60, 0.34
_LABEL = re.compile(
    r"\s*(?:门票|票价|价格|成人票?|开放时间|营业时间|时间|地址|电话|交通|地铁|预约|"
    r"booking|tickets?|price|admission|hours|open|metro|address|phone|peak season|walk-up)\s*[:：]",
    re.IGNORECASE,
)
_WORDS = re.compile(
    r"[\W\d_]|元|人|次|免费?|全天|周[一二三四五六日末]|休|闭馆|号线|站|旺季|淡季|成人|学生|儿童"
    r"|老人|半价|门票|联票|"
    r"开放|时间|小时|分钟|[上下]午|\b(?:free|closed|open|daily|line|adults?|child(?:ren)?"
    r"|students?|seniors?|"
    r"cny|rmb|yuan|am|pm|mon|tue|wed|thu|fri|sat|sun|all day|hours?|min)\b",
    re.IGNORECASE,
)
#: A file's name at the beginning of a line that says what the file holds.
_FILE = re.compile(r"\W*[\w./-]+\.(?:md|html?|pdf|docx?|txt)\b")


def is_data(text: str) -> bool:
    """Whether a line tells a number or a label, and hardly anything besides."""
    if _LABEL.match(text):
        return True
    if len(text) > _LONGEST or not re.search(r"\d|免|free", text, re.IGNORECASE):
        return False
    return len(_WORDS.sub("", text)) <= _OTHER * len(text)


def stands_in_data(blocks: Sequence[Block], at: int, start: int, end: int) -> bool:
    """Whether a name at a span of a block stands there with its data alone: in a row of a table, as
    a line with a line of data below it, or in what an index says of a file."""
    block = blocks[at]
    if _FILE.match(block.text):
        return True
    before, after = block.text[: start - block.start], block.text[end - block.start :]
    if block.kind == "table_row":
        rest = f"{before}|{after}".replace("|", " ").strip()
        return not rest or is_data(rest)
    is_bare = not re.sub(r"[\W\d_]", "", before + after)
    return is_bare and at + 1 < len(blocks) and is_data(blocks[at + 1].text)
