"""Whether what was read as a fact of a place is one: of this place, stated, and of its kind."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from flows.pipeline.stages.sentences import is_real, sentence_of

Row = dict[str, Any]
#: Start, end and number of each name of a document, in order.
Names = Sequence[tuple[int, int, int]]

#: Minutes below which nobody stays at a sight.
SHORTEST_STAY_MIN = 10
#: Characters before a value that may say what it is of.
_BEFORE = 24
_ON_THE_WAY = re.compile(
    r"全程|车程|路程|行程|步行|走路|乘坐|打车|骑行|开车|地铁|高铁|公交|排队|"
    r"\b(?:by (?:bus|car|train|metro|taxi)|drive|ride|walk|walking|transfer|flight|queue)\b",
    re.IGNORECASE,
)
#: What has a price of its own beside the ticket of a sight.
_EXTRAS = re.compile(
    r"往返|单程|电梯|索道|缆车|观光车|摆渡|大巴|专线|船票|游船|小吃|停车|讲解|租|寄存|"
    r"\b(?:bus|shuttle|cable ?car|elevator|lift|parking|audio guide|boat|bar|locker|rent\w*)\b",
    re.IGNORECASE,
)
_FREE_THING = re.compile(
    r"^(?:免费)?的(?!景|公园|博物|展)|^\s*(?:wi-?fi|map|shuttle|snacks?)\b", re.I
)
_HAS_UNIT = re.compile(r"\d|小时|钟头|分钟|hours?|minutes?|mins?\b", re.IGNORECASE)
_STAYS = re.compile(
    r"逛|玩|游|参观|需要?|建议|预留|安排|\b(?:spend|spent|allow|need|takes?|explor\w+|visit\w*)\b",
    re.IGNORECASE,
)
_SLOT = re.compile(
    r"^.{0,4}(?:为一个|一个)?(?:时段|一班|一趟|间隔)|^\s*(?:slots?|intervals?)\b", re.I
)


def misread(row: Row, values: Row, text: str, names: Names) -> str:
    """The check that a read fact fails; "" for none.

    ``row`` has n, start and end of what states the fact, ``values`` its typed columns.
    """
    start, end = row["start"], row["end"]
    first, last = sentence_of(text, start, end)
    if not is_real(text[first:last]):
        return "not_stated"
    if not _is_of_its_place(row["n"], (first, last), start, text, names):
        return "another_place"
    before = text[max(first, start - _BEFORE) : start]
    if "price_cents" in values:
        return _price(text[start:end], before, text[end : end + _BEFORE])
    least = values.get("duration_min_min")
    return _stay(least, text[start:end], before, text[end : end + _BEFORE]) if least else ""


def _is_of_its_place(
    n: int, sentence: tuple[int, int], start: int, text: str, names: Names
) -> bool:
    """Whether the sentence names the place, or names none and the place is the last one before."""
    here = {number for at, end, number in names if sentence[0] <= at and end <= sentence[1]}
    if here:
        return n in here
    before = bisect_right(names, (start, 0, 0))
    return before == 0 or names[before - 1][2] == n


def _price(quote: str, before: str, after: str) -> str:
    is_extra = _EXTRAS.search(before) or _EXTRAS.search(quote)
    return "of_something_else" if is_extra or _FREE_THING.search(after) else ""


def _stay(least_min: int, quote: str, before: str, after: str) -> str:
    if least_min < SHORTEST_STAY_MIN:
        return "implausible_value"
    if _ON_THE_WAY.search(before) or _ON_THE_WAY.search(quote):
        return "travel_time"
    if _SLOT.search(after):
        return "not_stated"
    is_told = _HAS_UNIT.search(quote) or _STAYS.search(before) or _STAYS.search(quote)
    return "" if is_told else "not_stated"
