"""The result of a comparison of two places."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from geocoding.lexicon import SPREAD_M
from geocoding.names import PlaceName

Relation = Literal["same", "different", "parent-of", "part-of"]


@dataclass(frozen=True)
class NameVerdict:
    """What two names are to each other. ``score`` is the confidence in the label, 0 to 1.

    ``parent-of``: the first contains the second; ``part-of``: the other way round. A ``guess``
    rests on kinds of place and distance at most: the names say nothing.
    """

    label: Relation
    score: float
    why: str
    guess: bool = False

    def turn(self) -> NameVerdict:
        """The verdict for the two names in the other order."""
        other: dict[Relation, Relation] = {"parent-of": "part-of", "part-of": "parent-of"}
        return replace(self, label=other.get(self.label, self.label))


def within(distance_m: float | None, limit_m: float) -> bool:
    """Whether the distance is unknown or at most the limit."""
    return distance_m is None or distance_m <= limit_m


def same_unless_far(
    a: PlaceName, b: PlaceName, distance_m: float | None, score: float, why: str
) -> NameVerdict:
    """``same``, unless the places lie further apart than their kind can spread."""
    limit = SPREAD_M[max(a.scale, b.scale)]
    if within(distance_m, limit):
        known = distance_m is not None
        return NameVerdict("same", min(0.99, score + 0.03) if known else score, why)
    return NameVerdict("different", 0.8, f"{why}, but {(distance_m or 0) / 1000:.1f} km apart")
