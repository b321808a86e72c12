"""One name, several places: what the other places of its documents and its kind say of it.

Names that several known places answer to are settled by evidence, in this order: places whose
category cannot be what the name says are out; of the others the one that lies among the other
places of every document that says anything; else a person decides, who is shown them in the
order of their popularity (grade, then documents). Popularity alone decides nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from statistics import median
from typing import Any

import polars as pl

from geocoding import lexicon
from geocoding.names import PlaceName
from geocoding.places import Places
from geocoding.records import standard_name
from schemas.geo import distance_m

#: A document speaks for a place when at least so many of its other places are known ...
LEAST_NEIGHBOURS = 2
#: ... whose median distance to it is at most this (metres), and so many times as far from the rest.
AMONG_M, TIMES_FARTHER = 10_000.0, 3.0
#: Confidence of a name that its kind or its neighbours settle.
SETTLED_BY_KIND, SETTLED_BY_PLACE = 0.82, 0.86

_NATURE = lexicon.LANDSCAPE | lexicon.NATURAL | {"peak", "spring", "cave"}
_HOUSES = lexicon.PUBLIC | {"memorial", "exhibition", "aquarium"}
_WORSHIP = frozenset({"temple", "mosque", "church", "shrine"})
_LANES = frozenset({"street", "mall"})
#: Base types and categories that a place cannot have when its name says the kind.
_EXCLUDED: tuple[tuple[frozenset[str], frozenset[str]], ...] = (
    (frozenset(_NATURE), frozenset({
        "museum_memorial", "university_campus", "art_gallery", "library", "commercial_district",
        "art_technology",
    })),
    (frozenset(_HOUSES), frozenset({"natural_scenery", "commercial_district", "natural_landscape"})),
    (_WORSHIP, frozenset({
        "amusement_sports", "commercial_district", "university_campus", "library", "art_gallery",
        "art_technology",
    })),
    (_LANES, frozenset({"natural_scenery", "museum_memorial", "university_campus", "natural_landscape"})),
)  # fmt: skip


def is_excluded(name: PlaceName, types: Set[str]) -> bool:
    """Whether a place of this category and base type cannot be what the name says."""
    return name.kind is not None and any(
        name.kind.code in kinds and types & excluded for kinds, excluded in _EXCLUDED
    )


@dataclass(frozen=True)
class Settled:
    """What became of an ambiguous name: its place or none, confidence and reason."""

    poi_id: str | None
    score: float
    why: str


class Evidence:
    """What documents and tables say beside a name."""

    def __init__(self, names: pl.DataFrame, linked: Mapping[str, str], places: Places) -> None:
        """``linked`` holds the place of every name that needed no settling."""
        self._rows = {row["poi_id"]: row for row in places.pois.iter_rows(named=True)}
        self._documents: dict[str, set[str]] = defaultdict(set)
        self._neighbours: dict[str, set[str]] = defaultdict(set)
        for name, doc_id in names.select("name", "doc_id").iter_rows():
            self._documents[name].add(doc_id)
            if name in linked:
                self._neighbours[doc_id].add(linked[name])
        self._named_in: dict[str, int] = defaultdict(int)
        for found in self._neighbours.values():
            for poi_id in found:
                self._named_in[poi_id] += 1

    def settle(self, name: PlaceName, rivals: Sequence[str], score: float, why: str) -> Settled:
        """The one place among the rivals that the evidence names, or none."""
        left = [poi_id for poi_id in rivals if not self._is_excluded(name, poi_id)]
        if len(left) == 1:
            return Settled(left[0], SETTLED_BY_KIND, f"{why}; only one is of its kind")
        ranked = sorted(left or rivals, key=self._rank)
        chosen = self._among(name.raw, ranked)
        if chosen is not None:
            told = f"{why}; it lies among the other places of its documents"
            return Settled(chosen, SETTLED_BY_PLACE, told)
        shown = ", ".join(self._shown(poi_id) for poi_id in ranked[:5])
        return Settled(None, score, f"{why}: {shown}")

    def _is_excluded(self, name: PlaceName, poi_id: str) -> bool:
        """Whether a place's category or type cannot be what the name says."""
        row = self._rows[poi_id]
        return is_excluded(name, {row["base_type"], row["category"]} - {None})

    def _among(self, raw: str, rivals: Sequence[str]) -> str | None:
        """The rival that every document which says anything speaks for."""
        spoken = {self._spoken(doc_id, rivals) for doc_id in self._documents[raw]} - {None}
        return next(iter(spoken)) if len(spoken) == 1 else None

    def _spoken(self, doc_id: str, rivals: Sequence[str]) -> str | None:
        """The rival that lies among a document's other places, if the others clearly do not."""
        near = [self._rows[p] for p in sorted(self._neighbours[doc_id] - set(rivals))]
        points = [(row["lat"], row["lon"]) for row in near if row["lat"] is not None]
        if len(points) < LEAST_NEIGHBOURS:
            return None
        away = []
        for poi_id in rivals:
            row = self._rows[poi_id]
            if row["lat"] is None:
                return None
            metres = [float(distance_m(row["lat"], row["lon"], *point)) for point in points]
            away.append((median(metres), poi_id))
        (first, chosen), (second, _), *_ = sorted(away)
        return chosen if first <= AMONG_M and second >= TIMES_FARTHER * first else None

    def _rank(self, poi_id: str) -> tuple[int, int, str]:
        """Order of popularity: the grade, the documents that name it otherwise, the id."""
        grade = self._rows[poi_id]["grade"] or ""
        return (-len(grade), -self._named_in[poi_id], poi_id)

    def _shown(self, poi_id: str) -> str:
        row: Mapping[str, Any] = self._rows[poi_id]
        return f"{standard_name(row)} ({poi_id})"
