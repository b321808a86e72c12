"""Which journeys and budgets are plausible: how far people travel for a few days, and for how much.

Distances are great circles between the cities. Prices come from the tables where they have any;
otherwise a high-speed train, a modest hotel, two meals a day and the metro are assumed.
"""

from __future__ import annotations

from queries.grounding import LEAST_FLIGHT_M, Offer, Origin
from schemas.cities import City
from schemas.geo import geodesic_m
from schemas.money import price_scale

#: Metres that people go at most for a trip of so many days; longer trips may lead anywhere.
_FARTHEST_M = {1: 400_000, 2: 800_000, 3: 1_300_000}
#: Origins that are left where all are too far.
_NEAREST = 2
#: Yuan a kilometre there and back, from 0.46 yuan a kilometre of second class and detours of a
#: fifth.
_YUAN_A_KM = 1.1
#: Least and most yuan of a journey there and back: beyond, a cheap flight is had.
_JOURNEY_YUAN = (60, 1_600)
#: Yuan of a modest room for two, a night, and of a person's meals, tickets and metro, a day.
_ROOM_YUAN, _DAY_YUAN = 260, 200
_MEALS_A_DAY = 2


def distance_m(city: City, origin: Origin) -> float:
    """Metres between a destination and an origin."""
    return geodesic_m(city.lat, city.lon, origin.city.lat, origin.city.lon)


def origins_for(city: City, offer: Offer, n_days: int) -> tuple[Origin, ...]:
    """Origins from which people come for so many days; the nearest two where all are farther."""
    farthest = _FARTHEST_M.get(n_days)
    if farthest is None:
        return offer.origins
    near = tuple(origin for origin in offer.origins if distance_m(city, origin) <= farthest)
    ranked = sorted(offer.origins, key=lambda origin: distance_m(city, origin))
    return near or tuple(ranked[:_NEAREST])


def ways_of(city: City, origin: Origin) -> tuple[str, ...]:
    """Published tags of the ways that somebody would ask for: nobody flies to a neighbour."""
    flown = origin.by_flight and (not origin.by_train or distance_m(city, origin) >= LEAST_FLIGHT_M)
    return tuple(tag for tag, ok in (("高铁", origin.by_train), ("飞机", flown)) if ok)


def least_cents(offer: Offer, journey_cents: int, n_days: int, people: int) -> int:
    """Cheapest journey, rooms for two and two meals a day that the tables tell, in cents."""
    rooms = (people + 1) // 2 * (n_days - 1) * offer.room_cents
    meals = people * n_days * _MEALS_A_DAY * offer.meal_cents
    return journey_cents * people + rooms + meals


def modest_cents(city: City, offer: Offer, origin: Origin, n_days: int, people: int) -> int:
    """What a modest trip costs, in cents of the destination's money: never less than the cheapest.

    Figures are yuan; other money has them by its order of magnitude (``price_scale``).
    """
    scale = price_scale(offer.currency) or 1.0
    low, high = _JOURNEY_YUAN
    fare = min(high, max(low, distance_m(city, origin) / 1_000 * _YUAN_A_KM))
    rooms = (people + 1) // 2 * (n_days - 1) * _ROOM_YUAN
    yuan = people * (fare + n_days * _DAY_YUAN) + rooms
    least = least_cents(offer, origin.round_trip_cents, n_days, people)
    return max(least, round(yuan * scale * 100))
