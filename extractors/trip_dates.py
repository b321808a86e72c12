"""The months of a journey, where the first lines of a document state them: ``Time: 2024.9.20 ~ 9.25``."""

from __future__ import annotations

import datetime as dt
import re

#: Lines at the start of a text, and characters of one, in which a journey is dated.
_LINES, _LONGEST = 8, 60
_LABEL = re.compile(
    r"^\W*(?:(?:出行|旅行|游玩|出发|行程|旅游)?(?:时间|日期)|travel dates?|dates?|when)\s*[:：]",
    re.IGNORECASE,
)
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_NUMBERS = re.compile(
    r"(?:(?:19|20)\d\d\s*[年./-]\s*)(?P<month>1[0-2]|0?[1-9])\s*[月./-]\s*\d{1,2}|"
    r"(?<!\d)(?P<zh>1[0-2]|0?[1-9])\s*月\s*\d{1,2}\s*[日号~～-]|"
    r"\b(?P<en>" + "|".join(_MONTHS) + r")[a-z]*\.?\s*\d{1,2}\b",
    re.IGNORECASE,
)
_OUTINGS = {"春": "spring", "夏": "summer", "秋": "autumn", "冬": "winter"}
#: Words of a diary's opening by which it tells of the day on which it was written.
_OPENING = 200
_TODAY = re.compile(r"昨天|今天|今日|昨日|\b(?:today|this morning|yesterday)\b", re.IGNORECASE)
#: What a line that is nothing but a date may have besides.
_BESIDES = re.compile(
    r"[\W\d_]|[年月日号至到]|(?:周|星期)[一二三四五六日天]?|[阴晴雨雪转多云小大中]|"
    + "|".join(_MONTHS),
    re.IGNORECASE,
)


def journey_months(text: str) -> frozenset[int]:
    """The months that the first lines give for the journey; empty where they give none."""
    for line in text.split("\n")[:_LINES]:
        if len(line) > _LONGEST:
            continue
        months = frozenset(map(_month, _NUMBERS.finditer(line)))
        if months and (_LABEL.match(line) or not _BESIDES.sub("", line)):
            return months
    return frozenset()


def journey_season(title: str) -> str | None:
    """The season that a title gives to an outing; None where it gives none or two."""
    found = {season for sign, season in _OUTINGS.items() if f"{sign}游" in title}
    return found.pop() if len(found) == 1 else None


def months_of_diary(text: str, published: dt.date | None) -> frozenset[int]:
    """The month in which a diary was published, where it tells of that day or of the day before."""
    if published is None or not _TODAY.search(text[:_OPENING]):
        return frozenset()
    return frozenset({published.month, (published - dt.timedelta(days=1)).month})


def _month(match: re.Match[str]) -> int:
    if match["en"]:
        return _MONTHS.index(match["en"].lower()) + 1
    return int(match["month"] or match["zh"])
