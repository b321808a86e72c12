"""Choose the shape that is the city's boundary among several around its centre."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import shapely

from schemas.cities import City
from schemas.place_names import without_suffix

#: How far from the centre a shape is looked for, degrees.
NEAR_DEG = 0.01
#: A shape of less than this is a quarter of the city's name; of more, a region (square degrees).
_LEAST_DEG2, _MOST_DEG2 = 0.0004, 16.0


@dataclass(frozen=True)
class BoundaryCandidate:
    """A shape with its names; ``level`` grows from countries to quarters where it is told."""

    source_id: str
    names: Sequence[str]
    shape: shapely.Geometry
    level: int = 0


def choose_boundary(
    candidates: Iterable[BoundaryCandidate], city: City
) -> BoundaryCandidate | None:
    """The most specific shape that holds the city's centre and bears one of its names.

    Of two of one level the smaller is meant: a city lies in a county or region of its name.
    """
    wanted = {_plain(name) for name in (*city.names, city.name_en, city.name_zh or "")} - {""}
    centre = shapely.Point(city.lon, city.lat)
    found = []
    for one in candidates:
        if shapely.get_type_id(one.shape) not in (3, 6) or shapely.is_empty(one.shape):
            continue
        shape = one.shape if shapely.is_valid(one.shape) else shapely.make_valid(one.shape)
        area = float(shapely.area(shape))
        is_named = bool(wanted & {_plain(name) for name in one.names})
        if is_named and _LEAST_DEG2 <= area <= _MOST_DEG2 and shapely.intersects(shape, centre):
            found.append(
                (
                    -one.level,
                    area,
                    one.source_id,
                    BoundaryCandidate(one.source_id, one.names, shape),
                )
            )
    return min(found, key=lambda entry: entry[:3])[3] if found else None


def _plain(name: str) -> str:
    return without_suffix(name.strip()).casefold()
