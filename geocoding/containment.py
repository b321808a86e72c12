"""How likely it is that the first of two places with unlike names contains the second.

Asked of a pair that somebody wrote down, where names say nothing: then kinds, distance and
likeness of the names are all there is. A logistic model with few features; its weights are
fitted on labelled pairs (``python -m benchmarks.pair_weights``). Blocking offers mostly
neighbours that have nothing to do with each other, so deduplication does not ask it.
"""

from __future__ import annotations

import math

from geocoding import lexicon
from geocoding.lexicon import AREA, COMPOUND, REACH_M
from geocoding.names import PlaceName
from geocoding.verdicts import NameVerdict
from geocoding.wording import common_piece
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
