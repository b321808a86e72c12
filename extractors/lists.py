"""Recognises documents that only list names, titles of other documents, and rankings.

A page ranks its places by merit if it both says so and counts. Lines such as ``No. 1`` or
``第一名`` do both. Lines numbered from one (or down to one) count; then the title, or the heading
above them, has to say that the order means something: best, top, 排行, 必去. Without numbers a list
is a ranking only if a title states exactly so many places (十大, top 5), or calls it one (排行,
ranking). Stops of a route and days of a trip have an order too, but not one of merit.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import groupby

from schemas.documents import Block, Document

#: A list has so many rows or more, beside hardly a heading, and of them so large a share is short
#: and no sentence: titles that ask or cry out are among them.
_LIST_ROWS, _LIST_SHARE, _PLAIN_SHARE, _ROW_CHARACTERS = 30, 0.95, 0.85, 80
_MORE_THAN_A_PLAN = 200
#: So many lines one after the other, each short and no sentence, may be titles of other pages.
_TITLE_LINES = 6
_SENTENCE = re.compile(r"[。！？；]|[.!?;](?:\s|$)")


def is_list(document: Document, *, has_route: bool = False) -> bool:
    """Whether a document is rows of names without sentences.

    It has many rows, hardly a heading, and of its rows nearly all are short and end no sentence.
    What seems to be a route in it may be one, unless it has more rows than any plan.
    """
    rows = [block.text for block in document.blocks if block.kind not in ("title", "heading")]
    if len(rows) < _LIST_ROWS or len(rows) < _LIST_SHARE * len(document.blocks):
        return False
    if has_route and len(rows) < _MORE_THAN_A_PLAN:
        return False
    plain = sum(len(row) <= _ROW_CHARACTERS and not _SENTENCE.search(row) for row in rows)
    return plain >= _PLAIN_SHARE * len(rows)


def title_lines(document: Document) -> set[int]:
    """Starts of the blocks that may be titles of other pages: short lines without a sentence, a
    good many one after the other."""
    runs = [
        [block.start for block in run] for may_be, run in groupby(document.blocks, _may_be_title)
        if may_be
    ]  # fmt: skip
    return {start for run in runs if len(run) >= _TITLE_LINES for start in run}


def _may_be_title(block: Block) -> bool:
    is_plain = len(block.text) <= _ROW_CHARACTERS and not _SENTENCE.search(block.text)
    return is_plain and block.kind in ("paragraph", "list_item")


#: A ranking has so many places or more, and so many of its lines begin with one that was read.
_LEAST, _SHARE_NAMED = 3, 0.8
_DIGITS = "一二三四五六七八九"
_NUMBER = rf"\d{{1,2}}|[{_DIGITS}十]{{1,3}}"
#: What tells a place's position in words.
_ORDINAL = re.compile(
    r"\s*(?:(?:no\.?|#|№)\s*(\d{1,2})(?!\d)"
    r"|top\s*(\d{1,2})(?=\s*[.:：、,，–—-]|\s*[\u3400-\u9fff《「【“])"
    rf"|第\s*({_NUMBER})\s*[名位])[\s.:：、,，–—-]*",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    rf"\s*(?:({_NUMBER})\s*[.．、:：)）](?!\d)|[（(]\s*({_NUMBER})\s*[)）]|(\d{{1,2}})\s+(?=\D))\s*"
)
#: What may stand between a number and its place.
_BEFORE_NAME = re.compile(r"[\s《「【“\"'*·•—–:：-]*(?:the\s+)?", re.IGNORECASE)
#: What one does at a place: a few words, no sentence.
_DOING = re.compile(r"(?:[A-Za-z'’]+\s+){1,4}")
_BRACKETS = re.compile(r"[(（][^()（）]*[)）]")
_AFTER_NAME = "》」】”\"'。.，, "
_CLAIM = re.compile(
    rf"排行|排名|榜|(?:{_NUMBER}|百)大|必去|必玩|必看|最佳|最受欢迎|\btop\b|\bbest\b|\branked\b"
    rf"|\branking\b|"
    r"\bmust[- ](?:see|visit)|\bmost (?:popular|visited|loved)\b|\bfavou?rite\b",
    re.IGNORECASE,
)
_RANKING = re.compile(r"排行|排名|榜|\branked\b|\branking\b", re.IGNORECASE)
_STATED = re.compile(
    rf"(?:top|best)\s*(\d{{1,2}})\b|\b(\d{{1,2}})\s+best\b|({_NUMBER})大", re.IGNORECASE
)
_ROUTE = re.compile(
    r"路线|线路|行程|日游|步行|itinerary|\broute|\bwalk|\btour\b|\bdays?\b", re.IGNORECASE
)


@dataclass(frozen=True)
class _ListBlock:
    """A block that may be an entry of a list.

    ``number`` is that of its marker, ``name`` the start of the place with which its text begins,
    and ``is_bare`` says that there is nothing else. ``section`` tells lists under several headings
    apart, ``heading`` is the one above.
    """

    block: Block
    number: int | None
    is_ordinal: bool
    name: int | None
    is_bare: bool
    section: int
    heading: str


def list_ranks(document: Document, names: Collection[tuple[int, int]]) -> dict[int, int]:
    """The position that a ranking gives to a name, by the name's start in the text.

    It is 0 where a list that ranks nothing gives the bare name; what is not there stands in no
    list. ``names`` are start and end of every occurrence of a name of a sight.
    """
    found: dict[int, int] = {}
    for run in _runs(list(_lines(document, dict(sorted(names))))):
        n_named = sum(line.name is not None for line in run)
        if len(run) < _LEAST or n_named < max(_LEAST, _SHARE_NAMED * len(run)):
            continue
        said = f"{document.title}\n{run[0].heading}"
        is_ranking = _is_ranking(run, said)
        for at, line in enumerate(run, 1):
            is_listed = line.is_bare and line.block.kind != "heading"
            if line.name is not None and (is_ranking or is_listed):
                found.setdefault(line.name, (line.number or at) if is_ranking else 0)
    return found


def _is_ranking(run: list[_ListBlock], said: str) -> bool:
    """Whether lines that begin with places say that their order means something."""
    if run[0].is_ordinal:
        return True
    if _ROUTE.search(said):
        return False
    if run[0].number is not None:
        return bool(_CLAIM.search(said))
    stated = {_value(next(filter(None, found))) for found in _STATED.findall(said)}
    return bool(_RANKING.search(said)) or len(run) in stated


def _runs(lines: list[_ListBlock]) -> list[list[_ListBlock]]:
    """Lists of entries of one form, in one section: text may stand between numbered entries and
    between headings, other entries stand one after the other."""
    found: list[list[_ListBlock]] = []
    last: dict[tuple[str, int, bool, bool, int], list[_ListBlock]] = {}
    beside: list[_ListBlock] = []
    for line in lines:
        block, counts = line.block, line.number is not None
        form = (block.kind, block.level, line.is_ordinal, counts, line.section)
        if line.number is not None:
            run = last.get(form)
            if run is None or not _goes_on(run, line.number):
                run = last[form] = []
                found.append(run)
            run.append(line)
            beside = []
        elif block.kind == "heading":
            run = last.setdefault(form, [])
            if not run:
                found.append(run)
            run.append(line)
        else:
            is_next = beside and beside[-1].block.kind == block.kind and line.name is not None
            if not is_next:
                beside = []
                found.append(beside)
            beside.append(line)
    return [run for run in found if _is_counted(run)]


def _goes_on(run: list[_ListBlock], number: int) -> bool:
    """Whether a number follows those of a run, which go up by one or down by one."""
    before = [line.number or 0 for line in run]
    if len(run) == 1:
        return abs(number - before[0]) == 1
    return number - before[-1] == before[-1] - before[-2]


def _is_counted(run: list[_ListBlock]) -> bool:
    """Whether a run's numbers begin or end with one; without numbers nothing is asked."""
    return not run or run[0].number is None or 1 in (run[0].number, run[-1].number)


def _lines(document: Document, names: dict[int, int]) -> Iterator[_ListBlock]:
    """The blocks of a document behind its title."""
    headings: list[Block] = []
    for block in document.blocks:
        if block.kind == "title":
            continue
        marked = _ORDINAL.match(block.text) or _NUMBERED.match(block.text)
        number = _value(next(filter(None, marked.groups()))) if marked else None
        start = block.start + (marked.end() if marked else 0)
        end = block.start + len(block.text)
        name, is_bare = _name_at(document.text, start, end, names, is_numbered=bool(number))
        if not is_bare and number is None and block.kind == "paragraph":
            name = None  # a sentence about the place
        above = [h for h in headings if block.kind != "heading" or h.level < block.level]
        is_ordinal = bool(marked and marked.re is _ORDINAL)
        heading = above[-1].text if above else ""
        yield _ListBlock(block, number, is_ordinal, name, is_bare, len(above), heading)
        if block.kind == "heading" and name is None and number is None:
            headings.append(block)


def _name_at(
    text: str, start: int, end: int, names: dict[int, int], *, is_numbered: bool
) -> tuple[int | None, bool]:
    """Start of the name with which a text begins, and whether there is nothing else.

    Behind a number a few words may stand before the name that ends the line: Walk the Bund.
    """
    before = _BEFORE_NAME.match(text, start, end)
    first = before.end() if before else start
    for at in dict.fromkeys((start, first)):
        if names.get(at, end + 1) <= end:
            return at, _is_over(text[names[at] : end])
    doing = _DOING.match(text, first, end) if is_numbered else None
    for at in range(first, doing.end() + 1 if doing else first):
        if names.get(at, end + 1) <= end and _is_over(text[names[at] : end]):
            return at, True
    return None, False


def _is_over(rest: str) -> bool:
    """Whether nothing follows a name, or but another name of it in brackets."""
    return not _BRACKETS.sub("", rest).strip(_AFTER_NAME)


def _value(number: str) -> int:
    """The value of a number in digits or Chinese, up to 99."""
    if number.isdigit():
        return int(number)
    tens, ten, ones = number.rpartition("十")
    return (10 * (_DIGITS.find(tens) + 1 or 1) if ten else 0) + (
        _DIGITS.find(ones) + 1 if ones else 0
    )
