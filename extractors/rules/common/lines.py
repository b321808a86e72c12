"""Splits a document into lines with their offsets, because the rules work line by line."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

from extractors.text import simplify
from schemas.documents import BlockKind, Document


@dataclass(frozen=True)
class Line:
    """A line in the main text; ``start`` is its offset in ``Document.text``."""

    index: int
    start: int
    text: str
    kind: BlockKind
    level: int
    strong: bool

    @property
    def is_head(self) -> bool:
        """Check whether the line is a title or a heading."""
        return self.kind in ("title", "heading")


def lines_below(head: Line, lines: Sequence[Line]) -> Sequence[Line]:
    """Return the lines below a heading, up to the next heading of the same level."""
    below = lines[head.index + 1 :]
    ends = (n for n, line in enumerate(below) if line.is_head and line.level <= head.level)
    return below[: next(ends, None)]


def headings_above(lines: Sequence[Line], kinds: Collection[str]) -> list[str]:
    """Return, for every line, the nearest heading above it that has one of these kinds, or ""."""
    heading, found = "", []
    for line in lines:
        heading = line.text if line.kind in kinds else heading
        found.append(heading)
    return found


#: Only so many characters of a row or an item are read: rows with stops and prices are shorter.
_LONGEST_ROW = 4000


def lines_of(document: Document) -> list[Line]:
    """Return all lines that are not empty, in simplified characters with unchanged offsets."""
    is_zh = document.lang == "zh"
    lines: list[Line] = []
    for block in document.blocks:
        for match in re.finditer(r"[^\n]+", block.text):
            if match.group().strip():
                is_long = not is_zh and block.kind in ("table_row", "list_item")
                text = match.group()[: _LONGEST_ROW if is_long else None]
                lines.append(
                    Line(len(lines), block.start + match.start(), simplify(text) if is_zh else text,
                         block.kind, block.level, block.strong)
                )  # fmt: skip
    return _unquote(lines)


def _unquote(lines: list[Line]) -> list[Line]:
    """Convert quotes to paragraphs if a page formats most of its own text as quotes."""
    size = sum(len(line.text) for line in lines)
    if 2 * sum(len(line.text) for line in lines if line.kind == "quote") <= size:
        return lines
    return [replace(line, kind="paragraph") if line.kind == "quote" else line for line in lines]


Cell = tuple[int, str]  #: start within the line, and text


def cells_of(text: str) -> list[Cell]:
    """Return the cells in a row, each with the offset at which it starts."""
    found, at = [], 0
    for cell in text.split("|"):
        found.append((at, cell))
        at += len(cell) + 1
    return found


def ranges_between(cuts: Iterable[tuple[int, int]], start: int, end: int) -> list[tuple[int, int]]:
    """Return the parts of a range that remain after the cuts are removed, in order."""
    edges = [start, *(edge for cut in cuts for edge in cut), end]
    return list(zip(edges[::2], edges[1::2], strict=True))


@dataclass(frozen=True)
class Hit:
    """An occurrence of a name; ``source`` is the rule that found it.

    Sources, strongest first: ``chain`` (a stop in a chain or day list), ``lead`` (the name begins
    its line or fills it), ``heading``, ``gazetteer``, ``verb`` (object of a verb of visiting),
    ``suffix`` (an ending that is typical of sights), ``echo`` (a name found elsewhere).
    """

    start: int
    end: int
    name: str
    source: str
    line: int
    standard: str | None = None
    parent: str | None = None
    also: tuple[str, ...] = ()
    row: int | None = None  # start of the row that it continues ("A, B and C")


@dataclass
class DocumentNames:
    """The hits in a document, and the names that do not belong to sights."""

    text: str = ""
    hits: list[Hit] = field(default_factory=list)
    decoys: list[tuple[int, str]] = field(default_factory=list)


def as_written(hits: list[Hit], text: str) -> list[Hit]:
    """Return hits with their names as written in the document's own text."""
    return [replace(hit, name=text[hit.start : hit.end]) for hit in hits]


_JOINS = re.compile(
    r"(?:\s*\([\w,. ]{1,24}\))?\s*(?:、|，|,)?\s*(?:和|与|及|以及|还有|、|&|and"
    r"|then)\s*(?:(?:on\s+|back\s+)?(?:to|at)\s+)?(?:(?:ended|finished)\s+(?:up\s+)?(?:at|in"
    r"|with)\s+)?(?:the\s+)?|,\s*(?:the\s+)?",
    re.IGNORECASE,
)


def in_rows(hits: list[Hit], text: str) -> list[Hit]:
    """Return hits in order; in a row of joined names, every hit after the first records where the
    row starts.
    """
    found: list[Hit] = []
    for hit in sorted(hits, key=lambda h: (h.start, h.end)):
        last = found[-1] if found else None
        if last and last.line == hit.line and _JOINS.fullmatch(text, last.end, hit.start):
            found.append(replace(hit, row=last.start if last.row is None else last.row))
        else:
            found.append(hit)
    return found


def hit_at(line: Line, a: int, b: int, source: str) -> Hit:
    """Return a hit for this part of a line."""
    return Hit(line.start + a, line.start + b, line.text[a:b], source, line.index)


_BREAK = re.compile(r"[。！？!?；;\n]|\.(?=\s|$)")
_CLAUSE = re.compile(r"[，,。！？!?；;：:\n（）()]|\.(?=\s|$)| — ")


@dataclass(frozen=True)
class HitContext:
    """The words around a hit."""

    before: str  # in the clause
    after: str
    sentence: str
    line: Line


def context_of(hit: Hit, line: Line) -> HitContext:
    """Return the clause and sentence around a hit; all names in a row share the text that precedes
    the row.
    """
    first = hit.start if hit.row is None else hit.row
    a, b = first - line.start, hit.end - line.start
    text = line.text
    opens = max((m.end() for m in _BREAK.finditer(text, 0, a)), default=0)
    closes = next((m.start() for m in _BREAK.finditer(text, b)), len(text))
    clause = max((m.end() for m in _CLAUSE.finditer(text, 0, a)), default=0)
    ends = next((m.start() for m in _CLAUSE.finditer(text, b)), len(text))
    return HitContext(text[clause:a], text[b:ends], text[opens:closes], line)


def around(hit: Hit, c: HitContext) -> tuple[str, str]:
    """Return the text before and after a hit in the same sentence."""
    before, _, after = c.sentence.partition(hit.name)
    return before, after
