"""Chooses between several places of one name, by its kind and the other places of the document.

Places whose category cannot be what the name says are out; of the others the one that lies among
the other places of the document is meant; else a person decides. Popularity decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from statistics import median

from geocoding import lexicon
from geocoding.names import PlaceName
from schemas.geo import distance_m

#: A document speaks for a place when at least so many of its other places are known ...
LEAST_NEIGHBOURS = 2
#: ... whose median distance to it is at most this (metres), and so many times as far from the rest.
AMONG_M, TIMES_FARTHER = 10_000.0, 3.0
#: ... and a stop of the same day, when it is a walk away from the place and far from the others.
WALK_M, FAR_M = 1_000.0, 3_000.0
#: Confidence of a name that its kind, its neighbours or other documents settle, in hundredths.
SETTLED_BY_KIND, SETTLED_BY_PLACE, SETTLED_BY_FORM = 82, 86, 82

Point = tuple[float, float]

_NATURE = lexicon.LANDSCAPE | lexicon.NATURAL | {"peak", "spring", "cave"}
_HOUSES = lexicon.PUBLIC | {"memorial", "exhibition", "aquarium"}
_WORSHIP = frozenset({"temple", "mosque", "church", "shrine"})
_LANES = frozenset({"street", "mall"})
#: Base types and categories that a place cannot have when its name says the kind.
_EXCLUDED: tuple[tuple[frozenset[str], frozenset[str]], ...] = (
    (
        frozenset(_NATURE),
        frozenset(
            {
                "museum_memorial",
                "university_campus",
                "art_gallery",
                "library",
                "commercial_district",
                "art_technology",
            }
        ),
    ),
    (
        frozenset(_HOUSES),
        frozenset({"natural_scenery", "commercial_district", "natural_landscape"}),
    ),
    (
        _WORSHIP,
        frozenset(
            {
                "amusement_sports",
                "commercial_district",
                "university_campus",
                "library",
                "art_gallery",
                "art_technology",
            }
        ),
    ),
    (
        _LANES,
        frozenset({"natural_scenery", "museum_memorial", "university_campus", "natural_landscape"}),
    ),
)


def is_excluded(name: PlaceName, types: Set[str]) -> bool:
    """Whether a place of this category and base type cannot be what the name says."""
    return name.kind is not None and any(
        name.kind.code in kinds and types & excluded for kinds, excluded in _EXCLUDED
    )


def nearest_beside(
    points: Sequence[tuple[float, float]], rivals: Mapping[str, tuple[float, float]]
) -> str | None:
    """The rival (latitude, longitude by id) that alone is a walk from one of the points; None for
    none.
    """
    if not points or len(rivals) < 2:
        return None
    (first, chosen), (second, _), *_ = _rank(points, rivals, min)
    return chosen if first <= WALK_M and second >= FAR_M else None


def nearest_among(
    points: Sequence[tuple[float, float]], rivals: Mapping[str, tuple[float, float]]
) -> str | None:
    """The rival (latitude, longitude by id) that clearly lies among the points; None for none."""
    if len(points) < LEAST_NEIGHBOURS or len(rivals) < 2:
        return None
    (first, chosen), (second, _), *_ = _rank(points, rivals, median)
    return chosen if first <= AMONG_M and second >= TIMES_FARTHER * first else None


def _rank(
    points: Sequence[Point], rivals: Mapping[str, Point], measure: Callable[[list[float]], float]
) -> list[tuple[float, str]]:
    """Rivals with a measure of their distances to the points (metres), the nearest first."""
    return sorted(
        (measure([float(distance_m(*rival, *point)) for point in points]), poi_id)
        for poi_id, rival in rivals.items()
    )
