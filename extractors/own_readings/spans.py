"""Where names and quotes stand in a text."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence

from extractors.own_readings.given import GivenPlace
from extractors.text import occurrences, quotations

Range = tuple[int, int]
#: Marks of Markdown and tags: people quote a page as its file has it, the text is without them.
_MARKS = str.maketrans("*_|[]#>`~", " " * 9)
_TAGS = re.compile(r"<[^<>]*>|(?<=\])\([^()\s]*\)|^\s*(?:[-+*•]|\d+\.)\s+", re.MULTILINE)


def spans_of(places: Iterable[GivenPlace], text: str) -> dict[int, tuple[Range, ...]]:
    """Where each place stands by any of its forms, in order; not inside a longer name.

    A place that stands inside longer names alone keeps those spans.
    """
    own = {
        place.n: _longest(
            {at for form in (place.name, *place.also) for at in _within_lines(form, text)}
        )
        for place in places
    }
    free = set(_longest({at for spans in own.values() for at in spans}))
    return {n: tuple([at for at in spans if at in free] or spans) for n, spans in own.items()}


def _within_lines(form: str, text: str) -> list[Range]:
    """Occurrences of a form; those that a line break cuts only where there are no others."""
    found = list(occurrences(form, text))
    return [at for at in found if "\n" not in text[at[0] : at[1]]] or found


def _longest(ranges: set[Range]) -> list[Range]:
    """The ranges that do not lie inside a longer one, in order."""
    kept: list[Range] = []
    reached = -1
    for start, end in sorted(ranges, key=lambda at: (at[0], -at[1])):
        if end > reached:
            kept.append((start, end))
            reached = end
    return kept


def quote(words: str, text: str, spans: Sequence[Range]) -> Range | None:
    """Where a quote stands; of several places the one nearest to a name of its place (``spans``)."""

    def apart(found: Range) -> int:
        at = bisect_left(spans, found)
        beside = spans[max(0, at - 1) : at + 1]
        return min(max(start - found[1], found[0] - end, 0) for start, end in beside)

    found = quotations(words, text)
    if not found:
        bare = _TAGS.sub(" ", words).translate(_MARKS)
        found = list(occurrences(bare, text.translate(_MARKS)))
    return min(found, key=apart, default=None)
