"""Choose plausible origins and budgets, based on how far people travel and what a trip costs.

Distances between cities are straight-line distances. The cost estimate covers a journey by
high-speed train, a modest hotel, meals and the metro. The cost estimate is never below the prices
in the tables.
"""

from __future__ import annotations

from queries.grounding import LEAST_FLIGHT_M, Offer, Origin
from schemas.cities import City
from schemas.geo import geodesic_m
from schemas.money import price_scale

#: Greatest distance in metres by the number of days; for longer trips there is no limit.
_FARTHEST_M = {1: 400_000, 2: 800_000, 3: 1_300_000}
#: Number of origins that are used if all origins are too far away.
_NEAREST = 2
#: Price of a round trip in yuan per kilometre of distance: 0.46 yuan per kilometre in second class
#: each way, with a fifth more for detours.
_YUAN_A_KM = 1.1
#: Lowest and highest price of a round trip in yuan; above that, people take a cheap flight.
_JOURNEY_YUAN = (60, 1_600)
#: Price in yuan of a modest double room per night, and of meals, tickets and metro per person and
#: day.
_ROOM_YUAN, _DAY_YUAN = 260, 200
_MEALS_A_DAY = 2


def distance_m(city: City, origin: Origin) -> float:
    """Return the distance in metres between a destination and an origin."""
    return geodesic_m(city.lat, city.lon, origin.city.lat, origin.city.lon)


def origins_for(city: City, offer: Offer, n_days: int) -> tuple[Origin, ...]:
    """Return the origins that are near enough for a trip of ``n_days`` days.

    If no origin is near enough, return the two nearest origins instead.
    """
    farthest = _FARTHEST_M.get(n_days)
    if farthest is None:
        return offer.origins
    near = tuple(origin for origin in offer.origins if distance_m(city, origin) <= farthest)
    ranked = sorted(offer.origins, key=lambda origin: distance_m(city, origin))
    return near or tuple(ranked[:_NEAREST])


def ways_of(city: City, origin: Origin) -> tuple[str, ...]:
    """Return the tags for plausible ways to travel, leaving out flights to nearby cities."""
    flown = origin.by_flight and (not origin.by_train or distance_m(city, origin) >= LEAST_FLIGHT_M)
    return tuple(tag for tag, ok in (("高铁", origin.by_train), ("飞机", flown)) if ok)


def least_cents(offer: Offer, journey_cents: int, n_days: int, people: int) -> int:
    """Return the cost of the cheapest trip in hundredths of the currency.

    The cost covers the journey, double rooms and two meals a day.
    """
    rooms = (people + 1) // 2 * (n_days - 1) * offer.room_cents
    meals = people * n_days * _MEALS_A_DAY * offer.meal_cents
    return journey_cents * people + rooms + meals


def modest_cents(city: City, offer: Offer, origin: Origin, n_days: int, people: int) -> int:
    """Return the cost of a modest trip in hundredths of the destination's currency.

    The result is never below the cost of the cheapest trip. The estimates are in yuan; for other
    currencies, they are multiplied by ``price_scale``.
    """
    scale = price_scale(offer.currency) or 1.0
    low, high = _JOURNEY_YUAN
    fare = min(high, max(low, distance_m(city, origin) / 1_000 * _YUAN_A_KM))
    rooms = (people + 1) // 2 * (n_days - 1) * _ROOM_YUAN
    yuan = people * (fare + n_days * _DAY_YUAN) + rooms
    least = least_cents(offer, origin.round_trip_cents, n_days, people)
    return max(least, round(yuan * scale * 100))
