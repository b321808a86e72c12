"""Chinese words of place names with their usual English: numbers, colours, directions, nature.

General vocabulary, as any dictionary has it; no entry is the name of a place. English words
are compared by stem, a phrase counts when all its words stand in the name.
"""

from __future__ import annotations

from functools import cache

from geocoding import lexicon
from geocoding.names import words
from schemas.word_lists import Lists


@cache
def glosses() -> dict[str, tuple[tuple[str, ...], ...]]:
    """Chinese word to its English translations, each as stemmed words."""
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
    """Length of the longest Chinese word in the table."""
    return max(map(len, glosses()))
