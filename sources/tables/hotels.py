"""Class of hotels, and rooms for hotels whose source lists none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

from schemas.cities import City
from schemas.ids import digest
from schemas.money import YUAN
from schemas.taxonomy import ROOM_TYPES, codes
from sources.tables.intake import Row

#: Class by stars: Chinese hotels are rated so (GB/T 14308), with TripTailor's names.
CLASS_OF_STARS = {5: "luxury", 4: "upscale", 3: "midscale", 2: "economy", 1: "economy"}
#: Class by the cheapest room's price as a multiple of the city's median in its currency, dearest
#: first (ours).
CLASS_FROM_PRICE = ((2.5, "luxury"), (1.3, "upscale"), (0.7, "midscale"), (0.0, "economy"))
#: A median of fewer hotels says nothing about a city.
FEWEST_PRICED = 20


def cheapest_cents(hotel: Row) -> int | None:
    """Price of the cheapest room with a known price."""
    return min((r["price_cents"] for r in hotel["rooms"] if r["price_cents"]), default=None)


def add_classes(hotels: Sequence[Row]) -> None:
    """Set ``hotel_class`` and ``hotel_class_source``: by stars, else by price, else unknown."""
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
    """How rooms are made up. Prices are yuan a night; a city's coefficient multiplies them.

    A city that pays with other money has none: what a night costs there, they do not say.
    """

    base_price_cny: dict[str, int] = field(default_factory=dict)
    class_factor: dict[str, float] = field(default_factory=dict)
    city_coefficient: dict[str, float] = field(default_factory=dict)
    price_spread: float = 0.0
    most_rooms: int = 8


def simulate_rooms(hotels: Sequence[Row], city: City, simulation: Simulation) -> int:
    """Give each hotel without rooms every room type that has a base price; the number of hotels.

    Price: base price of the type x factor of the class (1 where unknown) x coefficient of the
    city (1 where none is stated), up to ``price_spread`` dearer or cheaper. Stock: 0 to
    ``most_rooms``. Both follow the hash of hotel and room type, so they never change. A hotel
    with rooms of its own is left as it is, and so is every hotel of a city not paid in yuan.
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
    """A number from 0 up to 1, always the same for a hotel, a room type and a purpose."""
    return int(digest("simulated", hotel["hotel_id"], room_type, what), 16) / 16**16
