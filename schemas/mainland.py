"""Checks whether a point is in mainland China, where maps are shifted relative to WGS 84."""

from __future__ import annotations

import math
from functools import cache

from schemas.word_lists import Lists

#: ISO 3166-1 code of mainland China. Hong Kong (HK), Macau (MO) and Taiwan (TW) have other codes.
MAINLAND = "CN"
#: Number of bands of latitude per degree. A search goes through all edges of one band.
_BANDS = 20
Edge = tuple[float, float, float, float]


def in_mainland(lat: float, lon: float) -> bool:
    """Check whether a point (WGS 84 degrees) is in mainland China or its territorial sea.

    Hong Kong, Macau and Taiwan do not count as mainland China. The border is accurate to about 80 m
    near towns and to 1 km elsewhere (``lists/mainland_china.tsv``). The test counts the border's
    edges east of the point (even-odd rule).
    """
    inside = False
    band = int(lat * _BANDS // 1) if math.isfinite(lat) else None
    for lat_a, lon_a, lat_b, lon_b in _edges().get(band, ()):
        if (lat_a > lat) != (lat_b > lat):
            inside ^= lon < lon_a + (lat - lat_a) / (lat_b - lat_a) * (lon_b - lon_a)
    return inside


@cache
def _edges() -> dict[int | None, list[Edge]]:
    """Return the edges of the border, grouped by the bands of latitude that they touch."""
    found: dict[int | None, list[Edge]] = {}
    for _, text in Lists("schemas").table("mainland_china"):
        pairs = (point.split(",") for point in text.split())
        ring = [(int(lat) / 10_000, int(lon) / 10_000) for lat, lon in pairs]
        for one, two in zip(ring, [*ring[1:], ring[0]], strict=True):
            low, high = sorted((one[0], two[0]))
            for band in range(int(low * _BANDS // 1), int(high * _BANDS // 1) + 1):
                found.setdefault(band, []).append((*one, *two))
    return found
