"""One journey, one trip: a plan and the diary of it are told once.

A plan is of the journey that a diary tells where they share at least half of the stops of the
shorter one. The diary holds; what it does not confirm stays a planned place, and is no stop.
"""

from __future__ import annotations

from schemas.document_reading import DocumentReading, Role, Trip

#: Roles that say less than that somebody planned to go there.
_WEAKER: frozenset[Role] = frozenset({"mentioned", "recommended"})


def one_journey(reading: DocumentReading) -> DocumentReading:
    """The reading without the plans of journeys that it also tells."""
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


def places_of(*trips: Trip) -> set[int]:
    """Numbers of the places where trips stop."""
    return {stop.place for trip in trips for _, _, stop in trip.stops}


def _same_journey(plan: Trip, diary: Trip) -> bool:
    planned, done = places_of(plan), places_of(diary)
    shared = len(planned & done)
    return shared > 0 and 2 * shared >= min(len(planned), len(done))
