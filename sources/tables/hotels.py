"""Assign hotel classes, and simulate rooms for hotels whose source lists no rooms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

from schemas.cities import City
from schemas.ids import digest
from schemas.money import YUAN
from schemas.taxonomy import ROOM_TYPES, codes
from sources.tables.intake import Row

#: Hotel class by the stars of the Chinese rating (GB/T 14308); TripTailor uses these names.
CLASS_OF_STARS = {5: "luxury", 4: "upscale", 3: "midscale", 2: "economy", 1: "economy"}
#: Hotel class by price: the least ratio of a hotel's cheapest room to the city's median, in the
#: same currency. These limits are our own.
CLASS_FROM_PRICE = ((2.5, "luxury"), (1.3, "upscale"), (0.7, "midscale"), (0.0, "economy"))
#: The median is used only if at least this many hotels have a price.
FEWEST_PRICED = 20


def cheapest_cents(hotel: Row) -> int | None:
    """Return the price of the hotel's cheapest room, or None if no price is known."""
    return min((r["price_cents"] for r in hotel["rooms"] if r["price_cents"]), default=None)


def add_classes(hotels: Sequence[Row]) -> None:
    """Set each hotel's class, and record whether the class comes from the stars or, if there are
    none, from the price.

    If neither the stars nor a price is known, both ``hotel_class`` and ``hotel_class_source`` are
    None.
    """
    prices: dict[str, list[int]] = {}
    for hotel in hotels:
        if (price := cheapest_cents(hotel)) is not None:
            prices.setdefault(hotel["currency"], []).append(price)
    middles = {code: median(held) for code, held in prices.items() if len(held) >= FEWEST_PRICED}
    for hotel in hotels:
        stars, price = hotel.get("stars"), cheapest_cents(hotel)
        middle = middles.get(hotel["currency"])
        hotel["hotel_class"] = hotel["hotel_class_source"] = None
        if stars is not None:
            hotel["hotel_class"], hotel["hotel_class_source"] = CLASS_OF_STARS[stars], "stars"
        elif middle is not None and price is not None:
            hotel["hotel_class_source"] = "price"
            hotel["hotel_class"] = next(
                name for least, name in CLASS_FROM_PRICE if price >= least * middle
            )


@dataclass(frozen=True)
class Simulation:
    """The settings for simulated rooms; prices are in yuan per night.

    The settings apply only to cities in which prices are in yuan.
    """

    base_price_cny: dict[str, int] = field(default_factory=dict)
    class_factor: dict[str, float] = field(default_factory=dict)
    city_coefficient: dict[str, float] = field(default_factory=dict)
    price_spread: float = 0.0
    most_rooms: int = 8


def simulate_rooms(hotels: Sequence[Row], city: City, simulation: Simulation) -> int:
    """Add simulated rooms to each hotel without rooms, and return the number of these hotels.

    A hotel without rooms gets every room type that has a base price. The price of a room is the
    base price times the factor for the hotel class times the coefficient for the city (each 1 by
    default), and varies by up to ``price_spread``. The number of free rooms is between 0 and
    ``most_rooms``. Prices and numbers depend on a hash of the hotel and the room type, so they are
    the same in every build. Other hotels, and all hotels in cities that do not use yuan, remain
    unchanged.
    """
    if city.currency != YUAN:
        return 0
    made = 0
    coefficient = simulation.city_coefficient.get(city.slug, 1.0)
    for hotel in hotels:
        if hotel["rooms"]:
            continue
        factor = simulation.class_factor.get(hotel.get("hotel_class") or "", 1.0)
        rooms = []
        for room_type in (code for code in codes(ROOM_TYPES) if code in simulation.base_price_cny):
            base = simulation.base_price_cny[room_type]
            spread = 1 + simulation.price_spread * (2 * _share(hotel, room_type, "price") - 1)
            price = max(1, round(base * factor * coefficient * spread)) * 100
            stock = int(_share(hotel, room_type, "stock") * (simulation.most_rooms + 1))
            rooms.append({"room_type": room_type, "price_cents": price, "stock": stock})
        if rooms:
            hotel["rooms"], hotel["currency"], hotel["is_simulated"] = rooms, YUAN, True
            made += 1
    return made


def _share(hotel: Row, room_type: str, what: str) -> float:
    """Return a pseudorandom number from 0 to 1, fixed for this hotel, room type and purpose."""
    return int(digest("simulated", hotel["hotel_id"], room_type, what), 16) / 16**16
