"""How much of a Chinese name an English one says: by pinyin, by translation, or by both."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from geocoding.glosses import glosses, longest_gloss
from geocoding.names import pinyin

_LONGEST_RUN = 6


@dataclass(frozen=True)
class Alignment:
    """Which characters of the Chinese text and which English words found a partner."""

    zh_covered: tuple[bool, ...]
    en_covered: tuple[bool, ...]

    @property
    def en_share(self) -> float:
        """Share of the English words that are accounted for."""
        return sum(self.en_covered) / len(self.en_covered) if self.en_covered else 0.0

    def zh_share(self, start: int, end: int) -> float:
        """Share of the characters from start to end that are accounted for."""
        return sum(self.zh_covered[start:end]) / (end - start) if end > start else 1.0


@lru_cache(maxsize=100_000)
def align(chinese: str, english: tuple[str, ...]) -> Alignment:
    """The best alignment of a folded Chinese text with stemmed English words.

    A run of characters is accounted for by words that spell its pinyin (Jin Mao, Hongya) or
    translate it; each word serves once.
    """
    options = _options(chinese, english)

    @lru_cache(maxsize=None)
    def best(position: int, used: int) -> tuple[int, tuple[tuple[int, int, int], ...]]:
        if position == len(chinese):
            return 0, ()
        score, chosen = best(position + 1, used)
        for end, mask in options[position]:
            if mask & used:
                continue
            rest, tail = best(end, used | mask)
            gain = 2 * (end - position) + 3 * mask.bit_count() - 1 + rest
            if gain > score:
                score, chosen = gain, ((position, end, mask), *tail)
        return score, chosen

    _, pieces = best(0, 0)
    zh, en = [False] * len(chinese), [False] * len(english)
    for start, end, mask in pieces:
        zh[start:end] = [True] * (end - start)
        for index in range(len(english)):
            en[index] = en[index] or bool(mask >> index & 1)
    return Alignment(tuple(zh), tuple(en))


def _options(chinese: str, english: tuple[str, ...]) -> list[list[tuple[int, int]]]:
    """For each start in the Chinese text: (end, bit mask of English words) that match."""
    spelled = _joined(english)
    options: list[list[tuple[int, int]]] = []
    for start in range(len(chinese)):
        here: set[tuple[int, int]] = set()
        for end in range(start + 1, min(len(chinese), start + max(_LONGEST_RUN, longest_gloss())) + 1):
            piece = chinese[start:end]
            for phrase in glosses().get(piece, ()):
                mask = _mask(phrase, english)
                if mask:
                    here.add((end, mask))
            if end - start <= _LONGEST_RUN:
                here.update((end, mask) for mask in spelled.get(pinyin(piece), ()))
        options.append(sorted(here))
    return options


def _joined(english: tuple[str, ...]) -> dict[str, list[int]]:
    """Up to three neighbouring words written as one, with their bit masks."""
    joined: dict[str, list[int]] = {}
    for start in range(len(english)):
        for end in range(start + 1, min(len(english), start + 3) + 1):
            mask = ((1 << (end - start)) - 1) << start
            joined.setdefault("".join(english[start:end]), []).append(mask)
    return joined


def _mask(phrase: tuple[str, ...], english: tuple[str, ...]) -> int:
    mask = 0
    for word in phrase:
        if word not in english:
            return 0
        mask |= 1 << english.index(word)
    return mask
