"""Decides to which day of the journey a line belongs, using headings, lists, dates and running
text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from extractors.evidence import EN_NUMBERS, zh_number
from extractors.rules.common.chinese import is_city
from extractors.rules.common.dictionary import tag
from extractors.rules.common.lines import Line
from schemas.word_lists import Lists

_EN_ORDINALS = {
    w: i + 1
    for i, w in enumerate(
        ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"]
    )
}
MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]*\.?"

DAY = re.compile(
    r"(?:第\s*(?P<zh>[一二三四五六七八九十两\d]{1,3})\s*[天日](?!游|[三四五]夜))"
    r"|(?<![A-Za-z\d])d(?:ays?)?[\s\-_.:#]*(?P<n>\d{1,2})(?!\d|\s*(?:days?|trip|tour|itin"
    r"|[-–~]\s*\d+\s*day))"
    r"(?:[.:]\d(?!\d)|\s*[-–~&]\s*(?:d(?:ay)?\s*)?\d{1,2}(?!\d))?"
    r"|\bday\s+(?P<word>" + "|".join(EN_NUMBERS) + r")\b"
    r"|\b(?P<ord>" + "|".join(_EN_ORDINALS) + r")\s+day\b",
    re.IGNORECASE,
)
DATE = re.compile(
    r"(?P<mz>[一二三四五六七八九十]{1,2})月(?P<dz>[一二三四五六七八九十]{1,3})[日号]|"
    r"(?:(?:19|20)\d\d\s*[./年-]\s*)?(?P<m>1[0-2]|0?[1-9])\s*(?:月|[./-])\s*"
    r"(?P<d>3[01]|[12]\d|0?[1-9])(?:\s*[日号])?(?![\d:%.]|\s*(?:km|公里|元|米|小时|天|h\b|分"
    r"|days?\b|nights?\b|hours?\b|hrs?\b|weeks?\b|min))"
    r"|(?P<d2>3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?(?:\s+of)?\s+(?P<m2>" + _MONTH + r")(?![a-z])"
    r"|(?P<m3>" + _MONTH + r")\s+(?P<d3>3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?(?!\d)",
    re.IGNORECASE,
)
LEAD_IN = re.compile(r"^[\s\W_]*(?:[一二三四五六七八九十\d]{1,2}[、.．]\s*)?")
_NEXT_DAY = re.compile(
    r"^\s*(?:(?P<zh>第[二三四五六七八九十]天)|(?P<next>次日|翌日|隔天|转天)"
    r"|(?:on|for)\s+(?:the|our|my)\s+(?P<ord>" + "|".join(_EN_ORDINALS) + r")\s+(?:full\s+)?day\b"
    r"|(?P<en>(?:on\s+)?the\s+(?:next|following)\s+(?:day|morning)|next\s+(?:day|morning)\b))",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Mark:
    """A marker that begins a day, with its line, its day, and the position in the line at which the
    marker ends.
    """

    line: int
    day: int
    end: int  # -1: the line is the title above the marker
    listed: bool  # an entry of a list or a note at the end of a line, not the head of a passage


@dataclass(frozen=True)
class Days:
    """The day markers of a document, and the day of every line (None for lines that belong to no
    day).
    """

    marks: tuple[Mark, ...]
    of_line: tuple[int | None, ...]
    stated: int | None
    serial: int | None  # the day of the whole page by its title
    cells: tuple[tuple[int, int, int], ...] = ()  # start, end and day of cells below a day

    def at(self, line: int, start: int) -> int | None:
        """Return the day at the offset ``start`` in the document; ``line`` is the line that
        contains the offset.
        """
        own = (day for begin, end, day in self.cells if begin <= start < end)
        return next(own, self.of_line[line])


def find_days(lines: list[Line]) -> Days:
    """Find the day markers of a document: numbers if there are any, else dates, else words in
    running text.
    """
    serial = _serial(lines)
    marks = _mark_numbered(lines) or _mark_dated(lines) or _weekdays(lines)
    running = not marks
    marks = marks or _running(lines)
    marks = _by_city(lines, _with_dated_list(lines, marks))
    if serial is not None and all(mark.day == serial for mark in marks):
        marks = []
    of_line = _spread(lines, marks, running) if marks else [serial] * len(lines)
    return Days(tuple(marks), tuple(of_line), _count_stated(lines, marks), serial)


_ROUTE = re.compile(r"\S\s*(?:→|⟶|➡|➔|➜|=>|->)\s*\S")


def _by_city(lines: list[Line], marks: list[Mark]) -> list[Mark]:
    """Number the days continuously if each section about a city starts its own numbering.

    A section that has no days but lists its stops counts as one day.
    """
    sections = _city_sections(lines, marks)
    counted = [own for _head, _end, own in sections if own]
    if (
        len(counted) < 2
        or any(min(m.day for m in own) > 1 for own in counted[1:])
        or {m.line for own in counted for m in own} != {m.line for m in marks}
    ):
        return marks
    found: list[Mark] = []
    last = 0
    for head, end, own in sections:
        whole: list[Mark] = []
        if not own and any(_ROUTE.search(lines[i].text) for i in range(head + 1, end)):
            whole = [Mark(head, 1, len(lines[head].text), False)]
        found.extend(replace(mark, day=mark.day + last) for mark in own or whole)
        last = max((mark.day for mark in found), default=0)
    return found


def _city_sections(lines: list[Line], marks: list[Mark]) -> list[tuple[int, int, list[Mark]]]:
    """For each section about a city, return the heading, the end and the day markers; a heading
    counts only if it ranks above the headings of the days.
    """
    ranks = [lines[m.line].level for m in marks if lines[m.line].kind == "heading"]
    ranks = ranks or ([7] if marks else [])
    if not ranks:
        return []
    above = [line for line in lines if line.kind == "heading" and line.level < min(ranks)]
    bare = " #:：*0123456789.、"
    cities = [
        line
        for line in above
        if is_city(line.text.strip(bare))
        or (len(line.text) <= 8 and is_city(line.text.strip(bare)[:2]))
    ]
    rank = min((line.level for line in cities), default=0)
    cities = [
        line for line in above
        if line.level == rank and (line in cities or tag(line.text.strip()) == "ns")
    ]  # fmt: skip
    ends = [line.index for line in above if line.level <= rank] + [len(lines)]
    return [
        (head.index, end, [m for m in marks if head.index < m.line < end])
        for head in cities
        for end in [next(e for e in ends if e > head.index)]
    ]


def _with_dated_list(lines: list[Line], marks: list[Mark]) -> list[Mark]:
    """Add a list of dated stops to the numbered days if both have the same number of days."""
    dated = [m for m in _mark_dated(lines) if m.listed and m.end == 0]
    days = sorted({m.day for m in marks})
    if len({m.day for m in dated}) != len(days) or any(
        m.line in {d.line for d in dated} for m in marks
    ):
        return marks
    return sorted(
        [*marks, *(Mark(m.line, days[m.day - 1], 0, True) for m in dated)], key=lambda m: m.line
    )


def _serial(lines: list[Line]) -> int | None:
    titles = [line for line in lines if line.kind == "title"]
    match = DAY.search(titles[0].text) if titles else None
    return number_of(match) if match else None


def number_of(match: re.Match[str]) -> int:
    """Return the day number in a match of ``DAY``, counted from 1."""
    if match["zh"]:
        return int(match["zh"]) if match["zh"].isdigit() else int(zh_number(match["zh"]))
    if match["n"]:
        return int(match["n"])
    if match["word"]:
        return EN_NUMBERS[match["word"].lower()]
    return _EN_ORDINALS[match["ord"].lower()]


def _mark_numbered(lines: list[Line]) -> list[Mark]:
    marks = []
    for line in lines:
        if line.kind == "title":
            continue
        match = DAY.search(line.text)
        if match is None or (match["zh"] and not _titles_a_day(line, match)):
            continue
        before = LEAD_IN.sub("", line.text[: match.start()])
        near = line.is_head if match["ord"] else len(before) <= (25 if line.is_head else 0)
        if near:
            listed = line.kind in ("list_item", "table_row") and len(line.text) > match.end() + 3
            marks.append(Mark(line.index, number_of(match), match.end(), listed))
    return marks


#: A longer paragraph that begins with "第二天 " is part of a story.
_SENTENCE_LONG = 40


def _titles_a_day(line: Line, match: re.Match[str]) -> bool:
    """Check whether "第二天" begins a day: it must be in a heading or short line, or before a
    colon.
    """
    after = line.text[match.end() : match.end() + 1]
    if after.isspace() and not line.is_head and len(line.text) > _SENTENCE_LONG:
        return False
    label = len(line.text) < 12 and not line.text.rstrip().endswith(("。", "！", "!"))
    return line.is_head or line.strong or label or after in "：:（(-—|｜ 　"


def _mark_dated(lines: list[Line]) -> list[Mark]:
    """Number the days by dates at the start of lines, or by dates in brackets at the end of
    lines.
    """
    found: list[tuple[Line, tuple[int, int], int, bool]] = []
    written: list[str] = []
    for line in lines:
        if line.kind == "title":
            continue
        lead = LEAD_IN.match(line.text)
        begin = lead.end() if lead else 0
        match = DATE.match(line.text, begin) or DATE.match(line.text)
        if match and (
            line.is_head or line.strong or line.kind != "paragraph" or len(line.text) < 80
        ):
            found.append((line, date_of(match), match.end(), line.kind == "list_item"))
            written.append(match.group())
            continue
        tail = re.search(r"[（(]([^（()）]*)[）)]\s*$", line.text)
        inner = DATE.match(tail[1]) if tail else None
        if inner and line.kind == "list_item":
            found.append((line, date_of(inner), 0, True))
            written.append(inner.group())
    found = sorted(_in_order([*found, *_bare_days(lines, found)]), key=lambda f: f[0].index)
    dates = list(dict.fromkeys(date for _line, date, _end, _listed in found))
    if len(dates) < 2 or _numbering(dates, written):
        return []
    return [Mark(line.index, dates.index(d) + 1, end, listed) for line, d, end, listed in found]


_BARE_DAY = re.compile(
    r"\W*(?P<d>[二三]?十[一二三四五六七八九]?|[一二三四五六七八九]|\d{1,2})[日号]\W*$"
)


def _bare_days(
    lines: list[Line], dated: list[tuple[Line, tuple[int, int], int, bool]]
) -> list[tuple[Line, tuple[int, int], int, bool]]:
    """Return headings that give only the day ("十八日"), with the month of the last full date above
    them.
    """
    found = []
    for line in lines:
        match = _BARE_DAY.match(line.text) if line.kind == "heading" else None
        above = [date for head, date, _end, _listed in dated if head.index < line.index]
        if match and above:
            day = int(match["d"]) if match["d"].isdigit() else int(zh_number(match["d"]))
            found.append((line, (above[-1][0], day), len(line.text), False))
    return found


_WEEKDAY = re.compile(
    r"\W*(?P<zh>(?:周|星期|礼拜)[一二三四五六日天])\s*(?:[:：]|$)|\W*(?P<en>(?:mon|tues|wednes"
    r"|thurs|fri|satur|sun)day)\s*(?:[:：—–-]|$)",
    re.IGNORECASE,
)


def _weekdays(lines: list[Line]) -> list[Mark]:
    """Return headings that are weekdays ("周六：…", "Saturday"), if there are at least two of
    them.
    """
    found = [(line, _WEEKDAY.match(line.text)) for line in lines if line.kind == "heading"]
    named = [
        (line.index, name, match.end() if match else len(line.text))
        for line, match in found
        if (name := (match["zh"] or match["en"]).lower() if match else _weekday_abroad(line.text))
    ]
    names = list(dict.fromkeys(name for _line, name, _end in named))
    marks = [Mark(line, names.index(name) + 1, end, False) for line, name, end in named]
    return marks if len(names) > 1 else []


_ABROAD = tuple(
    (re.compile(rf"\W*(?:{written})\W*", re.IGNORECASE), english.lower())
    for _lang, written, english in Lists("extractors.rules").table("structure_words")
    if english.endswith("day")
)


def _weekday_abroad(text: str) -> str:
    """Return the English weekday for a heading in another language ("Jueves"), or ""."""
    return next((day for pattern, day in _ABROAD if pattern.fullmatch(text)), "")


def _in_order(
    found: list[tuple[Line, tuple[int, int], int, bool]],
) -> list[tuple[Line, tuple[int, int], int, bool]]:
    """Drop lines whose dates are far from the dates of the journey (a later note, a news item)."""
    if len({f[1] for f in found}) < 4:
        return found
    days = sorted(31 * f[1][0] + f[1][1] for f in found)
    middle = days[len(days) // 2]
    return [f for f in found if abs(31 * f[1][0] + f[1][1] - middle) <= 31]


def _numbering(dates: list[tuple[int, int]], texts: list[str]) -> bool:
    """Check whether dates such as "2.1, 2.2, 3.1" are in fact section numbers.

    Such numbers start at 1 in more than one section, or are not in chronological order.
    """
    spelt = sum(bool(re.search(r"[年月日号/-]|(?:19|20)\d\d|[a-z]{3}", t, re.I)) for t in texts)
    dotted = 2 * spelt < len(texts)
    firsts = sum(day == 1 for _month, day in dates)
    months = sorted({month for month, _day in dates})
    return dotted and (firsts > 1 or len(months) > 2 or dates != sorted(dates))


def date_of(match: re.Match[str]) -> tuple[int, int]:
    """Return the month and the day in a match of ``DATE``."""
    if match["mz"]:
        return int(zh_number(match["mz"])), int(zh_number(match["dz"]))
    month = match["m"] or match["m2"] or match["m3"]
    number = int(month) if month.isdigit() else MONTHS.index(month[:3].lower()) + 1
    return number, int(match["d"] or match["d2"] or match["d3"])


def _running(lines: list[Line]) -> list[Mark]:
    """Return "第二天" or "the next day" where it begins a paragraph of a story without headings for
    days.
    """
    marks: list[Mark] = []
    day = 1
    for line in lines:
        match = _NEXT_DAY.match(line.text)
        if match is None or line.kind == "title":
            continue
        if match["zh"]:
            day = int(zh_number(match["zh"][1:-1]))
        else:
            day = _EN_ORDINALS[match["ord"].lower()] if match["ord"] else day + 1
        above = lines[line.index - 1] if line.index else line
        caption = above.is_head or (
            len(above.text) <= 12 and not re.search("[，。！？]", above.text)
        )
        titled = caption and above.kind != "title" and above.index not in {m.line for m in marks}
        at, end = (above.index, -1) if titled else (line.index, match.end())
        marks.append(Mark(at, day, end, False))
    many = sum(line.kind == "heading" for line in lines) > 3
    if len(marks) == 1 and many and lines[marks[0].line].text.isascii():
        return []  # one morning in a page of many passages
    first = next((line.index for line in lines if not line.is_head), 0)
    if marks and marks[0].line > first and marks[0].day > 1:
        marks.insert(0, Mark(first, marks[0].day - 1, 0, False))
    return marks


def _spread(lines: list[Line], marks: list[Mark], running: bool) -> list[int | None]:
    """Give each line the day of the marker above it, until a heading of the same level ends the
    day.

    The days in a ``running`` story continue past headings, except headings on other topics.
    """
    at = {mark.line: mark for mark in reversed(marks)}
    days: list[int | None] = []
    day: int | None = None
    rank = 0
    for line in lines:
        mark = at.get(line.index)
        if mark is not None:
            day = mark.day
            rank = line.level if line.is_head else 7
        elif (
            line.kind == "heading"
            and line.level <= rank
            and (_closes(line) if running else rank < 7 or line.level <= 2 or _closes(line))
        ) or _ENDS.match(line.text):
            day = None
        days.append(day)
    return days


#: Headings below a journey: readers' comments, other pages, the author's last words.
_ENDS = re.compile(
    r"^\W*(?:(?:网友|精彩|全部|最新|热门|用户|读者)?(?:评论|留言|点评|回复|跟帖)(?:区|列表"
    r"|[（(]\d+[)）]|\W*$|\s*[:：])"
    r"|(?:相关|更多|热门|猜你喜欢的?)(?:推荐|阅读|文章|游记|攻略)\W*$|(?:\d+\s+)?comments?\W*$"
    r"|leave a (?:comment|reply)|related (?:posts?|articles?)\b|you may also like)",
    re.IGNORECASE,
)


def _closes(line: Line) -> bool:
    return bool(
        re.search(
            r"后记|总结|感受|美食|住宿|交通|贴士|花费|费用|tips|notes|budget", line.text, re.I
        )
    )


def _count_stated(lines: list[Line], marks: list[Mark]) -> int | None:
    for line in lines[:25]:
        match = re.search(
            r"([一二三四五六七八九十两\d]{1,3})\s*[天日](?:[一二三四五六七八九十\d]+[晚夜]|之?游"
            r"|行程|自[由驾])"
            r"|\b(\d{1,2})[\s-]*days?\b",
            line.text,
            re.IGNORECASE,
        )
        if match:
            text = match[1] or match[2]
            return int(text) if text.isdigit() else int(zh_number(text))
    days = {mark.day for mark in marks}
    return len(days) if len(days) > 1 else None
