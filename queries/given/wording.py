"""Replace people's own words in a text with the published tags, and find the parts of the text that
were not understood.

The audit (``queries.audit``) recognises only the published tags, so other words are replaced first.
The number of clauses stays the same. Finally, the words that were read and all small talk are
removed. If any words of a clause remain, the clause was not understood.
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
#: A clause is the text between two of these marks; the audit uses the same marks.
_CLAUSE = re.compile(r"[^，。；！？：,;.!?:\n\[\]【】]+")
_NUMBER = re.compile(r"\d[\d,.]*")
_LATIN = re.compile(r"[A-Za-z][A-Za-z'’-]*")
_HAN = re.compile(r"[\u4e00-\u9fff]")
_MASK = re.compile(r"\[(?:email|link|id|phone|account|name)\]")
_ROOM_EN = re.compile(
    rf"\b(a|an|{'|'.join(_COUNTS)})\s+(single|king|double-bed|family) rooms?\b", re.IGNORECASE
)
#: Words of constraints that are not tags: room types and city transport.
_OTHER = re.compile(
    r"大床房|双床房|单人间|家庭房|×|(?:single|king|double-bed|family) rooms?|地铁|打车|步行"
    r"|\b(?:metro|taxi|walking)\b",
    re.IGNORECASE,
)
_MARKS = re.compile(r"[\[\]()（）【】「」“”\"'、/·•…~～\-—◇▢\s]+")
#: A clause has a meaning if it has this many Chinese characters or a word of this many letters.
_LEAST_HAN, _LEAST_LETTERS = 1, 3


def _any(words: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern for any of the words, longest first; Latin words match only as whole
    words.
    """
    ordered = sorted(words, key=lambda word: (-len(word), word))
    parts = [rf"\b{re.escape(w)}\b" if w.isascii() else re.escape(w) for w in ordered]
    return re.compile("|".join(parts), re.IGNORECASE)


_SAID = _any({*_SPOKEN, *_SPOKEN.values()})
_DOUBLE = _any(_NOT_REFUSING)
_FILLER = _any(_FILLERS)


def plain(text: str) -> str:
    """Rewrite a text using the published words, without changing the number of clauses."""
    text = _DOUBLE.sub(lambda m: _NOT_REFUSING[m[0].lower()], text)
    text = _HAN_ROOMS.sub(lambda m: _DIGIT[m[1]], text)
    text = _BED.sub(lambda m: f"{m[1]}{'间' if m[1] == '单人' else '房'}", text)
    text = _SAID.sub(lambda m: _SPOKEN.get(m[0].lower(), m[0]), text)
    return _ROOM_EN.sub(lambda m: f"{_count(m[1].lower())} × {m[2].lower()} room", text)


def _count(word: str) -> int:
    return _COUNTS.index(word) + 1 if word in _COUNTS else 1


def clauses(text: str) -> list[str]:
    """Split a text into clauses at punctuation marks, without changing the wording."""
    return [match[0].strip() for match in _CLAUSE.finditer(text) if match[0].strip()]


def not_understood(
    text: str, cities: CityNames, names: Sequence[str], made: Mapping[int, bool]
) -> list[str]:
    """Return the clauses of a text, as written, that were not fully understood.

    ``names`` are the names of places that were recognised. ``made`` maps the number of a clause to
    whether the tags in the clause became constraints. A clause with tags that did not become
    constraints counts as not understood.
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
    """Check whether the quotes cover every meaningful word of a clause."""
    return not _says(_rest(plain(part), cities, [plain(quote) for quote in quotes]))


def _rest(clause: str, cities: CityNames, names: Sequence[str]) -> str:
    """Return what remains of a clause once small talk, numbers and the words that were read are
    removed.
    """
    for name in sorted(names, key=lambda name: (-len(name), name)):
        clause = clause.replace(name, " ")
    clause = without_tags(_OTHER.sub(" ", _MASK.sub(" ", clause)))
    return _MARKS.sub(" ", _FILLER.sub(" ", _NUMBER.sub(" ", blank_words(clause, cities))))


def _says(rest: str) -> bool:
    words = [word for word in _LATIN.findall(rest) if len(word) >= _LEAST_LETTERS]
    return bool(words) or len(_HAN.findall(rest)) >= _LEAST_HAN
