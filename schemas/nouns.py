"""Numbers with the right form of their noun: one place, two places."""

from __future__ import annotations


def count_noun(number: int, noun: str, plural: str | None = None) -> str:
    """``1 place``, ``2 places``, ``1,119 mentions``; ``plural`` where it is not noun and s.

    Of several words the first one may be the noun: ``counted(1, "row left out", "rows left out")``.
    """
    return f"{number:,} {noun_of(number, noun, plural)}"


def noun_of(number: int, noun: str, plural: str | None = None) -> str:
    """The noun alone, as it stands behind the number."""
    if number == 1:
        return noun
    if plural is not None:
        return plural
    ends_in_y = noun.endswith("y") and noun[-2:-1] not in tuple("aeiou")
    if ends_in_y:
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "x", "ch", "sh")) else f"{noun}s"
