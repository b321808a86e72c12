"""Reads the lines that begin the days of a journey: the number of a day, and its month."""

from __future__ import annotations

import re

from extractors.rules.common.days import DATE, DAY, LEAD_IN, date_of, number_of

#: Characters of a numbered line in which its date stands.
_LABEL = 40
#: What makes two numbers a date, and not a section's number: a year, a word, a slash.
_SPELT = re.compile(r"[年月日号/-]|(?:19|20)\d\d|[a-z]{3}", re.IGNORECASE)


def day_numbers(text: str) -> frozenset[int]:
    """The days that a text counts: Day 2, 第二天, D2."""
    return frozenset(number_of(match) for match in DAY.finditer(text))


def day_lines(text: str) -> list[tuple[int, int | None]]:
    """Where each line that begins a day starts, and the month of its date where it has one."""
    found: list[tuple[int, int | None]] = []
    start = 0
    for line in text.split("\n"):
        label = LEAD_IN.sub("", line)
        numbered = DAY.match(label)
        date = DATE.match(line) or DATE.match(label)
        if numbered is not None:
            date = DATE.search(label[:_LABEL])
        if date is not None and not _SPELT.search(date[0]):
            date = None
        if numbered or date:
            found.append((start, date_of(date)[0] if date else None))
        start += len(line) + 1
    return found


def tails_of_overviews(text: str) -> list[tuple[int, int]]:
    """Where text goes on after an overview: days in one line each, one after the other.

    From the end of its last line to the next line that begins a day: what is told there may be of
    any of its days.
    """
    starts = [start for start, _ in day_lines(text)]
    ends = [_end_of_line(text, start) for start in starts]
    tails = []
    for at in range(1, len(starts)):
        follows = not text[ends[at - 1] : starts[at]].strip()
        goes_on = at + 1 < len(starts) and not text[ends[at] : starts[at + 1]].strip()
        if follows and not goes_on:
            tails.append((ends[at], starts[at + 1] if at + 1 < len(starts) else len(text)))
    return tails


def _end_of_line(text: str, start: int) -> int:
    end = text.find("\n", start)
    return end if end >= 0 else len(text)
