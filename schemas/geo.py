"""Converts coordinates between WGS 84 and the two Chinese systems, and computes distances.

GCJ-02 shifts WGS 84 coordinates inside mainland China, and BD-09 shifts GCJ-02 coordinates once
more. The formulas have been public since 2010 (eviltransform). The inverse functions work by
iteration. Converting a point to another system and back moves the point by less than a metre.
Outside mainland China, all three systems are the same. Within a kilometre of the border, a pair of
coordinates can refer to two places, one on each side. The parameter ``mainland`` of ``to_wgs84``
selects the place on one side of the border.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from schemas.mainland import in_mainland

Datum = Literal["wgs84", "gcj02", "bd09"]

EARTH_RADIUS_M = 6_371_008.8
#: The semi-major axis and the squared eccentricity of the WGS 84 ellipsoid.
_WGS84_AXIS_M, _WGS84_E2 = 6_378_137.0, 6.69437999014e-3
_SEMI_MAJOR_M = 6_378_245.0
_ECCENTRICITY_SQUARED = 0.00669342162296594323
_BD_PI = math.pi * 3000.0 / 180.0


#: Cells of this resolution are about 1 km across.
H3_RESOLUTION = 8


def h3_cell(lat: float, lon: float) -> str:
    """Return the H3 cell at resolution 8 that contains a point."""
    # Imported here because few commands need cells.
    import h3

    return str(h3.latlng_to_cell(lat, lon, H3_RESOLUTION))


def _offset_deg(lat: float, lon: float) -> tuple[float, float]:
    x, y = lon - 105.0, lat - 35.0
    root = math.sqrt(abs(x))
    wave = (20.0 * math.sin(6.0 * x * math.pi) + 20.0 * math.sin(2.0 * x * math.pi)) * 2.0 / 3.0
    d_lat = -100.0 + 2.0 * x + 3.0 * y + 0.2 * y * y + 0.1 * x * y + 0.2 * root + wave
    d_lat += (20.0 * math.sin(y * math.pi) + 40.0 * math.sin(y / 3.0 * math.pi)) * 2.0 / 3.0
    d_lat += (160.0 * math.sin(y / 12.0 * math.pi) + 320 * math.sin(y * math.pi / 30.0)) * 2.0 / 3.0
    d_lon = 300.0 + x + 2.0 * y + 0.1 * x * x + 0.1 * x * y + 0.1 * root + wave
    d_lon += (20.0 * math.sin(x * math.pi) + 40.0 * math.sin(x / 3.0 * math.pi)) * 2.0 / 3.0
    d_lon += (
        (150.0 * math.sin(x / 12.0 * math.pi) + 300.0 * math.sin(x / 30.0 * math.pi)) * 2.0 / 3.0
    )
    rad = math.radians(lat)
    magic = 1 - _ECCENTRICITY_SQUARED * math.sin(rad) ** 2
    root_magic = math.sqrt(magic)
    d_lat = (
        d_lat
        * 180.0
        / ((_SEMI_MAJOR_M * (1 - _ECCENTRICITY_SQUARED)) / (magic * root_magic) * math.pi)
    )
    d_lon = d_lon * 180.0 / (_SEMI_MAJOR_M / root_magic * math.cos(rad) * math.pi)
    return d_lat, d_lon


def from_wgs84(lat: float, lon: float, datum: Datum) -> tuple[float, float]:
    """Convert WGS 84 coordinates in degrees to any of the three systems."""
    is_offset = datum != "wgs84" and in_mainland(lat, lon)
    return _offset(lat, lon, datum) if is_offset else (lat, lon)


def wgs84_to_gcj02(lat: float, lon: float) -> tuple[float, float]:
    """Convert WGS 84 coordinates in degrees to GCJ-02."""
    return from_wgs84(lat, lon, "gcj02")


def to_wgs84(lat: float, lon: float, datum: Datum, *, mainland: bool = True) -> tuple[float, float]:
    """Convert coordinates in any of the three systems to WGS 84, with an error below a centimetre.

    Set ``mainland`` to True if the place is in mainland China. ``mainland`` matters only near the
    border, where the coordinates can refer to a place on either side.
    """
    if datum == "wgs84" or not _may_be_offset(lat, lon):
        return lat, lon
    there = _without_offset(lat, lon, datum)
    is_offset, is_plain = in_mainland(*there), not in_mainland(lat, lon)
    if is_offset == is_plain:  # the numbers fit both sides, or neither
        return there if mainland else (lat, lon)
    return there if is_offset else (lat, lon)


def _may_be_offset(lat: float, lon: float) -> bool:
    """Check whether a point is in a box around mainland China, to avoid the slower exact test."""
    return 3.0 <= lat <= 54.5 and 73.0 <= lon <= 135.5


def _offset(lat: float, lon: float, datum: Datum) -> tuple[float, float]:
    d_lat, d_lon = _offset_deg(lat, lon)
    lat, lon = lat + d_lat, lon + d_lon
    if datum == "gcj02":
        return lat, lon
    z = math.hypot(lon, lat) + 0.00002 * math.sin(lat * _BD_PI)
    theta = math.atan2(lat, lon) + 0.000003 * math.cos(lon * _BD_PI)
    return z * math.sin(theta) + 0.006, z * math.cos(theta) + 0.0065


def _without_offset(lat: float, lon: float, datum: Datum) -> tuple[float, float]:
    guess_lat, guess_lon = lat, lon
    for _ in range(8):
        there_lat, there_lon = _offset(guess_lat, guess_lon, datum)
        guess_lat -= there_lat - lat
        guess_lon -= there_lon - lon
    return guess_lat, guess_lon


def distance_m(
    lat_a: ArrayLike, lon_a: ArrayLike, lat_b: ArrayLike, lon_b: ArrayLike
) -> NDArray[np.float64]:
    """Compute great-circle distances in metres (haversine). Arrays are broadcast as in numpy."""
    phi_a, phi_b = np.radians(np.asarray(lat_a, float)), np.radians(np.asarray(lat_b, float))
    d_phi = phi_b - phi_a
    d_lambda = np.radians(np.asarray(lon_b, float) - np.asarray(lon_a, float))
    h = np.sin(d_phi / 2) ** 2 + np.cos(phi_a) * np.cos(phi_b) * np.sin(d_lambda / 2) ** 2
    return np.asarray(2 * EARTH_RADIUS_M * np.arcsin(np.sqrt(np.clip(h, 0, 1))), dtype=np.float64)


def ellipsoid_xyz(lat: ArrayLike, lon: ArrayLike) -> NDArray[np.float64]:
    """Convert points on the WGS 84 ellipsoid to x, y and z in metres, as an array (n, 3)."""
    phi, lam = np.radians(np.asarray(lat, float)), np.radians(np.asarray(lon, float))
    sine = np.sin(phi)
    normal = _WGS84_AXIS_M / np.sqrt(1 - _WGS84_E2 * sine**2)
    return np.stack(
        [
            normal * np.cos(phi) * np.cos(lam),
            normal * np.cos(phi) * np.sin(lam),
            normal * (1 - _WGS84_E2) * sine,
        ],
        axis=-1,
    )


def arc_m(chord_m: ArrayLike) -> NDArray[np.float64]:
    """Convert a straight distance through the earth to the distance along its surface (metres)."""
    half = np.clip(np.asarray(chord_m, float) / (2 * EARTH_RADIUS_M), 0, 1)
    return np.asarray(2 * EARTH_RADIUS_M * np.arcsin(half), dtype=np.float64)


def chord_m(arc: float) -> float:
    """Convert a distance along the earth's surface to the straight distance through it (metres)."""
    return 2 * EARTH_RADIUS_M * math.sin(min(arc / (2 * EARTH_RADIUS_M), math.pi / 2))


def geodesic_m(lat_a: float, lon_a: float, lat_b: float, lon_b: float) -> float:
    """Compute the distance in metres between two points on the WGS 84 ellipsoid.

    The straight distance is exact and is converted to an arc on a sphere. The error is at most 1 mm
    up to 50 km and a few metres at 1,000 km (see the tests). A distance computed on a sphere alone
    would have an error of up to 0.3 %.
    """
    ends = []
    for lat, lon in ((lat_a, lon_a), (lat_b, lon_b)):
        phi, lam = math.radians(lat), math.radians(lon)
        normal = _WGS84_AXIS_M / math.sqrt(1 - _WGS84_E2 * math.sin(phi) ** 2)
        ends.append(
            (
                normal * math.cos(phi) * math.cos(lam),
                normal * math.cos(phi) * math.sin(lam),
                normal * (1 - _WGS84_E2) * math.sin(phi),
            )
        )
    half = min(math.dist(*ends) / (2 * EARTH_RADIUS_M), 1.0)
    return 2 * EARTH_RADIUS_M * math.asin(half)
