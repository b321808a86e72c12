"""Find documents about one journey in two formats: the stops agree, even if the words do not.

Two sequences of stops belong to one journey if their longest common subsequence is nearly as long
as the longer one. Pairs are proposed by their rarest stops (prefix filtering, Chaudhuri et al.
2006): of two sequences that agree this well, each lacks so few stops of the other that at least
one of its rarest stops is in both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from rapidfuzz.distance import LCSseq

#: Fewer stops are alike by accident: many go the same way.
MINIMUM_STOPS = 5
#: Of ten stops nine agree, in their order.
AGREEMENT = 0.9


def same_journeys(stops: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Original of each copy: doc_id to doc_id, in the order given.

    ``stops`` maps doc_id to the folded names of its stops in order; documents come in the order
    of preference: of two alike, the first is the original. An original is never itself a copy;
    of several the one that agrees most, then the first.
    """
    long = {doc_id: tuple(own) for doc_id, own in stops.items() if len(own) >= MINIMUM_STOPS}
    holders = Counter(name for own in long.values() for name in set(own))
    proposed: dict[str, list[str]] = {}
    originals: dict[str, str] = {}
    for doc_id, own in long.items():
        rarest = sorted(set(own), key=lambda name: (holders[name], name))
        rarest = rarest[: int((1 - AGREEMENT) * len(own) + 1e-9) + 1]
        others = dict.fromkeys(other for name in rarest for other in proposed.get(name, ()))
        rated = [(agreement(own, long[other]), other) for other in others]
        best = max((found for found, _ in rated), default=0.0)
        if best >= AGREEMENT:
            alike = {other for found, other in rated if found == best}
            originals[doc_id] = next(other for other in long if other in alike)
            continue
        for name in rarest:
            proposed.setdefault(name, []).append(doc_id)
    return originals


def agreement(left: Sequence[str], right: Sequence[str]) -> float:
    """Length of the longest common subsequence by that of the longer sequence, 0 to 1."""
    return float(LCSseq.normalized_similarity(left, right))
