"""Parses a raw document answer into a reading, and looks up its names and quotes in the text.

Each row is parsed separately, so a meaningless row can be reported while the others are kept. A
name or quote that is missing from the text gets a span outside the text, so that the evidence check
sets it aside.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from typing import Any, cast, get_args

from extractors.tasks.document_answer import (
    MOST_DAYS,
    MOST_NAME,
    MOST_TRIPS,
    PLAN,
    BadRow,
    DayRow,
    FactRow,
    PlaceRow,
    day_row,
    fact_row,
    most_rows,
    place_row,
)
from extractors.tasks.document_values import price_of, time_of, write_value
from extractors.text import fold, locate, name_spans, quotations
from schemas.document_reading import (
    DayStop,
    DocumentReading,
    JourneyDay,
    Kind,
    NamedPlace,
    ReadJourney,
    StatedFact,
)
from schemas.documents import Block, Document
from schemas.reading import Span
from schemas.tasks import Ungrounded

#: A block with at most so many characters counts as a heading that says what the text is about.
_MOST_HEAD = 80


class ParsedReading(DocumentReading):
    """A reading that has not been checked yet, with the meaningless rows of the answer."""

    refused: tuple[Ungrounded, ...] = ()


class DocumentParser:
    """Parses one raw answer about a document."""

    def __init__(self, raw: dict[str, Any], document: Document) -> None:
        self._raw, self._document, self._text = raw, document, document.text
        self._refused: list[Ungrounded] = []
        self._number: dict[int, int] = {}  # number of each of the answer's places in the reading
        self._spans: dict[int, tuple[Span, ...]] = {}

    def reading(self) -> DocumentReading:
        """Return the reading, with its refused rows if there are any.

        Raises ValueError if the answer has the wrong form.
        """
        raw = self._raw
        if raw.get("kind") not in get_args(Kind):
            raise ValueError(f"no kind of document: {raw.get('kind')!r:.40}")
        kind = cast("Kind", raw["kind"])
        rows = {name: self._list_rows(name) for name in ("places", "facts", "trips")}
        places = self._places(rows["places"], kind)
        trips = tuple(self._trips(rows["trips"]))
        if kind == "list" and trips:
            self._refuse("trips", "a list of names tells no journey")
            trips = ()
        reading = DocumentReading(
            doc_id=self._document.doc_id,
            kind=kind,
            days_stated=_count(raw.get("days")),
            places=places,
            trips=trips,
            facts=tuple(self._facts(rows["facts"])),
        )
        if not self._refused:
            return reading
        return ParsedReading(**dict(reading), refused=tuple(self._refused))

    def _list_rows(self, name: str) -> list[Any]:
        """Return the rows under a key. Raises ValueError if the text cannot contain so many
        rows.
        """
        found = self._raw.get(name, [] if name != "places" else None)
        if not isinstance(found, list):
            raise ValueError(f"{name!r} is not a list of rows")
        most = MOST_TRIPS if name == "trips" else most_rows(len(self._text))
        if len(found) > most:
            size = len(self._text)
            raise ValueError(f"{len(found):,} {name} in a text of {size:,} characters")
        return found

    def _refuse(self, what: str, why: str) -> None:
        self._refused.append(Ungrounded(what=what[:MOST_NAME], why=why))

    def _places(self, rows: list[Any], kind: Kind) -> tuple[NamedPlace, ...]:
        kept: list[PlaceRow] = []
        by_name: dict[str, int] = {}
        for at, row in enumerate(rows, 1):
            try:
                place = place_row(row)
                if place.n in self._number:
                    raise BadRow(f"another place has the number {place.n}")
            except BadRow as bad:
                self._refuse(f"place {at}", str(bad))
                continue
            self._number[place.n] = by_name.setdefault(fold(place.name), place.n)
            if self._number[place.n] == place.n:
                kept.append(place)
        spans = name_spans([(p.name, *p.also) for p in kept], self._text)
        self._spans = {p.n: found for p, found in zip(kept, spans, strict=True)}
        return tuple(self._place(place, kind) for place in kept)

    def _place(self, place: PlaceRow, kind: Kind) -> NamedPlace:
        spans = self._spans[place.n] or (self._nowhere,)
        return NamedPlace(
            n=place.n, name=place.name, also=place.also, spans=spans, where=place.where,
            what=place.what, role="mentioned" if kind == "list" else place.role,
            why=self._reason(place.why, spans[0]) if place.why else None,
            parent=self._number.get(place.parent) if place.parent else None,
        )  # fmt: skip

    def _reason(self, quote: str, name: Span) -> Span:
        """Return where a reason occurs, preferably after its place's name, or else a span outside
        the text.
        """
        found = [Span(start=a, end=b) for a, b in quotations(quote, self._text)]
        behind = (span for span in found if span.start >= name.start)
        return next(behind, found[0] if found else self._nowhere)

    @property
    def _nowhere(self) -> Span:
        return Span(start=len(self._text), end=len(self._text) + 1)

    def _trips(self, trips: list[Any]) -> Iterable[ReadJourney]:
        for number, rows in enumerate(trips, 1):
            if not isinstance(rows, list) or len(rows) > most_rows(len(self._text)):
                self._refuse(f"trip {number}", "not a list of days that the text can hold")
                continue
            is_planned = rows[:1] == [PLAN]
            if days := self._days(rows[is_planned:], f"trip {number}"):
                yield ReadJourney(days=tuple(days), is_planned=is_planned)

    def _days(self, rows: list[Any], trip: str) -> list[JourneyDay]:
        """Return the days of a journey; a day with a lower number than the previous day is
        refused.
        """
        days: list[JourneyDay] = []
        last: int | None = None
        after = 0
        for at, row in enumerate(rows, 1):
            try:
                day = day_row(row)
                if day.number is not None and last is not None and day.number < last:
                    raise BadRow(f"day {day.number} after day {last}: days run backwards")
            except BadRow as bad:
                self._refuse(f"{trip}, line {at}", str(bad))
                continue
            last = day.number if day.number is not None else last
            begin = locate(day.label, self._text, after) if day.label else None
            after = begin[0] if begin else after
            days.append(
                JourneyDay(number=day.number, label=day.label, where=day.where,
                        stops=tuple(self._stops(day, after, trip)), is_ordered=day.is_ordered)
            )  # fmt: skip
        return days

    def _stops(self, day: DayRow, after: int, trip: str) -> Iterable[DayStop]:
        """Return a day's stops, each at its first occurrence after the previous stop."""
        for stop in day.stops:
            place = self._number.get(stop.n)
            if place is None:
                self._refuse(f"stop {stop.n} of {trip}", "no place has this number")
                continue
            spans = self._spans[place] or (self._nowhere,)
            span = next((s for s in spans if s.start >= after), spans[0])
            after = max(after, span.start) if day.is_ordered else after
            yield DayStop(place=place, span=span, part_of_day=stop.part_of_day,
                       is_seen_from_afar=stop.is_seen_from_afar)  # fmt: skip

    def _facts(self, rows: list[Any]) -> Iterable[StatedFact]:
        for at, row in enumerate(rows, 1):
            try:
                fact = fact_row(row)
                if missing := {fact.n, *fact.condition.others} - self._number.keys():
                    raise BadRow(f"no place has the number {min(missing)}")
            except BadRow as bad:
                self._refuse(f"fact {at}", str(bad))
                continue
            yield self._fact(fact)

    def _fact(self, fact: FactRow) -> StatedFact:
        place, condition = self._number[fact.n], fact.condition
        names = self._spans[place]
        quotes = tuple(self._nearest(quote, names) for quote in fact.quotes)
        value, unit = write_value(fact.field, fact.value), None
        if fact.field == "ticket_price":
            value, unit = price_of(fact.value, " ".join(fact.quotes))
        others = (self._number[n] for n in condition.others)
        when, further = time_of(condition.when), condition.further
        if when is None:  # "low season" has no months but limits the fact all the same
            when, further = "always", "; ".join(filter(None, (condition.when, further)))
        return StatedFact(
            place=place, field=fact.field, value=value, unit=unit, audience=condition.audience,
            valid_when=when, condition=further,
            with_places=tuple(dict.fromkeys(n for n in others if n != place)),
            spans=(*quotes, *self._naming(quotes[0], names)),
        )  # fmt: skip

    def _nearest(self, quote: str, names: tuple[Span, ...]) -> Span:
        """Return the closest position of a quote after its place's name, or a span outside the
        text.
        """
        found = (Span(start=a, end=b) for a, b in quotations(quote, self._text))
        return min(found, key=lambda span: _distance(span, names), default=self._nowhere)

    def _naming(self, quote: Span, names: tuple[Span, ...]) -> tuple[Span, ...]:
        """Return the words that name a quote's place if the quote's own line does not.

        The words are normally the last name before the quote. If this name is in a heading or a
        short line, the whole heading or line is returned.
        """
        line = _block_at(self._document, quote.start)
        if line is None or any(line.start <= s.start < line.start + len(line.text) for s in names):
            return ()
        before = [name for name in names if name.end <= quote.start]
        if not before:
            return ()
        head = _block_at(self._document, before[-1].start)
        if head and (head.kind in ("title", "heading") or len(head.text) <= _MOST_HEAD):
            return (Span(start=head.start, end=head.start + len(head.text)),)
        return (before[-1],)


def _distance(quote: Span, names: tuple[Span, ...]) -> tuple[bool, int]:
    """Return how far after a name a quote ends; a quote before all names counts as farthest."""
    behind = [quote.end - name.start for name in names if name.start <= quote.end]
    return (not behind, min(behind, default=quote.start))


def _block_at(document: Document, at: int) -> Block | None:
    blocks = document.blocks
    n = bisect_right(blocks, at, key=lambda block: block.start)
    block = blocks[n - 1] if n else None
    return block if block and at < block.start + len(block.text) else None


def _count(value: Any) -> int | None:
    """Return a number of days, or None for 0, which means that the text contains no such number."""
    is_count = isinstance(value, int) and not isinstance(value, bool)
    return value if is_count and 0 < value <= MOST_DAYS else None
