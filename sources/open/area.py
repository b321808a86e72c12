"""Define a city's area by bounding boxes and, if known, by the city's boundary.

The boundary is chosen from several shapes that contain the city's centre.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry import mapping

from schemas.cities import City
from schemas.place_names import without_suffix
from sources.open.errors import OpenDataError

#: Largest width and height of a city's bounding box in degrees.
WIDEST_DEG = 4.0
#: Boundaries are searched for within this distance of the centre, in degrees.
NEAR_DEG = 0.01
#: Smallest and largest area of a city in square degrees. A smaller shape with the city's name is a
#: district, and a larger one is a region.
_LEAST_DEG2, _MOST_DEG2 = 0.0004, 16.0


@dataclass(frozen=True, order=True)
class Box:
    """A bounding box in degrees (WGS 84) that does not cross the antimeridian."""

    west: float
    south: float
    east: float
    north: float

    def holds(self, lat: NDArray[np.float64], lon: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Check for each point whether it is inside the box or on the edge of the box."""
        is_between = (lon >= self.west) & (lon <= self.east)
        return is_between & (lat >= self.south) & (lat <= self.north)

    def meets(self, west: float, south: float, east: float, north: float) -> bool:
        """Check whether another box has a point in common with this box."""
        return (
            west <= self.east and east >= self.west and south <= self.north and north >= self.south
        )

    def halves(self) -> tuple[Box, Box]:
        """Cut the box into two halves across the longer side."""
        middle_lat, middle_lon = (self.south + self.north) / 2, (self.west + self.east) / 2
        width = (self.east - self.west) * math.cos(math.radians(middle_lat))
        if width > self.north - self.south:
            return (
                Box(self.west, self.south, middle_lon, self.north),
                Box(middle_lon, self.south, self.east, self.north),
            )
        return (
            Box(self.west, self.south, self.east, middle_lat),
            Box(self.west, middle_lat, self.east, self.north),
        )

    def row(self) -> list[float]:
        """Return west, south, east and north as a list."""
        return [self.west, self.south, self.east, self.north]


def boxes_of(text: str) -> tuple[Box, ...]:
    """Read a box in the form ``W,S,E,N``; a box that crosses the antimeridian is cut in two.

    Raises OpenDataError if the text is not a box, or if the box is too large for a city.
    """
    parts = text.split(",")
    try:
        west, south, east, north = (float(part) for part in parts)
    except ValueError:
        raise OpenDataError(
            f"--bbox {text!r}: give four numbers W,S,E,N in degrees, such as "
            "-9.23,38.69,-9.09,38.80"
        ) from None
    if not (-180 <= west <= 180 and -180 <= east <= 180 and -90 <= south < north <= 90):
        raise OpenDataError(
            f"--bbox {text!r}: this is not a valid box: give longitudes from -180 to 180 and "
            "latitudes from -90 to 90, in the order west, south, east, north"
        )
    boxes = _cut_box(west, south, east, north)
    width = sum(box.east - box.west for box in boxes)
    if not 0 < width <= WIDEST_DEG or north - south > WIDEST_DEG:
        raise OpenDataError(
            f"--bbox {text!r} is {width:g} by {north - south:g} degrees: a city's bounding box"
            f" must not be empty, and may be at most {WIDEST_DEG:g} by {WIDEST_DEG:g} degrees"
        )
    return boxes


def _cut_box(west: float, south: float, east: float, north: float) -> tuple[Box, ...]:
    if west <= east:
        return (Box(west, south, east, north),)
    return (Box(west, south, 180.0, north), Box(-180.0, south, east, north))


@dataclass(frozen=True)
class Boundary:
    """The shape of a city, with the source and licence of the shape."""

    shape: shapely.Geometry
    name: str
    source_id: str
    source: str
    licence: str
    date: str | None = None

    def boxes(self) -> tuple[Box, ...]:
        """Return the bounding box, or two boxes if the city extends across the antimeridian."""
        west, south, east, north = shapely.bounds(self.shape).tolist()
        if east - west <= 180:
            return (Box(west, south, east, north),)
        sides: dict[bool, list[shapely.Geometry]] = {True: [], False: []}
        for part in shapely.get_parts(self.shape):
            sides[shapely.bounds(part)[0] >= 0].append(part)
        return tuple(
            Box(*shapely.total_bounds(side).tolist()) for _, side in sorted(sides.items()) if side
        )

    def feature(self) -> dict[str, Any]:
        """Return the boundary as a GeoJSON feature."""
        told = {"name": self.name, "id": self.source_id, "source": self.source,
                "licence": self.licence, "date": self.date}  # fmt: skip
        return {"type": "Feature", "properties": told, "geometry": mapping(self.shape)}


@dataclass(frozen=True)
class Area:
    """The area for which a city's data is requested: boxes and, if known, the boundary."""

    city: City
    boxes: tuple[Box, ...]
    boundary: Boundary | None = field(default=None, compare=False)

    @cached_property
    def _shape(self) -> shapely.Geometry | None:
        if self.boundary is None:
            return None
        shapely.prepare(self.boundary.shape)
        return self.boundary.shape

    def holds(self, lat: NDArray[np.float64], lon: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Check for each point whether it is inside the boundary or, if there is none, inside a
        box.
        """
        if self._shape is not None:
            return np.asarray(shapely.intersects_xy(self._shape, lon, lat), dtype=np.bool_)
        in_boxes = [box.holds(lat, lon) for box in self.boxes]
        return np.asarray(np.any(in_boxes, axis=0), dtype=np.bool_)


@dataclass(frozen=True)
class BoundaryCandidate:
    """A shape with its names; ``level`` is higher for smaller units, and 0 if unknown."""

    source_id: str
    names: Sequence[str]
    shape: shapely.Geometry
    level: int = 0


def choose_boundary(
    candidates: Iterable[BoundaryCandidate], city: City
) -> BoundaryCandidate | None:
    """Return the most specific shape that contains the city's centre and has one of its names.

    If two shapes have the same level, the smaller one is used, because a county or region may share
    the city's name.
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
