"""Scores whether two names mean the same place, different places, or a place and its part, and
gives a reason.

Pair lists, deduplication, the hierarchy and resolution all use this scorer. The scorer uses names,
kinds of place and distances, but no knowledge of particular places.
"""

from __future__ import annotations

from dataclasses import replace

from geocoding.chinese import compare_chinese, is_container
from geocoding.dictionary import read_known_names
from geocoding.foreign import compare_latin, compare_translated
from geocoding.names import PlaceName
from geocoding.verdicts import NameVerdict, same_unless_far, within

__all__ = ["NameVerdict", "compare"]

#: A part in a dictionary is accepted up to this distance (metres).
_KNOWN_PART_WITHIN_M = 5_000.0
#: A verdict by kinds and distance alone has at most this confidence.
_GUESS = 0.5


def compare(a: PlaceName, b: PlaceName, distance_m: float | None = None) -> NameVerdict:
    """Return the verdict on two names in one city; the distance is None if a coordinate is
    missing.
    """
    verdict = _by_rule(a, b, distance_m)
    if verdict.label == "different":
        verdict = _by_other_name(a, b, distance_m) or verdict
    if verdict.label == "same":
        return verdict
    known = read_known_names()
    if known.is_same(a, b):
        return same_unless_far(a, b, distance_m, 0.9, "a dictionary gives both names to one place")
    if verdict.label == "different" and within(distance_m, _KNOWN_PART_WITHIN_M):
        if known.holds(a, b):
            return NameVerdict("parent-of", 0.8, "a dictionary says that it lies there")
        if known.holds(b, a):
            return NameVerdict("part-of", 0.8, "a dictionary says that it lies there")
    return verdict


def _by_other_name(a: PlaceName, b: PlaceName, distance_m: float | None) -> NameVerdict | None:
    """Compare the names again, replacing one of them with the other name in its brackets."""
    for one, two, turned in ((a, b, False), (b, a, True)):
        if one.inner is None or two.brackets or is_container(one, one.inner):
            continue
        verdict = _by_rule(one.inner, two, distance_m)
        if verdict.label != "different" and verdict.score > _GUESS:
            weaker = replace(verdict, score=verdict.score - 0.05, why=f"{verdict.why}, in brackets")
            return weaker.turn() if turned else weaker
    return None


def _by_rule(a: PlaceName, b: PlaceName, distance_m: float | None) -> NameVerdict:
    if a.lang == "zh" and b.lang == "zh":
        return compare_chinese(a, b, distance_m)
    if a.lang == "zh":
        return compare_translated(a, b, distance_m)
    if b.lang == "zh":
        return compare_translated(b, a, distance_m).turn()
    return compare_latin(a, b, distance_m)
