"""Computes the length of the shortest path through all stops of a day with both ends fixed.

The length is proven to be optimal for up to ``EXACT_STOPS`` stops. ``validators.plans.tours``
computes shortest paths whose ends are free.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from validators.plans.tours import Floats, optimal_length

#: The optimum is proven for up to this number of stops, including both ends.
EXACT_STOPS = 14


Ints = NDArray[np.int64]
#: All paths over a certain number of stops. Each state has an index, the states that can precede it
#: (one row per state), and the legs from their last stop to its own in the flat matrix.
_Layer = tuple[Ints, Ints, Ints]


def measure_fixed_ends(metres: Floats) -> float:
    """Return the length in metres of the shortest path from the first stop through all others to
    the last.

    For up to ``EXACT_STOPS`` stops, the result is proven to be optimal. For days with more stops,
    the search with free ends is used. To fix the ends, all legs to either end are made so long
    that the shortest path has only one leg at each end.
    """
    n = len(metres)
    if n < 4:
        return float(sum(metres[at, at + 1] for at in range(n - 1)))
    if n <= EXACT_STOPS:
        return _exact(metres)
    extra = float(metres.sum()) + 1.0
    charged = metres.copy()
    for end in (0, -1):
        charged[end, :] += extra
        charged[:, end] += extra
    return float(optimal_length(charged[None])[0]) - 2 * extra


def _exact(metres: Floats) -> float:
    """Apply Held and Karp's recursion to the stops between the ends, by increasing subset size."""
    m = len(metres) - 2
    inner = np.ascontiguousarray(metres[1:-1, 1:-1]).ravel()
    best = np.full((1 << m) * m, np.inf)
    for stop in range(m):
        best[(1 << stop) * m + stop] = metres[0, 1 + stop]
    for states, before, legs in _layers(m):
        best[states] = (best[before] + inner[legs]).min(axis=1)
    return float((best[-m:] + metres[1:-1, -1]).min())


@lru_cache(maxsize=EXACT_STOPS)
def _layers(m: int) -> tuple[_Layer, ...]:
    """Return the layers for two to ``m`` stops; a state's index is subset x m + last stop."""
    subsets = np.arange(1 << m)
    holds = (subsets[:, None] >> np.arange(m)) & 1
    sizes = holds.sum(axis=1)
    layers = []
    for size in range(2, m + 1):
        chosen = subsets[sizes == size]
        members = np.nonzero(holds[chosen])[1].reshape(-1, size)
        states, before, legs = [], [], []
        for at in range(size):
            last, others = members[:, at], np.delete(members, at, axis=1)
            states.append(chosen * m + last)
            before.append((chosen ^ (1 << last))[:, None] * m + others)
            legs.append(others * m + last[:, None])
        layers.append((np.concatenate(states), np.concatenate(before), np.concatenate(legs)))
    return tuple(layers)
