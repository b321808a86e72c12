"""Use careful readings instead of a model to answer the requests of a build.

A request is identified by its task and by the text that it contains. The document is found by the
lines of its text, regardless of the rest of the prompt. For a request about a part of a long
document, the answer contains only what the reading found in that part. Recorded readings therefore
remain usable when prompts change.

Tasks about documents and English names are answered from the readings. Requests for searches are
answered with a fixed list. The readings cannot answer any other task, so such a task gets the
emptiest answer that its schema allows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from extractors.hostile import without_orders
from extractors.own_readings import read_file
from extractors.tasks import (
    DocumentTask,
    FactExtraction,
    PoiExtraction,
    SubQueryRewriting,
    TrajectoryExtraction,
    Translation,
)
from extractors.tasks.prompting import delimit
from extractors.text import locate
from flows.models.stand_ins import raw_answer
from schemas.document_reading import DocumentReading, JourneyDay, NamedPlace, StatedFact
from schemas.documents import Document
from schemas.reading import Span

Answer = dict[str, Any]
_SHOWN = re.compile(r"<document>\n(.*)\n</document>", re.DOTALL)
_CITY = re.compile(r"^Names of places in (.+)$", re.MULTILINE)
_NUMBERED = re.compile(r"^(\d+)\. (.+)$", re.MULTILINE)
_FIELD = re.compile(r"^(City|Number wanted|To be found|Place): (.+)$", re.MULTILINE)
#: Searches for each kind of documents that a request wants to find.
_SEARCHES = {
    "attractions": ("{}好玩的地方", "{}游记 景点", "what to see in {}"),
    "guides": ("{}怎么玩 路线", "{}游记 行程", "a few days in {}"),
}


class NoReading(LookupError):
    """Raised if there is no careful reading of the document that a request contains."""


@dataclass(frozen=True)
class CarefulRead:
    """A document and its careful reading."""

    document: Document
    reading: DocumentReading

    @cached_property
    def shown(self) -> str:
        """The text as it appears in requests; it has the same length as the document."""
        asked = _SHOWN.search(delimit(without_orders(self.document).text))
        assert asked is not None
        return asked[1]

    def answer(self, task: str, text: str | None = None) -> Answer | None:
        """Answer a task about the whole document, or about its part ``text``.

        Returns None if ``text`` is not a part of the document.
        """
        reading = self._part(self.shown if text is None else text)
        return None if reading is None else _DOCUMENT_TASKS[task](self.document, reading)

    def _part(self, text: str) -> DocumentReading | None:
        """Return the reading of a part of the document; its spans refer to the whole document."""
        ranges, at = [], 0
        for line in filter(str.strip, text.split("\n")):
            start = self.shown.find(line, at)
            start = start if start >= 0 else self.shown.find(line)
            if start < 0:
                return None
            at = start + len(line)
            ranges.append(range(start, at))
        return _within(self.reading, ranges, text)


class CarefulAnswers:
    """A stand-in for a model, which answers the requests of a build from careful readings."""

    def __init__(self, read: Iterable[CarefulRead], english: dict[tuple[str, str], str]) -> None:
        self._read, self._english = tuple(read), english

    def __call__(self, body: Answer) -> Answer:
        """Answer a request. Raises NoReading if there is no careful reading of the document."""
        form = body["response_format"]["json_schema"]
        shown = body["messages"][-1]["content"]
        if form["name"] in _DOCUMENT_TASKS:
            return self._read_out(form["name"], shown)
        if form["name"] == Translation.name:
            return self._translate(shown)
        if form["name"] == SubQueryRewriting.name:
            return _answer_searches(shown)
        nothing: Answer = emptiest(form["schema"])
        return nothing

    def _read_out(self, task: str, shown: str) -> Answer:
        asked = _SHOWN.search(shown)
        assert asked is not None, "the request contains no document between <document> tags"
        for read in self._read:
            if (answer := read.answer(task, asked[1])) is not None:
                return answer
        raise NoReading(
            f"there is no careful reading of the document that begins with {asked[1][:60]!r}"
        )

    def _translate(self, shown: str) -> Answer:
        asked = _CITY.search(shown)
        city = asked[1].lower() if asked else ""
        return {"texts": [
            {"number": int(number), "translation": self._english.get((city, name))}
            for number, name in _NUMBERED.findall(shown)
        ]}  # fmt: skip


def careful_answers(readings: Path, documents: Iterable[Document]) -> CarefulAnswers:
    """Load a file of readings; its lines give the path or the id of each document."""
    named = {document.doc_id: document for document in documents}
    lines = read_file(readings).assign([(d.doc_id, d.path) for d in named.values()]).lines
    read = [
        CarefulRead(named[doc_id], line.read(named[doc_id]).reading)
        for doc_id, line in lines.items()
    ]
    rows = [json.loads(line) for line in readings.read_text(encoding="utf-8").splitlines()]
    english = {
        (place["true_city"], name): place["standard_en"]
        for row in rows for place in row["places"] if place.get("standard_en")
        for name in (place["name"], *place["also"], place["standard"])
    }  # fmt: skip
    return CarefulAnswers(read, english)


def emptiest(schema: Answer, whole: Answer | None = None) -> Any:
    """Return the emptiest value that a JSON schema allows; for an enumeration, return the last of
    its values.
    """
    whole = whole or schema
    if "$ref" in schema:
        return emptiest(whole["$defs"][schema["$ref"].rsplit("/", 1)[1]], whole)
    if "anyOf" in schema:
        return emptiest(min(schema["anyOf"], key=lambda one: one.get("type") != "null"), whole)
    if "enum" in schema:
        return schema["enum"][-1]
    kind = schema.get("type")
    if isinstance(kind, list):
        return None if "null" in kind else emptiest({**schema, "type": kind[0]}, whole)
    if kind == "object":
        return {name: emptiest(part, whole) for name, part in schema.get("properties", {}).items()}
    if kind == "array":
        return [emptiest(schema["items"], whole)] * schema.get("minItems", 0)
    least = {"string": "", "integer": schema.get("minimum", 0), "number": 0, "boolean": False}
    return least.get(str(kind))


def _answer_searches(shown: str) -> Answer:
    """Return searches for the places or routes of a city, or none for a request about a place."""
    said = dict(_FIELD.findall(shown))
    if "Place" in said:
        return {"sub_queries": []}
    forms = next((forms for word, forms in _SEARCHES.items() if word in said["To be found"]), ())
    names = said["City"].split(" / ")
    asked = [form.format(names[-1] if form.isascii() else names[0]) for form in forms]
    return {"sub_queries": asked[: int(said["Number wanted"])]}


# --- a part of a reading --------------------------------------------------------------------


def _within(reading: DocumentReading, ranges: Sequence[range], text: str) -> DocumentReading:
    """Return only what a reading found in ``ranges`` of its document, which contain ``text``."""

    def holds(span: Span) -> bool:
        return any(one.start <= span.start and span.end <= one.stop for one in ranges)

    found = [_place_in(place, text, holds) for place in reading.places]
    places = {place.n: place for place in found if place is not None}
    trips = []
    for trip in reading.trips:
        days = [
            day.model_copy(update={
                "stops": tuple(s for s in day.stops if s.place in places and holds(s.span)),
                "label": day.label if day.label and locate(day.label, text) else None,
            })
            for day in trip.days
        ]  # fmt: skip
        if kept := tuple(day for day in days if day.stops):
            trips.append(trip.model_copy(update={"days": kept}))
    facts = (f for f in reading.facts if f.place in places and holds(f.spans[0]))
    return reading.model_copy(update={
        "places": tuple(
            place if place.parent in places else place.model_copy(update={"parent": None})
            for place in places.values()
        ),
        "trips": tuple(trips),
        "facts": tuple(_plain(fact, holds) for fact in facts),
    })  # fmt: skip


def _place_in(place: NamedPlace, text: str, holds: Any) -> NamedPlace | None:
    """Return a place with only those forms of its name that occur in a text."""
    spans = tuple(span for span in place.spans if holds(span))
    forms = [form for form in place.forms if locate(form, text)]
    if not spans or not forms:
        return None
    return place.model_copy(update={
        "name": forms[0], "also": tuple(forms[1:]), "spans": spans,
        "where": place.where if place.where and locate(place.where, text) else None,
        "why": place.why if place.why and holds(place.why) else None,
    })  # fmt: skip


def _plain(fact: StatedFact, holds: Any) -> StatedFact:
    """Return a fact with only the quotes in the ranges; its currency is given at most once."""
    value = fact.value.removesuffix(" CNY")
    unit = None if fact.value.endswith(fact.unit or "\0") else fact.unit
    spans = tuple(span for span in fact.spans if holds(span))
    return fact.model_copy(update={"value": value, "unit": unit, "spans": spans})


# --- the three requests ---------------------------------------------------------------------

_ROLES = {"planned": "recommended"}


def _pois(document: Document, reading: DocumentReading) -> Answer:
    named = {place.n: place.name for place in reading.places}
    kind = reading.kind if reading.kind in ("route", "guide", "diary") else "none"
    return {
        "kind": kind, "cities": [], "days_stated": reading.days_stated,
        "pois": [
            {"name": form, "role": _ROLES.get(place.role, place.role),
             "parent": named.get(place.parent or 0), "reason": _quote(document, place.why)}
            for place in reading.places if place.what == "sight" for form in place.forms
        ],
        "decoys": [p.name for p in reading.places if p.what in ("food", "lodging", "station")],
    }  # fmt: skip


def _route(document: Document, reading: DocumentReading) -> Answer:
    """Return the days of all trips in sequence, because the answer has only one route."""
    days = [day for trip in reading.trips for day in trip.days]
    rows = [
        {"day": number, "visits": list(_visits(document, day))}
        for number, day in enumerate(days, 1)
    ]
    return {"days": rows, "reason": "" if rows else "no journey is told"}


def _visits(document: Document, day: JourneyDay) -> Iterator[Answer]:
    for stop in day.stops:
        yield {"name": _quote(document, stop.span), "remark": None}


def _facts(document: Document, reading: DocumentReading) -> Answer:
    return {"facts": [
        {"evidence": _quote(document, fact.spans[0]), "poi": reading.place(fact.place).name,
         "field": "ticket_price_cny" if fact.field == "ticket_price" else fact.field,
         "value": fact.value, "valid_when": fact.valid_when}
        for fact in reading.facts if not fact.condition and not fact.audience
    ]}  # fmt: skip


def _quote(document: Document, span: Span | None) -> str | None:
    return document.text[span.start : span.end] if span else None


def _whole(document: Document, reading: DocumentReading) -> Answer:
    return raw_answer(reading, document)


_DOCUMENT_TASKS = {
    DocumentTask.name: _whole,
    PoiExtraction.name: _pois,
    TrajectoryExtraction.name: _route,
    FactExtraction.name: _facts,
}
