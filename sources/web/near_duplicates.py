"""Find copies of documents by comparing their words or the stops on their journeys.

Words are compared with MinHash and locality-sensitive hashing (Broder 1997). A text is represented
by a set of shingles, each of which consists of five Chinese characters or three words. Bands of the
MinHash signatures determine the pairs to compare. The exact Jaccard similarity of the shingles then
decides, so hash collisions have no effect.

Stops are compared as sequences. Documents with different wording can describe the same journey: the
longest common subsequence of their stops is then nearly as long as the longer sequence. Two
sequences that describe the same journey share at least one of their rarest stops. Therefore, only
pairs that share one of their rarest stops are compared (prefix filtering, Chaudhuri et al. 2006).
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
_BANDS = 24  # with 4 rows each; a pair with similarity 0.8 is proposed with probability 1 - 6e-6
_CHARS, _WORDS = 5, 3
_MIN_SHINGLES = 8  # shorter texts may be similar by accident
_RUN = re.compile("[\u3400-\u9fff]+|[a-z0-9\u00c0-\u024f]+")

Shingles = frozenset[int]
#: Shorter journeys are not compared, because many people visit the same few stops.
MINIMUM_STOPS = 5
#: Two journeys are the same if nine of ten stops agree in the same order.
AGREEMENT = 0.9


def near_duplicates(docs: Mapping[str, str]) -> dict[str, str]:
    """Map the id of each near-duplicate to the id of its original.

    ``docs`` maps ids to texts in order of preference, so the first of two similar documents is the
    original. An original is never a duplicate of a different document.
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
    """Return 64-bit hashes of the shingles in a text, ignoring punctuation and case."""
    runs = _RUN.findall(text.lower())
    chinese = "".join(run for run in runs if run[0] >= "\u3400")
    words = [run for run in runs if run[0] < "\u3400"]
    grams = {chinese[i : i + _CHARS] for i in range(len(chinese) - _CHARS + 1)}
    grams |= {" ".join(words[i : i + _WORDS]) for i in range(len(words) - _WORDS + 1)}
    return frozenset(_hash(gram) for gram in grams)


def jaccard(left: Shingles, right: Shingles) -> float:
    """Return the Jaccard similarity of two sets of shingles."""
    union = len(left | right)
    return len(left & right) / union if union else 0.0


def _hash(gram: str) -> int:
    return int.from_bytes(hashlib.blake2b(gram.encode(), digest_size=8).digest())


def _coefficients() -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    """Return the multipliers and offsets of the permutations, derived from fixed hashes."""
    numbers = [_hash(f"permutation {i}") for i in range(2 * _PERMUTATIONS)]
    odd = np.array([number | 1 for number in numbers[:_PERMUTATIONS]], dtype=np.uint64)
    return odd, np.array(numbers[_PERMUTATIONS:], dtype=np.uint64)


_MULTIPLIERS, _OFFSETS = _coefficients()


def _signature(own: Shingles) -> npt.NDArray[np.uint64]:
    """Return the minimum value under each permutation (multiply-shift hashing modulo 2^64)."""
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
    """Return the most similar of the proposed originals, or None if no original is similar enough.

    If two originals are equally similar, the earlier one is returned.
    """
    proposed = dict.fromkeys(other for band in bands for other in buckets.get(band, ()))
    order = {doc_id: at for at, doc_id in enumerate(shingles)} if len(proposed) > 1 else {}
    ranked = sorted(proposed, key=lambda doc_id: order.get(doc_id, 0))
    rated = {other: jaccard(own, shingles[other]) for other in ranked}
    return max((o for o in ranked if rated[o] >= THRESHOLD), key=rated.__getitem__, default=None)


def same_journeys(stops: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Map the id of each copy to the id of its original, which describes the same journey.

    ``stops`` maps the ids of documents to the normalised names of the stops, in order. Documents
    are in order of preference, so the first of two similar documents is the original. An original
    is never a copy. If there are several originals, the most similar one is used.
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
    """Return the length of the longest common subsequence as a share of the longer sequence."""
    return float(LCSseq.normalized_similarity(left, right))
