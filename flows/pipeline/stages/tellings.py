"""Finds the sentences or clauses in which documents describe a place, in a context or in general.

A sentence belongs to a context that is named in the sentence itself, or in the heading, date or
title above it. If the context is named above the sentence, the sentence must meet a further
condition. The sentence must describe what is different in this context (weather, plants, crowds),
or how its author liked the place. Sentences that describe a place in general belong to every
context.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from extractors.descriptions import (
    Range,
    description_in,
    is_clean,
    is_item,
    is_prose,
    is_subject,
    tells,
)
from extractors.rules.common.day_lines import day_lines
from flows.pipeline.stages.sentences import (
    is_company,
    is_denied,
    is_part_of_name,
    is_real,
    only_locates,
    sentence_of,
    states_rules,
)
from schemas.seasons import season_of

Row = Mapping[str, Any]

ANY = "any:any"
#: How certainly a passage belongs to its context: it names the context, or its heading does.
NAMED, NAMED_BARELY, UNDER_HEADING, ON_DAY, UNDER_TITLE, JUDGED = 5, 4, 3, 3, 2, 1
#: The weight of a word that names a context in a heading.
_HEADING = 3
#: The first characters of a line, in which its date must be.
_LABEL = 40
_DATE = re.compile(
    r"(?:19|20)\d\d\s*[年./-]\s*\d{1,2}\s*[月./-]\s*\d{1,2}|\d{1,2}\s*月\s*\d{1,2}\s*[日号]|"
    r"(?<![\d/])\d{1,2}/\d{1,2}\s*[（(]?(?:周|星期)[一二三四五六日天]?|"
    r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+\d{1,2}\b",
    re.IGNORECASE,
)


#: Words before a name that make the place the larger whole of another one, or a comparison.
_COMPARED = re.compile(r"(?:是|为|叫|像|比|如|和|与|跟|同)[「“\"'《]?$")
#: Words after a kind of traveller to whom a place is suited.
_LOVED = re.compile(r"们?(?:都|最|很)?(?:喜[爱欢]|必[去来]|的?(?:胜地|天堂|乐园))")


@dataclass(frozen=True)
class Telling:
    """A range in a document that describes a place in a context.

    ``named_at`` is the range outside the passage where the document names the context. ``named_at``
    is None if the context is ``any`` or if the passage itself names the context.
    """

    poi_id: str
    context_id: str
    doc_id: str
    start: int
    end: int
    named_at: Range | None
    strength: int


@dataclass(frozen=True)
class TellingDocument:
    """The parts of a document that this module needs.

    ``mentions`` contains one row for each name of a known place (poi_id, start, end, role, section;
    is_sure: whether the place is certain). ``names`` contains the start, the end and the place
    (None if unknown) of every name. ``hits`` contains one row for each occurrence of words that
    name a context. Each list is sorted by ``start``.
    """

    doc_id: str
    text: str
    mentions: Sequence[Row]
    names: Sequence[tuple[int, int, str | None]]
    hits: Sequence[Row]
    kin: Mapping[str, Set[str]] = field(default_factory=dict)


def tellings(document: TellingDocument, lat: float) -> Iterator[Telling]:
    """Yield every passage about the document's places, in order; the seasons depend on the latitude
    ``lat``."""
    around = _Around(document, lat)
    for mention in document.mentions:
        if mention["role"] != "rejected" and mention["is_sure"]:
            yield from around.of(mention)


class _Around:
    """The text around the names in one document."""

    def __init__(self, document: TellingDocument, lat: float):
        self._doc, self._text, self._lat = document, document.text, lat
        self._days = [(start, month) for start, month in day_lines(document.text)]
        self._titles = [hit for hit in document.hits if hit["is_title"]]
        self._heads: dict[int, list[Row]] = defaultdict(list)
        for hit in document.hits:
            if hit["weight"] >= _HEADING and not hit["is_title"]:
                self._heads[self._text.rfind("\n", 0, hit["start"]) + 1].append(hit)

    def of(self, mention: Row) -> Iterator[Telling]:
        """Yield the passages about a place from the sentence that contains its name."""
        name = (mention["start"], mention["end"])
        text = self._text
        sentence = sentence_of(text, *name)
        if not self._is_told(sentence, name):
            return
        others = self._others(mention["poi_id"], sentence, name)
        own = [h for h in self._doc.hits if sentence[0] <= h["start"] and h["end"] <= sentence[1]]
        for hit in own:
            yield from self._find_named(mention, hit, sentence, others)
        if own:
            return
        found = description_in(text, sentence, [name], others)
        if found is None or not self._is_description(sentence, found, name):
            return
        said = text[slice(*found)]
        is_about, is_of_day = is_subject(text, sentence[0], name), tells(said, "the day")
        is_dated = (is_of_day or tells(said, "weather")) and not tells(said, "timeless")
        over = [] if is_about and tells(said, "timeless") else list(self._over(mention))
        if over:
            if is_of_day and not tells(said, "another time") and not tells(said, "people"):
                for context_id, named_at, strength in over:
                    yield self._telling(mention, context_id, found, named_at, strength)
        elif is_about and not tells(said, "own story") and not is_dated:
            sure = NAMED if tells(said, "timeless") else JUDGED
            yield self._telling(mention, ANY, found, None, sure)

    def _is_description(self, sentence: Range, found: Range, name: Range) -> bool:
        """Check whether a range of a sentence describes a place, either in prose or as a list
        item."""
        text = self._text
        told = is_prose(text, sentence) or (
            is_clean(text, sentence) and is_item(text, sentence, name)
        )
        said = text[slice(*found)]
        return told and not tells(said, "passing") and not tells(said, "half")

    def _is_told(self, sentence: Range, name: Range) -> bool:
        """Check whether a sentence states something about the place that it names."""
        text = self._text
        return (
            is_real(text[slice(*sentence)])
            and not is_denied(text, name[0])
            and not is_part_of_name(text, *name)
            and not only_locates(text, *name)
            and not _COMPARED.search(text[sentence[0] : name[0]])
        )

    def _others(self, poi_id: str, sentence: Range, name: Range) -> list[Range]:
        """Return the names in a sentence that belong to other places, except parts and parents of
        the given place."""
        names, kin = self._doc.names, {poi_id, *self._doc.kin.get(poi_id, ())}
        first = bisect_right(names, (sentence[0] - 1, 1 << 62, ""))
        found = []
        for start, end, place in names[first:]:
            if start >= sentence[1]:
                break
            if place not in kin and not (name[0] <= start and end <= name[1]):
                found.append((start, end))
        return found

    def _find_named(
        self, mention: Row, hit: Row, sentence: Range, others: Sequence[Range]
    ) -> Iterator[Telling]:
        """Yield passages from a sentence that names a context itself."""
        name, words = (mention["start"], mention["end"]), (hit["start"], hit["end"])
        if hit["weight"] >= _HEADING or not _is_meant(self._text, hit):
            return
        found = description_in(self._text, sentence, [name, words], others)
        if found is None or not is_prose(self._text, sentence):
            return
        said = self._text[slice(*found)]
        is_about = is_subject(self._text, sentence[0], name)
        if (is_about or tells(said, "the day") or tells(said, "judgement")) and not tells(
            said, "half"
        ):
            sure = (
                NAMED if tells(said, "the day") and not tells(said, "own story") else NAMED_BARELY
            )
            yield self._telling(mention, f"{hit['kind']}:{hit['code']}", found, None, sure)

    def _over(self, mention: Row) -> Iterator[tuple[str, Range, int]]:
        """Yield the contexts that are given by a heading, a date or the title above a name."""
        for hit in self._heads.get(
            mention["section"] if mention["section"] is not None else -1, ()
        ):
            if _is_meant(self._text, hit):
                yield f"{hit['kind']}:{hit['code']}", (hit["start"], hit["end"]), UNDER_HEADING
        if (dated := self._find_season(mention["start"])) is not None:
            yield dated
        for hit in self._titles:
            if _is_meant(self._text, hit):
                yield f"{hit['kind']}:{hit['code']}", (hit["start"], hit["end"]), UNDER_TITLE

    def _find_season(self, at: int) -> tuple[str, Range, int] | None:
        """Find the day whose text contains the offset, and return its season, based on the date in
        the day's first line.
        """
        before = bisect_right(self._days, (at, 13)) - 1
        start, month = self._days[before] if before >= 0 else (0, None)
        if month is None:
            return None
        line = self._text[start : start + _LABEL].split("\n")[0]
        date, season = _DATE.search(line), season_of(month, self._lat)
        if date is None or season is None or states_rules(line):
            return None
        return f"season:{season}", (start + date.start(), start + date.end()), ON_DAY

    def _telling(
        self, mention: Row, context_id: str, at: Range, named_at: Range | None, strength: int
    ) -> Telling:
        return Telling(mention["poi_id"], context_id, self._doc.doc_id, *at, named_at, strength)


def _is_meant(text: str, hit: Row) -> bool:
    """Check that a word for a context describes the journey, not just rules or other people."""
    start, end = hit["start"], hit["end"]
    if is_denied(text, start) or states_rules(text[slice(*sentence_of(text, start, end))]):
        return False
    return (
        hit["kind"] != "traveller" or is_company(text, start, end) or bool(_LOVED.match(text, end))
    )
