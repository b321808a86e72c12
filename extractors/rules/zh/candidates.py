"""Finds every string in a Chinese document that may name a sight, with its positions.

The net is wide on purpose: strings that end like a sight, from each word where they may begin, and
every noun or unknown word. Each distinct string is one candidate; ``weighing`` decides which are
sights.
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
from extractors.rules.common.lines import Line
from extractors.rules.zh import lexicon as zh
from extractors.rules.zh.verses import untold_lines

#: Characters of the longest name that is looked for by its ending.
_LONGEST = 9
_ENDINGS = frozenset((*STRONG, *WEAK))
_LONGEST_ENDING = max(map(len, _ENDINGS))
_IN_NAME = re.compile(r"[\u4e00-\u9fffA-Za-z0-9·]+")
_WORK = re.compile("《[^》]*》")
_NAMES = ("ns", "nt", "nz", "nr", "")
#: Words of one character that no name holds.
_NEVER = frozenset("的了着过是我你他她它们这那就都很也还又和与及在从把被")


class Seen(NamedTuple):
    """One occurrence: line, range within it, the words before and after."""

    line: int
    start: int
    end: int
    before: str
    after: str


@dataclass(frozen=True)
class NameCandidate:
    """A string with all its occurrences, in the order of the text."""

    name: str
    seen: tuple[Seen, ...]


def candidates(lines: Sequence[Line], known: Iterable[tuple[int, int, int]]) -> list[NameCandidate]:
    """Strings that may name a sight; ``known`` are line and range of names found otherwise."""
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
    """Where names may stand in a line, outside of the titles of works."""
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
    """Whether the text up to ``end`` ends as sights do."""
    least = max(start, end - _LONGEST_ENDING)
    return any(text[a:end] in _ENDINGS for a in range(least, end))


def _may_name(name: str) -> bool:
    if name in GENERIC or is_city(name) or (is_decoy(name) and not strong(name)):
        return False
    if "的" in name or not plausible(name, listed=True):
        return False
    words = cut_words(name)
    return words[0] not in STOP_WORDS and not _NEVER.intersection(words)
