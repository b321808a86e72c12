"""Finds facts in tables, where the header names the field of a column and the row names the place.

The first column contains the names of the places. If the first column contains clock times, the
table is a schedule.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from extractors.rules.common.grouping import Sight
from extractors.rules.common.limits import LimitWords, limits_of_cell
from extractors.rules.common.lines import Line, cells_of
from extractors.rules.common.statements import (
    Statement,
    clock_range,
    hours_text,
    other_amounts,
    price_value,
)
from schemas.reading import FactField

_COLUMNS: tuple[tuple[FactField, re.Pattern[str]], ...] = (
    (
        "ticket_price_cny",
        re.compile(r"门票|票价|^价格|tickets?\b|admission|entry|entrance|\bfees?\b|^price", re.I),
    ),
    ("opening_hours", re.compile(r"开放|营业|^时间$|hours|opening", re.I)),
    (
        "duration_hours",
        re.compile(r"时长|游玩时间|游览时间|耗时|用时|^时间$|duration|time needed|how long", re.I),
    ),
)
_PRICE = re.compile(
    r"\s*(?:[¥￥]|RMB)?\s*(\d+(?:\.\d+)?)\s*(?:元|块|RMB|CNY|yuan)?\s*(?:/\s*(?:人|person))?\s*",
    re.I,
)
_FREE = re.compile(r"\s*(?:免|免费|免票|free)\s*", re.I)
_NO_TICKET = re.compile(
    r"船|车|索道|缆车|讲解|租|餐|酒店|住宿|\b(?:cable|boat|bus|ferry|guide)\b", re.I
)
_CLOCKS = re.compile(
    r"\s*(\d{1,2}[:：]\d{2})\s*(?:-|–|—|~|至|到|to)+\s*(\d{1,2}[:：]\d{2})\s*(?:$|[\s（(，,])"
)
_HOURS = re.compile(
    r"\s*约?(\d+(?:\.\d+)?)\s*(?:(?:-|–|~|to)\s*(\d+(?:\.\d+)?))?\s*(?:个?小时|h|hours?|hrs?)\b",
    re.I,
)
_DAYS = dict(zip("一二三四五六日", ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"], strict=True))
_CLOSED = re.compile(r"(?:周|星期)([一二三四五六日])(?:休|闭)")


def table_statements(
    lines: list[Line], places_in: Callable[[Line], list[tuple[int, int, Sight]]], words: LimitWords
) -> Iterator[tuple[Line, Sight, Statement]]:
    """Return the statements in the rows of a table; offsets count from the start of the line."""
    header: list[tuple[str, set[FactField]]] = []
    last = -2
    for line in lines:
        if line.kind != "table_row":
            continue
        cells = cells_of(line.text)
        if line.index != last + 1:
            header = [(cell, _fields(cell) if at else set()) for at, cell in cells]
        last = line.index
        place = next(iter(places_in(line)), None)
        if place is None or not any(fields for _, fields in header):
            continue
        for (at, cell), (head, fields) in zip(cells, header, strict=False):
            for found in _read(cell, fields, line.text[: place[1] - line.start + 8]):
                limits = limits_of_cell(found.field, head, cell, words)
                yield (
                    line,
                    place[2],
                    found._replace(start=at + found.start, end=at + found.end, limits=limits),
                )


def _fields(cell: str) -> set[FactField]:
    """Return the fields named by a header; a long cell does not count as a header."""
    words = cell.strip()
    return {f for f, sign in _COLUMNS if sign.search(words)} if 0 < len(words) <= 16 else set()


def _read(cell: str, fields: set[FactField], name: str) -> Iterator[Statement]:
    """Return the values in a cell; a value must fill the whole cell, so that remarks are not read
    as values.
    """
    if "ticket_price_cny" in fields and not _NO_TICKET.search(name):
        price, free = _PRICE.fullmatch(cell), _FREE.fullmatch(cell)
        if price:
            yield Statement("ticket_price_cny", hours_text(float(price[1])), *_bare(cell))
        elif other := _other_price(cell):
            yield Statement("ticket_price", other, *_bare(cell))
        elif free:
            yield Statement("ticket_price_cny", "0", *_bare(cell))
    clocks = _CLOCKS.match(cell)
    if "opening_hours" in fields and clocks and (span := clock_range(clocks[1], clocks[2])):
        yield Statement("opening_hours", span, clocks.start(1), clocks.end(2))
    closed = _CLOSED.search(cell)
    if "opening_hours" in fields and closed:
        yield Statement("closed_days", _DAYS[closed[1]], *closed.span())
    if "duration_hours" in fields:
        yield from duration_of_cell(cell)


def duration_of_cell(cell: str) -> Iterator[Statement]:
    """Return the visit duration that a cell gives, in hours."""
    long = _HOURS.match(cell)
    if long and float(long[1]) <= 12:
        value = hours_text(float(long[1]), float(long[2]) if long[2] else None)
        yield Statement("duration_hours", value, long.start(1), long.end())


def _other_price(cell: str) -> str | None:
    """Return the value of a cell with a single price per person in a currency other than yuan."""
    bare = _A_HEAD.sub("", cell.strip())
    found = next(other_amounts(bare), None)
    whole = found is not None and (found.start, found.end) == (0, len(bare))
    return price_value(found) if found and whole else None


_A_HEAD = re.compile(r"\s*(?:/|per )\s*(?:人|person|adult)$", re.IGNORECASE)


def _bare(cell: str) -> tuple[int, int]:
    """Return the range of a cell's text without surrounding blanks."""
    start = len(cell) - len(cell.lstrip())
    return start, start + len(cell.strip())
