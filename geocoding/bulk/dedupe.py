"""Turns rows of places into one canonical record for each place, and keeps every decision.

The most certain pairs are joined first. Two rows that are certainly different places are never
joined.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from geocoding.bulk.blocking import candidate_pairs
from geocoding.bulk.languages import pairs_across
from geocoding.bulk.names import take_apart
from geocoding.bulk.scoring import HARD_CONFLICTS, STRANGERS_BELOW, score_pairs

#: Columns of a row: a name; city, coordinates (WGS 84) and the source's id may be null.
INPUT: dict[str, type[pl.DataType]] = {
    "name": pl.String,
    "city": pl.String,
    "lat": pl.Float64,
    "lon": pl.Float64,
    "source_id": pl.String,
}
#: So many pairs are scored at once, which limits the memory.
_CHUNK = 1_000_000


@dataclass(frozen=True)
class Deduped:
    """The result of deduplication. ``places`` has one row for each place, and ``members`` has one
    row for each input row.

    ``members``: ``row`` and ``place`` (the first row of the place). ``pairs``: every compared pair
    that is not clearly different, with the values that were compared. ``hierarchy``: each ``place``
    with its ``parent_place``, and the balance and distance of the pair.
    """

    places: pl.DataFrame
    members: pl.DataFrame
    pairs: pl.DataFrame
    hierarchy: pl.DataFrame


def dedupe(rows: pl.DataFrame) -> Deduped:
    """Deduplicate rows with the columns in INPUT; further columns are copied into the canonical
    record.

    Earlier rows take precedence: the first row of a place determines its identity, and every field
    gets its first known value. The function asserts that the number of input rows equals the number
    of places plus the number of merged rows.
    """
    places = rows.select(list(INPUT)).cast(pl.Schema(INPUT)).with_row_index("row")
    places = places.with_columns(pl.col("row").cast(pl.Int64))
    parts = take_apart(places["name"], places["city"])
    places = pl.concat([places, parts], how="horizontal")
    first, second = candidate_pairs(places)
    pairs = pl.concat([_score_pairs(places, first, second), pairs_across(places)])
    owner = group(pairs, places.height)
    merged = int((owner != np.arange(len(owner))).sum())
    canonical = _canonical(rows, owner)
    if canonical.height + merged != rows.height:
        raise AssertionError(
            f"{rows.height} rows were read, but {canonical.height} + {merged} are accounted for"
        )
    members = pl.DataFrame({"row": np.arange(len(owner)), "place": owner})
    return Deduped(canonical, members, pairs, _hierarchy(pairs, owner, places))


def _score_pairs(
    places: pl.DataFrame, first: NDArray[np.int64], second: NDArray[np.int64]
) -> pl.DataFrame:
    """Return the relevant pairs: same place, a place and its part, or different places with
    similar names.
    """
    kept = []
    for start in range(0, max(1, len(first)), _CHUNK):
        chunk = slice(start, start + _CHUNK)
        scored = score_pairs(places, first[chunk], second[chunk])
        kept.append(scored.filter((pl.col("label") != "different") | (pl.col("name_level") >= 1)))
    return pl.concat(kept)


def _canonical(rows: pl.DataFrame, owner: NDArray[np.int64]) -> pl.DataFrame:
    """Return one row for each place, with each field's first known value and the row that it comes
    from.

    Latitude and longitude both come from the first row that contains both.
    """
    grouped = rows.with_row_index("row").with_columns(
        pl.col("row").cast(pl.Int64), place=pl.Series(owner)
    )
    located = pl.col("lat").is_not_null() & pl.col("lon").is_not_null()
    fields = [c for c in rows.columns if c not in ("lat", "lon")]
    values = [pl.col(c).drop_nulls().first().alias(c) for c in fields]
    origins = [
        pl.col("row").filter(pl.col(c).is_not_null()).first().alias(f"{c}_row") for c in fields
    ]
    point = [pl.col(c).filter(located).first().alias(c) for c in ("lat", "lon")]
    point.append(pl.col("row").filter(located).first().alias("point_row"))
    return (
        grouped.group_by("place")
        .agg(*values, *point, *origins, n_rows=pl.len())
        .sort("place")
    )  # fmt: skip


def _hierarchy(pairs: pl.DataFrame, owner: NDArray[np.int64], places: pl.DataFrame) -> pl.DataFrame:
    """Return each place's most specific container: the one with the longest name or, among equals,
    the nearest.

    The name of a part begins with the container's name and adds more text, a tail or a bracket, so
    no place can contain itself.
    """
    found = pairs.filter(pl.col("label").is_in(["parent-of", "part-of"]))
    whole = pl.when(pl.col("label") == "parent-of").then("first").otherwise("second")
    part = pl.when(pl.col("label") == "parent-of").then("second").otherwise("first")
    rows = found.select(whole=whole, part=part, balance="balance", distance_m="distance_m")
    lengths = places["main"].str.len_chars().to_numpy()
    rows = rows.with_columns(
        place=pl.Series(owner[rows["part"].to_numpy()]),
        parent_place=pl.Series(owner[rows["whole"].to_numpy()]),
        length=pl.Series(lengths[rows["whole"].to_numpy()]),
    ).filter(pl.col("place") != pl.col("parent_place"))
    best = rows.sort(
        ["place", "length", "distance_m", "parent_place"],
        descending=[False, True, False, False], nulls_last=True,
    ).unique("place", keep="first", maintain_order=True)  # fmt: skip
    return best.select("place", "parent_place", "balance", "distance_m")


def group(pairs: pl.DataFrame, n_places: int) -> NDArray[np.int64]:
    """Return, for each place, the lowest position in its group.

    Connected rows form a group at once if no two of them are certainly different places. Other rows
    are joined pair by pair, starting with the most certain pair. Two groups stay apart if any row
    in one is certainly a different place from a row in the other.
    """
    # Importing SciPy takes half a second.
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
    """Pair each member of every group with the group's lowest member; rows that are certainly
    different places are never joined.
    """
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
