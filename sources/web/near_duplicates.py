"""Find documents that are copies of others: by their words, or by the stops of their journey.

By words: MinHash and locality-sensitive hashing (Broder 1997). Texts are sets of shingles: five
Chinese characters or three words. Bands of the signature propose pairs, and the exact Jaccard
similarity of the shingles decides, so that a hash collision links nothing.

By stops: two sequences belong to one journey if their longest common subsequence is nearly as long
as the longer one, even if the words do not agree. Pairs are proposed by their rarest stops (prefix
filtering, Chaudhuri et al. 2006): of two sequences that agree this well, each lacks so few stops of
the other that at least one of its rarest stops is in both.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import LCSseq

#: Documents whose shingle sets have at least this Jaccard similarity are near-duplicates.
THRESHOLD = 0.8
_PERMUTATIONS = 96
_BANDS = 24  # of 4 rows: similarity 0.8 is proposed with probability 1 - 6e-6
_CHARS, _WORDS = 5, 3
_MIN_SHINGLES = 8  # shorter texts are alike by accident
_RUN = re.compile("[\u3400-\u9fff]+|[a-z0-9\u00c0-\u024f]+")

Shingles = frozenset[int]
#: Fewer stops are alike by accident: many go the same way.
MINIMUM_STOPS = 5
#: Of ten stops nine agree, in their order.
AGREEMENT = 0.9


def near_duplicates(docs: Mapping[str, str]) -> dict[str, str]:
    """Original of each near-duplicate: doc_id to doc_id, in the order given.

    ``docs`` maps doc_id to text in the order of preference: of two alike, the first is the
    original. An original is never itself a duplicate.
    """
    shingles = {doc_id: shingle(text) for doc_id, text in docs.items()}
    buckets: dict[tuple[int, bytes], list[str]] = {}
    originals: dict[str, str] = {}
    for doc_id, own in shingles.items():
        if len(own) < _MIN_SHINGLES:
            continue
        bands = list(_bands(own))
        found = _first_alike(own, bands, buckets, shingles)
        if found is not None:
            originals[doc_id] = found
            continue
        for band in bands:
            buckets.setdefault(band, []).append(doc_id)
    return originals


def shingle(text: str) -> Shingles:
    """64-bit hashes of the shingles of a text, punctuation and case apart."""
    runs = _RUN.findall(text.lower())
    chinese = "".join(run for run in runs if run[0] >= "\u3400")
    words = [run for run in runs if run[0] < "\u3400"]
    grams = {chinese[i : i + _CHARS] for i in range(len(chinese) - _CHARS + 1)}
    grams |= {" ".join(words[i : i + _WORDS]) for i in range(len(words) - _WORDS + 1)}
    return frozenset(_hash(gram) for gram in grams)


def jaccard(left: Shingles, right: Shingles) -> float:
    """Share of the common shingles of two texts in all of theirs."""
    union = len(left | right)
    return len(left & right) / union if union else 0.0


def _hash(gram: str) -> int:
    return int.from_bytes(hashlib.blake2b(gram.encode(), digest_size=8).digest())


def _coefficients() -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    """Multipliers and offsets of the permutations, from hashes: the same on every machine."""
    numbers = [_hash(f"permutation {i}") for i in range(2 * _PERMUTATIONS)]
    odd = np.array([number | 1 for number in numbers[:_PERMUTATIONS]], dtype=np.uint64)
    return odd, np.array(numbers[_PERMUTATIONS:], dtype=np.uint64)


_MULTIPLIERS, _OFFSETS = _coefficients()


def _signature(own: Shingles) -> npt.NDArray[np.uint64]:
    """Least value of every permutation (multiply-shift hashing modulo 2^64)."""
    values = np.fromiter(own, dtype=np.uint64, count=len(own))
    least = np.empty(_PERMUTATIONS, dtype=np.uint64)
    for i in range(_PERMUTATIONS):
        mixed = values * _MULTIPLIERS[i] + _OFFSETS[i]
        least[i] = (mixed ^ (mixed >> np.uint64(29))).min()
    return least


def _bands(own: Shingles) -> Iterable[tuple[int, bytes]]:
    rows = _PERMUTATIONS // _BANDS
    signature = _signature(own)
    for band in range(_BANDS):
        yield band, signature[band * rows : (band + 1) * rows].tobytes()


def _first_alike(
    own: Shingles,
    bands: list[tuple[int, bytes]],
    buckets: Mapping[tuple[int, bytes], list[str]],
    shingles: Mapping[str, Shingles],
) -> str | None:
    """The most similar of the proposed originals, the earlier one where two are equal."""
    proposed = dict.fromkeys(other for band in bands for other in buckets.get(band, ()))
    order = {doc_id: at for at, doc_id in enumerate(shingles)} if len(proposed) > 1 else {}
    ranked = sorted(proposed, key=lambda doc_id: order.get(doc_id, 0))
    rated = {other: jaccard(own, shingles[other]) for other in ranked}
    return max((o for o in ranked if rated[o] >= THRESHOLD), key=rated.__getitem__, default=None)


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
