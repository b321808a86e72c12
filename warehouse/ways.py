"""Ways through a city: on foot, by metro or by taxi, with distance, minutes and fare.

Speeds and fares are ChinaTravel's (its public sandbox): straight lines at 5, 30 and 40 km/h; a
metro way is a walk to the nearest station, the ride and a walk; minutes are cut, not rounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from schemas.geo import distance_m

Mode = Literal["walk", "metro", "taxi"]
Point = tuple[float, float]
MODES: tuple[Mode, ...] = ("walk", "metro", "taxi")
WALK_KMH, METRO_KMH, TAXI_KMH = 5.0, 30.0, 40.0
SEATS = 4
#: Name of a metro station in a plan.
STATION_SUFFIX = "-地铁站"
_METRO_STEPS = ((4, 2), (9, 3), (14, 4), (21, 5), (28, 6), (37, 7), (48, 8), (61, 9))


@dataclass(frozen=True)
class Leg:
    """One leg: cents a person (metro) or a car (taxi); times are minutes after midnight."""

    start: str
    end: str
    mode: Mode
    start_min: int
    end_min: int
    price_cents: int
    distance_m: float


def minutes(distance: float, kmh: float) -> int:
    """Whole minutes for metres at a speed."""
    return int(distance / 1000 / kmh * 60 + 1e-9)


def metro_fare_cents(distance: float) -> int:
    """Fare a person, cents, by the straight metres between the stations."""
    kilometres = distance / 1000
    for limit, yuan in _METRO_STEPS:
        if kilometres <= limit:
            return yuan * 100
    return (9 + int((kilometres - 61 + 14) // 15)) * 100


def taxi_fare_cents(distance: float) -> int:
    """Fare a car, cents, by straight metres."""
    kilometres = distance / 1000
    if kilometres <= 1.8:
        return 1100
    near = 11.0 + (min(kilometres, 10) - 1.8) * 3.5
    return round((near + max(kilometres - 10, 0) * 4.5) * 100)


@dataclass(frozen=True)
class Station:
    """A metro station; stations with equal ``network`` are joined by lines."""

    name: str
    point: Point
    network: int


@dataclass(frozen=True)
class Network:
    """The metro stations of a city."""

    stations: tuple[Station, ...] = ()

    @cached_property
    def _points(self) -> NDArray[np.float64]:
        return np.array([station.point for station in self.stations]).reshape(-1, 2)

    @cached_property
    def _known(self) -> dict[Point, tuple[Station, float] | None]:
        return {}

    def nearest(self, point: Point) -> tuple[Station, float] | None:
        """The nearest station and the metres to it; None without stations."""
        if point not in self._known:
            self._known[point] = self._look(point)
        return self._known[point]

    def _look(self, point: Point) -> tuple[Station, float] | None:
        if not self.stations:
            return None
        away = distance_m(self._points[:, 0], self._points[:, 1], point[0], point[1])
        at = int(np.argmin(away))
        return self.stations[at], float(np.asarray(away)[at])

    def way(
        self, start: tuple[str, Point], end: tuple[str, Point], depart_min: int, mode: Mode
    ) -> list[Leg] | None:
        """The legs from one named point to another; None where the metro does not lead there."""
        if mode != "metro":
            away = _metres(start[1], end[1])
            kmh, fare = (WALK_KMH, 0) if mode == "walk" else (TAXI_KMH, taxi_fare_cents(away))
            arrive = depart_min + minutes(away, kmh)
            return [Leg(start[0], end[0], mode, depart_min, arrive, fare, away)]
        first, last = self.nearest(start[1]), self.nearest(end[1])
        if first is None or last is None or first[0] == last[0]:
            return None
        if first[0].network != last[0].network:
            return None
        names = first[0].name + STATION_SUFFIX, last[0].name + STATION_SUFFIX
        ride = _metres(first[0].point, last[0].point)
        board = depart_min + minutes(first[1], WALK_KMH)
        leave = board + minutes(ride, METRO_KMH)
        arrive = leave + minutes(last[1], WALK_KMH)
        return [
            Leg(start[0], names[0], "walk", depart_min, board, 0, first[1]),
            Leg(names[0], names[1], "metro", board, leave, metro_fare_cents(ride), ride),
            Leg(names[1], end[0], "walk", leave, arrive, 0, last[1]),
        ]


def cost_cents(legs: Sequence[Leg], people: int) -> int:
    """Cost of legs for a party: metro a person, taxi a car of four."""
    return sum(leg_cost_cents(leg, people) for leg in legs)


def leg_cost_cents(leg: Leg, people: int) -> int:
    """Cost of a leg for a party."""
    if leg.mode == "walk":
        return 0
    return leg.price_cents * (people if leg.mode == "metro" else cars(people))


def cars(people: int) -> int:
    """Taxis that a party needs."""
    return -(-people // SEATS)


def _metres(a: Point, b: Point) -> float:
    return float(distance_m(a[0], a[1], b[0], b[1]))
