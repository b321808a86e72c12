"""Turns the answers to the three document tasks into one reading."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from extractors.lists import is_list
from extractors.rules.common.grouping import edges_of, same_name
from extractors.tasks.reading_tasks import FactReading, PoiReading, RouteReading
from extractors.text import fold, locate, nearest
from schemas.document_reading import (
    DayStop,
    DocumentReading,
    JourneyDay,
    Kind,
    NamedPlace,
    ReadJourney,
    Role,
    StatedFact,
    What,
)
from schemas.documents import Document
from schemas.reading import DocumentKind, Fact, Mention, Route, Span

_KINDS: Mapping[DocumentKind, Kind] = {
    "route": "route",
    "guide": "guide",
    "diary": "diary",
    "none": "other",
}
#: Roles, the strongest first; a place with several roles gets the strongest.
_ROLES: tuple[Role, ...] = ("visited", "recommended", "planned", "rejected", "mentioned")


@dataclass
class _Named:
    """A place whose occurrences are still being collected."""

    n: int
    spans: dict[Span, str] = field(default_factory=dict)
    role: Role = "mentioned"
    why: Span | None = None
    parent: str | None = None
    confidence: float = 0.0
    what: What = "sight"


def to_one_form(
    document: Document, pois: PoiReading, route: RouteReading, facts: FactReading
) -> DocumentReading:
    """Combine three answers about a document into a reading that contains each place once.

    Names with the same standard name count as forms of one place. A name and its short form also
    count as one place. If only a fact names a place, the kind of the place is unknown. A document
    that is only a list of places does not recommend any of them.
    """
    named = _Places(document.text)
    for mention in sorted(pois.mentions, key=lambda m: (m.span.start, m.span.end)):
        named.take(mention)
    trips = _trips(route.route, named)
    told = [_fact(fact, named) for fact in facts.facts]
    listed = is_list(document, has_route=bool(trips))
    return DocumentReading(
        doc_id=document.doc_id,
        kind="list" if listed else _KINDS[pois.kind],
        days_stated=pois.days_stated,
        places=tuple(named.finish(as_a_list=listed)),
        trips=() if listed else trips,
        facts=tuple(fact for fact in told if fact is not None),
    )


class _Places:
    """The places in a document, each of which can be looked up by any of its names."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._all: list[_Named] = []
        self._by_name: dict[str, _Named] = {}
        self._by_edge: dict[str, list[tuple[str, _Named]]] = {}

    def take(self, mention: Mention) -> None:
        """Record one occurrence of a name."""
        place = self.of(mention.name, mention.standard)
        place.spans.setdefault(mention.span, mention.name)
        place.role = min(place.role, mention.role, key=_ROLES.index)
        place.why = place.why or mention.reason
        place.parent = place.parent or mention.parent
        place.confidence = max(place.confidence, mention.confidence)

    def of(self, name: str, standard: str | None = None) -> _Named:
        """Return the place with this name; create the place if it is new."""
        keys = [fold(key) for key in (standard, name) if key]
        found = next((self._by_name[key] for key in keys if key in self._by_name), None)
        if found is None and standard is None:
            found = self._form_of(name)
        if found is None:
            found = _Named(len(self._all) + 1)
            self._all.append(found)
        for key in keys:
            self._by_name.setdefault(key, found)
        for edge in edges_of(name):
            self._by_edge.setdefault(edge, []).append((name, found))
        return found

    def _form_of(self, name: str) -> _Named | None:
        """Return the first place that has a name of which this name is a form."""
        near = (pair for edge in edges_of(name) for pair in self._by_edge.get(edge, ()))
        alike = (place for form, place in near if same_name(form, name))
        return min(alike, key=lambda place: place.n, default=None)

    def find_by_name(self, name: str) -> _Named | None:
        """Return the place with this name; create the place if the text contains the name."""
        if fold(name) in self._by_name:
            return self._by_name[fold(name)]
        where = locate(name, self.text)
        if where is None:
            return None
        place = self.of(name)
        place.what, place.confidence = "other", 1.0
        place.spans.setdefault(Span(start=where[0], end=where[1]), self.text[where[0] : where[1]])
        return place

    def finish(self, *, as_a_list: bool) -> Iterable[NamedPlace]:
        """Return all places, numbered by first occurrence; places in a list get no roles or
        reasons.
        """
        for place in self._all:
            spans = sorted(place.spans, key=lambda span: (span.start, span.end))
            forms = list(dict.fromkeys(place.spans[span] for span in spans))
            parent = self._by_name.get(fold(place.parent)) if place.parent else None
            yield NamedPlace(
                n=place.n,
                name=forms[0],
                also=tuple(forms[1:]),
                spans=tuple(spans),
                what=place.what,
                role="mentioned" if as_a_list else place.role,
                why=None if as_a_list else place.why,
                parent=parent.n if parent is not None and parent is not place else None,
                confidence=place.confidence,
            )


def _trips(route: Route | None, named: _Places) -> tuple[ReadJourney, ...]:
    """Return the route as one trip, and add the span of each stop to the spans of its place."""
    if route is None:
        return ()
    days: dict[int, list[DayStop]] = {}
    for visit in sorted(route.visits, key=lambda v: (v.day, v.order)):
        place = named.of(visit.name, visit.standard)
        place.spans.setdefault(visit.span, visit.name)
        place.confidence = place.confidence or 1.0
        remark = nearest(visit.remark, named.text, visit.span) if visit.remark else None
        days.setdefault(visit.day, []).append(
            DayStop(place=place.n, span=visit.span, remark=remark)
        )
    told = (JourneyDay(number=n, stops=tuple(stops)) for n, stops in sorted(days.items()))
    return (ReadJourney(days=tuple(told)),)


def _fact(fact: Fact, named: _Places) -> StatedFact | None:
    """Return a fact with its conditions; new places on a combined ticket are added to the
    document's places if the text names them.
    """
    place = named.find_by_name(fact.poi)
    if place is None:
        return None
    others = {name: named.find_by_name(name) for name in fact.with_pois}
    unnamed = (f"with {name}" for name, other in others.items() if other is None)
    return StatedFact(
        place=place.n,
        field=fact.field,
        value=fact.value,
        audience=fact.audience,
        valid_when=fact.valid_when,
        condition="; ".join(filter(None, (fact.condition, *unnamed))) or None,
        with_places=tuple(other.n for other in others.values() if other and other is not place),
        spans=(fact.span,),
    )
