"""A sentence as the readers of facts receive it, and what they find in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from extractors.rules.common.lines import Line
from schemas.reading import Audience, FactField


class Limits(NamedTuple):
    """Whom a value is for, when it holds, and what else must be so, in the words of the text."""

    audience: Audience | None = None
    when: str = "always"
    further: tuple[str, ...] = ()
    combined: str | None = None  # what calls it the price of several places together

    def at(self, when: str | None, said: str, span: tuple[int, int]) -> Limits:
        """Also limited to a time; a second time, or one without a form, in its words."""
        if when == "always":
            return self
        if when is None or self.when != "always":
            return self.further_by(said[span[0] : span[1]])
        return self._replace(when=when)

    def further_by(self, *words: str) -> Limits:
        """Also limited by something else."""
        told = (word.strip(" ,，.:：()（）") for word in words)
        return self._replace(further=tuple(dict.fromkeys((*self.further, *filter(None, told)))))


class Statement(NamedTuple):
    """A value that a sentence states; offsets are within the sentence.

    ``told`` is where it stands together with what limits it; None where nothing does.
    """

    field: FactField
    value: str
    start: int
    end: int
    limits: Limits = Limits()
    told: tuple[int, int] | None = None

    def move(self, by: int) -> Statement:
        """The statement in a text that begins so many characters earlier."""
        told = (self.told[0] + by, self.told[1] + by) if self.told else None
        return self._replace(start=self.start + by, end=self.end + by, told=told)


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
