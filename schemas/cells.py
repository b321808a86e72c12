"""Texts of others in a line of Markdown."""

from __future__ import annotations

import unicodedata

#: Control, format (bidirectional, zero-width), private and half characters.
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co"})


def cell_text(text: str) -> str:
    """A text that ends no cell, starts no tag, link or other line; at most 200 characters."""
    shown = "".join(c for c in text if c.isspace() or unicodedata.category(c) not in _UNSEEN)
    plain = " ".join(shown.split()).replace("`", "'").replace("|", "/")
    return plain.replace("<", "‹").replace(">", "›").replace("[", "(").replace("]", ")")[:200]
