"""Where the names of places stand in a text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from extractors.text import fold, locate
from schemas.reading import Span


def occurrences(form: str, text: str) -> Iterator[Span]:
    """Every range where a form stands, however set; none of them overlap."""
    after = 0
    while found := locate(form, text, after):
        yield Span(start=found[0], end=found[1])
        after = found[1]


def name_spans(places: Sequence[Sequence[str]], text: str) -> list[tuple[Span, ...]]:
    """For each place, given by its forms, every span where one stands; in the order of the text.

    A span inside a longer name is that name's. A place whose forms all stand inside longer names
    keeps those spans: the text does not name it elsewhere.
    """
    found = [
        sorted({(s.start, s.end) for form in {fold(f): f for f in forms}.values()
                for s in occurrences(form, text)})
        for forms in places
    ]  # fmt: skip
    inner = _inside_longer({span for spans in found for span in spans})
    return [
        tuple(Span(start=a, end=b) for a, b in [s for s in spans if s not in inner] or spans)
        for spans in found
    ]


def _inside_longer(spans: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """The spans that another one holds."""
    inner: set[tuple[int, int]] = set()
    reach = 0
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        if end <= reach:
            inner.add((start, end))
        reach = max(reach, end)
    return inner
