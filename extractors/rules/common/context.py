"""Finds the words around a name: its clause, its sentence, its line."""

from __future__ import annotations

import re
from dataclasses import dataclass

from extractors.rules.common.lines import Hit, Line

_BREAK = re.compile(r"[。！？!?；;\n]|\.(?=\s|$)")
_CLAUSE = re.compile(r"[，,。！？!?；;：:\n（）()]|\.(?=\s|$)| — ")


@dataclass(frozen=True)
class HitContext:
    """The words around a hit."""

    before: str  # of its clause
    after: str
    sentence: str
    line: Line


def context_of(hit: Hit, line: Line) -> HitContext:
    """Clause and sentence around a hit; before a row of joined names for each of them."""
    first = hit.start if hit.row is None else hit.row
    a, b = first - line.start, hit.end - line.start
    text = line.text
    opens = max((m.end() for m in _BREAK.finditer(text, 0, a)), default=0)
    closes = next((m.start() for m in _BREAK.finditer(text, b)), len(text))
    clause = max((m.end() for m in _CLAUSE.finditer(text, 0, a)), default=0)
    ends = next((m.start() for m in _CLAUSE.finditer(text, b)), len(text))
    return HitContext(text[clause:a], text[b:ends], text[opens:closes], line)


def around(hit: Hit, c: HitContext) -> tuple[str, str]:
    """What stands in the sentence before and after a hit."""
    before, _, after = c.sentence.partition(hit.name)
    return before, after
