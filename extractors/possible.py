"""Finds possible names of sights that the rules leave out, each at the first position that suggests
a name.

The rules accept a name only if it has a known ending or is in a list or a heading. This module
finds other words that look like a name, or that occur where a name can occur. A reader that
understands the text decides which of the words found are names. The module deliberately offers many
possible names, although few of them are actual names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby

from extractors.rules.common.chinese import (
    GENERIC,
    is_city,
    is_decoy,
    is_turned,
    plausible,
    stops,
    suffix_of,
)
from extractors.rules.common.dictionary import cut_places, frequency, tag
from extractors.rules.common.lines import Line, lines_of
from extractors.rules.en import lexicon as en
from extractors.rules.en.capitals import acceptable, candidates, head_of
from extractors.rules.zh import lexicon as zh
from extractors.rules.zh.items import is_sentence, item, parts
from extractors.text import fold
from schemas.documents import Document
from schemas.reading import Span

_QUOTED = re.compile("[“「『]([^“”「」『』]{2,8})[”」』]")
#: Words and characters that join the names of a row.
_JOINED = re.compile(r"\s*(?:[、，,/→&—–-]|和|与|及|以及|还有)\s*")
_LONGEST_JOINT = 8
_MOST_CHARACTERS = 9
_SHORT_LINE = 14
#: The most characters of a name that ends like a sight's, and of any other name.
_LONGEST_OF_A_KIND = 6
#: Dictionary words that are more frequent than this are everyday words.
_EVERYDAY = 2000


def possible_names(document: Document, taken: Iterable[Span], known: Iterable[str]) -> list[Span]:
    """Return the spans of names that the rules have not judged, in text order.

    ``taken`` are the spans of accepted names, and ``known`` are all names that the rules judged. A
    name is offered if it is alone on a line, follows a verb of visiting, or is listed beside an
    accepted name. An English name is offered if it ends like the name of a sight or a building
    ("Mill Lane"). Each name is offered once, at the first position that meets one of these
    conditions.
    """
    spans = sorted((span.start, span.end) for span in taken)
    seen = {fold(name) for name in known}
    found: list[Span] = []
    chinese = document.lang == "zh"
    offered, stands = (_chinese, _stands_chinese) if chinese else (_english, _stands_english)
    for line in lines_of(document):
        if line.kind == "quote" or zh.TRANSPORT_LINE.search(line.text):
            continue
        for a, b in offered(line):
            start, end = line.start + a, line.start + b
            key = fold(line.text[a:b])
            if key in seen or any(s < end and start < e for s, e in spans):
                continue
            if stands(line, a, b) or (chinese and _beside(document.text, start, end, spans)):
                seen.add(key)
                found.append(Span(start=start, end=end))
    return found


def _beside(text: str, start: int, end: int, spans: list[tuple[int, int]]) -> bool:
    """Check whether a comma or a joining word links a name to an accepted name in the text."""
    return any(
        _JOINED.fullmatch(text[e:start] if e <= start else text[end:s])
        for s, e in spans
        if 0 < start - e <= _LONGEST_JOINT or 0 < s - end <= _LONGEST_JOINT
    )


def _stands_chinese(line: Line, a: int, b: int) -> bool:
    return len(line.text) <= _SHORT_LINE or bool(zh.VISIT.search(line.text[max(0, a - 6) : a]))


def _stands_english(line: Line, a: int, b: int) -> bool:
    return head_of(line.text[a:b]) == "weak"


def _chinese(line: Line) -> Iterator[tuple[int, int]]:
    text = line.text
    quoted = (match.span(1) for match in _QUOTED.finditer(text))
    found = {*_find_listed(text), *_find_worded(text), *quoted}
    longest: list[tuple[int, int]] = []
    for a, b in sorted(found, key=lambda r: (r[0] - r[1], r)):
        if not any(s <= a and b <= e for s, e in longest) and _may_name(text, a, b):
            longest.append((a, b))
    for a, b in sorted(longest):
        ending = suffix_of(text[a:b])
        noun = tag(text[a:b])[:2] in ("", "n", "nr", "ns", "nt")
        if b - a <= _LONGEST_OF_A_KIND if ending else (b - a < _LONGEST_OF_A_KIND and noun):
            yield a, b


def _find_listed(text: str) -> Iterator[tuple[int, int]]:
    """Yield the range of a short line, or the range of each short part of a row."""
    ranges = parts(text, 0, spaced=True)
    for a, b in ranges:
        short = b - a <= (_SHORT_LINE if len(ranges) == 1 else _MOST_CHARACTERS)
        alone = short and (len(ranges) > 1 or len(text) <= _SHORT_LINE)
        if alone and (found := item(text, a, b)):
            yield found


def _find_worded(text: str) -> Iterator[tuple[int, int]]:
    """Return sequences of words that look like a name, without verbs and particles.

    Each sequence ends like a sight's name, is a name in the dictionary, or follows a verb of
    visiting.
    """
    for breaks, run in groupby(cut_places(text), key=lambda place: stops(place[2])):
        if not breaks:
            yield from _of_run(text, list(run))


def _of_run(text: str, run: list[tuple[int, int, str]]) -> Iterator[tuple[int, int]]:
    for i, (start, _, _word) in enumerate(run):
        gone = bool(zh.VISIT.search(text[max(0, start - 6) : start]))
        for _, end, word in run[i:]:
            if end - start > _MOST_CHARACTERS:
                break
            name = text[start:end]
            whole = (i == 0 and end == run[-1][1]) or len(run) == 1
            if (
                (gone and end == run[-1][1])
                or (suffix_of(name) and (whole or tag(name)))
                or (word == name and tag(name) in ("ns", "nt", "nz"))
            ):
                yield start, end


def _may_name(text: str, a: int, b: int) -> bool:
    name = text[a:b]
    if (
        len(name) < 2
        or suffix_of(name) == name
        or name in GENERIC
        or is_city(name)
        or is_decoy(name)
        or is_turned(text, b)
        or not plausible(name, listed=True)
        or is_sentence(name)
    ):
        return False
    return frequency(name) < _EVERYDAY or tag(name) in ("ns", "nt", "nz")


def _english(line: Line) -> Iterator[tuple[int, int]]:
    if line.kind == "title":
        return
    for a, b in candidates(line.text):
        name = line.text[a:b]
        if acceptable(name) and not en.DECOY.search(name):
            yield a, b
