"""Recognises lists of names, lines that are titles of other documents, and rankings.

A page ranks its places if it both numbers them and praises them. A label such as ``No. 1`` or
``第一名`` both numbers a place and praises it. Lines with plain numbers that count up from one
or down to one are a ranking only if the title or the heading above shows that the order is
meaningful (best, top, 排行, 必去). A list without numbers is a ranking only if a title gives its
exact number of places (十大, top 5), or calls it a ranking (排行, ranking). The order of stops on a
route, or of days in a trip, is not a ranking.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import groupby

from schemas.documents import Block, Document

#: A list has at least this many rows, they are at least this share of its blocks, and at least
#: this share of the rows are short and no sentences. The other rows may be titles that end with
#: a question mark or an exclamation mark.
_LIST_ROWS, _LIST_SHARE, _PLAIN_SHARE, _ROW_CHARACTERS = 30, 0.95, 0.85, 80
_MORE_THAN_A_PLAN = 200
#: At least this many consecutive lines, all short and no sentences, may be titles of other pages.
_TITLE_LINES = 6
_SENTENCE = re.compile(r"[。！？；]|[.!?;](?:\s|$)")


def is_list(document: Document, *, has_route: bool = False) -> bool:
    """Check whether a document consists of rows of names without sentences.

    A list has many rows and hardly any headings. Nearly all its rows are short and contain no full
    sentence. A document with a route counts as a list only if it has more rows than a plan could
    have.
    """
    rows = [block.text for block in document.blocks if block.kind not in ("title", "heading")]
    if len(rows) < _LIST_ROWS or len(rows) < _LIST_SHARE * len(document.blocks):
        return False
    if has_route and len(rows) < _MORE_THAN_A_PLAN:
        return False
    plain = sum(len(row) <= _ROW_CHARACTERS and not _SENTENCE.search(row) for row in rows)
    return plain >= _PLAIN_SHARE * len(rows)


def title_lines(document: Document) -> set[int]:
    """Return the start of each line that is probably the title of another document.

    A title line is short and contains no full sentence, and a list of titles has many such lines in
    a row.
    """
    runs = [
        [block.start for block in run] for may_be, run in groupby(document.blocks, _may_be_title)
        if may_be
    ]  # fmt: skip
    return {start for run in runs if len(run) >= _TITLE_LINES for start in run}


def _may_be_title(block: Block) -> bool:
    is_plain = len(block.text) <= _ROW_CHARACTERS and not _SENTENCE.search(block.text)
    return is_plain and block.kind in ("paragraph", "list_item")


#: A ranking has at least so many places, and at least this share of its lines begin with a place
#: that was found in the document.
_LEAST, _SHARE_NAMED = 3, 0.8
_DIGITS = "一二三四五六七八九"
_NUMBER = rf"\d{{1,2}}|[{_DIGITS}十]{{1,3}}"
#: Words that give a place's position.
_ORDINAL = re.compile(
    r"\s*(?:(?:no\.?|#|№)\s*(\d{1,2})(?!\d)"
    r"|top\s*(\d{1,2})(?=\s*[.:：、,，–—-]|\s*[\u3400-\u9fff《「【“])"
    rf"|第\s*({_NUMBER})\s*[名位])[\s.:：、,，–—-]*",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    rf"\s*(?:({_NUMBER})\s*[.．、:：)）](?!\d)|[（(]\s*({_NUMBER})\s*[)）]|(\d{{1,2}})\s+(?=\D))\s*"
)
#: Characters that may stand between a number and its place.
_BEFORE_NAME = re.compile(r"[\s《「【“\"'*·•—–:：-]*(?:the\s+)?", re.IGNORECASE)
#: A few words that say what to do at a place.
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
    """A block that may be an entry in a list.

    ``number`` is the number in the block's marker. ``name`` is the offset of the name at the
    beginning of the block's text. ``is_bare`` is True if nothing follows the name. Blocks under
    different headings have different values of ``section``. ``heading`` is the heading above the
    block.
    """

    block: Block
    number: int | None
    is_ordinal: bool
    name: int | None
    is_bare: bool
    section: int
    heading: str


def list_ranks(document: Document, names: Collection[tuple[int, int]]) -> dict[int, int]:
    """Return the positions of names in rankings, by the offset of each name in the text.

    A bare name in a list that is not a ranking has position 0. Names outside lists are left out.
    ``names`` contains the start and the end of every occurrence of a sight's name.
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
    """Check whether a list of places is a ranking."""
    if run[0].is_ordinal:
        return True
    if _ROUTE.search(said):
        return False
    if run[0].number is not None:
        return bool(_CLAIM.search(said))
    stated = {_value(next(filter(None, found))) for found in _STATED.findall(said)}
    return bool(_RANKING.search(said)) or len(run) in stated


def _runs(lines: list[_ListBlock]) -> list[list[_ListBlock]]:
    """Return the lists in a document; all entries of a list have the same form and are in the same
    section.

    Numbered entries, and entries that are headings, may have text between them. Entries that have
    no numbers and are not headings must directly follow one another.
    """
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
    """Check whether a number continues a list whose numbers go up or down by one."""
    before = [line.number or 0 for line in run]
    if len(run) == 1:
        return abs(number - before[0]) == 1
    return number - before[-1] == before[-1] - before[-2]


def _is_counted(run: list[_ListBlock]) -> bool:
    """Check whether the numbers in a list begin or end with 1; a list without numbers also
    passes.
    """
    return not run or run[0].number is None or 1 in (run[0].number, run[-1].number)


def _lines(document: Document, names: dict[int, int]) -> Iterator[_ListBlock]:
    """Return all blocks of a document except its title."""
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
    """Return the offset of the name at the beginning of a text, and whether nothing follows the
    name.

    After a number, a few words may precede a name at the end of the line ("Walk the Bund").
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
    """Check whether nothing follows a name, except perhaps another name in brackets."""
    return not _BRACKETS.sub("", rest).strip(_AFTER_NAME)


def _value(number: str) -> int:
    """Return the value of a number up to 99, in digits or Chinese characters."""
    if number.isdigit():
        return int(number)
    tens, ten, ones = number.rpartition("十")
    return (10 * (_DIGITS.find(tens) + 1 or 1) if ten else 0) + (
        _DIGITS.find(ones) + 1 if ones else 0
    )
