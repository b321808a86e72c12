"""Determine a trip's extent: how far it goes, and how many of the best known sights it has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from validators.plans.appeal import MUST_SEES, wishes_of
from validators.plans.kinds import bounds_of
from validators.plans.outing import Frame
from validators.plans.trip import TripRequest

#: From this many days on, a trip should contain the best known sights.
LONG_TRIP = 3
#: The fewest days of a trip that goes to remote sights.
FAR_TRIP = 4
#: The same for a trip without journeys that is about the city in general.
_FAR_STAY = 3
#: A day for this many sights is a full one.
MANY = 4
#: The well known sights that a trip should contain: a few, and more for each day.
_MUSTS, _MUSTS_A_DAY = 3, 2
#: The best known sights that come before what is wished for, on a trip of ``LONG_TRIP`` days.
FIRST_KNOWN = 3
#: The way to a remote sight and back may cost at most the budget divided by this.
_FARE_PART = 8


def is_about_the_city(trip: TripRequest) -> bool:
    """Check whether a trip has no wishes other than a season, a holiday or its party."""
    return wishes_of(trip) == (trip.occasion,)


def is_long(trip: TripRequest) -> bool:
    """Check whether a trip is about the city or is long enough for more than the very best known
    sights.
    """
    return trip.request.days > LONG_TRIP or is_about_the_city(trip)


def goes_far(trip: TripRequest) -> bool:
    """Check whether a trip is long enough for a remote sight.

    On a trip without journeys, three days are enough if the trip is about the city in general.
    """
    stays = not trip.request.round_trip and (not wishes_of(trip) or is_about_the_city(trip))
    return trip.request.days >= (_FAR_STAY if stays else FAR_TRIP)


def is_too_dear(fare_cents: int, budget_cents: int | None) -> bool:
    """Check whether the trip to a remote sight and back takes up too much of the budget."""
    return bool(budget_cents) and 2 * fare_cents * _FARE_PART > (budget_cents or 0)


def count_musts(trip: TripRequest) -> int:
    """Return how many of the well known sights a trip should contain."""
    return _MUSTS + _MUSTS_A_DAY * trip.request.days


def count_first_known(trip: TripRequest, frames: Sequence[Frame]) -> int:
    """Return how many of the best known sights take precedence over the wishes.

    The number is small on short trips: on a trip of one full day, it is one. On longer trips, the
    number grows with each day, up to half of the sights. If the trip is only about a season, a
    holiday or the party, all of the best known sights come first.
    """
    days = trip.request.days
    if days < LONG_TRIP:
        return 2 * (days - 1) or int(frames[0].most >= MANY)
    half = sum(f.most for f in frames) // 2
    if is_about_the_city(trip):
        return max(MUST_SEES, half)
    return max(FIRST_KNOWN, min(FIRST_KNOWN + _MUSTS_A_DAY * (days - LONG_TRIP), half))


def list_bounds(trip: TripRequest, kind: str) -> Mapping[str, int]:
    """Return the groups of similar sights to which a kind belongs, with the limit for each
    group.
    """
    return bounds_of(kind, trip.request.days, wishes_of(trip))
