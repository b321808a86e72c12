"""Join pairs into places: the surest pair first, and never two rows that certainly differ."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import numpy as np
import polars as pl
from numpy.typing import NDArray

from geocoding.bulk.scoring import HARD_CONFLICTS, STRANGERS_BELOW


def group(pairs: pl.DataFrame, n_places: int) -> NDArray[np.int64]:
    """For each place the lowest position of its group.

    Connected rows without a stranger among them are one group at once; the others join pair by
    pair, the surest first, and two groups stay apart that hold certain strangers.
    """
    # SciPy takes half a second to import.
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    same = pairs.filter(pl.col("label") == "same")
    is_hard = (pl.col("conflicts").cast(pl.Int64) & HARD_CONFLICTS) > 0
    strangers = pairs.filter(
        (pl.col("label") != "same") & ((pl.col("balance") < STRANGERS_BELOW) | is_hard)
    )
    one, two = same["first"].to_numpy(), same["second"].to_numpy()
    links = coo_matrix((np.ones(len(one), np.int8), (one, two)), (n_places, n_places))
    _, component = connected_components(links, directed=False)
    leader = np.full(component.max() + 1 if n_places else 0, n_places, np.int64)
    np.minimum.at(leader, component, np.arange(n_places))
    label: NDArray[np.int64] = leader[component]
    far = strangers["first"].to_numpy(), strangers["second"].to_numpy()
    clash = label[far[0]] == label[far[1]]
    mixed = np.unique(label[far[0][clash]])
    if len(mixed) == 0:
        return label
    inside = np.isin(label[one], mixed)
    ordered = same.filter(pl.Series(inside)).sort(
        ["balance", "first", "second"], descending=[True, False, False]
    )
    apart = zip(far[0][clash].tolist(), far[1][clash].tolist(), strict=True)
    members = np.flatnonzero(np.isin(label, mixed))
    label[members] = members
    for low, position in _join_groups(ordered.select("first", "second").iter_rows(), apart):
        label[position] = low
    return label


def _join_groups(
    same: Iterable[tuple[int, int]], apart: Iterable[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Lowest member and member of each group, joined in order and never across strangers."""
    enemies: dict[int, set[int]] = defaultdict(set)
    for one, two in apart:
        enemies[one].add(two)
        enemies[two].add(one)
    groups: dict[int, list[int]] = {}
    owner: dict[int, int] = {}
    for one, two in same:
        a, b = owner.setdefault(one, one), owner.setdefault(two, two)
        groups.setdefault(a, [a])
        groups.setdefault(b, [b])
        if a == b or not enemies[a].isdisjoint(groups[b]):
            continue
        if len(groups[a]) < len(groups[b]):
            a, b = b, a
        for member in groups.pop(b):
            owner[member] = a
            groups[a].append(member)
        enemies[a] |= enemies.pop(b, set())
    return [(min(members), member) for members in groups.values() for member in members]
