"""Finds places and facts in tables, where headers name fields and rows name places."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from extractors.rules.common.grouping import Sight
from extractors.rules.common.limits import LimitWords, limits_of_cell
from extractors.rules.common.lines import (
    Cell,
    DocumentNames,
    Line,
    cells_of,
    headings_above,
    hit_at,
)
from extractors.rules.common.statements import Limits, Statement
from extractors.rules.common.tables import duration_of_cell
from extractors.rules.en import lexicon as en
from extractors.rules.en.capitals import acceptable, candidates, head_of
from extractors.rules.en.heads import Section
from extractors.rules.en.hours import WEEKDAY, find_closed_days, hours_in
from extractors.rules.en.plans import may_be_sight, tables_of
from extractors.rules.en.prices import marks_in, prices_in
from schemas.sight_words import type_abroad

_PRICE = re.compile(
    r"\b(?:tickets?|admissions?|entry|entrance|fees?|prices?|costs?|adults?|child(?:ren)?"
    r"|students?|seniors?|kids?|"
    r"concession|reduced|full price|tariff)\b",
    re.IGNORECASE,
)
_HOURS = re.compile(
    r"\b(?:hours?|open(?:s|ing)?|times?|timings?|schedule|closed|closes|closing|last (?:entry"
    r"|admission))\b",
    re.IGNORECASE,
)
_LONG = re.compile(
    r"\b(?:duration|time needed|how long|allow|length|visit time|time to spend|suggested time)\b",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"\b(?:places?|sights?|attractions?|museums?|sites?|names?|monuments?|where|temples?"
    r"|landmarks?|venues?|parks?|galler\w+|church\w*|shrines?|palaces?)\b",
    re.IGNORECASE,
)
#: The rows of tables about beds, meals, rides and money are not places.
_OTHERS = re.compile(
    r"\b(?:hotels?|hostels?|rooms?|restaurants?|dish(?:es)?|menu|caf[eé]s?|bars?|routes?|lines?"
    r"|trains?|bus(?:es)?|ferr\w+|"
    r"activit\w+|experiences?|ticket types?|pass(?:es)?|fares?|tours?|item|expense|category|day"
    r"|date|month|stations?|stops?|transport)\b",
    re.IGNORECASE,
)
_NO_PLACE = re.compile(
    r"\W*(?:adults?|child(?:ren)?|students?|seniors?|total|single|return|day ?pass|mon|tue|wed|thu"
    r"|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*\W*",
    re.IGNORECASE,
)
#: The first of two places in one row ("Statue of Liberty + Ellis Island").
_FIRST = re.compile(r"\s\+\s.*")
_NAME = re.compile(
    r"[\s*_\d.)#]*(?:the\s+|The\s+)?(?P<n>[^\W\d_][^|()（）\[\],;:]{1,60}?)\s*(?:[(（\[,;:–—].*"
    r"|\s-\s.*)?"
)
_SHORT = 40
#: Occurs in rows of values and not in headers, except for a year and its season.
_VALUE = re.compile(
    r"(?<!\d)(?!(?:19|20)\d\d)\d+(?!\d)(?!\s*(?:h\b|yrs?|years|\+|-))|\bfree\b", re.IGNORECASE
)


_LAST_ENTRY = re.compile(r"last (?:entry|admission)", re.IGNORECASE)


class Columns(NamedTuple):
    """The positions of the relevant columns of a table, grouped by what the columns contain."""

    place: int
    is_named: bool  # the header says that the column names places
    prices: frozenset[int]
    hours: frozenset[int]
    lengths: frozenset[int]


def columns_of(header: list[Cell]) -> Columns | None:
    """Return the columns of a table that lists places with facts, or None for any other table."""
    told = [cell.strip() for _at, cell in header]
    if any(len(cell) > _SHORT or _VALUE.search(cell) for cell in told) or len(told) < 2:
        return None
    place = next((i for i, cell in enumerate(told) if _PLACE.search(cell)), 0)
    if _OTHERS.search(told[place]) and not _PLACE.search(told[place]):
        return None
    others = [(i, cell) for i, cell in enumerate(told) if i != place]
    lengths = frozenset(i for i, cell in others if _LONG.search(cell))
    prices = frozenset(i for i, cell in others if _PRICE.search(cell) and i not in lengths)
    last_entry = {i for i, cell in others if _LAST_ENTRY.search(cell)}
    taken = lengths | (prices - last_entry)
    hours = frozenset(i for i, cell in others if _HOURS.search(cell) and i not in taken)
    prices -= hours if hours & last_entry else frozenset()
    is_named = bool(_PLACE.search(told[place]))
    columns = Columns(place, is_named, prices, hours, lengths)
    return columns if prices or hours or lengths else None


def add_table_places(lines: list[Line], names: DocumentNames) -> None:
    """Add the names in the place column of tables that also have columns of facts."""
    heads = headings_above(lines, ("heading",))
    for table in tables_of(lines):
        columns = columns_of(cells_of(table[0].text))
        if columns is None or en.LOGISTICS.search(heads[table[0].index]):
            continue
        for line in table[1:]:
            cells = cells_of(line.text)
            if columns.place < len(cells):
                at, cell = cells[columns.place]
                found = name_of_cell(cell)
                name = cell[slice(*found)] if found else ""
                if found and (columns.is_named or head_of(name) or type_abroad(name)):
                    names.hits.append(hit_at(line, at + found[0], at + found[1], "lead"))


def add_labelled_headings(
    lines: list[Line], is_labelled: Callable[[str], bool], names: DocumentNames
) -> None:
    """Add the names in headings that are directly followed by lines with hours or prices."""
    heading: Line | None = None
    section = Section()
    for line in lines:
        section.enter(line)
        if section.logistics:
            heading = None
        elif line.kind == "heading" or (line.strong and line.kind != "title"):
            heading = line
        elif heading is not None and is_labelled(line.text):
            bare = heading.text if not en.LOGISTICS.search(heading.text) else ""
            found = name_of_cell(bare) if not en.HEADING_WORDS.search(bare) else None
            held = any(
                heading.start <= h.start < heading.start + len(heading.text) for h in names.hits
            )
            if found and not held and _titles_a_sight(bare[slice(*found)]):
                names.hits.append(hit_at(heading, *found, "heading"))
            heading = None


#: A name and its facts: "Flower Dome — $12", "Clay Museum: Tue–Sun 10:00–18:00, free".
_ITEM = re.compile(
    r"\W*(?:the\s+)?(?P<n>[A-ZÀ-Ý][^|()（）\[\],;:—–]{2,50}?)\s*\**\s*(?::"
    r"|\s[—–-]\s)\**\s*(?P<rest>.*)"
)
_STATES = re.compile(
    r"(?:(?:tickets?|entry|entrance|admission|adults?|open|hours|closed|about|from|cost"
    r"|fee)\W+){0,2}(?:[A-Z]{0,3}[$€£¥₹]\s?\d|\d+(?:[.,]\d+)?\s?(?:€|euros?|[A-Z]{3}\b)"
    r"|[A-Z]{2,3}\s?\d|free\b|(?:daily|closed|mon|tue|wed|thu|fri|sat|sun)"
    r"|\d{1,2}(?:[:.]\d\d)?\s*(?:[ap]m)?\s*(?:-|–|to)\s*\d)",
    re.IGNORECASE,
)


def match_item(line: Line) -> re.Match[str] | None:
    """Match an item that consists of a name and its prices or hours; return None for any other
    line.
    """
    if line.kind != "list_item" or len(line.text) > _ITEM_LONG:
        return None
    match = _ITEM.fullmatch(line.text)
    if match is None or not _STATES.match(match["rest"]) or label_like(match["n"]):
        return None
    name = match["n"]
    is_other = en.EATS.search(name) or en.LOGISTICS.search(name) or _OTHERS.search(name)
    return match if not is_other and is_title(name) and may_be_sight(name) else None


_TICKETS = re.compile(r"ticket|entry|entrance|admission", re.IGNORECASE)


def _is_sight(item: re.Match[str]) -> bool:
    """Check whether the name or the facts in an item suggest a sight."""
    name = item["n"]
    return bool(head_of(name) or type_abroad(name) or _TICKETS.search(item["rest"]))


def label_like(name: str) -> bool:
    """Check whether the words before a colon are a weekday or a label for hours or prices."""
    return bool(_PRICE.search(name) or _HOURS.search(name) or _NO_PLACE.fullmatch(name))


_ITEM_LONG = 160


def add_items(lines: list[Line], names: DocumentNames) -> None:
    """Add the names of items with prices or hours, except in sections on meals and transport.

    If at least two items in a list are sights and none is clearly something else, all items are
    added.
    """
    section = Section()
    group: list[tuple[Line, re.Match[str]]] = []
    for line in lines:
        section.enter(line)
        passing = section.logistics or section.shops or section.aside
        match = None if passing else match_item(line)
        if match:
            group.append((line, match))
        elif line.kind != "list_item":
            _add_items(group, names)
            group = []
    _add_items(group, names)


def _add_items(group: list[tuple[Line, re.Match[str]]], names: DocumentNames) -> None:
    sure = [_is_sight(match) for _line, match in group]
    names.hits += [
        hit_at(line, *match.span("n"), "lead")
        for (line, match), is_sure in zip(group, sure, strict=True)
        if is_sure or sum(sure) > 1
    ]


def _titles_a_sight(name: str) -> bool:
    return is_title(name) and (" " in name or bool(head_of(name) or type_abroad(name)))


def is_title(name: str) -> bool:
    """Check whether words are written like a name and do not form an instruction."""
    words = name.split()
    verb = words[0].lower() in en.LEAD and words[0].lower() not in _ADJECTIVES
    return not verb and all(
        word[0].isupper() or len(word) < 4 or not word.isalpha() for word in words
    )


#: Words that begin names as well as sentences.
_ADJECTIVES = en.LEAD & {
    "the",
    "ancient",
    "great",
    "old",
    "new",
    "royal",
    "grand",
    "golden",
    "national",
}


def name_of_cell(cell: str) -> tuple[int, int] | None:
    """Return the range of the name in a cell of the place column, or None."""
    match = _NAME.fullmatch(_FIRST.sub("", cell.strip()))
    if match is None or label_like(match["n"]):
        return None
    name, shift = match["n"], len(cell) - len(cell.lstrip())
    if not _is_capital(name[0]) and not any(_is_capital(word[0]) for word in name.split()):
        return None
    if en.EATS.search(name) or not may_be_sight(name) or len(name.split()) > 9:
        found = next((pair for pair in candidates(cell) if acceptable(cell[slice(*pair)])), None)
        return found if found and not en.EATS.search(name) else None
    return shift + match.start("n"), shift + match.end("n")


def _is_capital(sign: str) -> bool:
    """Check whether a character is a capital, or belongs to a script without capitals."""
    return sign.isupper() or (sign.isalpha() and not sign.islower())


def table_statements(
    lines: list[Line], places_in: Callable[[Line], list[tuple[int, int, Sight]]], words: LimitWords
) -> Iterator[tuple[Line, Sight, Statement]]:
    """Return the statements in table rows about places, and in lines that list places after a
    label.

    Offsets are relative to the line.
    """
    yield from _find_valued_lists(lines, places_in)
    heads = headings_above(lines, ("heading",))
    for table in tables_of(lines):
        header = cells_of(table[0].text)
        columns = columns_of(header)
        if columns is None or en.LOGISTICS.search(heads[table[0].index]):
            continue
        marked = _mark_headers(table, header, columns)
        for line in table[1:]:
            cells = cells_of(line.text)
            place = _place_of(line, cells, columns.place, places_in(line))
            if place is None or len(cells) > len(header):
                continue
            for i, (at, cell) in enumerate(cells):
                head = marked.get(i, header[i][1])
                for found in _read(cell, head, i, columns, words):
                    yield line, place, found.move(at)


_VALUED = re.compile(
    rf"\W*(?:(?P<free>free)(?:\s+(?:any day|every ?day|always|entry|entrance|admission|sights"
    rf"|museums|places))?"
    rf"|closed(?:\s+(?:on|every|all day))?\s+(?P<closed>(?:{WEEKDAY}s?(?:\s*(?:,|&|and"
    rf"|/)\s*)?)+))\W*:\W*",
    re.IGNORECASE,
)
_LIMITED = re.compile(
    rf"\d|\b(?:on|from|after|before|until|only|otherwise|{WEEKDAY}s?)\b", re.IGNORECASE
)


def _find_valued_lists(
    lines: list[Line], places_in: Callable[[Line], list[tuple[int, int, Sight]]]
) -> Iterator[tuple[Line, Sight, Statement]]:
    """Return what a label states about each of the places listed after it ("Free any day: A, B and
    C").
    """
    for line in lines:
        label = _VALUED.match(line.text) if not line.is_head and line.kind != "table_row" else None
        if label is None:
            continue
        end = re.search(r"[.!?](?:\s|$)", line.text[label.end() :])
        last = label.end() + end.start() if end else len(line.text)
        for a, b, place in places_in(line):
            start, stop = a - line.start, b - line.start
            behind = re.split(r"[,;]", line.text[stop:last])[0]
            if not label.end() <= start < last or _LIMITED.search(behind):
                continue
            if label["free"]:
                yield line, place, Statement("ticket_price_cny", "0", 0, stop)
            closed = find_closed_days(f"closed {label['closed']}") if label["closed"] else ()
            yield from ((line, place, day._replace(start=0, end=stop)) for day in closed)


def _mark_headers(table: list[Line], header: list[Cell], columns: Columns) -> dict[int, str]:
    """For price columns whose cells use only one currency sign, return the headers with this sign
    added.

    Bare numbers in a price column are prices in the same currency.
    """
    found: dict[int, str] = {}
    for i in columns.prices:
        cells = [cells[i][1] for line in table[1:] if len(cells := cells_of(line.text)) > i]
        marks = {mark for cell in cells for mark in marks_in(cell)}
        if len(marks) == 1 and not marks_in(header[i][1]):
            found[i] = f"{header[i][1]} ({marks.pop()})"
    return found


def _place_of(
    line: Line, cells: list[Cell], column: int, places: list[tuple[int, int, Sight]]
) -> Sight | None:
    """Return the place in a row's name cell; other cells in the row are ignored."""
    if column >= len(cells):
        return None
    at, cell = cells[column]
    begin, end = line.start + at, line.start + at + len(cell)
    return next((place for start, _end, place in places if begin <= start < end), None)


def _read(cell: str, head: str, i: int, columns: Columns, words: LimitWords) -> Iterator[Statement]:
    if not cell.strip():
        return
    if i in columns.hours:
        yield from _with_header(hours_in(_label_cell(cell, head)), head, cell)
    if i in columns.prices and not re.search(r"^\W*(?:closed|n/?a)\b", cell, re.IGNORECASE):
        yield from prices_in(cell, head)
    if i in columns.lengths:
        for found in duration_of_cell(cell):
            yield found._replace(limits=limits_of_cell(found.field, head, cell, words))


def _label_cell(cell: str, head: str) -> str:
    """Return a cell's text, preceded by "closed" or "last entry" if the column's header says so."""
    if re.search(r"\bclosed|closing days?\b", head, re.IGNORECASE) and not re.search(
        r"clos|\d", cell, re.IGNORECASE
    ):
        return f"closed {cell}"
    is_last = re.search(r"\blast (?:entry|admission)", head, re.IGNORECASE)
    return f"last entry {cell}" if is_last else cell


def _with_header(found: Iterator[Statement], head: str, cell: str) -> Iterator[Statement]:
    """Add the days or the season in a column's header to the statements in a cell; the offsets of
    the statements are relative to the cell.
    """
    shift = len(_label_cell(cell, head)) - len(cell)
    from_header = next((s.limits for s in hours_in(f"{head} 10:00-11:00")), Limits())
    for statement in found:
        limits = statement.limits if statement.limits != Limits() else from_header
        if statement.field != "opening_hours":
            limits = statement.limits
        start, end = max(0, statement.start - shift), statement.end - shift
        told = (0, len(cell)) if limits != Limits() else None
        yield statement._replace(start=start, end=max(start + 1, end), limits=limits, told=told)
