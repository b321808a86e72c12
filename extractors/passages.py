"""Selects the parts of a document that a task needs, and maps spans back to the document.

A model receives only the parts that matter to its task. The spans in the model's answer are then
mapped back, so that they always refer to the whole document.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from pydantic import BaseModel

from extractors.joining import join_readings
from extractors.tasks.reading_tasks import FactReading, PoiReading, RouteReading
from schemas.document_reading import DocumentReading
from schemas.documents import Block, Document
from schemas.reading import Route, RouteStop, Span
from schemas.tasks import DocumentInput

Value = TypeVar("Value")

#: Most characters of a document in one request; longer documents are read in parts.
PART_CHARACTERS = 8_000
#: If the answer for a shorter document has no end, the model repeats itself; the document is not
#: too long.
LEAST_HALVED = 400
#: Each part repeats so many characters of the part before if one request asks for everything: a
#: place's name and the words about it may be on different sides of a cut.
OVERLAP = 600
_OVERLAPPING = "document_reading"
#: Marks a block that may state an hour, a price, a duration or a season.
_FACT_CUE = re.compile(
    r"[元¥]|门票|票价|免费|免票|开放|营业|闭[馆园]|关门|停止(?:入|售|检)|小时|半天|一天|整天|上午"
    r"|下午|"
    r"最佳|适合|建议|淡季|旺季|[点时]半?[到至]|\d\s*[:：]\s*\d\d|"
    r"\b(?:rmb|cny|yuan|free|ticket|admission|entrance|fee|open|opens|closed?|closes|hours?|"
    r"minutes|half[- ]day|full[- ]day|best time|spring|summer|autumn|winter|sunset|sunrise|"
    r"early|\d{1,2}\s*[ap]\.?m)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Passages:
    """Some blocks of a document, in the form of a separate document."""

    item: DocumentInput
    starts: tuple[tuple[int, int], ...]

    def back(self, span: Span) -> Span:
        """Map a span to the whole document; a span outside the part gets a position outside the
        document's text.
        """
        size = len(self.item.document.text)
        if span.end > size:
            return Span(start=_OUTSIDE, end=_OUTSIDE + 1)
        return Span(start=self._offset(span.start), end=self._offset(span.end - 1) + 1)

    def _offset(self, at: int) -> int:
        start, origin = max(pair for pair in self.starts if pair[0] <= at)
        return origin + at - start


_OUTSIDE = 2**40


def passages(item: DocumentInput, blocks: Sequence[Block]) -> Passages:
    """Return a document that contains only the given blocks, in order."""
    whole = item.document
    part = Document.from_texts(
        whole.doc_id, whole.path,
        [(block.kind, block.level, block.text, block.strong) for block in blocks],
        lang=whole.lang, title=whole.title,
    )  # fmt: skip
    starts = tuple(
        (placed.start, block.start) for placed, block in zip(part.blocks, blocks, strict=True)
    )
    return Passages(item.model_copy(update={"document": part}), starts)


def is_head(block: Block) -> bool:
    """Check whether a block is a title or a heading."""
    return block.kind in ("title", "heading")


def with_surroundings(document: Document, wanted: Callable[[Block], bool]) -> list[Block]:
    """Return the wanted blocks, each with the block before it and the headings above it."""
    kept: set[int] = set()
    heads: dict[int, int] = {}
    for number, block in enumerate(document.blocks):
        if is_head(block):
            heads = {level: at for level, at in heads.items() if level < block.level}
            heads[block.level] = number
        if wanted(block):
            kept |= {number, max(0, number - 1), *heads.values()}
    return [document.blocks[number] for number in sorted(kept)]


def choose_blocks(task: str, item: DocumentInput) -> list[Block]:
    """Return the blocks that matter to a task, or an empty result if there are none."""
    if task == "fact_extraction":
        return with_surroundings(item.document, lambda block: bool(_FACT_CUE.search(block.text)))
    return list(item.document.blocks)


def parts(task: str, item: DocumentInput, most: int = PART_CHARACTERS) -> list[Passages]:
    """Return the parts to send for a task, each with at most about ``most`` characters."""
    pieces: list[list[Block]] = []
    size = most
    for block in (piece for whole in choose_blocks(task, item) for piece in _short(whole, most)):
        if size + len(block.text) > most:
            pieces.append([])
            size = 0
        pieces[-1].append(block)
        size += len(block.text) + 1
    if task == _OVERLAPPING:
        pieces = _overlapping(pieces, min(OVERLAP, most // 4))
    return [passages(item, piece) for piece in pieces]


def _overlapping(pieces: list[list[Block]], most: int) -> list[list[Block]]:
    """Extend each part so that it begins with the headings above it and the end of the previous
    part.
    """
    found: list[list[Block]] = pieces[:1]
    heads: dict[int, Block] = {}
    for before, piece in itertools.pairwise(pieces):
        for block in filter(is_head, before):
            heads = {level: head for level, head in heads.items() if level < block.level}
            heads[block.level] = block
        size = 0
        repeated: list[Block] = []
        for block in reversed(before):
            size += len(block.text)
            if size > most:
                break
            repeated.insert(0, block)
        above = [head for head in heads.values() if head not in repeated]
        found.append([*above, *repeated, *piece])
    return found


def halves(task: str, item: DocumentInput) -> list[Passages]:
    """Split a document into pieces of about half its size; return none if the document is too short
    to split.

    The pieces contain the whole document, even if the task needs only some blocks.
    """
    size = len(item.document.text)
    whole = task if task == _OVERLAPPING else ""
    return parts(whole, item, (size + 1) // 2) if size >= LEAST_HALVED else []


_CUT = re.compile(r"[^。！？!?；;\n]*[。！？!?；;\n]?")


def _short(block: Block, most: int) -> list[Block]:
    """Split a block into pieces, if possible at the ends of sentences."""
    if len(block.text) <= most:
        return [block]
    pieces: list[Block] = []
    held, start = "", block.start
    for sentence in (found for found in _CUT.findall(block.text) if found):
        for at in range(0, len(sentence), most):
            bit = sentence[at : at + most]
            if held and len(held) + len(bit) > most:
                pieces.append(block.model_copy(update={"text": held, "start": start}))
                start, held = start + len(held), ""
            held += bit
    return [*pieces, block.model_copy(update={"text": held, "start": start})]


def lay_back(output: Value, part: Passages) -> Value:
    """Map all spans of an output to the whole document and return the result."""
    return cast("Value", _move_spans(output, part))


def _move_spans(value: Any, part: Passages) -> Any:
    if isinstance(value, Span):
        return part.back(value)
    if isinstance(value, BaseModel):
        return value.model_copy(update={name: _move_spans(held, part) for name, held in value})
    if isinstance(value, tuple):
        return tuple(_move_spans(held, part) for held in value)
    return value


#: Outputs for which a document can be read part by part.
DIVISIBLE: tuple[type[BaseModel], ...] = (PoiReading, RouteReading, FactReading, DocumentReading)


def nothing(model: type[BaseModel], document: Document) -> BaseModel:
    """Return the output for a text that contains nothing relevant."""
    if model is DocumentReading:
        return DocumentReading(doc_id=document.doc_id, kind="other")
    return PoiReading(kind="none") if model is PoiReading else model()


def join_outputs(outputs: Sequence[BaseModel], text: str = "") -> BaseModel:
    """Join the outputs from a document's parts, in the order of the parts.

    ``text`` is the text of the whole document. Raises TypeError if this kind of output cannot be
    split into parts.
    """
    first = outputs[0]
    if isinstance(first, DocumentReading):
        return join_readings([o for o in outputs if isinstance(o, DocumentReading)], text)
    if isinstance(first, PoiReading):
        return _join_pois([o for o in outputs if isinstance(o, PoiReading)])
    if isinstance(first, RouteReading):
        return _join_routes([o for o in outputs if isinstance(o, RouteReading)])
    if isinstance(first, FactReading):
        facts = dict.fromkeys(f for o in outputs if isinstance(o, FactReading) for f in o.facts)
        return FactReading(facts=tuple(facts))
    raise TypeError(f"{type(first).__name__} has no parts")


def _join_pois(found: list[PoiReading]) -> PoiReading:
    kinds = [reading.kind for reading in found if reading.kind != "none"]
    mentions = {(m.name, m.span): m for reading in reversed(found) for m in reading.mentions}
    return PoiReading(
        kind=kinds[0] if kinds else "none",
        cities=tuple(dict.fromkeys(city for reading in found for city in reading.cities)),
        days_stated=next((r.days_stated for r in found if r.days_stated is not None), None),
        mentions=tuple(sorted(mentions.values(), key=lambda m: (m.span.start, m.span.end))),
        decoys=tuple(dict.fromkeys(name for reading in found for name in reading.decoys)),
    )


def _join_routes(found: list[RouteReading]) -> RouteReading:
    visits: list[RouteStop] = []
    last = 0
    for reading in found:
        for visit in reading.route.visits if reading.route else ():
            day = max(visit.day, last)  # a part without a day continues the last day
            order = 1 + sum(held.day == day for held in visits)
            visits.append(visit.model_copy(update={"day": day, "order": order}))
        last = max((visit.day for visit in visits), default=0)
    reasons = [reading.reason for reading in found if reading.reason]
    if visits:
        return RouteReading(route=Route(visits=tuple(visits)))
    return RouteReading(reason=reasons[0] if reasons else "")
