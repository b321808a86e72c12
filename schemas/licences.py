"""Finds the SPDX name and the web address of a licence that a text names."""

from __future__ import annotations

import re
from functools import cache

from schemas.word_lists import Lists

#: The value that is used if no licence is stated.
NONE_STATED = "none stated"


@cache
def _compile_licences() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return the patterns of licence texts, each with an SPDX name; the first match applies."""
    rows = Lists("schemas").table("licence_texts")
    return tuple((re.compile(pattern, re.IGNORECASE), name) for name, pattern in rows)


def spdx_name(text: str) -> str | None:
    """Find the SPDX name of the licence that a text names or contains, or return None."""
    plain = " ".join(text.split())
    for _, name in _compile_licences():
        if plain.casefold() == name.casefold():
            return name
    return next((name for pattern, name in _compile_licences() if pattern.search(plain)), None)


def licence_address(name: str) -> str:
    """Return a web address that explains a licence, or the licence's name if none is known."""
    if any(name == known for _, known in _compile_licences()):
        return f"https://spdx.org/licenses/{name}"
    return name
