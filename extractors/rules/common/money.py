"""Finds amounts in a sentence that are not in yuan, for statements of prices."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from schemas.money import MoneyAmount, amounts

#: Marks that may mean yuan: the rules of a language read those themselves.
YUAN_MARKS = frozenset(
    ("¥", "元", "块", "块钱", "圆", "yuan", "kuai", "人民币", "rmb", "renminbi", "cny")
)
_OF_A_RANGE = re.compile(r"\d\s*[-–—~～至到]\s*$")
_RANGE = re.compile(r"\s*[-–—~～至到]\s*\d")


def other_amounts(text: str) -> Iterator[MoneyAmount]:
    """Amounts whose mark does not mean yuan; the ends of a range are none."""
    for found in amounts(text):
        mark = unicodedata.normalize("NFKC", found.mark).casefold()
        if mark in YUAN_MARKS or _OF_A_RANGE.search(text[: found.start]):
            continue
        if not _RANGE.match(text, found.end):
            yield found


def price_value(found: MoneyAmount) -> str:
    """The value of a ``ticket_price``: the number, and the mark as it is written."""
    return f"{found.value.normalize():f} {found.mark}"
