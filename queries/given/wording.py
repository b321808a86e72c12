"""Replaces the words that people write with published ones, and finds what nobody understood.

The audit's readers (``queries.audit``) know the tags as they were published, but people use other
words. Those are replaced first, clause by clause, so that clauses keep their number. Take away
everything that was read and all small talk, and what is left of a clause was not understood.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from queries.audit.reading import CityNames, blank_words
from queries.audit.tags import without_tags
from schemas.word_lists import Lists

_LISTS = Lists("queries.given")
_SPOKEN = _LISTS.pairs("spoken")
_NOT_REFUSING = _LISTS.pairs("not_refusing")
_FILLERS = _LISTS.words("fillers")
_HAN_ROOMS = re.compile(r"([一二两三四五六七八九])(?=\s*间)")
_DIGIT = {c: str(n) for n, c in enumerate("一二三四五六七八九", 1)} | {"两": "2"}
_BED = re.compile(r"(?<=间)\s*(大床|双床|单人)(?![房间])")
_COUNTS = ("one", "two", "three", "four", "five", "six")
#: Marks between which a text is one thought. The same marks part the clauses of the reader.
_CLAUSE = re.compile(r"[^，。；！？：,;.!?:\n\[\]【】]+")
_NUMBER = re.compile(r"\d[\d,.]*")
_LATIN = re.compile(r"[A-Za-z][A-Za-z'’-]*")
_HAN = re.compile(r"[\u4e00-\u9fff]")
_MASK = re.compile(r"\[(?:email|link|id|phone|account|name)\]")
_ROOM_EN = re.compile(
    rf"\b(a|an|{'|'.join(_COUNTS)})\s+(single|king|double-bed|family) rooms?\b", re.IGNORECASE
)
#: Words of constraints that are no tags: rooms, and ways within the city.
_OTHER = re.compile(
    r"大床房|双床房|单人间|家庭房|×|(?:single|king|double-bed|family) rooms?|地铁|打车|步行"
    r"|\b(?:metro|taxi|walking)\b",
    re.IGNORECASE,
)
_MARKS = re.compile(r"[\[\]()（）【】「」“”\"'、/·•…~～\-—◇▢\s]+")
#: Characters of a clause that say something: fewer Han characters, or shorter words, say nothing.
_LEAST_HAN, _LEAST_LETTERS = 1, 3


def _any(words: Iterable[str]) -> re.Pattern[str]:
    """Any of the words, the longest first; words of letters stand alone."""
    ordered = sorted(words, key=lambda word: (-len(word), word))
    parts = [rf"\b{re.escape(w)}\b" if w.isascii() else re.escape(w) for w in ordered]
    return re.compile("|".join(parts), re.IGNORECASE)


_SAID = _any({*_SPOKEN, *_SPOKEN.values()})
_DOUBLE = _any(_NOT_REFUSING)
_FILLER = _any(_FILLERS)


def plain(text: str) -> str:
    """The text in published words; it has as many clauses as before."""
    text = _DOUBLE.sub(lambda m: _NOT_REFUSING[m[0].lower()], text)
    text = _HAN_ROOMS.sub(lambda m: _DIGIT[m[1]], text)
    text = _BED.sub(lambda m: f"{m[1]}{'间' if m[1] == '单人' else '房'}", text)
    text = _SAID.sub(lambda m: _SPOKEN.get(m[0].lower(), m[0]), text)
    return _ROOM_EN.sub(lambda m: f"{_count(m[1].lower())} × {m[2].lower()} room", text)


def _count(word: str) -> int:
    return _COUNTS.index(word) + 1 if word in _COUNTS else 1


def clauses(text: str) -> list[str]:
    """Parts of a text between marks, each as it was written."""
    return [match[0].strip() for match in _CLAUSE.finditer(text) if match[0].strip()]


def not_understood(
    text: str, cities: CityNames, names: Sequence[str], made: Mapping[int, bool]
) -> list[str]:
    """Clauses of a text, as written, of which something was not read.

    ``names`` are those of places that were read. ``made`` says of a clause, by its number, whether
    something was made of the tags in it; tags of another clause were not understood.
    """
    text = _MASK.sub(" ", text)
    written, read = clauses(text), clauses(plain(text))
    if len(written) != len(read):  # a replaced word had a mark in it
        written = read
    return [
        part
        for number, (part, words) in enumerate(zip(written, read, strict=True))
        if _says(_rest(words, cities, names)) or made.get(number) is False
    ]


def is_covered(part: str, quotes: Sequence[str], cities: CityNames) -> bool:
    """Whether nothing is left of a part that was not understood when some of its words are."""
    return not _says(_rest(plain(part), cities, [plain(quote) for quote in quotes]))


def _rest(clause: str, cities: CityNames, names: Sequence[str]) -> str:
    """A clause without what was read of it, numbers of that and small talk."""
    for name in sorted(names, key=lambda name: (-len(name), name)):
        clause = clause.replace(name, " ")
    clause = without_tags(_OTHER.sub(" ", _MASK.sub(" ", clause)))
    return _MARKS.sub(" ", _FILLER.sub(" ", _NUMBER.sub(" ", blank_words(clause, cities))))


def _says(rest: str) -> bool:
    words = [word for word in _LATIN.findall(rest) if len(word) >= _LEAST_LETTERS]
    return bool(words) or len(_HAN.findall(rest)) >= _LEAST_HAN
