"""Make texts of unknown origin safe for the page."""

from __future__ import annotations

import unicodedata

LONGEST = 160


def clean(text: str | None, longest: int = LONGEST) -> str:
    """The text on one line, cut, without control, format and bidirectional characters."""
    if not text:
        return ""
    flat = " ".join(text[: longest * 4].split())
    shown = "".join(c for c in flat if unicodedata.category(c) not in {"Cc", "Cf", "Cs", "Co"})
    return shown if len(shown) <= longest else shown[: longest - 1] + "…"
