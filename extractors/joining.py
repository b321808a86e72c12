"""Joins the readings of a document's parts, in order, into one reading."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from extractors.text import fold, name_spans
from schemas.document_reading import (
    DayStop,
    DocumentReading,
    JourneyDay,
    Kind,
    NamedPlace,
    ReadJourney,
    Role,
    StatedFact,
)

#: The strongest role first: a place that was visited in one part was visited.
_STRENGTH: tuple[Role, ...] = ("visited", "rejected", "planned", "recommended", "mentioned")


def join_readings(parts: Sequence[DocumentReading], text: str) -> DocumentReading:
    """Return one reading for a document whose parts were read one by one.

    The spans are offsets in the whole text. Places with the same name become one place. A journey,
    or one of its days, may continue in the next part. If two parts share a line, each finding in
    the line counts once.
    """
    if len(parts) == 1:
        return parts[0]
    joined = _Joined()
    numbers = [joined.add_places(part.places) for part in parts]
    kind = _kind(parts)
    trips: list[ReadJourney] = []
    for part, number in zip(parts, numbers, strict=True):
        for trip in part.trips if kind != "list" else ():
            _continue(trips, _renumber(trip, number))
    facts = dict.fromkeys(
        _of_places(fact, number)
        for part, number in zip(parts, numbers, strict=True)
        for fact in part.facts
    )
    return DocumentReading(
        doc_id=parts[0].doc_id,
        kind=kind,
        days_stated=next((p.days_stated for p in parts if p.days_stated is not None), None),
        departure=next((p.departure for p in parts if p.departure), None),
        places=joined.places(text, kind),
        trips=tuple(trips),
        facts=_each_once(facts),
    )


def _kind(parts: Sequence[DocumentReading]) -> Kind:
    """Return the first kind other than ``list`` and ``other``; if there is none, return ``list`` if
    it occurs, and ``other`` if it does not.
    """
    kinds = [part.kind for part in parts]
    telling = [kind for kind in kinds if kind not in ("list", "other")]
    return telling[0] if telling else "list" if "list" in kinds else "other"


class _Joined:
    """Collects the places from all parts and numbers them in the order in which they are added."""

    def __init__(self) -> None:
        self._by_name: dict[str, int] = {}
        self._by_form: dict[str, int] = {}
        self._places: dict[int, NamedPlace] = {}

    def add_places(self, places: Iterable[NamedPlace]) -> dict[int, int]:
        """Add the places from a part, and map each place's number in the part to its number in the
        joined reading.
        """
        numbers: dict[int, int] = {}
        parents: dict[int, int] = {}
        for place in places:
            n = self._find_known(place) or len(self._places) + 1
            numbers[place.n] = n
            if place.parent is not None:
                parents[n] = place.parent
            held = self._places.get(n)
            self._places[n] = _both(held, place) if held else place.model_copy(
                update={"n": n, "parent": None})  # fmt: skip
            self._by_name.setdefault(fold(place.name), n)
            for form in place.forms:
                self._by_form.setdefault(fold(form), n)
        for n, parent in parents.items():
            held = self._places[n]
            if held.parent is None and numbers.get(parent, n) != n:
                self._places[n] = held.model_copy(update={"parent": numbers[parent]})
        return numbers

    def _find_known(self, place: NamedPlace) -> int | None:
        """Return the number of the known place that is the same as ``place``: the name of one of
        the two places must be among the forms of the other place.

        A shared short form ("the museum") is not enough, because it may refer to two places.
        """
        known = (self._by_name.get(fold(form)) for form in place.forms)
        return self._by_form.get(fold(place.name)) or next((n for n in known if n), None)

    def places(self, text: str, kind: Kind) -> tuple[NamedPlace, ...]:
        """Return the places with all their spans in the whole text."""
        places = list(self._places.values())
        spans = name_spans([place.forms for place in places], text)
        return tuple(
            place.model_copy(
                update={"spans": found or place.spans,
                        "role": "mentioned" if kind == "list" else place.role}
            )
            for place, found in zip(places, spans, strict=True)
        )  # fmt: skip


def _both(held: NamedPlace, more: NamedPlace) -> NamedPlace:
    """Merge two entries for a place; keep the longest name, the strongest role and all details."""
    name = max((held.name, more.name), key=lambda form: len(fold(form)))
    forms = {fold(form): form for form in (*more.forms, *held.forms) if fold(form) != fold(name)}
    return held.model_copy(
        update={
            "name": name,
            "also": tuple(sorted(forms.values(), key=lambda form: (len(form), form))),
            "where": held.where or more.where,
            "what": "sight" if "sight" in (held.what, more.what) else held.what,
            "role": min((held.role, more.role), key=_STRENGTH.index),
            "why": held.why or more.why,
        }
    )


def _renumber(trip: ReadJourney, number: dict[int, int]) -> ReadJourney:
    days = tuple(
        day.model_copy(update={"stops": tuple(
            stop.model_copy(update={"place": number[stop.place]}) for stop in day.stops)})
        for day in trip.days
    )  # fmt: skip
    return trip.model_copy(update={"days": days})


def _of_places(fact: StatedFact, number: dict[int, int]) -> StatedFact:
    others = tuple(number[n] for n in fact.with_places)
    return fact.model_copy(update={"place": number[fact.place], "with_places": others})


def _continue(trips: list[ReadJourney], trip: ReadJourney) -> None:
    """Add the days from one part to the journey that they continue, or to a new journey."""
    at = next((i for i in reversed(range(len(trips))) if _goes_on(trips[i], trip)), None)
    if at is None:
        trips.append(trip)
        return
    days = list(trips[at].days)
    for day in trip.days:
        same = next((i for i, held in enumerate(days) if _same_day(held, day)), None)
        if same is None and day.number is None and day.label is None:
            same = len(days) - 1  # a part without a day continues the last day
        if same is None:
            days.append(day)
        else:
            days[same] = days[same].model_copy(
                update={"stops": _stops_of_both(days[same].stops, day.stops),
                        "is_ordered": days[same].is_ordered and day.is_ordered}
            )  # fmt: skip
    trips[at] = trips[at].model_copy(update={"days": tuple(days)})


def _goes_on(held: ReadJourney, trip: ReadJourney) -> bool:
    """Check whether a trip continues an earlier one: its first day must not have a lower number
    than the last day of the earlier trip.
    """
    if held.is_planned != trip.is_planned:
        return False
    last = max((day.number for day in held.days if day.number is not None), default=None)
    first = next((day.number for day in trip.days if day.number is not None), None)
    return last is None or first is None or first >= last


def _same_day(held: JourneyDay, day: JourneyDay) -> bool:
    if held.number is not None and day.number is not None:
        return held.number == day.number
    return held.label is not None and held.label == day.label


def _stops_of_both(held: tuple[DayStop, ...], more: tuple[DayStop, ...]) -> tuple[DayStop, ...]:
    told = {stop.place for stop in held}
    return (*held, *(stop for stop in more if stop.place not in told))


def _each_once(facts: Iterable[StatedFact]) -> tuple[StatedFact, ...]:
    """Drop repeated facts; keep the lines in which a fact first occurs."""
    kept: dict[str, StatedFact] = {}
    for fact in facts:
        kept.setdefault(fact.model_copy(update={"spans": ()}).model_dump_json(), fact)
    return tuple(kept.values())
