"""A sentence as the readers of facts get it, and what they find in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from extractors.rules.common.lines import Line
from schemas.reading import FactField


class Statement(NamedTuple):
    """A value that a sentence states; offsets are within the sentence."""

    field: FactField
    value: str
    start: int
    end: int
    when: str = "always"


@dataclass(frozen=True)
class Sentence:
    """A sentence with the words that frame it."""

    text: str
    start: int  # in the document
    line: Line
    heading: str  # the nearest heading above
    clock: bool  # it opens a line of a schedule


def unique(found: list[Statement]) -> list[Statement]:
    """Statements without repeats, in order."""
    return list(dict.fromkeys(found))
