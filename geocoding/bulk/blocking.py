"""Finds pairs worth comparing among many places, using joins.

The pairs consist of neighbours that share part of a name. Each place is listed under the rarest
pieces of its name in the cell that contains it, and is also looked up in the neighbouring cells.
Places with the same whole name are compared within much larger cells. Places without coordinates
are compared with places of the same name in their city. If a block grows too large, only the finer
keys are used for its places.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

Pairs = tuple[NDArray[np.int64], NDArray[np.int64]]

#: Side of the small cells in degrees (about 440 m of latitude), and of the large ones (5.5 km).
NEAR_DEG, WIDE_DEG = 0.004, 0.05
#: A place is listed under so many pieces of its name.
PIECES = 4
#: A block with more members gives no pairs.
LARGEST_BLOCK = 60
_SPAN = 1 << 18


def candidate_pairs(places: pl.DataFrame) -> Pairs:
    """Return the pairs to compare, in sorted order, each with the lower position first.

    The frame needs the columns ``main``, ``core``, ``city``, ``lat`` and ``lon``.
    """
    found = [
        _pack(*_near_pairs(places)),
        _pack(*_wide_pairs(places)),
        _pack(*_pair_unlocated(places)),
    ]
    packed = np.unique(np.concatenate(found))
    return packed >> 32, packed & 0xFFFFFFFF


def _pack(one: NDArray[np.int64], two: NDArray[np.int64]) -> NDArray[np.int64]:
    """Encode each pair as a number, with the lower position first, and drop pairs of a row with
    itself.
    """
    low, high = np.minimum(one, two), np.maximum(one, two)
    keep = low != high
    return np.unique((low[keep] << 32) | high[keep])


def _pieces(places: pl.DataFrame) -> pl.DataFrame:
    """Return the rarest pieces that each name shares with other names: rows with the position of a
    place and the number of a piece.
    """
    characters = pl.col("main").str.split("")
    grams = places.select("row", "lat", "lon", c=characters).explode("c", empty_as_null=True)
    grams = grams.with_columns(
        n=pl.col("c").shift(-1), same=pl.col("row") == pl.col("row").shift(-1)
    )
    grams = grams.filter(pl.col("same")).select(
        "row", "lat", "lon", piece=pl.concat_str("c", "n").cast(pl.Categorical).to_physical()
    ).unique(["row", "piece"])  # fmt: skip
    counts = grams.group_by("piece").agg(n=pl.len()).filter(pl.col("n") > 1)
    ranked = grams.join(counts, on="piece").sort("row", "n", "piece")
    return ranked.group_by("row", maintain_order=True).head(PIECES)


def cell(column: str, side: float) -> pl.Expr:
    """Return the number of the cell along one axis; ``side`` is the length of a cell's side in
    degrees.
    """
    return (pl.col(column) / side).floor().cast(pl.Int64) + _SPAN // 2


def _near_pairs(places: pl.DataFrame) -> Pairs:
    pieces = _pieces(places.filter(pl.col("lat").is_not_null()))
    pieces = pieces.with_columns(y=cell("lat", NEAR_DEG), x=cell("lon", NEAR_DEG))
    return _around(pieces)


def _around(keyed: pl.DataFrame) -> Pairs:
    """Return each pair of places that share a piece of a name and are in the same or
    neighbouring cells.
    """
    standing = keyed.select("row", block=block(0, 0))
    small = standing.group_by("block").agg(n=pl.len()).filter(pl.col("n") <= LARGEST_BLOCK)
    standing = standing.join(small.select("block"), on="block", how="semi")
    ones, twos = [], []
    for dy, dx in ((0, 0), (0, 1), (1, -1), (1, 0), (1, 1)):
        asking = keyed.select(other="row", block=block(dy, dx))
        met = standing.join(asking, on="block")
        if (dy, dx) == (0, 0):
            met = met.filter(pl.col("row") < pl.col("other"))
        ones.append(met["row"].to_numpy().astype(np.int64))
        twos.append(met["other"].to_numpy().astype(np.int64))
    return np.concatenate(ones), np.concatenate(twos)


def block(dy: int, dx: int) -> pl.Expr:
    """Return the join key for a piece of a name in the cell ``dy`` and ``dx`` steps away."""
    place = (pl.col("y") + dy) * _SPAN + pl.col("x") + dx
    return pl.struct(place.alias("cell"), "piece").hash(seed=0)


def _wide_pairs(places: pl.DataFrame) -> Pairs:
    """Return pairs of places whose whole names are equal, with or without their endings, in cells
    several kilometres wide.
    """
    keys = pl.concat_list("main", "core").list.unique(maintain_order=True)
    named = places.filter(pl.col("lat").is_not_null()).select("row", "lat", "lon", key=keys)
    named = named.explode("key", empty_as_null=True).filter(pl.col("key").str.len_chars() >= 2)
    return _around(
        named.select(
            "row",
            piece=pl.col("key").cast(pl.Categorical).to_physical(),
            y=cell("lat", WIDE_DEG),
            x=cell("lon", WIDE_DEG),
        )
    )


def _pair_unlocated(places: pl.DataFrame) -> Pairs:
    """Return pairs of places with the same name in one city, at least one of which has no
    coordinates.
    """
    columns = ("city", "main")
    lost = places.filter(pl.col("lat").is_null() & (pl.col("main").str.len_chars() >= 2))
    met = lost.select(*columns, "row").join(
        places.select(*columns, other="row"), on=columns, nulls_equal=True
    )
    return met["row"].to_numpy().astype(np.int64), met["other"].to_numpy().astype(np.int64)
