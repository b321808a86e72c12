"""Which verdicts on pairs are doubtful, and what an answer about such a pair may change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from geocoding.match import PairLabel, is_second_whole, read_pair
from geocoding.pairs import compare
from geocoding.verdicts import same_unless_far

Said = Literal["same", "part", "different"]

#: A verdict of at least this confidence is not asked about; one by an answer has it.
SURE = 0.9


def is_doubtful(label: PairLabel) -> bool:
    """Whether more knowledge than the rules have may change a verdict."""
    return label["score"] < SURE


def take_answer(row: Mapping[str, str], said: Said, why: str) -> PairLabel | None:
    """The verdict that an answer gives; None where the points contradict it.

    An answer does not say which of two is the whole: the rules do, else it is the first, as asked.
    """
    a, b, distance = read_pair(row)
    if said == "same" and same_unless_far(a, b, distance, SURE, why).label != "same":
        return None
    if said != "part":
        return {"label": said, "score": SURE, "why": why}
    turned = is_second_whole(compare(a, b, distance))
    return {"label": "different" if turned else "parent-of", "score": SURE, "why": why}
