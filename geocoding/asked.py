"""Decides how the two places in a listed pair are related, taking the order of the names into
account.

In a list of pairs, the whole is written first and the part second. Only ``tripbed match`` uses this
module. Deduplication and resolution ignore the order of the two names.

If the names alone are not conclusive, a logistic model estimates how likely it is that the first
place contains the second. The model uses the kinds of place, the distance and the similarity of the
names. The logistic model has few features, whose weights are fitted on labelled pairs (``python -m
benchmarks.pair_weights``). Deduplication does not use the model, because most of the pairs that
blocking proposes are unrelated neighbours.
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

#: The weight of each feature in log odds, and the weight for two places without any.
WEIGHTS = Lists("geocoding").weights("containment_weights")
BIAS = WEIGHTS.pop("(bias)")
#: The words for a feature that decides.
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
#: A place can contain another one only within this distance (metres) and ten times its reach.
_NEVER_BEYOND_M = 3_000.0
#: A distance exceeds the reach by at most so many powers of ten.
_MOST_REACH = 1.0
#: Within this distance (metres), a place of a smaller kind is always a part.
_AT_ITS_POINT_M = 40.0
#: Confidence that the second name is the short form if the first continues it.
_SHORT_NAME = 0.65
#: Kinds with at least this reach (metres) contain gates, halls and bridges of their own.
_HOLDS_PARTS_M = 150.0
#: Kinds that may be added to a sight's full name: its area, museum or park.
_NAMED_FOR = frozenset({"scenic", "resort", "museum", "memorial", "park"})
#: Parts of the landscape around a building.
_OUTSIDE = frozenset({"peak", "cave", "spring", "causeway", "bridge", "trail"})
#: Shares of pairs that the names alone call the same place, among two names of one place and
#: among different places. Measured on pairs with one point in samples five to seven and the lists.
_FOUND, _MISTAKEN = 0.65, 0.03
#: So many pairs are added to each list; this share of them counts as the same.
_DOUBT, _USUAL = 8.0, 0.25
#: The highest share of pairs in a list that are taken to be two names of one place.
_SUREST = 0.98
#: The lowest confidence for a pair whose names say nothing.
_ENOUGH = 0.55


def evidence(a: PlaceName, b: PlaceName, distance_m: float) -> dict[str, float]:
    """Return features that show whether ``a`` contains ``b``; each is 0 or 1, or a logarithm."""
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
    """Return ``parent-of`` or ``different``, with the two features that most support the answer."""
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
    """A pair of places from a list.

    ``one_point`` is True for two Chinese names in one city if only one of them has coordinates.
    """

    verdict: NameVerdict
    one_point: bool


def as_asked(
    a: PlaceName, b: PlaceName, distance_m: float | None, verdict: NameVerdict
) -> NameVerdict:
    """Return the verdict on a pair in which the whole is listed before the part.

    If the names are not conclusive, the model weighs the kinds of place and the distance. If the
    second place has no coordinates and the first name extends the second, the second name counts as
    a short form of the first.
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
    """Check whether the first name extends the second and names a separate thing at the second
    place.

    Examples are a part, a branch, or a museum in a hotel or street. The check also succeeds if the
    first name is not longer than the second name.
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
    """Check whether the first place is a scenic area and the second is a smaller kind of sight."""
    is_area = a.kind is not None and a.kind.code in ("scenic", "resort")
    return is_area and not a.tail and b.kind is not None and b.scale < AREA


def _is_part(a: PlaceName, b: PlaceName) -> bool:
    """Check whether the first kind of place can contain sights of the second, smaller kind.

    An area contains all smaller kinds of sights. A park or palace contains gates, halls and
    bridges. A temple contains only those parts that are buildings.
    """
    if a.lang == b.lang == "zh" or a.kind is None or b.kind is None or a.scale <= b.scale:
        return False
    is_part = b.scale == PART and (a.scale > BUILDING or b.kind.code not in _OUTSIDE)
    has_parts = lexicon.HOLDS_M.get(a.kind.code, 0.0) >= _HOLDS_PARTS_M
    return has_parts and (a.scale == AREA or is_part)


def share_of_other_names(pairs: Sequence[AskedPair]) -> float:
    """Estimate the share of ``one_point`` pairs whose two names mean the same place.

    The share is estimated from the pairs that the names alone decide, with the adjusted count of
    Forman (2008, Quantifying counts and costs via classification). The adjusted count corrects the
    observed share using the rates of hits and false alarms.
    """
    asked = [pair.verdict for pair in pairs if pair.one_point]
    found = sum(verdict.label == "same" for verdict in asked)
    share = (found + _USUAL * _DOUBT) / (len(asked) + _DOUBT)
    return min(_SUREST, max(0.0, (share - _MISTAKEN) / (_FOUND - _MISTAKEN)))


def as_listed(pair: AskedPair, share: float) -> NameVerdict:
    """Return the verdict on a listed pair.

    If the names do not decide a ``one_point`` pair, ``share`` determines the verdict.
    """
    verdict = pair.verdict
    if not pair.one_point or not verdict.guess:
        return verdict
    missed, told_apart = share * (1 - _FOUND), (1 - share) * (1 - _MISTAKEN)
    sure = missed / (missed + told_apart)
    if sure < _ENOUGH:
        return verdict
    why = f"unlike names, one without a point: {share:.0%} of such pairs of this list are one place"
    return replace(verdict, label="same", score=sure, why=why)
