"""Cleans the journeys in a reading, so that each journey occurs once and stops only at sights.

A plan and a diary describe the same journey if they share at least half of the stops in the shorter
one. If a plan and a diary describe the same journey, only the diary's version is kept. A place that
only the plan mentions remains a planned place and is not a stop.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from extractors.text import fold
from schemas.document_reading import DocumentReading, NamedPlace, ReadJourney, Role, What
from schemas.tasks import Ungrounded

#: Roles that are weaker than "planned".
_WEAKER: frozenset[Role] = frozenset({"mentioned", "recommended"})
#: Kinds of places that people also visit for their own sake, such as a market or an old quarter.
#: A stop at such a place is a visit to a sight.
_STROLLED: frozenset[What] = frozenset({"sight", "shop", "area"})

#: A title that announces something for each weekday, and a line that begins with a weekday.
_EACH_DAY = re.compile(r"\b(?:which|each|every|any) day\b|\bday of the week\b", re.IGNORECASE)
_WEEKDAY = re.compile(r"\W*(?:mon|tues|wednes|thurs|fri|satur|sun)day\b", re.IGNORECASE)


def is_calendar(title: str, labels: Iterable[str]) -> bool:
    """Check from a page's title and the labels of its days whether it is a calendar of weekdays.

    Such a calendar suggests what to do on each weekday, and does not describe a week-long journey.
    """
    return bool(_EACH_DAY.search(title)) and all(map(_WEEKDAY.match, labels))


def without_calendars(
    title: str, reading: DocumentReading
) -> tuple[DocumentReading, tuple[Ungrounded, ...]]:
    """Return the reading without trips that are calendars of weekdays, and a list of the removed
    trips.
    """
    calendars = [
        trip for trip in reading.trips if is_calendar(title, [day.label or "" for day in trip.days])
    ]
    if not calendars:
        return reading, ()
    trips = tuple(trip for trip in reading.trips if trip not in calendars)
    told = tuple(
        Ungrounded(what=f"a trip of {len(trip.days)} days",
                   why="what to do on each weekday is no journey")
        for trip in calendars
    )  # fmt: skip
    return reading.model_copy(update={"trips": trips}), told


def one_journey(reading: DocumentReading) -> DocumentReading:
    """Return the reading without the plan of any journey that a diary also describes."""
    told = [trip for trip in reading.trips if not trip.is_planned]
    carried_out = [
        trip for trip in reading.trips
        if trip.is_planned and any(_same_journey(trip, other) for other in told)
    ]  # fmt: skip
    if not carried_out:
        return reading
    trips = tuple(trip for trip in reading.trips if trip not in carried_out)
    open_still = places_of(*carried_out) - places_of(*trips)
    places = tuple(
        place.model_copy(update={"role": "planned"})
        if place.n in open_still and place.role in _WEAKER
        else place
        for place in reading.places
    )
    return reading.model_copy(update={"trips": trips, "places": places})


def stops_at_sights(reading: DocumentReading) -> tuple[DocumentReading, tuple[Ungrounded, ...]]:
    """Return the reading with stops at sights only, and a list of the removed stops.

    A shop or a neighbourhood that is a stop counts as a sight. A hotel, a station, a meal, or a
    city that contains other places is not a stop, even if the engine says that it is.
    """
    aside = why_no_stops(reading)
    going_to = places_of(*reading.trips)
    found = {p.n: p for p in reading.places if p.n in going_to}
    if not aside and all(place.what == "sight" for place in found.values()):
        return reading, ()
    trips = (_without(trip, aside) for trip in reading.trips)
    places = tuple(
        p.model_copy(update={"what": "sight"}) if p.n in found.keys() - aside.keys() else p
        for p in reading.places
    )
    kept = reading.model_copy(
        update={"trips": tuple(trip for trip in trips if trip.days), "places": places}
    )
    told = (Ungrounded(what=f"stop at {found[n].name}", why=why) for n, why in aside.items())
    return kept, tuple(told)


def why_no_stops(reading: DocumentReading) -> dict[int, str]:
    """Return the numbers of the places that must not be stops, each with the reason."""
    cities = {fold(place.where) for place in reading.places if place.where}
    going_to = places_of(*reading.trips)
    told = ((p.n, _why_no_stop(p, cities)) for p in reading.places if p.n in going_to)
    return {n: why for n, why in told if why}


def _why_no_stop(place: NamedPlace, cities: Collection[str]) -> str | None:
    if place.what not in _STROLLED:
        return f"a place of kind {place.what} is no stop of a journey"
    if place.what == "area" and fold(place.name) in cities:
        return "a city or region is no stop of a journey"
    return None


def _without(trip: ReadJourney, places: Collection[int]) -> ReadJourney:
    days = (
        day.model_copy(update={"stops": tuple(s for s in day.stops if s.place not in places)})
        for day in trip.days
    )
    return trip.model_copy(update={"days": tuple(day for day in days if day.stops)})


def places_of(*trips: ReadJourney) -> set[int]:
    """Return the numbers of the places at which trips stop."""
    return {stop.place for trip in trips for _, _, stop in trip.stops}


def _same_journey(plan: ReadJourney, diary: ReadJourney) -> bool:
    planned, done = places_of(plan), places_of(diary)
    shared = len(planned & done)
    return shared > 0 and 2 * shared >= min(len(planned), len(done))
