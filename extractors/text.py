"""Folds text so that names can be compared, and finds names in a text.

Folding (width, case, spaces, traditional characters) keeps each character's original offset.
Evidence found in folded text therefore has a span in the document.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache

from schemas.reading import Span

_DROPPED = frozenset("\u200b\u200c\u200d\u2060\ufeff\u00ad·・'’‘`")


@cache
def _to_simplified() -> dict[int, str]:
    """Return the simplified character for each traditional character (OpenCC's table)."""
    # OpenCC loads its tables on import, so it is imported only if needed.
    import opencc

    convert = opencc.OpenCC("t2s").convert
    codes = (*range(0x4E00, 0xA000), *range(0x3400, 0x4DC0))
    table = {code: convert(chr(code)) for code in codes}
    return {
        code: simple for code, simple in table.items()
        if simple != chr(code) and len(simple) == 1 and simple < "\U00010000"
    }  # fmt: skip


def simplify(text: str) -> str:
    """Replace traditional characters with simplified ones; the length and all offsets stay the
    same.
    """
    return text.translate(_to_simplified())


class Folded:
    """Folded text, with the original offset of each of its characters."""

    def __init__(self, text: str):
        parts = [_fold_char(char) for char in simplify(text)]
        self.text = "".join(parts)
        self._starts = [offset for offset, part in enumerate(parts) for _ in part]

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Convert a range in the folded text (``start < end``) to a half-open range in the original
        text.
        """
        return self._starts[start], self._starts[end - 1] + 1

    def position(self, offset: int) -> int:
        """Return the first folded position at or after an offset in the original text."""
        return bisect_right(self._starts, offset - 1)


@lru_cache(maxsize=4096)
def _fold_char(char: str) -> str:
    if char in _DROPPED or char.isspace():
        return ""
    wide = unicodedata.normalize("NFKD", char)
    return "".join(c for c in wide if not unicodedata.combining(c) and not c.isspace()).casefold()


@lru_cache(maxsize=200_000)
def fold(text: str) -> str:
    """Fold a text for comparisons: remove spaces, and use one width, lower case and simplified
    characters.
    """
    return "".join(_fold_char(char) for char in simplify(text))


@lru_cache(maxsize=16)
def fold_text(text: str) -> Folded:
    """Return the folded form of a document's text; the most recent documents are cached."""
    return Folded(text)


def locate(name: str, text: str, after: int = 0) -> tuple[int, int] | None:
    """Return the first range of the original text, at or after ``after``, that contains a name in
    any spelling.

    A Latin name must begin and end at word boundaries. Returns None if the text does not contain
    the name.
    """
    wanted = fold(name)
    if not wanted:
        return None
    hay = fold_text(text)
    at = hay.text.find(wanted, hay.position(after))
    while at >= 0:
        start, end = hay.original(at, at + len(wanted))
        if _is_bounded(text, start, end):
            return start, end
        at = hay.text.find(wanted, at + 1)
    return None


def occurrences(name: str, text: str) -> Iterator[tuple[int, int]]:
    """Return, in order, all ranges of the original text that contain a name, as found by
    ``locate``.
    """
    found = locate(name, text)
    while found is not None:
        yield found
        found = locate(name, text, found[1])


def quotations(words: str, text: str) -> list[tuple[int, int]]:
    """Return all ranges of a quote in the original text, found in the same way as a name or,
    failing that, by exact match.

    An exact match may begin or end inside a word, because quotes may be cut off there.
    """
    found = list(occurrences(words, text))
    return found or [match.span() for match in re.finditer(re.escape(words), text)]


def nearest(words: str, text: str, to: Span) -> Span | None:
    """Return the occurrence of a quote that is nearest to a span, or None if there is none."""
    found = quotations(words, text)
    if not found:
        return None
    start, end = min(found, key=lambda at: (max(to.start - at[1], at[0] - to.end, 0), at))
    return Span(start=start, end=end)


def _is_bounded(text: str, start: int, end: int) -> bool:
    """Check that a range does not cut through a Latin word or a number."""
    return not (_is_joined(text, start) or _is_joined(text, end))


def _is_joined(text: str, cut: int) -> bool:
    if not 0 < cut < len(text):
        return False
    left, right = text[cut - 1], text[cut]
    return (left.isascii() and right.isascii()) and left.isalnum() and right.isalnum()


_Range = tuple[int, int]


def name_spans(places: Sequence[Sequence[str]], text: str) -> list[tuple[Span, ...]]:
    """Return the spans of each place's forms, in text order.

    A span inside a longer name belongs only to the longer name. If all forms of a place occur only
    inside longer names, the place keeps these spans, because the text does not name it elsewhere.
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
    """Return the occurrences of a form; those that cross a line break count only if there are no
    others.
    """
    found = list(occurrences(form, text))
    return [at for at in found if "\n" not in text[at[0] : at[1]]] or found


def _longest(ranges: set[_Range]) -> list[_Range]:
    """Return, in order, the ranges that do not lie inside a longer range."""
    kept: list[_Range] = []
    reach = 0
    for start, end in sorted(ranges, key=lambda at: (at[0], -at[1])):
        if end > reach:
            kept.append((start, end))
        reach = max(reach, end)
    return kept
