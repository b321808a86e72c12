"""Defines the result of comparing two places, and how far a part may be from its whole."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from geocoding import lexicon
from geocoding.lexicon import AREA, COMPOUND, PART, SPREAD_M
from geocoding.names import PlaceName

Relation = Literal["same", "different", "parent-of", "part-of"]


@dataclass(frozen=True)
class NameVerdict:
    """The relation between two names. ``score`` is the confidence in the label, from 0 to 1.

    ``parent-of`` means that the first place contains the second; ``part-of`` means the opposite. A
    ``guess`` is based only on kinds of place and distance, because the names are not conclusive.
    """

    label: Relation
    score: float
    why: str
    guess: bool = False

    def turn(self) -> NameVerdict:
        """Return the same verdict for the two names in the opposite order."""
        other: dict[Relation, Relation] = {"parent-of": "part-of", "part-of": "parent-of"}
        return replace(self, label=other.get(self.label, self.label))


def within(distance_m: float | None, limit_m: float) -> bool:
    """Check whether the distance is unknown or within the limit."""
    return distance_m is None or distance_m <= limit_m


def same_unless_far(
    a: PlaceName, b: PlaceName, distance_m: float | None, score: float, why: str
) -> NameVerdict:
    """Return ``same``, unless the places are farther apart than a place of their kind can
    extend.
    """
    limit = SPREAD_M[max(a.scale, b.scale)]
    if within(distance_m, limit):
        known = distance_m is not None
        return NameVerdict("same", min(0.99, score + 0.03) if known else score, why)
    return NameVerdict("different", 0.8, f"{why}, but {(distance_m or 0) / 1000:.1f} km apart")


def prefix_score(short: PlaceName, rest: str) -> float:
    """Return the confidence that a name means part of the place with whose name it begins."""
    found = lexicon.ending(rest)
    if any(lexicon.is_branch(bracket) for bracket in short.brackets) or rest[0] in "市县区省镇":
        return 0.62
    if found is None:
        return 0.85
    kind = found[1]
    if short.kind is None:
        return 0.6 if kind.scale >= COMPOUND else 0.85
    if kind.code in lexicon.PUBLIC and short.scale == AREA:
        return 0.7
    if kind.code in ("scenic", "resort") and short.scale < AREA:
        return 0.62
    return 0.65 if short.scale == PART and kind.code not in lexicon.SMALL_PARTS else 0.85


def prefix_reach(short: PlaceName, rest: str) -> float:
    """Return how far, in metres, a part may be from a sight if its name begins with the sight's
    name.
    """
    found = lexicon.ending(rest)
    if short.scale == AREA or (found and found[1].code in lexicon.SCATTERED):
        return max(8_000.0, runs(short.bare))
    if found and found[1].code == "branch":
        return 3_000.0
    return max(1_800.0, 2 * lexicon.HOLDS_M.get(short.kind.code if short.kind else "", 0.0))


def runs(name: str) -> float:
    """Return how far, in metres, a river, lake or mountain with this name extends; 0 for other
    places.
    """
    found = lexicon.ending(name)
    return lexicon.RUNS_M.get(found[1].code, 0.0) if found and len(name) >= 3 else 0.0
