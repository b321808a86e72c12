"""Find the rooms for the nights of a trip, and the cheapest way to meet all requirements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from schemas.taxonomy import ROOM_TYPES
from validators.plans.request import Requirement
from validators.plans.world import ROOM_BEDS, Place

_ROOM_CODES = {term.zh: term.code for term in ROOM_TYPES}


@dataclass(frozen=True)
class Lodging:
    """Rooms of one type in a hotel for the whole party, with the price per night in cents."""

    hotel: Place
    room_type: str
    rooms: int
    night_cents: int


def rooms_of(
    hotel: Place, people: int, hard: Sequence[Requirement], *, unpriced: bool = False
) -> list[Lodging]:
    """Return the rooms of each type that are available for the party, cheapest first.

    With ``unpriced``, rooms whose price is unknown count as free of charge; otherwise, they are
    left out.
    """
    asked = [r for r in hard if r.kind == "rooms"]
    found = []
    for room_type, room in sorted(hotel.rooms.items()):
        wanted = {(_ROOM_CODES.get(r.values[0]), r.amount) for r in asked}
        if len(wanted) > 1 or any(code != room_type for code, _ in wanted):
            continue
        count = next((n for _, n in wanted if n), -(-people // ROOM_BEDS[room_type]))
        if room.stock is not None and room.stock < count:
            continue
        if room.price_cents is None and not unpriced:
            continue
        found.append(Lodging(hotel, room_type, count, (room.price_cents or 0) * count))
    return sorted(found, key=lambda x: (x.night_cents, x.room_type))


def cheapest_nights(priced: Mapping[int, int], nights: int, full: int) -> int | None:
    """Return the lowest total price of nights that together cover all bits in ``full``.

    ``priced`` gives the price of the cheapest night for each set of requirements, where a bit
    stands for a requirement. The result is None if there are too few nights for all requirements.
    """
    best = {0: 0}
    for _ in range(nights):
        following: dict[int, int] = {}
        for covered, cost in best.items():
            for mask, price in priced.items():
                both = covered | mask
                following[both] = min(following.get(both, cost + price), cost + price)
        best = following
    return best.get(full)
