"""Finds where a text names its places."""

from __future__ import annotations

from collections.abc import Sequence

from extractors.text import fold, occurrences
from schemas.reading import Span

_Range = tuple[int, int]


def name_spans(places: Sequence[Sequence[str]], text: str) -> list[tuple[Span, ...]]:
    """For each place, given by its forms, every span where one stands; in the order of the text.

    A span inside a longer name is that name's. A place whose forms all stand inside longer names
    keeps those spans: the text does not name it elsewhere.
    """
    own = [
        _longest({at for form in {fold(f): f for f in forms}.values()
                  for at in _within_lines(form, text)})
        for forms in places
    ]  # fmt: skip
    free = set(_longest({at for ranges in own for at in ranges}))
    return [
        tuple(Span(start=a, end=b) for a, b in [at for at in ranges if at in free] or ranges)
        for ranges in own
    ]


def _within_lines(form: str, text: str) -> list[_Range]:
    """Occurrences of a form; those that a line break cuts only where there are no others."""
    found = list(occurrences(form, text))
    return [at for at in found if "\n" not in text[at[0] : at[1]]] or found


def _longest(ranges: set[_Range]) -> list[_Range]:
    """The ranges that do not lie inside a longer one, in order."""
    kept: list[_Range] = []
    reach = 0
    for start, end in sorted(ranges, key=lambda at: (at[0], -at[1])):
        if end > reach:
            kept.append((start, end))
        reach = max(reach, end)
    return kept
