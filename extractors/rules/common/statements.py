"""Defines sentences and the statements in them, and puts values of facts into a standard form."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from extractors.rules.common.lines import Line
from schemas.money import MoneyAmount, amounts
from schemas.reading import Audience, FactField

_CLOCK = re.compile(
    r"(?P<h>\d{1,2})\s*(?:[:：.]\s*(?P<m>\d{2})|[点时]\s*(?:(?P<mz>\d{1,2})\s*分?|(?P<half>半)"
    r"|(?P<q>一刻))?)?\s*(?P<ap>[ap]\.?m\.?)?",
    re.IGNORECASE,
)
_LATE = re.compile(r"(?:下午|傍晚|晚上|晚|夜里|夜)\s*$")


def clock(text: str, before: str = "") -> str | None:
    """Return a clock time as HH:MM, or None if the text is not one; ``before`` may contain 下午 or
    晚上.
    """
    match = _CLOCK.match(text.strip())
    if match is None:
        return None
    hour = int(match["h"])
    minute = int(match["m"] or match["mz"] or (30 if match["half"] else 15 if match["q"] else 0))
    late = (match["ap"] or "").lower().startswith("p") or bool(_LATE.search(before))
    if late and hour < 12:
        hour += 12
    if (match["ap"] or "").lower().startswith("a") and hour == 12:
        hour = 0
    return f"{hour:02d}:{minute:02d}" if hour <= 24 and minute < 60 else None


def clock_range(first: str, last: str, before: str = "") -> str | None:
    """Return two clock times as HH:MM-HH:MM; a closing time earlier than the opening time is read
    as p.m.
    """
    opens, closes = clock(first, before), clock(last)
    if opens is None or closes is None:
        return None
    if closes < opens and closes < "12:00" and not re.search("[ap]m", last, re.IGNORECASE):
        closes = f"{int(closes[:2]) + 12:02d}{closes[2:]}"
    return f"{opens}-{closes}" if opens != closes else None


def number_text(number: float) -> str:
    """Return a number as text without unnecessary decimals."""
    return f"{number:.2f}".rstrip("0").rstrip(".")


def hours_text(first: float, last: float | None = None) -> str:
    """Return a number of hours, or a range of hours, as text."""
    if last is None or last <= first:
        return number_text(first)
    return f"{number_text(first)}-{number_text(last)}"


#: Currency signs that may mean yuan; the rules of each language read amounts with these.
YUAN_MARKS = frozenset(
    ("¥", "元", "块", "块钱", "圆", "yuan", "kuai", "人民币", "rmb", "renminbi", "cny")
)
_OF_A_RANGE = re.compile(r"\d\s*[-–—~～至到]\s*$")
_RANGE = re.compile(r"\s*[-–—~～至到]\s*\d")


def other_amounts(text: str) -> Iterator[MoneyAmount]:
    """Return amounts in currencies other than yuan, leaving out amounts that belong to a range."""
    for found in amounts(text):
        mark = unicodedata.normalize("NFKC", found.mark).casefold()
        if mark in YUAN_MARKS or _OF_A_RANGE.search(text[: found.start]):
            continue
        if not _RANGE.match(text, found.end):
            yield found


def price_value(found: MoneyAmount) -> str:
    """Return the value of a ``ticket_price``: the number, with the currency sign as written."""
    return f"{found.value.normalize():f} {found.mark}"


class Limits(NamedTuple):
    """The conditions under which a value applies: audience, time, and further conditions as written
    in the text.
    """

    audience: Audience | None = None
    when: str = "always"
    further: tuple[str, ...] = ()
    combined: str | None = None  # words that make it the price of several places together

    def at(self, when: str | None, said: str, span: tuple[int, int]) -> Limits:
        """Add a time to the limits; if they already have a time, or if the new time has no standard
        form, add the words of the text instead.
        """
        if when == "always":
            return self
        if when is None or self.when != "always":
            return self.further_by(said[span[0] : span[1]])
        return self._replace(when=when)

    def further_by(self, *words: str) -> Limits:
        """Return the limits with further conditions added."""
        told = (word.strip(" ,，.:：()（）") for word in words)
        return self._replace(further=tuple(dict.fromkeys((*self.further, *filter(None, told)))))


class Statement(NamedTuple):
    """A value in a sentence; all offsets are relative to the sentence.

    ``told`` is the range of the value together with its limits, or None if the value has no limits.
    """

    field: FactField
    value: str
    start: int
    end: int
    limits: Limits = Limits()
    told: tuple[int, int] | None = None

    def move(self, by: int) -> Statement:
        """Return the statement with offsets for a text that begins ``by`` characters earlier."""
        told = (self.told[0] + by, self.told[1] + by) if self.told else None
        return self._replace(start=self.start + by, end=self.end + by, told=told)


@dataclass(frozen=True)
class Sentence:
    """A sentence, with its position, its line and the heading above it."""

    text: str
    start: int  # offset in the document
    line: Line
    heading: str  # nearest heading above
    clock: bool  # it begins a line of a schedule


def unique(found: list[Statement]) -> list[Statement]:
    """Return the statements in order, without duplicates."""
    return list(dict.fromkeys(found))
