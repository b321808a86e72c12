"""Find the shortest path through all stops of a plan.

For a few stops, the result is exact; for many stops, it is found by local search. A plan may begin
and end at any of its stops, so the optimum is the shortest Hamiltonian path with free ends, which
is a tour through an additional stop at distance zero from all others.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from schemas.geo import EARTH_RADIUS_M

Floats = NDArray[np.float64]
#: The optimum is proven for up to this number of stops (dynamic programming over subsets).
EXACT_STOPS = 12
#: Paths with more stops are not measured, because no trip has so many, and time and memory grow
#: with the cube of their number.
MOST_STOPS = 300
#: The number of plans of one size that are solved together, which limits the memory of the tables.
_BATCH = 256


def distance_matrix(lat: Floats, lon: Floats) -> Floats:
    """Return the great-circle distances in metres; the last axis of each input lists the stops."""
    phi, lam = np.radians(lat), np.radians(lon)
    half_phi = (phi[..., :, None] - phi[..., None, :]) / 2
    half_lam = (lam[..., :, None] - lam[..., None, :]) / 2
    cos = np.cos(phi)
    square = np.sin(half_phi) ** 2 + cos[..., :, None] * cos[..., None, :] * np.sin(half_lam) ** 2
    return np.asarray(2 * EARTH_RADIUS_M * np.arcsin(np.sqrt(np.clip(square, 0.0, 1.0))))


def path_length(distances: Floats) -> Floats:
    """Return the length in metres of the paths in the given order; the first axis is the batch."""
    n = distances.shape[-1]
    steps = np.arange(n - 1)
    return np.asarray(distances[..., steps, steps + 1].sum(axis=-1))


def optimal_length(distances: Floats) -> Floats:
    """Return the length in metres of the shortest path through all stops, for a batch (b, n, n).

    For up to ``EXACT_STOPS`` stops, the length is proven to be the minimum. For more stops, the
    length is the best result of Or-opt and 2-opt from several starts; it never exceeds the length
    of the given order.
    """
    n = distances.shape[-1]
    if n < 2:
        return np.zeros(distances.shape[0])
    if n > EXACT_STOPS:
        return np.array([_search(matrix) for matrix in distances])
    parts = [
        _exact(distances[first : first + _BATCH]) for first in range(0, len(distances), _BATCH)
    ]
    return np.concatenate(parts) if parts else np.zeros(0)


def _exact(distances: Floats) -> Floats:
    """Find the shortest path through each subset of stops for each last stop (Held and Karp's
    recursion).
    """
    batch, n, _ = distances.shape
    best = np.full((1 << n, batch, n), np.inf)
    for stop in range(n):
        best[1 << stop, :, stop] = 0.0
    for subset in range(1, 1 << n):
        if subset & (subset - 1) == 0:
            continue
        members = [stop for stop in range(n) if subset >> stop & 1]
        for last in members:
            before = subset ^ (1 << last)
            others = [stop for stop in members if stop != last]
            ways = best[before][:, others] + distances[:, others, last]
            best[subset, :, last] = ways.min(axis=1)
    return np.asarray(best[-1].min(axis=1))


def _search(distances: Floats) -> float:
    n = len(distances)
    orders = [list(range(n)), *(_nearest_first(distances, start) for start in range(n))]
    starts = sorted(orders, key=lambda order: _length(distances, order))[:3]
    return min(_length(distances, _improve(distances, order)) for order in starts)


def _nearest_first(distances: Floats, start: int) -> list[int]:
    order, left = [start], set(range(len(distances))) - {start}
    while left:
        here = order[-1]
        order.append(min(left, key=lambda stop: (distances[here, stop], stop)))
        left.remove(order[-1])
    return order


def _length(distances: Floats, order: list[int]) -> float:
    return float(distances[order[:-1], order[1:]].sum())


def _improve(distances: Floats, order: list[int]) -> list[int]:
    """Reverse sections (2-opt) and move sections of up to three stops (Or-opt) until nothing
    improves.
    """
    n = len(order)
    padded = np.zeros((n + 1, n + 1))
    padded[:n, :n] = distances  # stop n is the free end: near everything
    tour = [n, *order]
    while True:
        better = _reverse_stretch(padded, tour) or _move_stretch(padded, tour)
        if better is None:
            return tour[1:]
        at = better.index(n)
        tour = better[at:] + better[:at]


def _reverse_stretch(distances: Floats, tour: list[int]) -> list[int] | None:
    ring = np.array(tour)
    after = np.roll(ring, -1)
    kept = distances[ring, after]
    gain = (
        kept[:, None] + kept[None, :]
        - distances[ring][:, ring] - distances[after][:, after]
    )  # fmt: skip
    first, second = np.unravel_index(int(np.triu(gain, 1).argmax()), gain.shape)
    if gain[first, second] <= 1e-6 or first >= second:
        return None
    i, j = int(first), int(second)
    return tour[: i + 1] + tour[i + 1 : j + 1][::-1] + tour[j + 1 :]


def _move_stretch(distances: Floats, tour: list[int]) -> list[int] | None:
    n = len(tour)
    for size in (1, 2, 3):
        for at in range(n):
            ring = tour[at:] + tour[:at]
            piece, rest = ring[:size], ring[size:]
            free = (
                distances[rest[-1], piece[0]] + distances[piece[-1], rest[0]]
                - distances[rest[-1], rest[0]]
            )  # fmt: skip
            left, right = np.array(rest[:-1]), np.array(rest[1:])
            base = distances[left, right]
            for way in (piece, piece[::-1]):
                cost = distances[left, way[0]] + distances[way[-1], right] - base
                place = int(cost.argmin()) if len(cost) else -1
                if place >= 0 and free - cost[place] > 1e-6:
                    return rest[: place + 1] + way + rest[place + 1 :]
    return None
