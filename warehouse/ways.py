"""Computes routes through a city on foot, by metro or by taxi, with their distance, time and fare.

Speeds and fares are those of ChinaTravel's public sandbox (``tools/transportation``). Distances are
straight lines on the ellipsoid. The speeds on foot, by metro and by taxi are 5, 30 and 40 km/h. A
metro route is a walk to the nearest station, a ride, and a walk from the last station. Minutes are
rounded down. The fares are in yuan, so they are unknown in a city with a different currency. To
compute routes along the lines, use ``warehouse.metro``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from schemas.geo import arc_m, ellipsoid_xyz, geodesic_m

Mode = Literal["walk", "metro", "taxi"]
Point = tuple[float, float]
MODES: tuple[Mode, ...] = ("walk", "metro", "taxi")
WALK_KMH, METRO_KMH, TAXI_KMH = 5.0, 30.0, 40.0
SEATS = 4
#: Text that is added to the name of a metro station in a plan.
STATION_SUFFIX = "-地铁站"
_METRO_STEPS = ((4, 2), (9, 3), (14, 4), (21, 5), (28, 6), (37, 7), (48, 8), (61, 9))


@dataclass(frozen=True)
class Leg:
    """One leg of a route, with times in minutes after midnight.

    The price is in cents of yuan, per person (metro) or per car (taxi), or None if it is unknown.
    """

    start: str
    end: str
    mode: Mode
    start_min: int
    end_min: int
    price_cents: int | None
    distance_m: float


def minutes(distance: float, kmh: float) -> int:
    """Return the time for a distance in metres at a speed in km/h, in whole minutes."""
    return int(distance / 1000 / kmh * 60 + 1e-9)


def metro_fare_cents(distance: float) -> int:
    """Return the metro fare per person in cents for a distance in metres."""
    kilometres = distance / 1000
    for limit, yuan in _METRO_STEPS:
        if kilometres <= limit:
            return yuan * 100
    return (9 + int((kilometres - 61 + 14) // 15)) * 100


def taxi_fare_cents(distance: float) -> int:
    """Return the taxi fare per car in cents for a straight-line distance in metres."""
    kilometres = distance / 1000
    if kilometres <= 1.8:
        return 1100
    near = 11.0 + (min(kilometres, 10) - 1.8) * 3.5
    return round((near + max(kilometres - 10, 0) * 4.5) * 100)


@dataclass(frozen=True)
class Station:
    """A metro station. Stations with the same ``network`` are connected by lines."""

    name: str
    point: Point
    network: int
    station_id: str = ""


@dataclass(frozen=True)
class Rides:
    """The fastest ride from one point to each of several others.

    ``found`` is False if there is no ride. ``first`` and ``last`` are indexes of stations. Values
    whose names begin with ``before`` describe the walk to the first station; values whose names
    begin with ``after`` describe the walk from the last station. The minutes of a ride include
    waits and changes. ``cents`` is the fare per person, or -1 if it is unknown.
    """

    found: NDArray[np.bool_]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    before_m: NDArray[np.float64]
    after_m: NDArray[np.float64]
    ride_m: NDArray[np.float64]
    before_min: NDArray[np.int64]
    ride_min: NDArray[np.int64]
    after_min: NDArray[np.int64]
    cents: NDArray[np.int64]


class RideTimes(Protocol):
    """Computes rides from a timetable."""

    def rides(self, start: Point, points: NDArray[np.float64]) -> Rides:
        """Find the fastest ride from one point to each of several others."""


@dataclass(frozen=True)
class Network:
    """A city's transport network.

    ``has_fares`` and ``has_taxis`` show whether the fares of the metro and of taxis are known. With
    a ``timetable``, rides follow the lines of the metro and of other public transport in the
    timetable's source.
    """

    stations: tuple[Station, ...] = ()
    has_fares: bool = True
    has_taxis: bool = True
    timetable: RideTimes | None = field(default=None, compare=False)
    _points: NDArray[np.float64] = field(init=False, repr=False, compare=False)
    _known: dict[Point, tuple[Station, float] | None] = field(
        init=False, repr=False, compare=False, default_factory=dict
    )

    def __post_init__(self) -> None:
        points = np.array([station.point for station in self.stations]).reshape(-1, 2)
        object.__setattr__(self, "_points", ellipsoid_xyz(points[:, 0], points[:, 1]))

    def nearest(self, point: Point) -> tuple[Station, float] | None:
        """Return the nearest station and its distance in metres, or None if there is no station."""
        if point not in self._known:
            self._known[point] = self._look(point)
        return self._known[point]

    def _look(self, point: Point) -> tuple[Station, float] | None:
        if not self.stations:
            return None
        chords = np.linalg.norm(self._points - ellipsoid_xyz(*point), axis=1)
        at = int(np.argmin(chords))
        return self.stations[at], float(arc_m(chords[at]))

    @property
    def modes(self) -> tuple[Mode, ...]:
        """Return the modes whose fares are known."""
        known: dict[Mode, bool] = {"walk": True, "metro": self.has_fares, "taxi": self.has_taxis}
        return tuple(mode for mode in MODES if known[mode])

    def way(
        self, start: tuple[str, Point], end: tuple[str, Point], depart_min: int, mode: Mode
    ) -> list[Leg] | None:
        """Return the legs between two named points, or None if the metro does not connect them."""
        if mode != "metro":
            away = _metres(start[1], end[1])
            taxi = taxi_fare_cents(away) if self.has_taxis else None
            kmh, fare = (WALK_KMH, 0) if mode == "walk" else (TAXI_KMH, taxi)
            arrive = depart_min + minutes(away, kmh)
            return [Leg(start[0], end[0], mode, depart_min, arrive, fare, away)]
        if self.timetable is not None:
            return self._time_ride(start, end, depart_min)
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
            Leg(
                names[0], names[1], "metro", board, leave,
                metro_fare_cents(ride) if self.has_fares else None, ride,
            ),
            Leg(names[1], end[0], "walk", leave, arrive, 0, last[1]),
        ]  # fmt: skip

    def _time_ride(
        self, start: tuple[str, Point], end: tuple[str, Point], depart_min: int
    ) -> list[Leg] | None:
        assert self.timetable is not None
        rides = self.timetable.rides(start[1], np.array([end[1]], dtype=np.float64))
        if not rides.found[0]:
            return None
        first, last = (
            self.stations[int(at[0])].name + STATION_SUFFIX for at in (rides.first, rides.last)
        )
        board = depart_min + int(rides.before_min[0])
        leave = board + int(rides.ride_min[0])
        arrive = leave + int(rides.after_min[0])
        price = int(rides.cents[0])
        return [
            Leg(start[0], first, "walk", depart_min, board, 0, float(rides.before_m[0])),
            Leg(
                first,
                last,
                "metro",
                board,
                leave,
                None if price < 0 else price,
                float(rides.ride_m[0]),
            ),
            Leg(last, end[0], "walk", leave, arrive, 0, float(rides.after_m[0])),
        ]


def connect_stations(
    rows: Iterable[Mapping[str, Any]], edges: Iterable[Mapping[str, Any]]
) -> tuple[Station, ...]:
    """Make one station for each id; stations that are connected get the same network number.

    The coordinates come from the station's first row in the order of line and sequence.
    """
    first: dict[str, Mapping[str, Any]] = {}
    for row in sorted(rows, key=lambda r: (r["line"], r["sequence"])):
        first.setdefault(row["station_id"], row)
    parent = {name: name for name in first}

    def root(name: str) -> str:
        while parent[name] != name:
            parent[name] = parent[parent[name]]
            name = parent[name]
        return name

    for edge in edges:
        if edge["from_id"] in parent and edge["to_id"] in parent:
            low, high = sorted((root(edge["from_id"]), root(edge["to_id"])))
            parent[high] = low
    parts = {name: i for i, name in enumerate(sorted({root(name) for name in parent}))}
    return tuple(
        Station(first[key]["name"], (first[key]["lat"], first[key]["lon"]), parts[root(key)], key)
        for key in sorted(first)
    )


def leg_cost_cents(leg: Leg, people: int) -> int:
    """Return the cost of a leg for all travellers. Raises ValueError if the fare is unknown."""
    if leg.mode == "walk":
        return 0
    if leg.price_cents is None:
        raise ValueError(f"the {leg.mode} fare is unknown")
    return leg.price_cents * (people if leg.mode == "metro" else cars(people))


def cars(people: int) -> int:
    """Return the number of taxis needed for a number of people."""
    return -(-people // SEATS)


def _metres(a: Point, b: Point) -> float:
    return geodesic_m(a[0], a[1], b[0], b[1])
