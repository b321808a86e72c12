"""Number a trip's sights, hotels and stations as nodes, and measure the routes between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from schemas.geo import distance_m
from validators.plans.itinerary.setting import Booking
from validators.plans.map import Map
from validators.plans.world import Place, World

#: A sight is remote if the way to it takes more minutes of effort than this.
FAR_AWAY_MIN = 75
#: A sight that is no more minutes than this from the centre is never remote, however dear the ride.
_SHORT_RIDE_MIN = 45
#: Minutes of effort within which a sight is near a hotel or another sight.
NEAR_HOME_MIN = 35
#: Metres within which another sight lies beside a remote one.
BESIDE_M = 15_000.0


@dataclass(frozen=True)
class Ways:
    """The nodes of a trip, sights first, and the routes between all nodes.

    ``nights`` contains the node of the hotel for each night, and ``hotels`` contains each hotel
    once. ``hubs`` contains the nodes of the stations or airports of arrival and departure.
    ``modes``, ``minutes`` and ``efforts`` have a row for each node; in ``efforts``, fares and walks
    count as minutes. ``centre_efforts``, ``centre_minutes`` and ``centre_fares`` (in cents) are for
    the route from the centre to each node. ``far`` contains the remote sights.
    """

    nodes: Map
    nights: Sequence[int]
    hotels: Sequence[int]
    hubs: tuple[int | None, int | None]
    modes: Sequence[Sequence[int]]
    minutes: Sequence[Sequence[int]]
    efforts: Sequence[Sequence[int]]
    centre_efforts: Sequence[int]
    centre_minutes: Sequence[int]
    centre_fares: Sequence[int]
    far: frozenset[int]

    def find_home(self, day: int) -> int:
        """Return the node of the hotel for the night after a day or, if no night follows, for the
        last night.

        Days are counted from 0.
        """
        return self.nights[min(day, len(self.nights) - 1)]

    def is_far(self, node: int) -> bool:
        """Check whether a sight is so far away that it needs a day of its own."""
        return node in self.far


def measure_ways(sights: Sequence[Place], booking: Booking, world: World) -> Ways:
    """Return the routes between the sights, the hotels and the hubs of a trip."""
    places = list(sights)
    hotels: dict[str, int] = {}
    for lodging in booking.nights:
        if lodging.hotel.name not in hotels:
            hotels[lodging.hotel.name] = len(places)
            places.append(lodging.hotel)
    hubs: list[int | None] = [None, None]
    pair = booking.pair
    for side, name in enumerate((pair[0].end, pair[1].start) if pair else ()):
        hubs[side] = len(places)
        places.append(Place("hub", name, name, world.point(name), frozenset()))
    nodes = Map(tuple(places), world.network)
    reach = [booking.riders.reach(nodes, place.point) for place in places if place.point]
    centre = booking.riders.reach(nodes, booking.centre)
    efforts: list[list[int]] = [r.efforts.tolist() for r in reach]
    from_centre, ride = centre.efforts.tolist(), centre.minutes.tolist()
    far = [
        n for n in range(len(sights))
        if from_centre[n] > FAR_AWAY_MIN and ride[n] > _SHORT_RIDE_MIN
        and any(efforts[hotel][n] > FAR_AWAY_MIN for hotel in hotels.values())
    ]  # fmt: skip
    return Ways(
        nodes,
        [hotels[lodging.hotel.name] for lodging in booking.nights],
        list(hotels.values()),
        (hubs[0], hubs[1]),
        [r.modes.tolist() for r in reach],
        [r.minutes.tolist() for r in reach],
        efforts,
        from_centre,
        ride,
        centre.cents.tolist(),
        frozenset(far),
    )


def measure_metres(a: Place, b: Place) -> float:
    """Return the distance between two places in metres."""
    assert a.point is not None
    assert b.point is not None
    return float(np.asarray(distance_m(*a.point, *b.point)))
