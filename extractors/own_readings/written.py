"""Writes a reading as a line with the names of places, so that it can be read again."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from extractors.own_readings.given import FIELD_NAMES
from schemas.document_reading import DocumentReading, JourneyDay, NamedPlace, StatedFact
from schemas.documents import Document

#: Our fields by the names that the form gives them.
_LABELS = {ours: theirs for theirs, ours in FIELD_NAMES.items()}


def write_reading(reading: DocumentReading, document: Document) -> dict[str, Any]:
    """One line of a readings file.

    The form has one trajectory: days of several trips follow each other, numbered anew where the
    text does not number them or their numbers do not rise.
    """
    text = document.text
    names = {place.n: place.name for place in reading.places}
    days = [day for trip in reading.trips for day in trip.days if day.stops]
    return {
        "doc": document.path,
        "lang": document.lang,
        "kind": reading.kind,
        "cities": list(dict.fromkeys(p.where for p in reading.places if p.where)),
        "days_stated": reading.days_stated,
        "departure": reading.departure,
        "pois": [_poi(place, names, text) for place in reading.places],
        "trajectory": [
            {"day": number, "city": day.where, "visits": [names[s.place] for s in day.stops]}
            for number, day in zip(_numbers(days), days, strict=True)
        ]
        or None,
        "facts": [
            {
                "poi": names[fact.place],
                **_write_fact(fact),
                "condition": ", ".join(_limits(fact, names)) or None,
                "evidence": text[fact.spans[0].start : fact.spans[0].end],
            }
            for fact in reading.facts
        ],
        "decoys": [],
    }


def _poi(place: NamedPlace, names: dict[int, str], text: str) -> dict[str, Any]:
    why = place.why
    return {
        "name": place.name, "standard": place.name, "also": list(place.also), "role": place.role,
        "parent": names[place.parent] if place.parent else None, "city": place.where,
        "what": place.what, "why": text[why.start : why.end] if why else None,
    }  # fmt: skip


def _write_fact(fact: StatedFact) -> dict[str, str]:
    """Field and value; of a price the currency stands in one of them, as far as it is known."""
    field = _LABELS.get(fact.field, fact.field)
    if fact.field != "ticket_price" or fact.unit is None or fact.value.endswith(fact.unit):
        return {"field": field, "value": fact.value}
    if fact.unit == "CNY":
        return {"field": "ticket_price_cny", "value": fact.value}
    return {"field": field, "value": f"{fact.value} {fact.unit}"}


def _limits(fact: StatedFact, names: dict[int, str]) -> Iterator[str]:
    if fact.audience:
        yield fact.audience
    if fact.with_places:
        yield f"with {', '.join(names[n] for n in fact.with_places)}"
    if fact.valid_when != "always":
        yield fact.valid_when
    if fact.condition:
        yield fact.condition


def _numbers(days: list[JourneyDay]) -> list[int]:
    """The numbers of the text where every day has one and they rise, else 1, 2, 3, ..."""
    stated = [day.number for day in days if day.number is not None]
    rising = all(first < second for first, second in pairwise(stated))
    return stated if rising and len(stated) == len(days) else list(range(1, len(days) + 1))
