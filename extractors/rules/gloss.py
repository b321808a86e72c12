"""Reads documents in languages that have no rules of their own, using only the documents'
structure.

Headers, labels, days, clock times and groups of people are translated into English. The English
rules then read the document's tables, schedules, day headings and page data. Names keep their
original spelling. Prose is read only for names that also occur in tables. Below a day's heading, a
name from a table counts as a stop unless a word in its sentence denies the visit. Each language is
defined by its rows in the word lists. Results are returned with their positions in the original
document.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from extractors.rules.common.gazetteer import NameGazetteer
from extractors.tasks.reading_tasks import FactReading, PoiReading, RouteReading
from schemas.documents import Block, BlockKind, Document
from schemas.reading import Mention, Route, RouteStop, Span
from schemas.word_lists import Lists

_LISTS = Lists("extractors.rules")
#: Languages whose words are written without blanks, or with attached endings.
_JOINED = frozenset({"ja", "ar"})
#: Weekdays and times, which may begin or end a range.
_VALUE = re.compile(r"\s*(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b|\d)")
_SENTENCE_ENDS = re.compile(r"[.!?;。！？؛؟\n]")
#: Kinds of blocks in which the structure alone shows a place or a fact.
_STRUCTURE: frozenset[BlockKind] = frozenset({"table_row", "heading", "title"})


class GlossPiece(NamedTuple):
    """A part of a text that is translated into English."""

    start: int
    end: int
    english: str


@dataclass(frozen=True)
class _Words:
    """The words that are translated from one language."""

    patterns: tuple[tuple[re.Pattern[str], str], ...]
    joins: tuple[tuple[re.Pattern[str], str], ...]
    denial: re.Pattern[str]


def structure_languages() -> frozenset[str]:
    """Return the languages in which only the structure of a document is read."""
    return frozenset(lang for lang, _written, _english in _LISTS.table("structure_words"))


@cache
def _words(lang: str) -> _Words:
    def whole(written: str) -> str:
        return written if lang in _JOINED else rf"(?<!\w)(?:{written})(?!\w)"

    rows = [(w, e) for code, w, e in _LISTS.table("structure_words") if code == lang]
    forms = [(w, e) for code, w, e in _LISTS.table("structure_forms") if code == lang]
    denials = [w for code, w in _LISTS.table("structure_denials") if code == lang]
    joining = ("to", "and")
    blank = " " if lang in _JOINED else ""
    patterns = [*forms, *((whole(w), e) for w, e in rows if e not in joining)]
    joins = [(rf"\s*(?:{w})\s*", f" {e} ") for w, e in rows if e in joining]
    return _Words(
        tuple((re.compile(w, re.IGNORECASE), f"{blank}{e}{blank}") for w, e in patterns),
        tuple((re.compile(w, re.IGNORECASE), e) for w, e in joins),
        re.compile(whole("|".join(denials)), re.IGNORECASE),
    )


class Gloss:
    """A document with its structural words in English, and the mapping back to the original
    document.
    """

    def __init__(self, document: Document, gazetteer: NameGazetteer) -> None:
        self.original = document
        self._text = document.text
        self._standards = {entry.standard for entry in gazetteer.entries}
        self._words = _words(document.lang)
        ends = [match.end() for match in _SENTENCE_ENDS.finditer(self._text)]
        self._sentences = [0, *ends, len(self._text) + 1]
        blocks: list[tuple[BlockKind, int, str, bool]] = []
        starts, ends, origins = [0], [0], [(0, 0)]
        at = 0
        for block in document.blocks:
            text, last = "", 0
            for piece in (*_pieces(block, self._words, gazetteer), _end_of(block)):
                kept = block.text[last : piece.start]
                begin = at + len(text) + len(kept)
                text += kept + piece.english
                starts.append(begin)
                ends.append(at + len(text))
                origins.append((block.start + piece.start, block.start + piece.end))
                last = piece.end
            blocks.append((block.kind, block.level, text, block.strong))
            at += len(text) + 1
        self._starts, self._ends, self._origins = starts, ends, origins
        self.document = Document.from_texts(
            document.doc_id, document.path, blocks, lang="en", title=document.title
        )

    def _origin(self, at: int, *, is_end: bool) -> int:
        """Return the offset in the original document; inside a translated word, return the
        nearer end of the word.
        """
        n = bisect_right(self._starts, at) - 1
        start, end = self._origins[n]
        if at >= self._ends[n]:
            return end + at - self._ends[n]
        return end if is_end and at > self._starts[n] else start

    def _span(self, span: Span) -> Span:
        start = self._origin(span.start, is_end=False)
        return Span(start=start, end=max(start + 1, self._origin(span.end, is_end=True)))

    def _read_written(self, span: Span) -> str:
        return self._text[span.start : span.end]

    def _kind(self, at: int) -> BlockKind:
        blocks = self.original.blocks
        return blocks[max(0, bisect_right(blocks, at, key=lambda block: block.start) - 1)].kind

    def _stands(self, mention: Mention | RouteStop) -> bool:
        """Check whether a name is known, or is in a table row, where the structure shows what it
        means.
        """
        is_known = mention.standard in self._standards
        return is_known or self._kind(mention.span.start) == "table_row"

    def _is_denied(self, span: Span) -> bool:
        """Check whether a word in the sentence denies that the traveller stopped at the place."""
        if self._kind(span.start) in _STRUCTURE:
            return False
        n = bisect_right(self._sentences, span.start)
        start, end = self._sentences[n - 1], self._sentences[n]
        return self._words.denial.search(self._text, start, end) is not None

    def places(self, read: PoiReading) -> PoiReading:
        """Return mentions with their positions in the original document."""
        kept = []
        for mention in read.mentions:
            span = self._span(mention.span)
            found = mention.model_copy(
                update={"span": span, "name": self._read_written(span), "reason": None}
            )
            if self._stands(found):
                kept.append(found)
        return read.model_copy(update={"mentions": tuple(kept), "decoys": ()})

    def route(self, read: RouteReading) -> RouteReading:
        """Return stops with their positions in the original, without stops at which the sentence
        says that nobody stopped.
        """
        kept: list[RouteStop] = []
        for visit in read.route.visits if read.route else ():
            span = self._span(visit.span)
            found = visit.model_copy(update={"span": span, "name": self._read_written(span)})
            if self._stands(found) and not self._is_denied(span):
                order = 1 + sum(other.day == visit.day for other in kept)
                kept.append(found.model_copy(update={"order": order}))
        if not kept:
            return RouteReading(reason=read.reason or "no stops")
        return RouteReading(route=Route(visits=tuple(kept)), reason=read.reason)

    def facts(self, read: FactReading, names: PoiReading) -> FactReading:
        """Return the facts that rows and headings state about places.

        ``names`` contains the places with their positions in the English text.
        """
        written = {m.name: self._read_written(self._span(m.span)) for m in reversed(names.mentions)}
        placed = ((fact, self._span(fact.span)) for fact in read.facts)
        return FactReading(
            facts=tuple(
                fact.model_copy(update={"span": span, "poi": written.get(fact.poi, fact.poi)})
                for fact, span in placed
                if self._kind(span.start) in _STRUCTURE
            )
        )


def _end_of(block: Block) -> GlossPiece:
    return GlossPiece(len(block.text), len(block.text), "")


def _pieces(block: Block, words: _Words, gazetteer: NameGazetteer) -> list[GlossPiece]:
    """Return the parts of a block that need translation, in order; names from tables are not
    translated.
    """
    text = block.text
    found = [GlossPiece(k.start, k.end, "") for k in gazetteer.find(text)]
    named = set(found)
    found += [
        GlossPiece(m.start(), m.end(), _in_ascii(m.expand(english)))
        for pattern, english in words.patterns
        for m in pattern.finditer(text)
    ]
    found.sort(key=lambda piece: (piece not in named, -(piece.end - piece.start), piece.start))
    kept, taken = _apart(found)
    joins = [piece for piece in _joins(text, kept, words) if piece.start not in taken]
    digits = [
        GlossPiece(at, at + 1, str(unicodedata.decimal(sign)))
        for at, sign in enumerate(text)
        if not sign.isascii() and sign.isdecimal() and at not in taken
    ]
    return sorted(piece for piece in (*kept, *joins, *digits) if piece not in named)


def _in_ascii(text: str) -> str:
    """Return a text in which digits from other scripts are replaced by 0 to 9."""
    return "".join(str(unicodedata.decimal(s)) if s.isdecimal() else s for s in text)


def _apart(pieces: list[GlossPiece]) -> tuple[list[GlossPiece], set[int]]:
    """Drop any piece that overlaps an earlier one, and return the offsets that the kept pieces
    cover.
    """
    taken: set[int] = set()
    kept = []
    for piece in pieces:
        signs = range(piece.start, piece.end)
        if taken.isdisjoint(signs):
            taken.update(signs)
            kept.append(piece)
    return kept, taken


def _joins(text: str, kept: list[GlossPiece], words: _Words) -> Iterator[GlossPiece]:
    """Return the words that join two days or two times ("martes a domingo", "9時から17時")."""
    values = [piece for piece in kept if _VALUE.match(piece.english)]
    starts = {piece.start for piece in values}
    ends = {piece.end for piece in values}
    ends |= {at + 1 for at, sign in enumerate(text) if sign.isdecimal() or sign in "hH"}
    for at in sorted(ends):
        for pattern, english in words.joins:
            match = pattern.match(text, at)
            if match and (match.end() in starts or text[match.end() : match.end() + 1].isdecimal()):
                yield GlossPiece(at, match.end(), english)
                break
