"""Finds the fastest rides according to a timetable, including waits and changes, and the fares.

The times of rides and waits are those of a typical day, and are the same at all hours. A ride takes
its usual time, plus a wait of half the time between two departures. If the timetable does not state
a ride's time, the time follows from the distance. A traveller can reach a station by a line, or on
foot from a different station within ``FOOT_M``. At a station, the traveller can board any of the
station's lines.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from statistics import median_low
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schemas.fares import FareRide, FareRule, fare_cents
from schemas.geo import ellipsoid_xyz, geodesic_m
from schemas.money import YUAN
from warehouse.metro import CHANGE_MIN, MetroRoute, Ride, sparse_matrix
from warehouse.ways import (
    METRO_KMH,
    WALK_KMH,
    Network,
    Point,
    Rides,
    Station,
    connect_stations,
    metro_fare_cents,
)

#: Columns of stations and fares that are needed to compute rides.
TIMED = ("wait_s", "change_s", "zones")
FARED = ("fare_id", "line", "from_zone", "to_zone", "transfers", "price_cents", "currency")
#: Travellers can change between stations that are closer than this, in metres.
FOOT_M = 300.0
#: The number of nearest stations that are tried, and their largest distance in metres.
NEAREST, WALK_M = 4, 2_000.0
_METRES_A_S = METRO_KMH * 1000 / 3600
_STEPS_A_S = WALK_KMH * 1000 / 3600
_FAR = 10**6
Row = Mapping[str, Any]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def network_of(
    stations: Sequence[Row], edges: Sequence[Row], fares: Iterable[Row], currency: str | None
) -> Network:
    """Make the metro network of a city, with its timetable and fares if they are known.

    Only fares in ``currency`` are used.
    """
    is_yuan = currency == YUAN
    known = connect_stations(stations, edges)
    rules = tuple(
        FareRule(
            row["price_cents"], row["line"], row["from_zone"], row["to_zone"], row["transfers"]
        )
        for row in fares
        if row["currency"] == currency
    )
    if not rules and all(edge.get("ride_s") is None for edge in edges):
        return Network(known, is_yuan, is_yuan)
    table = Transit(known, stations, edges, rules, is_yuan)
    return Network(known, bool(rules) or is_yuan, is_yuan, table)


class Transit:
    """A city's lines as a graph with the seconds between its nodes.

    Each station has a node for waiting and a node for arriving, and a node on board each of its
    lines.
    """

    def __init__(
        self, known: Sequence[Station], stations: Sequence[Row], edges: Sequence[Row],
        rules: Sequence[FareRule] = (), is_yuan: bool = False,
    ):  # fmt: skip
        self.stations = tuple(known)
        self._number = {station.station_id: at for at, station in enumerate(known)}
        self._rules, self._is_yuan = rules, is_yuan
        self._points: Floats = np.array([s.point for s in known], dtype=np.float64).reshape(-1, 2)
        self._zones, change = self._of_stations(stations)
        self._aboard, self._matrix = self._graph(stations, edges, change)
        self._metres = {
            (e["line"], frozenset((e["from_id"], e["to_id"]))): e["distance_m"] for e in edges
        }
        self._from = lru_cache(maxsize=512)(self._search)
        self._paid = lru_cache(maxsize=65536)(self._fare)
        self._near = lru_cache(maxsize=8)(self._nearest)

    def rides(self, start: Point, points: Floats) -> Rides:
        """Find the fastest rides from a point to several others via the nearest stations."""
        points = np.ascontiguousarray(points, dtype=np.float64).reshape(-1, 2)
        count = len(points)
        begins, begin_m = (found[0] for found in self._near(np.array([start]).tobytes()))
        ends, end_m = self._near(points.tobytes())
        best = np.full(count, _FAR, dtype=np.int64)
        at: dict[str, Ints] = {
            name: np.zeros(count, dtype=np.int64) for name in ("first", "last", "ride")
        }
        before, after = np.zeros(count), np.zeros(count)
        for station, metres in zip(begins.tolist(), begin_m.tolist(), strict=True):
            if station < 0:
                continue
            seconds = np.append(self._from(station)[0], np.inf)
            for column in range(ends.shape[1]):
                other, away = ends[:, column], end_m[:, column]
                taken = np.where(other == station, np.inf, seconds[other])
                reached = np.isfinite(taken)
                ride = np.where(reached, np.ceil(np.where(reached, taken, 0) / 60), _FAR).astype(
                    np.int64
                )
                total = _walk_min(np.array([metres]))[0] + ride + _walk_min(away)
                better = reached & (total < best)
                best = np.where(better, total, best)
                at["first"][better], at["last"][better] = station, other[better]
                at["ride"][better] = ride[better]
                before[better], after[better] = metres, away[better]
        found: NDArray[np.bool_] = best < _FAR
        ways = list(zip(at["first"].tolist(), at["last"].tolist(), found.tolist(), strict=True))
        straight = [self._straight(a, b) if ok else 0.0 for a, b, ok in ways]
        cents = [self._paid(a, b) if ok else -1 for a, b, ok in ways]
        return Rides(
            found, at["first"], at["last"], before, after, np.array(straight, dtype=np.float64),
            _walk_min(before), at["ride"], _walk_min(after), np.array(cents, dtype=np.int64),
        )  # fmt: skip

    def route(self, start_id: str, end_id: str) -> MetroRoute | None:
        """Find the fastest route between two stations, or None if they are the same or not
        connected.
        """
        start, end = self._number.get(start_id), self._number.get(end_id)
        if start is None or end is None or start == end:
            return None
        seconds = float(self._from(start)[0][end])
        if not np.isfinite(seconds):
            return None
        rides, metres = [], 0.0
        for line, path, taken in self._path(start, end):
            ids = [self.stations[at].station_id for at in path]
            length = sum(self._metres.get((line, frozenset(pair)), 0.0) for pair in pairwise(ids))
            names = tuple(self.stations[at].name for at in path)
            rides.append(Ride(line, names, length, int(taken // 60)))
            metres += length
        cents = self._paid(start, end)
        return MetroRoute(
            tuple(rides), metres, int(np.ceil(seconds / 60)), None if cents < 0 else cents
        )

    def _of_stations(self, rows: Sequence[Row]) -> tuple[list[frozenset[str]], list[int]]:
        """Return each station's zones, and the seconds that a change of lines takes there."""
        zones: list[frozenset[str]] = [frozenset()] * len(self.stations)
        change: list[list[int]] = [[] for _ in self.stations]
        for row in rows:
            at = self._number[row["station_id"]]
            zones[at] |= set(row.get("zones") or ())
            change[at] += [row["change_s"]] if row.get("change_s") is not None else []
        return zones, [max(told, default=CHANGE_MIN * 60) for told in change]

    def _graph(
        self, stations: Sequence[Row], edges: Sequence[Row], change: Sequence[int]
    ) -> tuple[list[tuple[int, str]], Any]:
        count = len(self.stations)
        aboard = sorted({(self._number[r["station_id"]], r["line"]) for r in stations})
        node = {key: 2 * count + at for at, key in enumerate(aboard)}
        found: dict[tuple[int, int], float] = {}

        def join(a: int, b: int, seconds: float) -> None:
            # An edge with weight 0 would not exist in a sparse matrix.
            found[a, b] = min(found.get((a, b), np.inf), max(float(seconds), 1.0))

        waits = _waits(stations)
        for (station, line), at in node.items():
            join(station, at, waits[line])
        for edge in edges:
            one, two = self._number[edge["from_id"]], self._number[edge["to_id"]]
            told = edge.get("ride_s")
            ride = told if told is not None else round(edge["distance_m"] / _METRES_A_S)
            for a, b in ((one, two), (two, one)):
                start = node[a, edge["line"]]
                join(start, node[b, edge["line"]], ride)
                join(start, count + b, ride)
        for station in range(count):
            join(count + station, station, change[station])
        for one, two, metres in self._neighbours():
            join(count + one, two, round(metres / _STEPS_A_S))
            join(count + two, one, round(metres / _STEPS_A_S))
        return aboard, sparse_matrix(found, 2 * count + len(aboard))

    def _tree(self) -> Any:
        # SciPy takes half a second to import.
        from scipy.spatial import cKDTree

        return cKDTree(ellipsoid_xyz(self._points[:, 0], self._points[:, 1]))

    def _neighbours(self) -> list[tuple[int, int, float]]:
        if len(self.stations) < 2:
            return []
        return [(a, b, self._straight(a, b)) for a, b in sorted(self._tree().query_pairs(FOOT_M))]

    def _nearest(self, points: bytes) -> tuple[Ints, Floats]:
        """Return the indexes of each point's nearest stations (-1 if none), and their distances."""
        asked = np.frombuffer(points, dtype=np.float64).reshape(-1, 2)
        if not len(self.stations) or not len(asked):
            return np.full((len(asked), 1), -1), np.zeros((len(asked), 1))
        ranks = list(range(1, min(NEAREST, len(self.stations)) + 1))
        _, found = self._tree().query(
            ellipsoid_xyz(asked[:, 0], asked[:, 1]), k=ranks, distance_upper_bound=WALK_M
        )
        numbers = np.where(found == len(self.stations), -1, found).astype(np.int64)
        metres = [
            [0.0 if at < 0 else geodesic_m(*point, *self.stations[at].point) for at in row]
            for point, row in zip(asked.tolist(), numbers.tolist(), strict=True)
        ]
        return numbers, np.array(metres, dtype=np.float64).reshape(numbers.shape)

    def _search(self, station: int) -> tuple[Floats, NDArray[np.int32]]:
        """Return the seconds from a station to all others, and each node's predecessor."""
        # SciPy takes half a second to import.
        from scipy.sparse.csgraph import dijkstra

        seconds, before = dijkstra(self._matrix, indices=station, return_predecessors=True)
        return seconds[len(self.stations) : 2 * len(self.stations)], before

    def _path(self, start: int, end: int) -> list[tuple[str, list[int], float]]:
        """Return the line, the stations and the seconds of each ride on a route."""
        count = len(self.stations)
        before = self._from(start)[1]
        nodes = [count + end]
        while before[nodes[-1]] >= 0:
            nodes.append(int(before[nodes[-1]]))
        rides: list[tuple[str, list[int], float]] = []
        line, path, seconds = "", [], 0.0
        for a, b in pairwise(nodes[::-1]):
            if a < count and b >= 2 * count:
                station, line = self._aboard[b - 2 * count]
                path, seconds = [station], 0.0
            elif a >= 2 * count:
                path.append(b - count if b < 2 * count else self._aboard[b - 2 * count][0])
                seconds += float(self._matrix[a, b])
                if b < 2 * count:
                    rides.append((line, path, seconds))
        return rides

    def _fare(self, start: int, end: int) -> int:
        """Return the fare in cents per person, or -1 if it is unknown."""
        if not self._rules:
            return metro_fare_cents(self._straight(start, end)) if self._is_yuan else -1
        rides = [
            FareRide(line, self._zones[path[0]], self._zones[path[-1]])
            for line, path, _ in self._path(start, end)
        ]
        cents = fare_cents(self._rules, rides)
        return -1 if cents is None else cents

    def _straight(self, one: int, two: int) -> float:
        return geodesic_m(*self.stations[one].point, *self.stations[two].point)


def _waits(stations: Sequence[Row]) -> dict[str, int]:
    """Return the waiting time for each line in seconds.

    The waiting time is the same at all stations, so that a ride takes equally long in both
    directions.
    """
    told: dict[str, list[int]] = defaultdict(list)
    for row in stations:
        told[row["line"]] += [row["wait_s"]] if row.get("wait_s") is not None else []
    return {line: median_low(waits) if waits else 0 for line, waits in told.items()}


def _walk_min(metres: Floats) -> Ints:
    return np.floor(metres / 1000 / WALK_KMH * 60 + 1e-9).astype(np.int64)
