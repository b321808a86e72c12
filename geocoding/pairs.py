"""Are two names one place, two places, or a place and its part? Scored, with the reason.

The one scorer behind pair lists, deduplication, hierarchy and resolution. It knows names,
kinds of place and a distance; it knows no single place.
"""

from __future__ import annotations

from geocoding.chinese import compare_chinese
from geocoding.foreign import compare_latin, compare_translated
from geocoding.names import PlaceName
from geocoding.verdicts import Verdict

__all__ = ["Verdict", "compare"]


def compare(a: PlaceName, b: PlaceName, distance_m: float | None = None) -> Verdict:
    """Verdict on two names in one city; the distance is None where a coordinate is missing."""
    if a.lang == "zh" and b.lang == "zh":
        return compare_chinese(a, b, distance_m)
    if a.lang == "zh":
        return compare_translated(a, b, distance_m)
    if b.lang == "zh":
        return compare_translated(b, a, distance_m).turned()
    return compare_latin(a, b, distance_m)
