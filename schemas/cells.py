"""Texts of others in a line of Markdown."""

from __future__ import annotations


def cell_text(text: str) -> str:
    """A text that ends no cell, starts no tag, link or other line; at most 200 characters."""
    plain = " ".join(text.split()).replace("`", "'").replace("|", "/")
    return plain.replace("<", "‹").replace(">", "›").replace("[", "(").replace("]", ")")[:200]
