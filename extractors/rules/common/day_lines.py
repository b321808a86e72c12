"""Finds out when a journey took place, and finds the lines where its days begin."""

from __future__ import annotations

import datetime as dt
import re

from extractors.rules.common.days import DATE, DAY, LEAD_IN, MONTHS, date_of, number_of

#: The date of a numbered line is within its first so many characters.
_LABEL = 40
#: A year, a word or a slash shows that two numbers are a date and not a section number.
_SPELT = re.compile(r"[年月日号/-]|(?:19|20)\d\d|[a-z]{3}", re.IGNORECASE)


def day_numbers(text: str) -> frozenset[int]:
    """Return the day numbers in a text, such as Day 2, 第二天 or D2."""
    return frozenset(number_of(match) for match in DAY.finditer(text))


def day_lines(text: str) -> list[tuple[int, int | None]]:
    """Return the start of each line that begins a day, and the month if the line has a date."""
    found: list[tuple[int, int | None]] = []
    start = 0
    for line in text.split("\n"):
        label = LEAD_IN.sub("", line)
        numbered = DAY.match(label)
        date = DATE.match(line) or DATE.match(label)
        if numbered is not None:
            date = DATE.search(label[:_LABEL])
        if date is not None and not _SPELT.search(date[0]):
            date = None
        if numbered or date:
            found.append((start, date_of(date)[0] if date else None))
        start += len(line) + 1
    return found


def tails_of_overviews(text: str) -> list[tuple[int, int]]:
    """Return the range from the end of each day-by-day overview to the next line that begins a day.

    Statements in such a range may be about any day in the overview.
    """
    starts = [start for start, _ in day_lines(text)]
    ends = [_end_of_line(text, start) for start in starts]
    tails = []
    for at in range(1, len(starts)):
        follows = not text[ends[at - 1] : starts[at]].strip()
        goes_on = at + 1 < len(starts) and not text[ends[at] : starts[at + 1]].strip()
        if follows and not goes_on:
            tails.append((ends[at], starts[at + 1] if at + 1 < len(starts) else len(text)))
    return tails


def _end_of_line(text: str, start: int) -> int:
    end = text.find("\n", start)
    return end if end >= 0 else len(text)


#: The date of a journey is in the first so many lines; a longer line gives no date.
_LINES, _LONGEST = 8, 60
_DATED = re.compile(
    r"^\W*(?:(?:出行|旅行|游玩|出发|行程|旅游)?(?:时间|日期)|travel dates?|dates?|when)\s*[:：]",
    re.IGNORECASE,
)
_NUMBERS = re.compile(
    r"(?:(?:19|20)\d\d\s*[年./-]\s*)(?P<month>1[0-2]|0?[1-9])\s*[月./-]\s*\d{1,2}|"
    r"(?<!\d)(?P<zh>1[0-2]|0?[1-9])\s*月\s*\d{1,2}\s*[日号~～-]|"
    r"[~～—至到-]\s*(?P<end>1[0-2]|0?[1-9])[./]\d{1,2}(?![./\d])|"
    r"\b(?P<en>" + "|".join(MONTHS) + r")[a-z]*\.?\s*\d{1,2}\b",
    re.IGNORECASE,
)
_SEASONS = {"春": "spring", "夏": "summer", "秋": "autumn", "冬": "winter", "fall": "autumn"}
#: The author says within so many characters when the journey was, or that it was today.
_OPENING = 200
_OUTING = re.compile(r"([春夏秋冬])游")
_WENT = re.compile(
    r"(?<![\u4e00-\u9fff])(?:我们?)?(?:是)?(?:在)?([春夏秋冬])(?:天|季|日)?(?:去|来|到|玩)的|"
    r"\bwe (?:went|visited|travelled|traveled|came|were (?:here|there)) in (?:the )?"
    r"(?:early |late )?(spring|summer|autumn|fall|winter)\b",
    re.IGNORECASE,
)
_TODAY = re.compile(r"昨天|今天|今日|昨日|\b(?:today|this morning|yesterday)\b", re.IGNORECASE)
#: Other characters and words that a line with only a date may contain.
_BESIDES = re.compile(
    r"[\W\d_]|[年月日号至到]|(?:周|星期)[一二三四五六日天]?|[阴晴雨雪转多云小大中]|"
    + "|".join(MONTHS),
    re.IGNORECASE,
)


def journey_months(text: str) -> frozenset[int]:
    """Return the months of the journey that the first lines of a text name; the result may be
    empty.
    """
    for line in text.split("\n")[:_LINES]:
        if len(line) > _LONGEST:
            continue
        months = frozenset(map(_month, _NUMBERS.finditer(line)))
        if months and (_DATED.match(line) or not _BESIDES.sub("", line)):
            return months
    return frozenset()


def journey_season(text: str) -> str | None:
    """Return the season of a journey from the text's title or first words.

    Returns None if the title or first words name no season, or more than one season.
    """
    words = _OUTING.findall(text.split("\n", 1)[0])
    words += [zh or en.lower() for zh, en in _WENT.findall(text[:_OPENING])]
    found = {_SEASONS.get(word, word) for word in words}
    return found.pop() if len(found) == 1 else None


def months_of_diary(text: str, published: dt.date | None) -> frozenset[int]:
    """Return the month in which a diary was published if it is about the day of publication or the
    day before.
    """
    if published is None or not _TODAY.search(text[:_OPENING]):
        return frozenset()
    return frozenset({published.month, (published - dt.timedelta(days=1)).month})


def _month(match: re.Match[str]) -> int:
    if match["en"]:
        return MONTHS.index(match["en"].lower()) + 1
    return int(match["month"] or match["zh"] or match["end"])
