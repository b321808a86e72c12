"""Keep the state of a plan under construction: the sights on each day."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain

from validators.plans.itinerary.setting import Booking, Setting
from validators.plans.itinerary.sights import Sights
from validators.plans.itinerary.ways import Ways
from validators.plans.outing import Frame, Ground
from validators.plans.trip import TripRequest


@dataclass
class Draft:
    """The days of a plan so far; each sight is given as the index of a node, and days are counted
    from 0.

    ``days`` contains the sights on each day in order, and ``demanded`` contains the sights that the
    query requires. ``failed`` contains days, each followed by an order of sights that proved
    impossible on that day. ``ground`` and ``frames`` change if a remote sight gets more time or a
    day starts earlier.
    """

    trip: TripRequest
    setting: Setting
    booking: Booking
    sights: Sights
    ways: Ways
    ground: Ground
    frames: list[Frame]
    days: list[list[int]]
    demanded: set[int] = field(default_factory=set)
    failed: set[tuple[int, ...]] = field(default_factory=set)

    def list_sights(self) -> Iterator[int]:
        """Return all sights on the trip, day by day."""
        return chain.from_iterable(self.days)

    def holds_all_demanded(self) -> bool:
        """Check whether the trip contains a sight for each requirement."""
        names = {self.sights.places[n].name for n in self.list_sights()}
        return all(names & d.names for d in self.setting.list_demanded_sights())

    def count_known(self) -> int:
        """Return how many of the very best known sights the plan contains."""
        return self.setting.count_known([self.sights.places[n] for n in self.list_sights()])
