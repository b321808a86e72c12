"""Finds journeys in tables and lists whose rows, columns or items are marked with days, weekdays or
times.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

from extractors.rules.common.days import DATE, DAY, Days, Mark, date_of, number_of
from extractors.rules.common.lines import DocumentNames, Line, cells_of, hit_at, ranges_between
from extractors.rules.en import lexicon as en
from extractors.rules.en.capitals import acceptable, candidates, head_of
from schemas.money import find_currency
from schemas.sight_words import type_abroad
from schemas.word_lists import Lists

_LISTS = Lists("extractors.rules.en")

_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_WEEKDAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?"
_DAY_HEADER = re.compile(
    r"\W*(?:days?|dates?|when|weekday|day of (?:the )?week)\W*(?:no\.?|#)?\W*", re.IGNORECASE
)
_TIME_HEADER = re.compile(r"\W*(?:time|times|when|hour|clock|start|from|at)\W*", re.IGNORECASE)
_PART_HEADER = re.compile(
    r"\b(?:morning|afternoon|evening|noon|midday|night|lunchtime|sunset|am|pm|attractions?|sights?"
    r"|stops?|"
    r"highlights?|activit\w+|plan|itinerary|visits?|what|where|places?|route|programme|program"
    r"|schedule)\b",
    re.IGNORECASE,
)
#: Columns of a table of days that contain no stops.
_OTHER_HEADER = re.compile(rf"\b(?:{_LISTS.either('other_columns')})\b", re.IGNORECASE)
_DAY_CELL = re.compile(
    rf"\W*(?:(?:day|d)?\s*\.?(?P<n>\d{{1,2}})(?:st|nd|rd|th)?(?![\d:.,])|(?P<w>{_WEEKDAY})\b)",
    re.IGNORECASE,
)
_WEEKDAY_LABEL = re.compile(
    rf"\W*(?P<w>{_WEEKDAY})\b(?P<part>[^:—–-]{{0,24}}?)\s*(?::|—|–|\s-\s|\W*$)", re.IGNORECASE
)
_CLOCK = re.compile(
    r"\W*(?:(?:at|from)\s+)?(?:(?:[01]?\d|2[0-3])\s?[:.hH]\s?[0-5]\d\s*(?:[ap]\.?m\.?\b)?h?"
    r"|(?:1[0-2]|0?[1-9])\s*[ap]\.?m\b\.?|noon\b|midday\b)"
    r"(?:\s*(?:-|–|—|to|until)\s*(?:\d{1,2}(?:\s?[:.hH]\s?\d\d)?\s*(?:[ap]\.?m\b\.?)?"
    r"|noon))?\s*(?:\||:|-|–|—|,)?\s*",
    re.IGNORECASE,
)
_LEAST_CLOCKS = 3
_HOURS = re.compile(
    r"\d\s*(?:[ap]m)?\s*(?:-|–|—|to)\s*\d{1,2}(?:[:.h]\d\d|\s*[ap]m|h?\W*$)|\bclosed\b"
    r"|\b24 hours\b|\bopen\b",
    re.IGNORECASE,
)


def tables_of(lines: list[Line]) -> Iterator[list[Line]]:
    """Return the rows of every table with at least two rows."""
    rows = (line for line in lines if line.kind == "table_row")
    for _key, group in groupby(enumerate(rows), key=lambda pair: pair[1].index - pair[0]):
        table = [line for _at, line in group]
        if len(table) > 1:
            yield table


def find_set_out_days(lines: list[Line], days: Days) -> Days:
    """Add the days that tables and lists mark by a number, a weekday, a date or a clock time."""
    marks = list(days.marks)
    if days.serial is None:
        counted = [mark for table in tables_of(lines) for mark in _mark_table(table)]
        held = {mark.line for mark in marks}
        if counted and not any(lines[mark.line].kind != "table_row" for mark in marks):
            marks = [*(m for m in marks if m.line not in {c.line for c in counted}), *counted]
        elif counted and {m.day for m in counted} <= {m.day for m in marks}:
            marks += [mark for mark in counted if mark.line not in held]
        marks = marks or _by_weekday(lines)
    columns = _columns(lines) if days.serial is None else ()
    headers = {table[0].index for table in tables_of(lines)} if columns else set()
    marks = [mark for mark in marks if mark.line not in headers]
    columns = () if marks else columns
    if not marks and not columns and days.serial is None:
        marks = _by_clock(lines)
    in_tables = bool(marks) and all(lines[mark.line].kind == "table_row" for mark in marks)
    if tuple(marks) == days.marks and not columns and not in_tables:
        return days
    marks.sort(key=lambda mark: mark.line)
    counted_days = {mark.day for mark in marks} | {day for _a, _b, day in columns}
    stated = days.stated or (len(counted_days) if len(counted_days) > 1 else None)
    return Days(tuple(marks), _spread(lines, marks, days), stated, days.serial, columns)


def _spread(lines: list[Line], marks: list[Mark], days: Days) -> tuple[int | None, ...]:
    """Return the day of every line: a row or an item that marks a day also sets the day of the
    lines that follow it.
    """
    in_tables = all(lines[mark.line].kind == "table_row" for mark in marks)
    if days.marks and not in_tables:
        of_line = list(days.of_line)
        for mark in marks:
            of_line[mark.line] = mark.day
        return tuple(of_line)
    at = {mark.line: mark for mark in marks}
    found: list[int | None] = []
    day: int | None = None
    kind = ""
    for line in lines:
        if (begins := at.get(line.index)) is not None:
            day, kind = begins.day, line.kind
        elif (
            line.kind == "heading"
            or (kind == "table_row" and line.kind != kind)
            or (kind == "list_item" and line.kind not in ("list_item", "quote"))
        ):
            day = None
        if clock_of(line) and day is not None:
            kind = line.kind
        found.append(day)
    return tuple(found)


def _mark_table(table: list[Line]) -> Iterator[Mark]:
    """Return the days of the rows in a table that has a column for days."""
    header = cells_of(table[0].text)
    stops = [cell for _at, cell in header[1:] if _PART_HEADER.search(cell) or not _is_other(cell)]
    if not stops or not _DAY_HEADER.fullmatch(header[0][1]):
        return
    days: dict[str, int] = {}
    last = 0
    for line in table[1:]:
        cell = cells_of(line.text)[0][1]
        match = _DAY_CELL.match(cell)
        date = DATE.match(cell.strip())
        day = DAY.search(cell)
        if day:
            last = number_of(day)
        elif date:
            last = days.setdefault(str(date_of(date)), len(days) + 1)
        elif match and match["n"]:
            last = int(match["n"])
        elif match:
            last = days.setdefault(match["w"][:3].lower(), len(days) + 1)
        elif not last:
            return
        if last:
            is_day = bool(day or date or match)
            yield Mark(line.index, last, len(cell) if is_day else 0, True)


def _by_weekday(lines: list[Line]) -> list[Mark]:
    """Return items, bold lines and paragraphs that begin with weekdays if at least two of them name
    a stop.
    """
    found: list[tuple[Line, re.Match[str]]] = []
    telling = 0
    for line in lines:
        match = _WEEKDAY_LABEL.match(line.text) if line.kind not in ("title", "table_row") else None
        if match is None or (
            line.kind == "paragraph" and match.end() == len(line.text) and not line.strong
        ):
            continue
        rest = line.text[match.end() :]
        if _HOURS.search(rest[:40]) or _HOURS.search(match["part"]):
            continue
        telling += not rest or any(_stops(rest))
        found.append((line, match))
    names = list(dict.fromkeys(match["w"][:3].lower() for _line, match in found))
    if telling < 2 or len(names) < 2:
        return []
    return [
        Mark(line.index, names.index(match["w"][:3].lower()) + 1, match.end(),
             line.kind == "list_item" and len(line.text) > match.end() + 3)
        for line, match in found
    ]  # fmt: skip


def _by_clock(lines: list[Line]) -> list[Mark]:
    """Mark the start of a list whose lines begin with clock times; the whole list counts as one
    day.
    """
    found = [line for line in lines if clock_of(line) and any(_stops(line.text[clock_of(line) :]))]
    if len(found) < _LEAST_CLOCKS or any(_departures(table) for table in tables_of(lines)):
        return []
    first = found[0].index
    return [Mark(first - 1, 1, -1, False)] if first else [Mark(first, 1, 0, False)]


def _departures(table: list[Line]) -> bool:
    return bool(
        re.search(r"depart|arriv|platform|line\b|train|ferry|bus\b", table[0].text, re.IGNORECASE)
    )


def clock_of(line: Line) -> int:
    """Return the end of the clock time at the start of a schedule line, or 0 if there is no clock
    time.
    """
    if line.is_head or line.kind == "quote":
        return 0
    match = _CLOCK.match(line.text)
    return match.end() if match and match.end() < len(line.text) else 0


def _columns(lines: list[Line]) -> tuple[tuple[int, int, int], ...]:
    """For tables with one column per day, return the range of each cell in the document and its
    day.
    """
    found: list[tuple[int, int, int]] = []
    for table in tables_of(lines):
        days = [_day_of(cell) for _at, cell in cells_of(table[0].text)]
        if len(set(filter(None, days))) < 2:
            continue
        weekdays = [day for day in days if day and day < 0]
        for line in table[1:]:
            cells = cells_of(line.text)
            if (
                len(cells) == len(days)
                and not _HOURS.search(line.text)
                and not _is_other(cells[0][1])
            ):
                found += [
                    (line.start + at, line.start + at + len(cell),
                     weekdays.index(day) + 1 if day < 0 else day)
                    for (at, cell), day in zip(cells, days, strict=True)
                    if day is not None
                ]  # fmt: skip
    return tuple(found)


def _day_of(cell: str) -> int | None:
    """Return the day in the header of a column as a number, which is negative for weekdays."""
    if day := DAY.search(cell):
        return number_of(day)
    match = re.match(rf"\W*(?P<w>{_WEEKDAY})\b", cell, re.IGNORECASE)
    return _WEEKDAYS.index(match["w"][:3].lower()) - len(_WEEKDAYS) if match else None


def stops_set_out(lines: list[Line], days: Days, names: DocumentNames) -> None:
    """Add the stops in the rows, items and cells that mark a day."""
    marks = {mark.line: mark for mark in days.marks}
    known = _group_by_line(names)
    clocks = {
        line.index for line in lines if clock_of(line) and days.of_line[line.index] is not None
    }
    for table in tables_of(lines):
        header = cells_of(table[0].text)
        chosen = _stop_columns([cell for _at, cell in header])
        is_timed = bool(_TIME_HEADER.fullmatch(header[0][1])) and not _departures(table)
        for line in table[1:]:
            cells = cells_of(line.text)
            mark = marks.get(line.index)
            timed = is_timed and (clock_of(line) > 0 or days.of_line[line.index] is not None)
            is_day = bool(_DAY_HEADER.fullmatch(header[0][1]) or DAY.search(cells[0][1]))
            if not timed and (mark is None or (mark.listed and not is_day)):
                continue
            whole = len(cells) == len(header)
            for i, (at, cell) in enumerate(cells):
                if (i in chosen and i > 0) if whole else not (i == 0 and mark and mark.end):
                    _add(line, at, cell, names, known[line.index])
    for start, end, _day in days.cells:
        line = next(line for line in lines if line.start <= start < line.start + len(line.text) + 1)
        cell = line.text[start - line.start : end - line.start]
        _add(line, start - line.start, cell, names, known[line.index])
    for line in lines:
        mark = marks.get(line.index)
        if line.kind in ("table_row", "title", "heading", "quote"):
            continue
        if line.index in clocks:
            _add(line, clock_of(line), line.text[clock_of(line) :], names, known[line.index])
        elif mark and mark.end > 0 and _WEEKDAY_LABEL.match(line.text):
            _add(line, mark.end, line.text[mark.end :], names, known[line.index])


def _is_other(header: str) -> bool:
    """Check whether the header of a column shows that the column contains no stops."""
    return bool(_OTHER_HEADER.search(header))


def _stop_columns(header: list[str]) -> set[int]:
    """Return the columns of a plan that contain stops.

    If any header says that its column contains stops, only such columns count. Otherwise, all
    columns count except those whose headers announce other content.
    """
    plain = {i for i, cell in enumerate(header) if i and not _is_other(cell)}
    return {i for i in plain if _PART_HEADER.search(header[i])} or plain


def _add(line: Line, at: int, text: str, names: DocumentNames, in_line: list[_TableName]) -> None:
    """Add the stops that are named in one part of a line.

    A known name from a table replaces the name found by a rule if the rule finds only a piece of
    the known name, or an ordinary word before it ("Boat on Lake Lund"). The known name is also used
    if no rule finds a name.
    """
    known = _in_part(in_line, line.start + at, text)
    found = list(_stops(text))
    for n, (a, b) in enumerate(found):
        told = [k for k in known if k.start <= a and b <= k.end]
        end = found[n + 1][0] if n + 1 < len(found) else len(text)
        if not told and " " not in text[a:b]:
            told = [k for k in known if b <= k.start < end and _goes_there(text, b, k.start)][:1]
        for k in told:
            names.hits[k.n] = replace(names.hits[k.n], source="chain")
        if not told:
            names.hits.append(hit_at(line, at + a, at + b, "chain"))
    if not found and known and not _NO_STOP.search(text):
        first = min(known, key=lambda k: k.start)
        if not _ASIDE.search(text[: first.start]):
            names.hits[first.n] = replace(names.hits[first.n], source="chain")


class _TableName(NamedTuple):
    """A known name from the tables, with its offsets in the document or in part of a line."""

    start: int
    end: int
    n: int  # position among the hits


#: So many known names of a line are considered; a plan of a day names fewer.
_MOST_KNOWN = 200


def _group_by_line(names: DocumentNames) -> dict[int, list[_TableName]]:
    found: dict[int, list[_TableName]] = defaultdict(list)
    for n, hit in enumerate(names.hits):
        if hit.source == "gazetteer" and len(found[hit.line]) < _MOST_KNOWN:
            found[hit.line].append(_TableName(hit.start, hit.end, n))
    return found


def _in_part(known: list[_TableName], begin: int, text: str) -> list[_TableName]:
    """Return the known names in part of a line, with offsets within this part."""
    return [
        _TableName(k.start - begin, k.end - begin, k.n)
        for k in known
        if begin <= k.start and k.end <= begin + len(text)
    ]


def _goes_there(text: str, after: int, start: int) -> bool:
    """Check that the text between a word and a name neither separates the two nor merely says where
    something is.
    """
    return not (_ASIDE.search(text[:start]) or _SIGNS.search(text[after:start]))


_SIGNS = re.compile(
    r"\s*(?:[,;+]|→|->|=>|➔|➜|>|\s[—–-]\s|\s/\s|\.\s|\s&\s|\b(?:and|then|followed by|before"
    r"|after that|via)\b)\s*"
)
#: A part with one of these words is about a meal, a bed or a ride.
_NO_STOP = re.compile(
    rf"^\W*(?:(?:late|early|quick|light|long)\s+)?(?:{_LISTS.either('no_stop_openings')})",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"\b(?:near|beside|opposite|behind|from|towards?|views? (?:of|over)|overlooking|next to"
    r"|outside|by)\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_BRACKETS = re.compile(r"[(（\[][^()（）\[\]]*[)）\]]")


def _stops(text: str) -> Iterator[tuple[int, int]]:
    """Yield the range of the first name in every part of a row, if this part describes a visit."""
    inner = (match for match in _BRACKETS.finditer(text) if _SIGNS.search(match.group()))
    for match in inner:  # "Forest Park (North Peak + Lake Hut)": the parts are stops
        listed = [
            (match.start() + 1 + a, match.start() + 1 + b) for a, b in _stops(match.group()[1:-1])
        ]
        if len(listed) > 1:
            yield from listed
            return
    blank = _BRACKETS.sub(lambda m: "(" + "_" * (len(m.group()) - 2) + ")", text)
    for start, end in ranges_between((m.span() for m in _SIGNS.finditer(blank)), 0, len(blank)):
        part = blank[start:end]
        if not _NO_STOP.search(part) and (found := _name(part)):
            yield start + found[0], start + found[1]


def _name(part: str) -> tuple[int, int] | None:
    """Return the range of the first name in part of a line that may be the name of a sight."""
    for a, end in candidates(part):
        name = part[a:end]
        sure = head_of(name) == "strong" or bool(type_abroad(name))
        going_on = _GOES_ON.match(part, end)
        b = going_on.end() if going_on else end
        if not sure and (_RIDE_OR_MEAL.search(part) or _only_opens(part, a, b)):
            continue
        plain = set(name.lower().split()) <= en.LEAD | en.NOT_NAME and not type_abroad(name)
        if plain or not may_be_sight(name) or en.MEAL.search(name) or _ASIDE.search(part[:a]):
            continue
        word = _OF_NAMES.search(part[:a])
        return (word.start(1) if word else a), b
    return None


#: A name of this form is a sight's, whatever its ending ("Museum of the Revolution").
_TYPE_OF = re.compile(
    r"(?:\w+ )?(?:Museum|Palace|Temple|Tower|Garden|Gallery|House|Gate|Church|Tomb|Hall|Square"
    r"|Monument|Basilica)s? of\b"
)


def may_be_sight(name: str) -> bool:
    """Check whether a name in a column or row of places can belong to a sight."""
    return find_currency(name, None) is None and (acceptable(name) or bool(_TYPE_OF.match(name)))


#: A part with one of these words is about a ride or a meal, unless its name is clearly a sight's.
_RIDE_OR_MEAL = re.compile(rf"\b(?:{_LISTS.either('ride_or_meal_words')})\b", re.IGNORECASE)
#: May follow a name of one word at the start of a part.
_AFTER_NAME = re.compile(
    r"\s*(?:$|[(:.!?]|(?:in|at|on|by|for|with|around|from|until|till|before|after|during|again"
    r"|early|first)\b)"
)


def _only_opens(part: str, a: int, b: int) -> bool:
    """Check whether a capitalised word is only the first word of a longer part ("Casual walk")."""
    is_word = " " not in part[a:b] and not part[:a].strip(" *_-–—\"'“”")
    return is_word and not _AFTER_NAME.match(part, b)


#: "Khan" continues with "el-Khalili Bazaar".
_GOES_ON = re.compile(r"\s(?:el|al|ad|ar|as|ash|at|az|ul)[- ][A-ZÀ-Ý][\w’']*(?:\s[A-ZÀ-Ý][\w’']*)*")
#: Words that belong to the name after them here; elsewhere they only begin a sentence.
_OF_NAMES = re.compile(
    r"(?:^|\s)((?:Ancient|Great|Old|New|Royal|Grand|Upper|Lower|Golden|National|Central|Inner"
    r"|Outer|One|Two|Three|Four|Five|Six|Seven|Eight|Nine|Ten)\s+)$"
)
