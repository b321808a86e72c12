"""Finds metro routes with every station and change, in a graph of lines and stations.

``ways.Network`` measures distances in straight lines, as ChinaTravel's published ``goto`` does. In
this module, by contrast, rides follow the tracks in ``metro_edges``. Speed and fares are the same
as in ``ways``. tripbed defines the time for a change of lines itself, because no published sandbox
states one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise, permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from warehouse.ways import METRO_KMH, metro_fare_cents, minutes

#: Duration of a change of lines, in minutes.
CHANGE_MIN = 5
_METRES_A_MIN = METRO_KMH * 1000 / 60


def sparse_matrix(weights: Mapping[tuple[int, int], float], size: int) -> Any:
    """Make a square sparse matrix from entries with a row and a column."""
    # SciPy takes half a second to import.
    from scipy.sparse import csr_matrix

    pairs = np.array(sorted(weights), dtype=np.int32).reshape(-1, 2)
    values = [weights[a, b] for a, b in pairs.tolist()]
    return csr_matrix((values, (pairs[:, 0], pairs[:, 1])), shape=(size, size))


@dataclass(frozen=True)
class Ride:
    """A ride on one line, with the names of its stations in order."""

    line: str
    stations: tuple[str, ...]
    distance_m: float
    ride_min: int


@dataclass(frozen=True)
class MetroRoute:
    """A metro route from one station gate to another.

    ``total_min`` includes changes. ``fare_cents`` is in cents of yuan per person, or None if the
    city does not use yuan.
    """

    rides: tuple[Ride, ...]
    distance_m: float
    total_min: int
    fare_cents: int | None

    @property
    def changes(self) -> tuple[str, ...]:
        """Return the names of the stations at which passengers change lines."""
        return tuple(ride.stations[0] for ride in self.rides[1:])


class MetroGraph:
    """A city's metro lines as a graph in which each station has a node for each of its lines."""

    def __init__(
        self,
        stations: Iterable[Mapping[str, Any]],
        edges: Iterable[Mapping[str, Any]],
        has_fares: bool = True,
    ):
        self._has_fares = has_fares
        rows = sorted(stations, key=lambda r: (r["line"], r["sequence"]))
        self.nodes = [(row["station_id"], row["line"]) for row in rows]
        self.names = {row["station_id"]: row["name"] for row in rows}
        self._at: dict[str, list[int]] = defaultdict(list)
        for number, (station, _line) in enumerate(self.nodes):
            self._at[station].append(number)
        self._edges = [(e["from_id"], e["to_id"], e["line"], e["distance_m"]) for e in edges]
        self._metres: dict[tuple[int, int], float] = {}
        self._matrix = self._weights()
        self._from = lru_cache(maxsize=4096)(self._search)

    def _weights(self) -> Any:
        """Return the minutes between neighbouring nodes as a sparse, symmetric matrix."""
        place = {node: number for number, node in enumerate(self.nodes)}
        found: dict[tuple[int, int], float] = {}
        for start, end, line, metres in self._edges:
            a, b = place.get((start, line)), place.get((end, line))
            if a is not None and b is not None and a != b:
                self._metres[a, b] = self._metres[b, a] = metres
                found[a, b] = found[b, a] = max(metres, 1.0) / _METRES_A_MIN
        for numbers in self._at.values():
            found |= dict.fromkeys(permutations(numbers, 2), float(CHANGE_MIN))
        return sparse_matrix(found, len(self.nodes))

    def _search(self, station: str) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        """Return the shortest time from a station to each node, and the preceding node on the way
        there.
        """
        # SciPy takes half a second to import.
        from scipy.sparse.csgraph import dijkstra

        minutes_to, before, _begun = dijkstra(
            self._matrix, indices=self._at[station], min_only=True, return_predecessors=True
        )
        return minutes_to, before

    def route(self, start_id: str, end_id: str) -> MetroRoute | None:
        """Find the fastest route between two stations, or None if they are the same or not
        connected.
        """
        if start_id == end_id or start_id not in self._at or end_id not in self._at:
            return None
        minutes_to, before = self._from(start_id)
        end = min(self._at[end_id], key=lambda node: (minutes_to[node], node))
        if not np.isfinite(minutes_to[end]):
            return None
        path = [end]
        while before[path[-1]] >= 0:
            path.append(int(before[path[-1]]))
        return self._describe_route(path[::-1])

    def _describe_route(self, path: list[int]) -> MetroRoute:
        rides: list[Ride] = []
        stretch = [path[0]]
        for node in [*path[1:], -1]:
            if node >= 0 and self.nodes[node][1] == self.nodes[stretch[-1]][1]:
                stretch.append(node)
                continue
            if len(stretch) > 1:
                rides.append(self._ride(stretch))
            stretch = [node]
        metres = sum(ride.distance_m for ride in rides)
        total = sum(ride.ride_min for ride in rides) + CHANGE_MIN * (len(rides) - 1)
        fare = metro_fare_cents(metres) if self._has_fares else None
        return MetroRoute(tuple(rides), metres, total, fare)

    def _ride(self, stretch: list[int]) -> Ride:
        metres = sum(self._metres[a, b] for a, b in pairwise(stretch))
        stations = tuple(self.names[self.nodes[node][0]] for node in stretch)
        return Ride(self.nodes[stretch[0]][1], stations, metres, minutes(metres, METRO_KMH))
