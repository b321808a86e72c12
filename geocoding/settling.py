"""Chooses between places with the same name, for ``linking.decide``.

Places whose category contradicts the kind of place in the name are excluded. The module then
chooses the place that is closest to the document's other places, or that is beside another stop on
the same day. Popularity does not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from statistics import median

from geocoding import lexicon
from geocoding.names import PlaceName
from schemas.geo import distance_m

#: A document decides for a place if at least so many of its other places are known ...
LEAST_NEIGHBOURS = 2
#: ... at a median distance of at most this (metres), which is so many times as long to the rest.
AMONG_M, TIMES_FARTHER = 10_000.0, 3.0
#: ... and a stop of the same day decides if it is within a walk of the place and far from others.
WALK_M, FAR_M = 1_000.0, 3_000.0
#: Confidence (hundredths) of a name decided by its kind, its neighbours or other documents.
SETTLED_BY_KIND, SETTLED_BY_PLACE, SETTLED_BY_FORM = 82, 86, 82

Point = tuple[float, float]

_NATURE = lexicon.LANDSCAPE | lexicon.NATURAL | {"peak", "spring", "cave"}
_HOUSES = lexicon.PUBLIC | {"memorial", "exhibition", "aquarium"}
_WORSHIP = frozenset({"temple", "mosque", "church", "shrine"})
_LANES = frozenset({"street", "mall"})
#: Base types and categories that contradict each kind in a place's name.
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
    """Check whether any of these categories or base types contradicts the kind of place in the
    name.
    """
    return name.kind is not None and any(
        name.kind.code in kinds and types & excluded for kinds, excluded in _EXCLUDED
    )


def nearest_beside(
    points: Sequence[tuple[float, float]], rivals: Mapping[str, tuple[float, float]]
) -> str | None:
    """Return the rival within walking distance of one of the points if all other rivals are far
    away; otherwise, return None.

    ``rivals`` maps ids to latitude and longitude.
    """
    if not points or len(rivals) < 2:
        return None
    (first, chosen), (second, _), *_ = _rank(points, rivals, min)
    return chosen if first <= WALK_M and second >= FAR_M else None


def nearest_among(
    points: Sequence[tuple[float, float]], rivals: Mapping[str, tuple[float, float]]
) -> str | None:
    """Return the rival that is near most of the points and clearly nearer than the others, or None;
    ``rivals`` maps ids to positions.
    """
    if len(points) < LEAST_NEIGHBOURS or len(rivals) < 2:
        return None
    (first, chosen), (second, _), *_ = _rank(points, rivals, median)
    return chosen if first <= AMONG_M and second >= TIMES_FARTHER * first else None


def _rank(
    points: Sequence[Point], rivals: Mapping[str, Point], measure: Callable[[list[float]], float]
) -> list[tuple[float, str]]:
    """Return the rivals, nearest first, with a measure of how far they are from the points, in
    metres.
    """
    return sorted(
        (measure([float(distance_m(*rival, *point)) for point in points]), poi_id)
        for poi_id, rival in rivals.items()
    )
