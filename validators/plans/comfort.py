"""Define levels of comfort: how much a party spends, and how it travels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from validators.plans.map import NEVER, Ints, Map
from validators.plans.trip import TripRequest
from warehouse.ways import Mode, Point

#: Minutes lost at each end of a way, to find a car or a platform. They belong to none of its legs.
SLACK_MIN = 5
#: How many minutes a minute on foot beyond the limit counts, and after how many minutes each
#: further minute of a way counts twice.
_TIRING, _LONG_WAY_MIN = 4, 35


@dataclass(frozen=True)
class Level:
    """What a party spends at a level, in cents: for each night in a room, each lunch, each dinner
    and each minute saved.

    The amounts for meals and minutes are per person. A ticket costs ``ticket_points`` points for
    every ten yuan of its price. A ticket above ``ticket_cents`` is bought only for a sight that the
    travellers ask for. If ``snacks`` is True, a snack may replace a meal.
    """

    name: str
    room_cents: int
    lunch_cents: int
    dinner_cents: int
    minute_cents: int
    ticket_points: int
    ticket_cents: int
    snacks: bool = False


#: The levels from the most expensive to the cheapest. Prices of rooms and meals are close to the
#: deciles in the ten cities' tables.
LEVELS = (
    Level("luxurious", 150_000, 25_000, 40_000, 150, 0, 100_000),
    Level("upscale", 85_000, 15_000, 22_000, 110, 1, 100_000),
    Level("comfortable", 52_000, 10_000, 14_000, 70, 2, 60_000),
    Level("moderate", 36_000, 7_500, 9_500, 45, 3, 42_000),
    Level("thrifty", 22_000, 5_000, 6_500, 25, 5, 11_000),
    Level("modest", 17_000, 4_000, 5_000, 18, 7, 9_000),
    Level("frugal", 13_000, 3_000, 4_000, 12, 9, 7_000),
    Level("scant", 11_000, 2_600, 3_500, 10, 11, 6_000),
    Level("sparing", 9_000, 2_300, 3_000, 8, 14, 5_000),
    Level("meagre", 7_500, 1_900, 2_500, 6, 17, 4_000, snacks=True),
    Level("least", 6_000, 1_500, 2_000, 5, 20, 3_000, snacks=True),
)
#: The levels that a query can name, by their position in ``LEVELS``.
NAMED = {"luxury": 0, "moderate": 2, "economy": 4}


@dataclass(frozen=True)
class Reach:
    """The best mode of travel to each place, with the minutes including slack, the cost for the
    party, and a score.

    ``efforts`` are scores expressed in minutes. The efforts exceed the actual minutes, because the
    scores also include the cost and tiring walks.
    """

    modes: Ints
    minutes: Ints
    cents: Ints
    scores: Ints
    efforts: Ints


@dataclass(frozen=True)
class Riders:
    """How a party travels at a level; scores are integers, so that the choices are the same on
    every machine.
    """

    people: int
    modes: tuple[Mode, ...]
    minute_cents: int
    walk_min: int

    @staticmethod
    def of(trip: TripRequest, level: Level, modes: tuple[Mode, ...]) -> Riders:
        """Return how the party of a trip travels at a level of comfort.

        A short walk takes at most 20 minutes. If the party includes children or old people, or if
        the query asks for little effort, a short walk takes at most 12 minutes.
        """
        limit = 12 if trip.gentle or trip.effort == "light" else 20
        people = trip.request.people
        return Riders(people, modes, level.minute_cents * min(people, 4), limit)

    def reach(self, places: Map, start: Point) -> Reach:
        """Return the best route from a point to each place, which is also the best way back."""
        travel = places.travel(start, self.modes, self.people)
        walks = np.stack(
            [
                self._time_walks(mode, travel.minutes[n], places, start)
                for n, mode in enumerate(self.modes)
            ]
        )
        waits = np.array([0 if mode == "walk" else SLACK_MIN for mode in self.modes])
        minutes = travel.minutes + waits[:, None]
        tired = np.maximum(walks - self.walk_min, 0) * _TIRING
        tired += np.maximum(minutes - _LONG_WAY_MIN, 0)
        scores = (minutes + tired) * self.minute_cents + travel.cents
        best = scores.argmin(axis=0)
        at = np.arange(len(places.places))
        least = scores[best, at]
        return Reach(
            best,
            minutes[best, at],
            travel.cents[best, at],
            least,
            least // max(self.minute_cents, 1),
        )

    def _time_walks(self, mode: Mode, minutes: Ints, places: Map, start: Point) -> Ints:
        if mode == "walk":
            return minutes
        if mode == "taxi":
            return np.zeros(len(minutes), dtype=np.int64)
        here = places.network.nearest(start)
        first = 0 if here is None else int(here[1] * 60 / 5000)
        return np.where(minutes >= NEVER, 0, first + places.station_walks)
