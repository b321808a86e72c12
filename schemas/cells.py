"""Makes texts from external sources safe for Markdown lines and spreadsheet cells."""

from __future__ import annotations

import unicodedata
from typing import Any

#: Spreadsheet programs may treat a cell that begins with one of these characters as a formula.
_FORMULA = frozenset("=+-@\t\r\n＝＋－＠")
#: Unicode categories of characters that cannot be seen: control, format, surrogate and private use.
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co"})


def cell_text(text: str) -> str:
    """Remove from a text all characters that could end a cell or start a tag, a link or a new line.

    The result has at most 200 characters.
    """
    shown = "".join(c for c in text if c.isspace() or unicodedata.category(c) not in _UNSEEN)
    plain = " ".join(shown.split()).replace("`", "'").replace("|", "/")
    return plain.replace("<", "‹").replace(">", "›").replace("[", "(").replace("]", ")")[:200]


def harmless(value: Any) -> Any:
    """Add an apostrophe to a text that a spreadsheet would treat as a formula."""
    return f"'{value}" if isinstance(value, str) and value[:1] in _FORMULA and value else value


def without_apostrophe(cell: str) -> str:
    """Remove the apostrophe that ``harmless`` added to a cell."""
    return cell[1:] if cell[:1] == "'" and cell[1:2] in _FORMULA and len(cell) > 1 else cell
