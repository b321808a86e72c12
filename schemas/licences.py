"""Finds the SPDX name and the address of a licence that a text states."""

from __future__ import annotations

import re
from functools import cache

from schemas.word_lists import Lists

#: What stands for a licence that nobody states.
NONE_STATED = "none stated"


@cache
def _compile_licences() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Texts by which a licence is known, with its SPDX name; the first that fits holds."""
    rows = Lists("schemas").table("licence_texts")
    return tuple((re.compile(pattern, re.IGNORECASE), name) for name, pattern in rows)


def spdx_name(text: str) -> str | None:
    """Find the SPDX name of the licence that a text names or contains; None if unknown."""
    plain = " ".join(text.split())
    for _, name in _compile_licences():
        if plain.casefold() == name.casefold():
            return name
    return next((name for pattern, name in _compile_licences() if pattern.search(plain)), None)


def licence_address(name: str) -> str:
    """Find an address that explains a licence; if there is none, return the words that state it."""
    if any(name == known for _, known in _compile_licences()):
        return f"https://spdx.org/licenses/{name}"
    return name
