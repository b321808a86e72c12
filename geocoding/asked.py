"""Judge a listed pair of names also by its order: the whole comes first, the part second.

Only ``tripbed match`` uses this; deduplication and resolution compare names alone.

Where names say nothing, kinds, distance and likeness of the names tell how likely it is that the
first contains the second: a logistic model with few features, whose weights are fitted on labelled
pairs (``python -m benchmarks.pair_weights``). Blocking offers mostly neighbours that have nothing
to do with each other, so deduplication does not ask it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from geocoding import lexicon
from geocoding.lexicon import AREA, BUILDING, COMPOUND, PART, REACH_M
from geocoding.names import PlaceName
from geocoding.rewording import common_piece
from geocoding.verdicts import NameVerdict
from schemas.word_lists import Lists

#: Weight of each feature in log odds, and that of two places without any.
WEIGHTS = Lists("geocoding").weights("containment_weights")
BIAS = WEIGHTS.pop("(bias)")
#: What a feature is called where it decides.
_TOLD = {
    "first_area": "the first is an area", "first_compound": "the first is a compound",
    "first_unknown": "no kind in the first name", "first_smaller": "the first is of a smaller kind",
    "second_unknown": "no kind in the second name", "one_kind": "of one kind",
    "holds_others": "such places hold others", "beyond": "distance beyond reach",
    "nearness": "distance", "named_after": "the second has the name of the first",
    "one_beginning": "one beginning", "one_piece": "one piece of a name",
    "second_branch": "the second is a branch or boat",
}  # fmt: skip
#: Distances below this (metres) count as this, in the logarithm.
_NEAREST_M = 30.0
#: No further than this (metres) and ten times its reach holds a place another one.
_NEVER_BEYOND_M = 3_000.0
#: Powers of ten by which a distance goes beyond the reach, at most.
_MOST_REACH = 1.0
#: So close (metres) a smaller kind of place is a part whatever else is weighed.
_AT_ITS_POINT_M = 40.0
#: Confidence that a second name from which the first goes on is its short form.
_SHORT_NAME = 0.65
#: From this reach (metres) a kind holds gates, halls and bridges of its own.
_HOLDS_PARTS_M = 150.0
#: Kinds that a sight of another kind may be called in full: its area, museum or park.
_NAMED_FOR = frozenset({"scenic", "resort", "museum", "memorial", "park"})
#: Parts of the landscape about a building.
_OUTSIDE = frozenset({"peak", "cave", "spring", "causeway", "bridge", "trail"})
#: Shares of other names, and of other places, that the names alone take for the same place:
#: pairs with one point of samples five to seven at first sight, and of the lists.
_FOUND, _MISTAKEN = 0.65, 0.03
#: A list counts as so many pairs more, of which this share is found to be the same.
_DOUBT, _USUAL = 8.0, 0.25
#: No list makes it surer than this that its pairs ask of other names.
_SUREST = 0.98
#: So sure a pair whose names say nothing has to be.
_ENOUGH = 0.55


def evidence(a: PlaceName, b: PlaceName, distance_m: float) -> dict[str, float]:
    """Features of the statement that ``a`` holds ``b``; 0 or 1, distances as logarithms."""
    code_a, code_b = a.kind and a.kind.code, b.kind and b.kind.code
    reach = lexicon.HOLDS_M.get(a.house.code if a.house else "", REACH_M[a.scale] / 3)
    named = len(a.core) >= 2 and b.bare.startswith(a.core) and lexicon.is_loose(a.ending, a.kind)
    named = named and not (a.city and a.city == a.core)
    spread = math.log10((distance_m + _NEAREST_M) / max(_NEAREST_M, reach))
    return {
        "first_area": float(a.scale == AREA),
        "first_compound": float(a.scale == COMPOUND and a.kind is not None),
        "first_unknown": float(a.kind is None),
        "first_smaller": float(None not in (a.kind, b.kind) and a.scale < b.scale),
        "second_unknown": float(b.kind is None),
        "one_kind": float(code_a is not None and code_a == code_b),
        "holds_others": float(code_a in lexicon.HOLDS_M),
        "beyond": max(0.0, min(_MOST_REACH, spread)),
        "nearness": math.log10(distance_m + _NEAREST_M),
        "named_after": float(named),
        "one_beginning": float(not named and a.bare[:2] == b.bare[:2]),
        "one_piece": float(
            not named and len(common_piece(a.core or a.bare, b.core or b.bare)) >= 2
        ),
        "second_branch": float(
            code_b in ("branch", "boat") or any(map(lexicon.is_branch, b.brackets))
        ),
    }


def weigh_pair(a: PlaceName, b: PlaceName, distance_m: float) -> NameVerdict:
    """``parent-of`` or ``different``, with the two features that speak most for it."""
    features = evidence(a, b, distance_m)
    if features["beyond"] >= _MOST_REACH and distance_m > _NEVER_BEYOND_M:
        why = f"unlike names, {distance_m / 1000:.1f} km apart: beyond reach"
        return NameVerdict("different", 0.9, why, guess=True)
    parts = {name: WEIGHTS[name] * x for name, x in features.items()}
    share = 1 / (1 + math.exp(-BIAS - sum(parts.values())))
    holds = share > 0.5
    ranked = sorted(parts, key=lambda name: (-parts[name] if holds else parts[name], name))
    told = ", ".join(_TOLD[name] for name in ranked[:2])
    why = f"unlike names, {distance_m:.0f} m apart: {told}"
    return NameVerdict(
        "parent-of" if holds else "different", max(share, 1 - share), why, guess=True
    )


@dataclass(frozen=True)
class AskedPair:
    """One pair of a list. ``one_point``: two Chinese names in one city, one with coordinates."""

    verdict: NameVerdict
    one_point: bool


def as_asked(
    a: PlaceName, b: PlaceName, distance_m: float | None, verdict: NameVerdict
) -> NameVerdict:
    """The verdict on a pair that somebody wrote down, the whole first.

    Where names say nothing, kinds and distance are weighed. A second name that the first goes
    on from, without a point of its own, is the first one's short name.
    """
    if distance_m is not None:
        open_ = verdict.guess and a.lang == b.lang == "zh"
        if not open_ or (verdict.label == "parent-of" and distance_m <= _AT_ITS_POINT_M):
            return verdict
        return weigh_pair(a, b, distance_m)
    if verdict.label == "different" and _is_in_area(a, b):
        return NameVerdict("parent-of", 0.5, "a smaller sight asked of an area", guess=True)
    if verdict.label == "different" and verdict.guess and _is_part(a, b):
        return NameVerdict("parent-of", 0.5, "a part asked of what has such parts", guess=True)
    is_branch = bool(a.brackets) and not b.brackets and a.bare == b.bare and a.tail == b.tail
    is_short = verdict.label == "part-of" and not a.tail and not _is_thing_of(a, b)
    if is_short or (verdict.label == "different" and is_branch):
        return NameVerdict("same", _SHORT_NAME, f"{verdict.why}; short for it")
    return verdict


def _is_thing_of(a: PlaceName, b: PlaceName) -> bool:
    """Whether the first, which goes on from the second, is something of its own there: a part of
    it, a branch, a museum in a hotel or street; or is no longer a name than the second.
    """
    is_no_longer = a.lang == b.lang == "zh" and len(a.bare) <= len(b.bare)
    if is_no_longer or any(map(lexicon.is_branch, a.brackets)):
        return True
    if a.kind is None or a.brackets or (b.kind is not None and b.kind.scale == PART):
        return False
    if b.kind is not None and a.kind.code not in _NAMED_FOR and a.kind is not b.kind:
        return True
    in_it = b.kind is not None and b.kind.code in lexicon.HOLDS_MUSEUM and a.kind.code == "museum"
    return in_it or (a.kind.scale == PART and a.kind.code != "branch")


def _is_in_area(a: PlaceName, b: PlaceName) -> bool:
    """Whether the first is named as a scenic area and the second a sight of a smaller kind."""
    is_area = a.kind is not None and a.kind.code in ("scenic", "resort")
    return is_area and not a.tail and b.kind is not None and b.scale < AREA


def _is_part(a: PlaceName, b: PlaceName) -> bool:
    """Whether the first is of a kind that holds sights of the second's smaller kind.

    An area holds all that is smaller, a park or palace its gates, halls and bridges, and a
    temple those of them that are built.
    """
    if a.lang == b.lang == "zh" or a.kind is None or b.kind is None or a.scale <= b.scale:
        return False
    if lexicon.HOLDS_M.get(a.kind.code, 0.0) < _HOLDS_PARTS_M:
        return False
    return a.scale == AREA or (
        b.scale == PART and (a.scale > BUILDING or b.kind.code not in _OUTSIDE)
    )


def share_of_other_names(pairs: Sequence[AskedPair]) -> float:
    """Share of the pairs with one point that ask of another name, by those that names tell.

    The adjusted count of Forman (2008, Quantifying counts and costs via classification): the
    share that is found, corrected by how many are found and how many mistaken.
    """
    asked = [pair.verdict for pair in pairs if pair.one_point]
    found = sum(verdict.label == "same" for verdict in asked)
    share = (found + _USUAL * _DOUBT) / (len(asked) + _DOUBT)
    return min(_SUREST, max(0.0, (share - _MISTAKEN) / (_FOUND - _MISTAKEN)))


def as_listed(pair: AskedPair, share: float) -> NameVerdict:
    """The verdict where names say nothing, one place has no point, and the list asks of names."""
    verdict = pair.verdict
    if not pair.one_point or not verdict.guess:
        return verdict
    missed, told_apart = share * (1 - _FOUND), (1 - share) * (1 - _MISTAKEN)
    sure = missed / (missed + told_apart)
    if sure < _ENOUGH:
        return verdict
    why = f"unlike names, one without a point: {share:.0%} of such pairs of this list are one place"
    return replace(verdict, label="same", score=sure, why=why)
