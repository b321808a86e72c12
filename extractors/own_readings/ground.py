"""Looks up the parts of a supplied reading in the document to find the spans of names, stops and
quotes.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from extractors.journeys import stops_at_sights, why_no_stops
from extractors.own_readings.given import (
    GivenDay,
    GivenFact,
    GivenPlace,
    LineReading,
    LineTally,
    SetAside,
    show_value,
)
from extractors.own_readings.written import condition_of
from extractors.text import locate, name_spans, occurrences, quotations
from schemas.document_reading import (
    DayStop,
    DocumentReading,
    JourneyDay,
    NamedPlace,
    ReadJourney,
    StatedFact,
)
from schemas.documents import Document
from schemas.reading import Span
from schemas.tasks import Ungrounded

Range = tuple[int, int]
#: Markdown characters and tags. People quote them from a page's file, but the text has none.
_MARKS = str.maketrans("*_|[]#>`~", " " * 9)
_TAGS = re.compile(r"<[^<>]*>|(?<=\])\([^()\s]*\)|^\s*(?:[-+*•]|\d+\.)\s+", re.MULTILINE)


def quote(words: str, text: str, spans: Sequence[Range]) -> Range | None:
    """Return the position of a quote; if the quote occurs several times, choose the occurrence
    nearest to the name of the place.

    ``spans`` are the occurrences of the place's names.
    """

    def apart(found: Range) -> int:
        at = bisect_left(spans, found)
        beside = spans[max(0, at - 1) : at + 1]
        return min(max(start - found[1], found[0] - end, 0) for start, end in beside)

    found = quotations(words, text)
    if not found:
        bare = _TAGS.sub(" ", words).translate(_MARKS)
        found = list(occurrences(bare, text.translate(_MARKS)))
    return min(found, key=apart, default=None)


_ABSENT = (
    "it is not in the text of the document (picture captions and page headers do not count):"
    " give it as written there"
)
_UNIT = re.compile(r".*\d\s*([A-Z]{3})")


@dataclass(frozen=True)
class OwnReading:
    """A reading supplied by a user, with the parts that were set aside and the number of parts
    given.

    For places, stops and facts, ``given`` is the sum of ``kept`` and ``set_aside``.
    """

    doc: str
    reading: DocumentReading
    set_aside: tuple[SetAside, ...]
    given: LineTally

    @property
    def kept(self) -> LineTally:
        """Return how many places, stops and facts the reading contains."""
        read = self.reading
        stops = sum(len(day.stops) for trip in read.trips for day in trip.days)
        return LineTally(len(read.places), stops, len(read.facts))

    @property
    def ungrounded(self) -> tuple[Ungrounded, ...]:
        """Return the parts that were set aside, in the form that all engines use.

        Line numbers are left out, because they may change.
        """
        return tuple(
            Ungrounded(what=f"{aside.part} {aside.what} (own reading of {self.doc})", why=aside.why)
            for aside in self.set_aside
        )


def ground(doc: str, given: LineReading, document: Document) -> OwnReading:
    """Build the reading of a document from one line of a file of readings."""
    work = _Grounding(given, document.text)
    places = work.places()
    is_list = given.kind == "list"
    reading = DocumentReading(
        doc_id=document.doc_id,
        kind=given.kind,
        days_stated=given.days_stated,
        departure=work.departure(),
        places=places,
        trips=() if is_list else work.trips(),
        facts=work.facts(),
    )
    if is_list:
        work.refuse_trips()
    work.refuse_stops(reading, why_no_stops(reading))
    reading, _ = stops_at_sights(reading)
    return OwnReading(doc, reading, (*given.refused, *work.set_aside), given.counted)


class _Grounding:
    """Looks up the parts of one supplied reading in the document."""

    def __init__(self, given: LineReading, text: str) -> None:
        self.given, self.text = given, text
        self.set_aside: list[SetAside] = []
        named = name_spans([(place.name, *place.also) for place in given.places], text)
        self._spans = {
            place.n: tuple((span.start, span.end) for span in spans)
            for place, spans in zip(given.places, named, strict=True)
        }
        self._names = {place.n: place.name for place in given.places}

    def departure(self) -> str | None:
        """Return the first of the given names for the city of departure that occurs in the text."""
        found = next((city for city in self.given.departures if locate(city, self.text)), None)
        if found is None and self.given.departures:
            self._remark(self.given.departures[0], f"as departure: {_ABSENT}")
        return found

    # --- places ---------------------------------------------------------------------------

    def places(self) -> tuple[NamedPlace, ...]:
        """Return the places that have at least one name in the text."""
        parents = _parents(self.given.places, self._spans)
        kept = []
        for place in self.given.places:
            spans = self._spans.get(place.n)
            if not spans:
                self.set_aside.append(SetAside("place", place.name, _ABSENT))
                continue
            if place.parent is not None and parents.get(place.n) is None:
                self._remark(
                    f"the parent of {place.name}",
                    "the parent is not a kept place, or the parents form a circle",
                )
            kept.append(self._place(place, spans, parents.get(place.n)))
        return tuple(kept)

    def _place(self, place: GivenPlace, spans: tuple[Range, ...], parent: int | None) -> NamedPlace:
        standing = []
        for form in dict.fromkeys((place.name, *place.also)):
            if locate(form, self.text):
                standing.append(form)
            else:
                self._remark(form, f"as a form of {place.name}: {_ABSENT}")
        where = place.where
        if where is not None and not locate(where, self.text):
            self._remark(where, f"as the city or region of {place.name}: {_ABSENT}")
            where = None
        why = quote(place.why, self.text, spans) if place.why else None
        if place.why and why is None:
            self._remark(place.why, f"as the reason for {place.name}: {_ABSENT}")
        return NamedPlace(
            n=place.n,
            name=standing[0],
            also=tuple(standing[1:]),
            spans=tuple(Span(start=start, end=end) for start, end in spans),
            where=where,
            what=place.what,
            role="mentioned" if self.given.kind == "list" else place.role,
            why=Span(start=why[0], end=why[1]) if why else None,
            parent=parent,
        )

    # --- trips ----------------------------------------------------------------------------

    def trips(self) -> tuple[ReadJourney, ...]:
        """Return the trips that have at least one stop in the text."""
        return tuple(
            ReadJourney(days=told, is_planned=all(day.is_planned for day in days if day.stops))
            for days, told in [(days, self._days(days)) for days in self.given.trips]
            if any(day.stops for day in told)
        )

    def _days(self, days: Iterable[GivenDay]) -> tuple[JourneyDay, ...]:
        """Find each stop at the next mention of its place, because a text describes a journey in
        order.

        If the text contains the label of a day, the search for the day's stops starts at the label.
        """
        told, at, labelled = [], 0, 0
        for day in days:
            label = self._standing(day.label, "the label of a day")
            if label is not None and (found := locate(label, self.text, labelled)):
                labelled = found[1]
                at = found[0]
            stops = []
            for number in day.stops:
                spans = self._spans.get(number)
                if not spans:
                    name = self._names[number]
                    self.set_aside.append(SetAside("stop", name, f"its place is set aside: {name}"))
                    continue
                start, end = spans[bisect_left(spans, (at, 0)) % len(spans)]
                stops.append(DayStop(place=number, span=Span(start=start, end=end)))
                at = end
            told.append(
                JourneyDay(
                    number=day.number, label=label, stops=tuple(stops), is_ordered=day.is_ordered,
                    where=self._standing(day.where, "the city of a day"),
                )
            )  # fmt: skip
        return tuple(told)

    def refuse_trips(self) -> None:
        """Set aside every stop, because a list has no trips."""
        for days in self.given.trips:
            for number in (number for day in days for number in day.stops):
                self.set_aside.append(
                    SetAside(
                        "stop", self._names[number], "a document whose kind is list has no trips"
                    )
                )

    def refuse_stops(self, reading: DocumentReading, why: dict[int, str]) -> None:
        """Set aside each stop at a place that cannot be a stop."""
        for number in (stop.place for trip in reading.trips for _, _, stop in trip.stops):
            if number in why:
                self.set_aside.append(SetAside("stop", self._names[number], why[number]))

    # --- facts ----------------------------------------------------------------------------

    def facts(self) -> tuple[StatedFact, ...]:
        """Return the facts whose place was kept and whose quote occurs in the text."""
        kept = []
        for fact in self.given.facts:
            what = f"{fact.field} {fact.value} of {self._names[fact.n]}"
            spans = self._spans.get(fact.n)
            found = quote(fact.evidence, self.text, spans) if spans else None
            if not spans:
                self.set_aside.append(SetAside("fact", what, "its place is set aside"))
            elif found is None:
                why = f"its quote {show_value(fact.evidence)!r} is not in the document"
                self.set_aside.append(SetAside("fact", what, f"{why}: give it as written there"))
            else:
                kept.append(self._fact(fact, found, spans))
        return tuple(kept)

    def _fact(self, fact: GivenFact, said: Range, spans: tuple[Range, ...]) -> StatedFact:
        """Return a fact with the span of its quote and, if needed, of the name before the quote."""
        line = (self.text.rfind("\n", 0, said[0]) + 1, (self.text + "\n").find("\n", said[1]))
        held = [said]
        if not any(line[0] <= start and end <= line[1] for start, end in spans):
            held.append(spans[max(0, bisect_left(spans, said) - 1)])
        unit = _UNIT.fullmatch(fact.value) if fact.field == "ticket_price" else None
        limits = condition_of(fact.condition)
        return StatedFact(
            place=fact.n, field=fact.field, value=fact.value, unit=unit[1] if unit else None,
            audience=limits.audience, valid_when=limits.valid_when, condition=limits.further,
            spans=tuple(Span(start=start, end=end) for start, end in held),
        )  # fmt: skip

    # --- the text -------------------------------------------------------------------------

    def _standing(self, words: str | None, part: str) -> str | None:
        if words is None or locate(words, self.text):
            return words
        self._remark(words, f"as {part}: {_ABSENT}")
        return None

    def _remark(self, what: str, why: str) -> None:
        self.set_aside.append(SetAside("remark", show_value(what), why))


def _parents(places: tuple[GivenPlace, ...], spans: dict[int, tuple[Range, ...]]) -> dict[int, int]:
    """Return each place's parent if the parent is kept and is not itself inside the place."""
    stated = {p.n: p.parent for p in places if p.parent is not None and spans.get(p.parent)}
    kept: dict[int, int] = {}
    for child, parent in stated.items():
        above: int | None = parent
        while above is not None and above != child:
            above = kept.get(above)
        if above is None:
            kept[child] = parent
    return kept
