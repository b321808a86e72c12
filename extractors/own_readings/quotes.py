"""Finds where quotes occur in a text."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence

from extractors.text import occurrences, quotations

Range = tuple[int, int]
#: Marks of Markdown and tags: people quote a page as its file has it, the text is without them.
_MARKS = str.maketrans("*_|[]#>`~", " " * 9)
_TAGS = re.compile(r"<[^<>]*>|(?<=\])\([^()\s]*\)|^\s*(?:[-+*•]|\d+\.)\s+", re.MULTILINE)


def quote(words: str, text: str, spans: Sequence[Range]) -> Range | None:
    """Where a quote stands; of several places the one nearest to a name of its place
    (``spans``).
    """

    def apart(found: Range) -> int:
        at = bisect_left(spans, found)
        beside = spans[max(0, at - 1) : at + 1]
        return min(max(start - found[1], found[0] - end, 0) for start, end in beside)

    found = quotations(words, text)
    if not found:
        bare = _TAGS.sub(" ", words).translate(_MARKS)
        found = list(occurrences(bare, text.translate(_MARKS)))
    return min(found, key=apart, default=None)
