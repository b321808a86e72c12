"""Finds rows for the same place in two languages, such as 灵隐寺 and Lingyin Temple.

A Chinese name and a Latin name share no letters, so such names are compared one pair at a time, by
sound, by meaning and with a dictionary. Two neighbours are compared only if their names contain
words for the same kind of place, or sound the same with or without these words.
"""

from __future__ import annotations

import itertools

import numpy as np
import polars as pl

from geocoding.bulk.blocking import LARGEST_BLOCK, NEAR_DEG, block, cell
from geocoding.bulk.scoring import NAME_LEVELS, SAME_FROM
from geocoding.dedupe import MERGE_SCORE, MERGE_WITHIN_M
from geocoding.match import reader_of
from geocoding.names import PlaceName, pinyin
from geocoding.pairs import compare
from schemas.geo import distance_m

#: The ``name_level`` of a pair in two languages.
ACROSS = len(NAME_LEVELS)
_PAIRS = {
    "first": pl.Int64, "second": pl.Int64, "label": pl.String, "balance": pl.Float64,
    "name_level": pl.Int8, "ratio": pl.Float64, "distance_m": pl.Float64, "conflicts": pl.Int16,
}  # fmt: skip


def pairs_across(places: pl.DataFrame) -> pl.DataFrame:
    """Return pairs of a Chinese and a Latin name for the same place, in the format of
    ``score_pairs``.

    Each Latin name has at most one partner: the most certain candidate or, among equals, the
    nearest. A Latin name has no partner if two candidates with different names are equally certain.
    The frame needs the columns ``row``, ``name``, ``city``, ``lat`` and ``lon``.
    """
    placed = places.filter(pl.col("lat").is_not_null() & pl.col("lon").is_not_null()).select(
        "row", "name", "city", "lat", "lon", y=cell("lat", NEAR_DEG), x=cell("lon", NEAR_DEG),
        is_chinese=pl.col("name").str.contains(r"\p{Han}"),
    )  # fmt: skip
    latin = placed.filter(~pl.col("is_chinese") & pl.col("name").str.contains("[A-Za-z]{2}"))
    chinese = _beside(placed.filter("is_chinese"), latin)
    latin = _beside(latin, chinese)  # most cities of the world have no Chinese names
    met = _pair_by_key(chinese, latin)
    verdicts = _compare(met, places) if met.height else pl.DataFrame(schema=_VERDICTS)
    best = verdicts.sort(
        "latin", "score", "metres", "chinese", descending=[False, True, False, False]
    )
    rivals = best.group_by("latin", maintain_order=True).agg(
        pl.first("chinese", "score", "metres"),
        n_names=pl.col("name").filter(pl.col("score") == pl.col("score").max()).n_unique(),
    )
    sure = rivals.filter(pl.col("n_names") == 1)
    return sure.select(
        first=pl.min_horizontal("latin", "chinese"),
        second=pl.max_horizontal("latin", "chinese"),
        label=pl.lit("same"),
        balance=SAME_FROM + pl.col("score"),
        name_level=pl.lit(ACROSS),
        ratio="score",
        distance_m="metres",
        conflicts=pl.lit(0),
    ).cast(_PAIRS)  # type: ignore[arg-type]  # a schema of classes and of types


_VERDICTS = {
    "latin": pl.Int64,
    "chinese": pl.Int64,
    "name": pl.String,
    "score": pl.Float64,
    "metres": pl.Float64,
}


def _beside(rows: pl.DataFrame, others: pl.DataFrame) -> pl.DataFrame:
    """Return the rows that are in the same cell as a row of ``others``, or in a cell next to it."""
    around = pl.concat(
        others.select(y=pl.col("y") + dy, x=pl.col("x") + dx)
        for dy, dx in itertools.product((-1, 0, 1), repeat=2)
    )
    return rows.join(around.unique(), on=["y", "x"], how="semi")


def _pair_by_key(chinese: pl.DataFrame, latin: pl.DataFrame) -> pl.DataFrame:
    """Return pairs of nearby rows that share a key, with the columns ``chinese``, ``latin`` and
    ``metres``.
    """
    standing, asking = _key_rows(chinese), _key_rows(latin)
    homes = standing.with_columns(block=block(0, 0))
    small = homes.group_by("block").agg(n=pl.len()).filter(pl.col("n") <= LARGEST_BLOCK)
    homes = homes.join(small.select("block"), on="block", how="semi")
    pairs = pl.concat(
        homes.join(asking.with_columns(block=block(dy, dx)), on="block", suffix="_latin").select(
            "lat", "lon", "lat_latin", "lon_latin", chinese="row", latin="row_latin"
        )
        for dy, dx in itertools.product((-1, 0, 1), repeat=2)
    ).unique(["chinese", "latin"])
    columns = (pairs[name].to_numpy() for name in ("lat", "lon", "lat_latin", "lon_latin"))
    metres = pl.Series("metres", np.asarray(distance_m(*columns), dtype=np.float64))
    near = pairs.select("chinese", "latin").with_columns(metres)
    return near.filter(pl.col("metres") <= MERGE_WITHIN_M).sort("latin", "chinese")


def _key_rows(rows: pl.DataFrame) -> pl.DataFrame:
    """Return each row once per key; its keys are the kind of place in its name and the sounds of
    the name.
    """
    keys = [_keys(_read(city, name)) for city, name in rows.select("city", "name").iter_rows()]
    listed = rows.select("row", "lat", "lon", "y", "x").with_columns(
        piece=pl.Series(keys, dtype=pl.List(pl.String))
    )
    return listed.explode("piece", empty_as_null=True).drop_nulls("piece")


def _keys(name: PlaceName) -> list[str]:
    texts = {name.bare, name.core} if len(name.core) > 1 else {name.bare}
    sounds = {pinyin(t) if name.lang == "zh" else t.replace(" ", "") for t in texts}
    return [
        *(f"sound {s}" for s in sorted(sounds)),
        *([f"kind {name.kind.code}"] if name.kind else []),
    ]


def _read(city: str | None, name: str) -> PlaceName:
    return reader_of(city or "").read(name)


def _compare(met: pl.DataFrame, places: pl.DataFrame) -> pl.DataFrame:
    """Return the pairs that are certainly the same place, with their scores."""
    named = places.select("city", "name").rows()
    found = []
    for chinese, latin, metres in met.iter_rows():
        verdict = compare(_read(*named[chinese]), _read(*named[latin]), metres)
        if verdict.label == "same" and verdict.score >= MERGE_SCORE:
            found.append((latin, chinese, named[chinese][1], verdict.score, metres))
    return pl.DataFrame(found, schema=_VERDICTS, orient="row")
