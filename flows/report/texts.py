"""Make texts from the web safe for the report."""

from __future__ import annotations

import unicodedata

LONGEST = 160


def clean(text: str | None, longest: int = LONGEST) -> str:
    """Return the text as one line of limited length, without control, format or bidirectional
    characters.
    """
    if not text:
        return ""
    flat = " ".join(text[: longest * 4].split())
    shown = "".join(c for c in flat if unicodedata.category(c) not in {"Cc", "Cf", "Cs", "Co"})
    return shown if len(shown) <= longest else shown[: longest - 1] + "…"
