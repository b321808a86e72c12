"""What the lines that begin the days of a journey say: the number of a day, and its month."""

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
