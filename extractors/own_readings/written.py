"""Splits conditions in a readings file into parts, and writes a reading as one line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple, get_args

from extractors.own_readings.given import FIELD_NAMES
from schemas.document_reading import DocumentReading, JourneyDay, NamedPlace, StatedFact
from schemas.documents import Document
from schemas.reading import Audience

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_AUDIENCES: dict[str, Audience] = {
    **{name: name for name in get_args(Audience)},
    "成人": "adult", "儿童": "child", "学生": "student", "老人": "senior",
}  # fmt: skip
_WORDS = {
    **{word: word for word in ("spring", "summer", "autumn", "winter", "weekend", "weekday")},
    "fall": "autumn", "high season": "peak season", "peak season": "peak season",
    "low season": "off season", "off season": "off season", "旺季": "peak season",
    "淡季": "off season", "春季": "spring", "夏季": "summer", "秋季": "autumn", "冬季": "winter",
    "周末": "weekend", "工作日": "weekday", "weekends": "weekend", "weekdays": "weekday",
    **{day.lower(): day for day in _DAYS},
    **{month.lower(): month for month in _MONTHS},
    **{f"{number:02d}": month for number, month in enumerate(_MONTHS, 1)},
}  # fmt: skip
_RANGE = re.compile(r"(\w+)\s*[-–—~至到]\s*(\w+)")
_ALWAYS = "always"


class FactCondition(NamedTuple):
    """Who a fact applies to, when it applies, and its other conditions."""

    audience: Audience | None = None
    valid_when: str = _ALWAYS
    further: str | None = None


def condition_of(words: str | None) -> FactCondition:
    """Split a condition into the parts that tripbed can express; the remaining words stay as they
    are.

    A condition with several audiences is kept unchanged, because the fact would otherwise apply to
    everybody.
    """
    if not words:
        return FactCondition()
    parts = [part.strip() for part in re.split(r"[,;，；、]", words) if part.strip()]
    audiences = [_AUDIENCES[part.lower()] for part in parts if part.lower() in _AUDIENCES]
    if len(audiences) > 1:
        return FactCondition(further=words)
    times = [time for part in parts if (time := _time(part))]
    rest = [part for part in parts if part.lower() not in _AUDIENCES and not _time(part)]
    return FactCondition(
        audiences[0] if audiences else None, ", ".join(times) or _ALWAYS, ", ".join(rest) or None
    )


def _time(part: str) -> str | None:
    """Return months, a season or weekdays in the notation of the tables, or None for anything
    else.
    """
    if part.lower() in _WORDS:
        return _WORDS[part.lower()]
    between = _RANGE.fullmatch(part)
    if between is None:
        return None
    ends = [_WORDS.get(end.lower()) for end in between.groups()]
    for names in (_MONTHS, _DAYS):
        if all(end in names for end in ends):
            return f"{ends[0]}-{ends[1]}"
    return None


#: Names that the form uses for our fields.
_LABELS = {ours: theirs for theirs, ours in FIELD_NAMES.items()}


def write_reading(reading: DocumentReading, document: Document) -> dict[str, Any]:
    """Return a reading as one line of a readings file.

    A line has only one trajectory, so the days of several trips are listed one after another. The
    days keep their numbers if the text numbers every day in rising order; otherwise, they are
    renumbered.
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
    """Return a field and a value; if the currency of a price is known, the field or the value
    contains it.
    """
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
    """Return the days' numbers in the text if they are complete and rising; otherwise, return 1, 2,
    3, ...
    """
    stated = [day.number for day in days if day.number is not None]
    rising = all(first < second for first, second in pairwise(stated))
    return stated if rising and len(stated) == len(days) else list(range(1, len(days) + 1))
