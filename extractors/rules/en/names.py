"""Finds the sights of an English document in schedules, headings, capitalised names and repeated
names.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import accumulate

from extractors.rules.common.chinese import is_decoy, is_proper_name, strong, suffix_of
from extractors.rules.common.days import Days
from extractors.rules.common.dictionary import tag
from extractors.rules.common.gazetteer import NameGazetteer
from extractors.rules.common.grouping import HEAD
from extractors.rules.common.lines import DocumentNames, Hit, Line, hit_at
from extractors.rules.en import lexicon as en
from extractors.rules.en.capitals import acceptable, candidates, head_of, is_place
from extractors.rules.en.facts import label_of
from extractors.rules.en.heads import (
    ANNOUNCES,
    ASIDE_LABEL,
    Section,
    chinese_sight,
    find_heading_name,
    is_heading,
    second_names,
    siblings,
)
from extractors.rules.en.items import beside, day_row, item, listing, row_mates, standing
from extractors.rules.en.plans import stops_set_out
from extractors.rules.en.tables import add_items, add_labelled_headings, add_table_places

_CHINESE = re.compile(
    r"^\W{0,3}[（(]\s*([\u4e00-\u9fff·、和/ ]{2,20})\s*[)）,，]"
    r"|^\s([\u4e00-\u9fff·]{2,12})(?![\u4e00-\u9fff])"
)
_CLOCK = re.compile(
    r"^\W*(?:[01]?\d|2[0-3])[:.][0-5]\d(?:\s*[-–—]\s*(?:[01]?\d|2[0-3])[:.][0-5]\d)?\s*(?:am"
    r"|pm)?\b",
    re.IGNORECASE,
)
_OBJECT = re.compile(
    r"\b(?:walk|stroll|visit|explore|tour|see|taxi|metro|metro/taxi|tram|ferry|ropeway|hike|climb"
    r"|discover|wander|head|go|shopping|sightseeing|cycle|photos|photo walk)"
    r"(?:\s+(?:to|in|at|around|through|along|up|the|over))*\s+$",
    re.IGNORECASE,
)


def find_names(lines: list[Line], days: Days, gazetteer: NameGazetteer) -> DocumentNames:
    """Return all occurrences of names that may belong to sights, and the names that belong to other
    things.
    """
    names = DocumentNames()
    marks = {mark.line: mark.end for mark in days.marks if mark.end >= 0}
    section = Section()
    for line in lines:
        section.enter(line)
        if line.kind == "title":
            _title(line, names)
            continue
        if line.is_head or line.strong:
            _headline(line, marks.get(line.index, 0), section, names)
            continue
        passing = _body(line, section, days, names)
        _line(line, marks.get(line.index, 0), passing, days, names)
        if marks.get(line.index) and not passing:
            day_row(line, marks[line.index], names)
        for known in gazetteer.find(line.text):
            if known.entry.kind == "poi" and not _is_turned(line.text, known.start, known.end):
                names.hits.append(
                    Hit(line.start + known.start, line.start + known.end,
                        line.text[known.start : known.end], "gazetteer", line.index,
                        known.entry.standard, known.entry.parent)
                )  # fmt: skip
    stops_set_out(lines, days, names)
    add_table_places(lines, names)
    add_items(lines, names)
    add_labelled_headings(lines, lambda text: label_of(text) is not None, names)
    beside(lines, names)
    siblings([line for line in lines if line.index not in marks], names)
    row_mates(lines, names)
    _echo(lines, names)
    second_names(lines, names)
    return names


_GUIDE = re.compile(r"\b(?:guide|visit\w*|tips|explor\w+|things to)\b", re.IGNORECASE)


def _title(line: Line, names: DocumentNames) -> None:
    """Add the sight named in a page's title before the motto ("Lotus Lake: A Complete Guide")."""
    main = re.split(r"\s+[—–-]\s+|:\s", line.text)[0]
    if len(main) == len(line.text):
        return
    guide = bool(_GUIDE.search(line.text, len(main)))
    for a, b in candidates(main):
        name, zh = main[a:b], chinese_beside(main, b)
        if acceptable(name) and (head_of(name) == "strong" or ((zh or guide) and head_of(name))):
            names.hits.append(hit_at(line, a, b, "heading"))


def _headline(line: Line, start: int, section: Section, names: DocumentNames) -> None:
    """Add the names in a heading or a bold line; in a section on logistics, add only certain
    names.
    """
    if not section.logistics:
        _heading(line, start, names)
    elif line.is_head:
        found = DocumentNames()
        _heading(line, start, found)
        names.hits.extend(h for h in found.hits if head_of(h.name) == "strong")
    if section.sights and not section.aside and not line.is_head:
        standing(line, names)


def _body(line: Line, section: Section, days: Days, names: DocumentNames) -> bool:
    """Add the names in a line unless it mentions sights only in passing; return whether it does."""
    tabled = line.kind == "table_row"
    passing = (
        section.logistics
        or tabled
        or section.aside
        or section.shops
        or bool(ASIDE_LABEL.match(line.text))
    )
    if passing:
        return True
    if section.sights and line.kind == "paragraph":
        standing(line, names)
    if line.kind == "list_item" and days.of_line[line.index] is not None:
        item(line, names)
    listing(line, names)
    return False


_TURNS = re.compile(
    r"\s+(?:\w+ )?(?:Hotel|Hostel|Inn|Station|Airport|Restaurant|Road|Line|Cruise|Tour|hotel"
    r"|station)\b"
)


def _is_turned(text: str, start: int, end: int) -> bool:
    """Check whether the words after a known name make it the name of a hotel, a station or the
    like.
    """
    return bool(_TURNS.match(text, end)) or (
        bool(en.DECOY.search(text[start : end + 9])) and not en.DECOY.search(text[start:end])
    )


def chinese_beside(text: str, end: int) -> str:
    """Return the Chinese name in brackets after a name, or "" if there is no such name."""
    match = _CHINESE.match(text[end : end + 30])
    return (match[1] or match[2]).strip() if match else ""


_STREET = re.compile(r"\b(?:Road|Avenue|Street|Lane|Boulevard)$")
#: The heading of a day that leads from one place to another.
_JOURNEY = re.compile(r"\s(?:to|via)\s|→|->|–>|=>|⇒")


def _heading(line: Line, start: int, names: DocumentNames) -> None:
    """Add the sights in a heading, without any motto after a dash."""
    text = line.text
    opens = start + len(re.match(r"[\W_]*", text[start:])[0])  # type: ignore[index]  # it matches the empty text too
    motto = None if start else re.search(r"\s+[—–-]\s+|:\s", text[opens:])
    main = text[: opens + motto.start()] if motto else text
    numbered = re.match(r"^\s*(?:\d+[.)]|#\d+)\s*", main)
    if (en.LOGISTICS.search(main) and not is_heading(main)) or ANNOUNCES.fullmatch(main.strip()):
        return
    whole = find_heading_name(line, start)
    journey = start and _JOURNEY.search(text, start)
    if whole and not journey:
        names.hits.append(whole)
    for a, b in candidates(main):
        if a < start or (numbered and a < numbered.end()):
            continue
        name = text[a:b]
        zh = chinese_beside(text, b)
        if name.lower() in en.GENERIC or name.lower().removesuffix("s") in HEAD:
            continue
        if journey and not head_of(name):  # towns on a day's drive
            continue
        if zh and not chinese_sight(zh):
            if is_decoy(zh):
                names.decoys.append((line.start + a, name))
            continue
        street = bool(zh) and not zh.endswith("之路") and _STREET.search(name) is not None
        good = (acceptable(name) or street) and (
            head_of(name) == "strong" or (zh and not en.HEADING_WORDS.search(name))
        )
        if good or (acceptable(name) and head_of(name) and not en.HEADING_WORDS.search(name)):
            also = (zh,) if zh else ()
            names.hits.append(
                Hit(line.start + a, line.start + b, name, "heading", line.index, also=also)
            )


_SURNAMES = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程"
    "苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝"
    "龚邵万钱严武戴莫孔向汤"
)


#: Chinese endings of streets and paths that are sights.
_LANES = ("栈道", "步道", "古道", "老街", "古街", "巷", "胡同", "步行街")
#: Words after the name of a people ("Miao (苗) minority").
_PEOPLE = re.compile(
    r"\s*(?:[(（][^()（）]*[)）])?\s*(?:minorit\w+|people\b|ethnic\w*|tribes?\b|dialect"
    r"|nationality)"
)
#: An article before a name makes it a common noun; the word for a work makes it a title.
_COMMON = re.compile(
    r"\b(?:an?|(?:novel|film|movie|book|song|album|story|painting"
    r"|series)s?(?:\s+called)?)\s+[\"“‘'*_]*$",
    re.IGNORECASE,
)
_TITLED = re.compile(
    r"\b(?:monk|emperor|empress|poet|writer|general|king|prince|author|architect|director|warlord"
    r"|artist|painter)\s+$",
    re.IGNORECASE,
)


def _person(name: str, zh: str, head: str) -> bool:
    """Check whether a name that has a Chinese form beside it belongs to a person."""
    few = 2 <= len(zh) <= 3 and zh[:1] in _SURNAMES and not strong(zh)
    return few and not head and len(name.split()) >= 2 and tag(zh) not in ("ns", "nz")


def _sentence(text: str, at: int) -> str:
    """Return the sentence around an offset in a line."""
    begin = max((m.end() for m in re.finditer(r"[.!?]\s+(?=[A-Z])", text[:at])), default=0)
    close = re.search(r"[.!?](?=\s|$)", text[at:])
    return text[begin : at + close.start() if close else len(text)]


#: A ticket price directly after a name.
_ADMITS = re.compile(
    r"\s*(?:[(（][^()（）]*[)）]\s*)?(?:entrance|entry|admission|ticket)?\s*(?:fee|price)?\s*[:："
    r"|]\s*(?:about |around |~)?(?:(?:RMB|CNY|[¥￥])\s*\d|\d[\d,]*\s*(?:RMB|CNY|yuan|元))",
    re.IGNORECASE,
)


def _line(line: Line, start: int, logistics: bool, days: Days, names: DocumentNames) -> None:
    """Add the names in a schedule line, a list item or a sentence."""
    text = line.text
    clock = _CLOCK.match(text)
    scheduled = bool(clock) or (days.of_line[line.index] is not None and line.kind == "list_item")
    for a, b in candidates(text):
        name, before = text[a:b], text[:a]
        meal = bool(en.MEAL.search(_sentence(text, a)))
        if a < start and line.index:
            continue
        zh = chinese_beside(text, b)
        head = head_of(name)
        if (
            (en.DECOY.search(name) and not zh.endswith(_LANES))
            or (zh and is_decoy(zh))
            or re.match(r"\s+(?:Hotel|Station|Airport|Restaurant|hotel|station)\b", text[b:])
        ):
            if " " in name:
                names.decoys.append((line.start + a, name))
            continue
        if (
            not (acceptable(name) or zh.endswith(_LANES))
            or (zh and not chinese_sight(zh))
            or _person(name, zh, head)
            or _TITLED.search(before)
            or _COMMON.search(before)
            or _PEOPLE.match(text, b)
        ):
            continue
        if name.lower() in HEAD and not scheduled:  # "the Monastery" is short for a name
            continue
        inner = re.match(r"\s*[(（]([A-Z][^()（）]{3,40})[)）]", text[b:])
        if inner and not head and head_of(inner[1]):
            continue
        if source := _source(text, line, before, name, head, zh, scheduled, meal):
            also = (zh,) if zh and not re.search(r"[、和/]", zh) else ()
            names.hits.append(
                Hit(
                    line.start + a,
                    line.start + b,
                    name,
                    "logistics" if logistics and not (head and _ADMITS.match(text, b)) else source,
                    line.index,
                    also=also,
                )
            )


#: "Name (中文): …" at the start of a paragraph.
_LABELLED = re.compile(
    r"(?:\s(?:&|and)\s(?:the )?[A-Z][\w’' -]{2,40})?\s*(?:[(（][^()（）]{1,24}[)）])?\s*(?:[:：]|—"
    r"|–|--)\s"
)
#: The first half of a label that names two sights.
_FIRST_HALF = re.compile(r"^\W*[A-Z][\w’' -]{2,40}\s(?:&|and)\s(?:the )?$")


def _source(
    text: str, line: Line, before: str, name: str, head: str, zh: str, scheduled: bool, meal: bool
) -> str | None:
    """Return the rule that accepts a name in a line, or None if no rule does."""
    if en.LONG_HAUL.search(before) and head != "strong":
        return None
    leads = not re.search(r"\w", before)
    if name.endswith(("River", "Rivers")) and not leads and not en.VISIT.search(before[-40:]):
        return None
    moving = bool(_OBJECT.search(before)) or (
        bool(re.search(r"[,/&(]\s*$|\b(?:and|or)\s*$", before))
        and scheduled
        and bool(_OBJECT.search(before[: before.rfind(" ") + 1]))
    )
    bracket = re.search(r"([A-ZÀ-Ý][\w’'-]*\s+)*[A-ZÀ-Ý][\w’'-]*\s*\($", before)
    moving = moving or bool(bracket and head and _OBJECT.search(before[: bracket.start()]))
    if (
        scheduled
        and (head == "strong" or moving)
        and not re.search(r"\b(?:with|views? of)\b.{0,12}$", before)
    ):
        named = "chain" if len(text) < 160 else "verb"
        return None if meal and head != "strong" else named
    if head == "strong":
        labels = bool(_LABELLED.match(text, len(before) + len(name)))
        opens = line.kind == "list_item" or labels
        leads = leads or bool(labels and _FIRST_HALF.match(before))
        return "lead" if leads and opens and len(name) > 6 else "suffix"
    after = len(before) + len(name)
    if head and leads and not meal and _LABELLED.match(text, after):
        return "lead" if line.kind == "list_item" or " -" in text[after : after + 4] else "suffix"
    if len(name) > 4 and not is_place(name) and en.APPOSED.match(text, after):
        return "suffix"
    if zh and (
        suffix_of(zh) or is_proper_name(zh) or leads or tag(zh) in ("nr", "ns", "nz", "nrt")
    ):
        return "lead" if leads else "suffix"
    if (moving or en.VISIT.search(before[-40:])) and head == "weak":
        return "verb"
    if head and en.PRAISED.match(text, len(before) + len(name)):
        return "suffix"
    if scheduled and en.STROLLED.search(before) and len(name) > 4 and not is_place(name):
        return "verb"
    several = (" " in name or before.endswith(" the ")) and not re.search(r"\b(?:and|or|&)\b", name)
    return "verb" if several and en.SEES.search(before) else None


def _echo(lines: list[Line], names: DocumentNames) -> None:
    """Add further occurrences of the names found so far, including occurrences without the last
    word.
    """
    known: set[str] = {h.name for h in names.hits if len(h.name) > 3}
    known |= {short for name in known if (short := _short(name)) and not is_place(short)}
    if not known:
        return
    ordered = sorted(known, key=lambda n: (-len(n), n))
    pattern = re.compile(r"(?<!\w)(?:" + "|".join(map(re.escape, ordered)) + r")(?!\w)")
    taken = {(h.start, h.end) for h in names.hits}
    spans = sorted(taken)
    starts = [start for start, _ in spans]
    ends = list(accumulate((end for _, end in spans), max))
    for line in lines:
        if line.kind == "title":
            continue
        for match in pattern.finditer(line.text):
            start, end = line.start + match.start(), line.start + match.end()
            before = bisect_left(starts, end)
            if before and start < ends[before - 1]:
                continue
            if re.match(
                r"\s+(?:Hotel|Station|Airport|Restaurant|Road|Line|Dock|Pier|Wharf|Terminal|Metro"
                r"|Railway|District|County|Province|Prefecture|Hostel|Inn|Cruise|Expressway"
                r"|Avenue)\b",
                line.text[match.end() :],
            ):
                continue
            names.hits.append(Hit(start, end, match.group(), "echo", line.index))


def _short(name: str) -> str:
    """Return a name without its type ("Lowmere" for "Lowmere Old Town").

    Returns "" if the rest is not a name.
    """
    match = re.fullmatch(
        r"([A-Z][a-z’'-]{3,}(?: [A-Z][a-z’'-]+)?) (?:Old Town|Ancient Town|Water Town|Village"
        r"|Island|Square)",
        name,
    ) or re.fullmatch(
        r"([A-Z][a-z’'-]{2,} [A-Z][a-z’'-]+) (?:Park|Temple|Monastery|Mountain)", name
    )
    return match[1] if match and match[1].lower() not in en.LEAD | en.NOT_NAME else ""
