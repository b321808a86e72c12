"""Turn what the rules read into the form of a model's answer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from extractors.tasks import FactReading, PoiReading, RouteReading
from extractors.tasks.document_answer import PLAN
from schemas.document_reading import DayStop, DocumentReading, NamedPlace, ReadJourney, StatedFact
from schemas.documents import Document
from schemas.reading import Route, Span

#: Most characters of a reason in an answer.
REASON = 60


def raw_answer(reading: Any, document: Document) -> dict[str, Any]:
    """A reading as the answer to the task whose output it is."""
    text = document.text
    if isinstance(reading, DocumentReading):
        return _whole(reading, text)
    if isinstance(reading, PoiReading):
        pois = {
            m.name: {"name": m.name, "role": m.role, "parent": m.parent,
                     "reason": _of(m.reason, text)}
            for m in reversed(reading.mentions)
        }  # fmt: skip
        return {"kind": reading.kind, "cities": list(reading.cities),
                "days_stated": reading.days_stated, "pois": list(pois.values())[::-1],
                "decoys": list(reading.decoys)[:30]}  # fmt: skip
    if isinstance(reading, RouteReading):
        return {"days": _days(reading.route), "reason": reading.reason}
    assert isinstance(reading, FactReading)
    return {"facts": [
        {"evidence": text[f.span.start : f.span.end], "poi": f.poi, "field": f.field,
         "value": f.value, "valid_when": f.valid_when} for f in reading.facts
    ]}  # fmt: skip


def _of(reason: Span | None, text: str) -> str | None:
    return text[reason.start : reason.end][:REASON] if reason else None


def _days(route: Route | None) -> list[dict[str, Any]]:
    days: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for visit in route.visits if route else ():
        days[visit.day].append({"name": visit.name, "remark": visit.remark})
    return [{"day": day, "visits": visits} for day, visits in sorted(days.items())]


def _whole(reading: DocumentReading, text: str) -> dict[str, Any]:
    """The answer to the one request (``extractors.tasks.document_answer``): lines of cells."""
    return {
        "kind": reading.kind,
        "days": reading.days_stated or 0,
        "places": [_line(*_place(place, text)) for place in reading.places],
        "trips": [list(_trip(trip)) for trip in reading.trips],
        "facts": [_line(*_fact(fact, text)) for fact in reading.facts],
    }


def _line(*cells: object) -> str:
    return "|".join("" if cell is None else str(cell) for cell in cells).rstrip("|")


def _place(place: NamedPlace, text: str) -> tuple[object, ...]:
    role = None if place.role == "mentioned" else place.role
    what = None if place.what == "sight" else place.what
    return (place.n, place.name, role, what, place.where, ";".join(place.also), place.parent,
            _of(place.why, text))  # fmt: skip


def _trip(trip: ReadJourney) -> Iterator[str]:
    if trip.is_planned:
        yield PLAN
    for day in trip.days:
        stops = (">" if day.is_ordered else ",").join(map(_stop, day.stops))
        yield _line(day.number, day.label, day.where, stops)


def _stop(stop: DayStop) -> str:
    afar = "afar" if stop.is_seen_from_afar else None
    return " ".join(filter(None, (str(stop.place), stop.part_of_day, afar)))


def _fact(fact: StatedFact, text: str) -> tuple[object, ...]:
    field = "ticket_price" if fact.field == "ticket_price_cny" else fact.field
    others = ",".join(map(str, fact.with_places))
    limits = (
        f"who={fact.audience}" if fact.audience else "",
        f"when={fact.valid_when}" if fact.valid_when != "always" else "",
        f"with={others}" if others else "",
        f"if={fact.condition}" if fact.condition else "",
    )
    value = " ".join(filter(None, (fact.value, fact.unit)))
    quotes = " // ".join(text[span.start : span.end] for span in fact.spans)
    return fact.place, field, value, ";".join(filter(None, limits)), quotes
