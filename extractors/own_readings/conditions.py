"""Splits a condition from a readings file into the three fields that a fact has for it."""

from __future__ import annotations

import re
from typing import NamedTuple, get_args

from schemas.reading import Audience

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_AUDIENCES: dict[str, Audience] = {
    **{name: name for name in get_args(Audience)},
    "成人": "adult", "儿童": "child", "学生": "student", "老人": "senior",
}  # fmt: skip
_WORDS = {
    **{word: word for word in ("spring", "summer", "autumn", "winter", "weekend", "weekday")},
    "fall": "autumn", "high season": "peak season", "peak season": "peak season",
    "low season": "off season", "off season": "off season", "旺季": "peak season",
    "淡季": "off season", "春季": "spring", "夏季": "summer", "秋季": "autumn", "冬季": "winter",
    "周末": "weekend", "工作日": "weekday", "weekends": "weekend", "weekdays": "weekday",
    **{day.lower(): day for day in _DAYS},
    **{month.lower(): month for month in _MONTHS},
    **{f"{number:02d}": month for number, month in enumerate(_MONTHS, 1)},
}  # fmt: skip
_RANGE = re.compile(r"(\w+)\s*[-–—~至到]\s*(\w+)")
_ALWAYS = "always"


class FactCondition(NamedTuple):
    """Whom a fact holds for, when, and what else must be so."""

    audience: Audience | None = None
    valid_when: str = _ALWAYS
    further: str | None = None


def condition_of(words: str | None) -> FactCondition:
    """The parts of a condition that have a form of ours; the others stay in its words.

    Two audiences at once, or words that have no form, are never made general.
    """
    if not words:
        return FactCondition()
    parts = [part.strip() for part in re.split(r"[,;，；、]", words) if part.strip()]
    audiences = [_AUDIENCES[part.lower()] for part in parts if part.lower() in _AUDIENCES]
    if len(audiences) > 1:
        return FactCondition(further=words)
    times = [time for part in parts if (time := _time(part))]
    rest = [part for part in parts if part.lower() not in _AUDIENCES and not _time(part)]
    return FactCondition(
        audiences[0] if audiences else None, ", ".join(times) or _ALWAYS, ", ".join(rest) or None
    )


def _time(part: str) -> str | None:
    """Months, a season or weekdays as the tables have them; None for anything else."""
    if part.lower() in _WORDS:
        return _WORDS[part.lower()]
    between = _RANGE.fullmatch(part)
    if between is None:
        return None
    ends = [_WORDS.get(end.lower()) for end in between.groups()]
    for names in (_MONTHS, _DAYS):
        if all(end in names for end in ends):
            return f"{ends[0]}-{ends[1]}"
    return None
