"""Formats numbers with the right form of a noun, such as "1 place" and "2 places"."""

from __future__ import annotations


def count_noun(number: int, noun: str, plural: str | None = None) -> str:
    """Format a number with its noun, such as ``1 place``, ``2 places`` or ``1,119 mentions``.

    ``plural`` is needed for irregular nouns and for phrases: ``count_noun(1, "row left out", "rows
    left out")``.
    """
    return f"{number:,} {noun_of(number, noun, plural)}"


def noun_of(number: int, noun: str, plural: str | None = None) -> str:
    """Return the noun in the form that follows the number."""
    if number == 1:
        return noun
    if plural is not None:
        return plural
    if noun.endswith("y") and noun[-2:-1] not in tuple("aeiou"):
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "x", "ch", "sh")) else f"{noun}s"
