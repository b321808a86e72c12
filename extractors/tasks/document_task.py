"""The task of reading everything about places, journeys and facts in a document with one request.

The evidence check sets aside claims that do not occur in the text. If the text contains none of a
place's names, the place's stops and facts are also set aside, and each of them is reported.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from extractors.tasks.document_answer import FRAME, MOST_QUOTE, RULES, Schema, document_schema
from extractors.tasks.document_parse import DocumentParser, ParsedReading
from extractors.tasks.document_values import find_unstated
from extractors.tasks.prompting import delimit
from extractors.text import fold, locate, name_spans
from schemas.document_reading import (
    DocumentReading,
    JourneyDay,
    NamedPlace,
    ReadJourney,
    StatedFact,
)
from schemas.documents import Document
from schemas.reading import Span
from schemas.tasks import DocumentInput, Grounded, Ungrounded

#: A condition in the words of the text has at most so many characters.
_MOST_CONDITION = 200


class _Check:
    def __init__(self, document: Document) -> None:
        self.aside: list[Ungrounded] = []
        self._text = document.text
        self._tables = [Span(start=b.start, end=b.start + len(b.text))
                        for b in document.blocks if b.kind == "table_row" and b.text]  # fmt: skip

    def reading(self, output: DocumentReading) -> DocumentReading:
        named = {place.n: place.name for place in output.places}
        places = {p.n: p for p in map(self._place, output.places) if p is not None}
        places = _without_lost_parents(places)
        trips = [self._trip(trip, places, named) for trip in output.trips]
        return DocumentReading(
            doc_id=output.doc_id,
            kind=output.kind,
            days_stated=output.days_stated,
            places=tuple(places.values()),
            trips=tuple(trip for trip in trips if trip.days),
            facts=tuple(self._facts(output.facts, places, named)),
        )

    def _refuse(self, what: str, why: str = "not in the document") -> None:
        self.aside.append(Ungrounded(what=what, why=why))

    def _stands(self, span: Span) -> bool:
        return span.end <= len(self._text)

    def _find_written(self, words: str | None, what: str) -> str | None:
        """Return words as written in the text, or None if the text does not contain them."""
        if words and not locate(words, self._text):
            self._refuse(f"{what} {words}")
            return None
        return words or None

    def _place(self, place: NamedPlace) -> NamedPlace | None:
        """Return a place with the forms and spans that occur in the text, or None."""
        forms = [form for form in place.forms if locate(form, self._text)]
        for form in place.also:
            if form not in forms:
                self._refuse(f"{form} for {place.name}")
        if place.name not in forms:
            self._refuse(place.name)
        if not forms:
            return None
        known = {fold(form) for form in forms}
        right = [s for s in place.spans if fold(self._text[s.start : s.end]) in known]
        spans = tuple(right) or name_spans([forms], self._text)[0]
        why = place.why
        if why and not self._stands(why):
            self._refuse(f"reason of {place.name}")
            why = None
        where = self._find_written(place.where, f"where {place.name} is:")
        also = tuple(dict.fromkeys(form for form in forms[1:] if form != forms[0]))
        return place.model_copy(
            update={"name": forms[0], "also": also, "spans": spans, "why": why, "where": where}
        )

    def _trip(
        self, trip: ReadJourney, places: dict[int, NamedPlace], named: dict[int, str]
    ) -> ReadJourney:
        days = [self._day(day, places, named) for day in trip.days]
        return trip.model_copy(update={"days": tuple(day for day in days if day.stops)})

    def _day(
        self, day: JourneyDay, places: dict[int, NamedPlace], named: dict[int, str]
    ) -> JourneyDay:
        stops = []
        for stop in day.stops:
            place = places.get(stop.place)
            if place is None:
                self._refuse(f"stop at {named[stop.place]}", "its place is not in the document")
            elif stop.span in place.spans:
                stops.append(stop)
            else:
                stops.append(stop.model_copy(update={"span": place.spans[0]}))
        label = self._find_written(day.label, "label")
        where = self._find_written(day.where, "where a day is:")
        return day.model_copy(update={"stops": tuple(stops), "label": label, "where": where})

    def _facts(
        self, facts: Iterable[StatedFact], places: dict[int, NamedPlace], named: dict[int, str]
    ) -> Iterable[StatedFact]:
        for fact in facts:
            lost = [n for n in (fact.place, *fact.with_places) if n not in places]
            problem = "its place is not in the document" if lost else self._problem(fact)
            if problem is None:
                yield self._with_condition_as_written(fact)
            # A season may be at the start of its line, before the fact, so the whole line counts.
            elif not lost and fact.field == "season" and not self._problem(self._with_line(fact)):
                yield self._with_condition_as_written(self._with_line(fact))
            else:
                self._refuse(f"{named[fact.place]}: {fact.field} = {fact.value}", problem)

    def _with_line(self, fact: StatedFact) -> StatedFact:
        """Return a fact with a whole short line as evidence."""
        spans = []
        for span in fact.spans:
            begin = self._text.rfind("\n", 0, span.start) + 1
            end = self._text.find("\n", span.end)
            end = end if end >= 0 else len(self._text)
            is_short = self._stands(span) and end - begin <= MOST_QUOTE
            spans.append(Span(start=begin, end=end) if is_short else span)
        return fact.model_copy(update={"spans": tuple(dict.fromkeys(spans))})

    def _problem(self, fact: StatedFact) -> str | None:
        """Return the reason why a fact has no evidence, or None if it has evidence."""
        if not all(map(self._stands, fact.spans)):
            return "its quote is not in the document"
        quote = "\n".join(self._text[s.start : s.end] for s in fact.spans)
        in_table = any(row.start <= s.start < row.end for row in self._tables for s in fact.spans)
        return find_unstated(fact, quote, in_table)

    def _with_condition_as_written(self, fact: StatedFact) -> StatedFact:
        """Replace a condition that is not in the words of the text by the line that contains the
        condition.
        """
        if not fact.condition or locate(fact.condition, self._text):
            return fact
        line = self._text[fact.spans[0].start : fact.spans[0].end]
        return fact.model_copy(update={"condition": line[:_MOST_CONDITION]})


def _without_lost_parents(places: dict[int, NamedPlace]) -> dict[int, NamedPlace]:
    """Drop parents that were set aside, or that are the place itself or one of its parts."""
    parents = {n: place.parent for n, place in places.items()}
    for n, parent in sorted(parents.items()):
        seen, above = {n}, parent
        while above in places and above not in seen and above is not None:
            seen.add(above)
            above = parents[above]
        if above is not None:
            parents[n] = None
    return {n: place.model_copy(update={"parent": parents[n]}) for n, place in places.items()}


class DocumentTask:
    """The task of reading a document. Its request contains neither a city nor known names."""

    name = "document_reading"
    version = 2
    input_model = DocumentInput
    output_model = DocumentReading

    def prompt(self, item: DocumentInput) -> list[dict[str, str]]:
        """Return the chat messages, with the document at the end."""
        return [
            {"role": "system", "content": FRAME + RULES},
            {"role": "user", "content": delimit(item.document.text)},
        ]

    def schema(self, item: DocumentInput) -> Schema:
        """Return the schema for the raw answer, with no more rows than the document can contain."""
        return document_schema(len(item.document.text))

    def parse(self, raw: dict[str, Any], item: DocumentInput) -> DocumentReading:
        """Read a raw answer. Raises ValueError, with the reason, if the answer has the wrong
        form.
        """
        return DocumentParser(raw, item.document).reading()

    def check(self, item: DocumentInput, output: DocumentReading) -> Grounded[DocumentReading]:
        """Keep what occurs in the document, and report everything else and all meaningless rows."""
        check = _Check(item.document)
        kept = check.reading(output)
        refused = output.refused if isinstance(output, ParsedReading) else ()
        return Grounded(output=kept, ungrounded=(*refused, *check.aside))
