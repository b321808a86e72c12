"""Finds all strings in a Chinese document that may name a sight, and lines to ignore.

Many candidates are included on purpose: every noun, every unknown word, and every string that ends
like a sight's name. A string that ends like a sight's name is included once for each word at which
the name could begin. Each distinct string is one candidate, and ``weighing`` decides which
candidates are sights. Verses, quotations and references to other pages do not count as the
document's own words.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from extractors.rules.common.chinese import (
    GENERIC,
    STOP_WORDS,
    STRONG,
    WEAK,
    is_city,
    is_decoy,
    plausible,
    strong,
)
from extractors.rules.common.dictionary import cut_words, tag
from extractors.rules.common.lines import Hit, Line
from extractors.rules.zh import lexicon as zh

#: Marks a line that refers to another page.
_CITES = re.compile(
    r"的(?:回答|文章|博客|视频|帖子|专栏)\s*[-—|]|[-—|]\s*(?:知乎|豆瓣|简书|哔哩哔哩|马蜂窝|百度)"
)


def untold_lines(lines: Sequence[Line]) -> frozenset[int]:
    """Return the lines that the author did not write: verses, quotations and references to other
    pages.
    """
    verses = _verses(lines)
    return frozenset(
        line.index
        for line in lines
        if line.index in verses
        or line.kind == "quote"
        or is_verse(line.text)
        or _CITES.search(line.text)
    )


_SOURCE = re.compile(r"\s*[—-]{2,}\s*《")
_VERSE_LINE = 45  # most characters of a line quoted above a work's title


def _verses(lines: Sequence[Line]) -> set[int]:
    """Return the short lines directly above a line that names the work from which they come."""
    found: set[int] = set()
    for line in lines:
        if not _SOURCE.match(line.text):
            continue
        for above in reversed(lines[max(0, line.index - 8) : line.index]):
            if above.is_head or above.kind == "list_item" or len(above.text) > _VERSE_LINE:
                break
            found.add(above.index)
    return found


def is_verse(text: str) -> bool:
    """Check whether a line is verse (has clauses of equal length) or names a poem."""
    clauses = [c.strip() for c in re.split(r"[，。！？；,]", text) if c.strip()]
    lengths = {len(c) for c in clauses}
    return bool(re.match(r"^\s*[—-]{2,}", text)) or (
        len(clauses) >= 2 and len(lengths) == 1 and lengths <= {4, 5, 6, 7} and len(text) < 40
    )


def in_title_marks(line: Line, hit: Hit) -> bool:
    """Check whether a hit is inside 《…》, the title of a work."""
    a = hit.start - line.start
    return "《" in line.text[max(0, a - 12) : a] and "》" not in line.text[max(0, a - 12) : a]


#: A name that is found by its ending has at most so many characters.
_LONGEST = 9
_ENDINGS = frozenset((*STRONG, *WEAK))
_LONGEST_ENDING = max(map(len, _ENDINGS))
_IN_NAME = re.compile(r"[\u4e00-\u9fffA-Za-z0-9·]+")
_WORK = re.compile("《[^》]*》")
_NAMES = ("ns", "nt", "nz", "nr", "")
#: Words of one character that no name contains.
_NEVER = frozenset("的了着过是我你他她它们这那就都很也还又和与及在从把被")


class Seen(NamedTuple):
    """An occurrence of a string: its line, its range in the line, and the words around it."""

    line: int
    start: int
    end: int
    before: str
    after: str


@dataclass(frozen=True)
class NameCandidate:
    """A string with all its occurrences in text order."""

    name: str
    seen: tuple[Seen, ...]


def candidates(lines: Sequence[Line], known: Iterable[tuple[int, int, int]]) -> list[NameCandidate]:
    """Return the strings that may name a sight; ``known`` contains the line and range of each name
    that was already found.
    """
    found: dict[str, dict[tuple[int, int], Seen]] = {}
    given: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for index, start, end in known:
        given[index].append((start, end))
    names = set[str]()
    untold = untold_lines(lines)
    for line in lines:
        own = given[line.index]
        told = line.index not in untold and line.kind != "title"
        told = told and not zh.PER_HEAD.search(line.text)
        if not (told or own):
            continue
        words = cut_words(line.text)
        at = [0, *accumulate(map(len, words))]
        place = {offset: i for i, offset in enumerate(at)}
        names.update(line.text[a:b] for a, b in own)
        for a, b in sorted({*(_ranges(line.text, words, at) if told else ()), *own}):
            i, j = place.get(a, 0), place.get(b, len(words))
            before = words[i - 1] if i else ""
            after = words[j] if j < len(words) else ""
            seen = Seen(line.index, a, b, before, after)
            found.setdefault(line.text[a:b], {})[a, line.index] = seen
    return [
        NameCandidate(name, tuple(sorted(seen.values())))
        for name, seen in found.items()
        if len(name) > 1 and (name in names or _may_name(name))
    ]


def _ranges(text: str, words: list[str], at: list[int]) -> list[tuple[int, int]]:
    """Return the ranges in a line where names may occur, outside the titles of works."""
    works = [match.span() for match in _WORK.finditer(text)]
    return [
        (a, b) for a, b in _find_worded(text, words, at)
        if not any(start <= a < end for start, end in works)
    ]  # fmt: skip


def _find_worded(text: str, words: list[str], at: list[int]) -> Iterable[tuple[int, int]]:
    for i, word in enumerate(words):
        if len(word) > 1 and _IN_NAME.match(word) and tag(word) in _NAMES:
            yield at[i], at[i + 1]
    for run in _IN_NAME.finditer(text):
        starts = [a for a in at if run.start() <= a < run.end()]
        for end in range(run.start() + 2, run.end() + 1):
            if _ends(text, run.start(), end):
                yield from ((a, end) for a in starts if 2 <= end - a <= _LONGEST)


def _ends(text: str, start: int, end: int) -> bool:
    """Check whether the text up to ``end`` ends like the name of a sight."""
    least = max(start, end - _LONGEST_ENDING)
    return any(text[a:end] in _ENDINGS for a in range(least, end))


def _may_name(name: str) -> bool:
    if name in GENERIC or is_city(name) or (is_decoy(name) and not strong(name)):
        return False
    if "的" in name or not plausible(name, listed=True):
        return False
    words = cut_words(name)
    return words[0] not in STOP_WORDS and not _NEVER.intersection(words)
