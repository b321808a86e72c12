"""Rate how well known sights are, and find sights that belong to the same visit.

The rating is in points, which are integers, so that the same tables always give the same plans. The
rating is the sum of the rating in the source, the official grade and the popularity. The popularity
combines the number of documents that name a sight with the order of the rows in the source. Travel
sites sort their rows from most to least visited. The documents and the order of rows each
contribute half of the points, because a few dozen documents are not a representative sample of a
city.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import polars as pl

from schemas.cities import large_cities
from schemas.geo import distance_m
from schemas.word_lists import Lists
from validators.plans.world import Place
from warehouse.read import Snapshot

#: The tables and columns that are read in addition to those of a world.
COLUMNS: dict[str, tuple[str, ...]] = {
    "pois": ("poi_id", "base_type", "category", "rating", "grade", "n_documents", "evidence_id"),
    "evidence": ("evidence_id", "source_file", "source_line"),
    "poi_hierarchy": ("poi_id", "parent_poi_id"),
    "restaurants": ("restaurant_id", "rating"),
    "hotels": ("hotel_id", "rating"),
}
#: The columns of the frame ``renown``.
ROWS: dict[str, Any] = {
    "place_id": pl.String, "points": pl.Int64, "base_type": pl.String, "category": pl.String,
    "rating": pl.Float64, "parents": pl.List(pl.String),
}  # fmt: skip
#: The points of popularity for the best known sight, the points for each point of rating above 4,
#: the points for a sight without a rating, and the points for the highest grades.
_POPULAR, _RATED, _UNRATED, _GRADES = 260, 200, 60, {"5A": 80, "AAAAA": 80, "4A": 30, "AAAA": 30}
#: A full score usually comes from only a few votes, so it counts as this rating.
_FULL_SCORE, _COUNTS_AS = 5.0, 4.6
#: Two sights within this distance in metres are the same if one name contains the other.
_SAME_SIGHT_M = 2500.0
#: Two sights of the same type within this distance in metres are one visit, such as the halls of a
#: palace or the lanes of a neighbourhood.
_PART_M = 350.0
#: A museum within this distance in metres of such a building is part of the same sight. The sets
#: contain the types of museums and of all such buildings.
_ONE_HOUSE_M = 80.0
_MUSEUMS = frozenset({"museum_memorial", "art_gallery"})
_HOUSES = _MUSEUMS | {"historic_site", "religious_spiritual"}
#: Two sights within this distance in metres are one visit if their names begin with the same word.
_SAME_WORD_M = 1200.0
#: The most characters of a short name.
_SHORT_NAME = 4
#: The lowest population of a city after which many places are named.
_LARGE = 500_000
_COMMON_STARTS = frozenset(Lists("validators.plans").words("common_starts"))


@dataclass(frozen=True)
class Renown:
    """The points of sights by place id, and how each sight is related to others."""

    points: Mapping[str, int]
    base_types: Mapping[str, str | None]
    categories: Mapping[str, str | None]
    parents: Mapping[str, frozenset[str]]
    ratings: Mapping[str, float]

    def best(self, places: Sequence[Place], count: int) -> list[Place]:
        """Return the best known sights; if several belong to the same visit, only one of them is
        included.
        """
        found: list[Place] = []
        for place in sorted(places, key=lambda p: (-self.points.get(p.place_id, 0), p.name)):
            if len(found) == count:
                break
            if not any(self.same_visit(place, other) for other in found):
                found.append(place)
        return found

    def same_visit(self, a: Place, b: Place) -> bool:
        """Check whether a visit to one sight includes a second one.

        The second sight may be a part of the first, or the same sight under a different name.
        """
        if a.place_id == b.place_id:
            return True
        if b.place_id in self.parents.get(a.place_id, ()) or a.place_id in self.parents.get(
            b.place_id, ()
        ):
            return True
        away = _metres(a, b)
        kind, other = self.base_types.get(a.place_id), self.base_types.get(b.place_id)
        alike = kind is not None and kind == other
        if away < _ONE_HOUSE_M and {kind, other} <= _HOUSES and {kind, other} & _MUSEUMS:
            return True
        if away < _PART_M and (alike or _same_end(a.name, b.name)):
            return True
        if away < _SAME_WORD_M and _same_word(a.name, b.name):
            return True
        return _names_agree(a.name, b.name) and away < _SAME_SIGHT_M


def renown_rows(tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Build the frame ``renown`` from a city's tables, with a row for each place."""
    pois = tables["pois"].select(COLUMNS["pois"])
    lines = tables["evidence"].select(COLUMNS["evidence"]).drop_nulls("source_line")
    rows = pois.join(lines, on="evidence_id", how="left").sort("poi_id").to_dicts()
    popularity = _popularity(rows)
    parents: dict[str, list[str]] = {}
    pairs = tables["poi_hierarchy"].select(COLUMNS["poi_hierarchy"])
    for child, parent in sorted(pairs.iter_rows()):
        parents.setdefault(child, []).append(parent)
    found: list[tuple[Any, ...]] = [
        (
            row["poi_id"], _points(row, popularity.get(row["poi_id"], 0)), row["base_type"],
            row["category"], row["rating"], parents.get(row["poi_id"], []),
        )
        for row in rows
    ]  # fmt: skip
    for name in ("restaurants", "hotels"):
        rated = tables[name].select(COLUMNS[name]).drop_nulls("rating")
        found += [(key, None, None, None, rating, []) for key, rating in rated.iter_rows()]
    return pl.DataFrame(sorted(found), ROWS, orient="row")


def renown_of(rows: pl.DataFrame) -> Renown:
    """Compute the renown of the places in a city from the frame ``renown``."""
    told = rows.to_dicts()
    return Renown(
        {row["place_id"]: row["points"] for row in told if row["points"] is not None},
        {row["place_id"]: row["base_type"] for row in told},
        {row["place_id"]: row["category"] for row in told},
        {row["place_id"]: frozenset(row["parents"]) for row in told if row["parents"]},
        {row["place_id"]: row["rating"] for row in told if row["rating"] is not None},
    )


def read_renown(snapshot: Snapshot, slug: str) -> Renown:
    """Read the renown of the places in a city from a snapshot."""
    return renown_of(renown_rows({name: snapshot.table(name, slug) for name in COLUMNS}))


def _popularity(rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Return points for how many documents name a place, and for the place's position in its source
    file.

    A place gets no points for an unknown number of documents or an unknown position.
    """
    named = [r for r in rows if r["n_documents"]]
    listed = [r for r in rows if r["source_line"] is not None]
    # Of equally many documents what a source lists comes before what none does.
    by_documents = sorted(
        named,
        key=lambda r: (
            -r["n_documents"], r["source_line"] is None, r["source_line"] or 0, r["poi_id"],
        ),
    )  # fmt: skip
    by_line = sorted(listed, key=lambda r: (r["source_line"], r["poi_id"]))
    points: dict[str, int] = {}
    for ranked in (by_documents, by_line):
        for rank, row in enumerate(ranked):
            share = 1 - math.log1p(rank) / math.log1p(max(len(rows), 1))
            points[row["poi_id"]] = points.get(row["poi_id"], 0) + round(_POPULAR / 2 * share)
    return points


def _points(row: Mapping[str, Any], popularity: int) -> int:
    rating = row["rating"]
    if rating is not None and rating >= _FULL_SCORE:
        rating = _COUNTS_AS
    rated = _UNRATED if rating is None else round((float(rating) - 4.0) * _RATED)
    return rated + popularity + _GRADES.get(str(row["grade"]), 0)


def _names_agree(a: str, b: str) -> bool:
    short, long = sorted((a, b), key=len)
    if len(short) >= 3 and short in long:
        return True
    common = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        common += 1
    return common >= 3 and common * 2 > len(short)


def _same_end(a: str, b: str) -> bool:
    """Check whether two short Chinese names have the same ending.

    Two lakes or two lanes close together belong to the same visit.
    """
    return max(len(a), len(b)) <= _SHORT_NAME and a[-1] == b[-1] and not a.isascii()


@cache
def _same_word(a: str, b: str) -> bool:
    """Check whether two Chinese names begin with the same distinctive word.

    The names of cities, and words with which many names begin, are not distinctive.
    """
    start = a[:2]
    if start != b[:2] or len(start) < 2 or start.isascii() or start in _COMMON_STARTS:
        return False
    return start not in _city_names()


@cache
def _city_names() -> frozenset[str]:
    return frozenset(city.name_zh or "" for city in large_cities("CN", _LARGE))


def _metres(a: Place, b: Place) -> float:
    if a.point is None or b.point is None:
        return math.inf
    return float(np.asarray(distance_m(*a.point, *b.point)))
