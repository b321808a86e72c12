"""Makes texts from other sources safe for a line of Markdown or a cell of a spreadsheet."""

from __future__ import annotations

import unicodedata
from typing import Any

#: A cell that begins so is a formula to one spreadsheet or another, full width too.
_FORMULA = frozenset("=+-@\t\r\n＝＋－＠")
#: Control, format (bidirectional, zero-width), private and half characters.
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co"})


def cell_text(text: str) -> str:
    """Make a text of at most 200 characters that cannot end a cell or start a tag, link or line."""
    shown = "".join(c for c in text if c.isspace() or unicodedata.category(c) not in _UNSEEN)
    plain = " ".join(shown.split()).replace("`", "'").replace("|", "/")
    return plain.replace("<", "‹").replace(">", "›").replace("[", "(").replace("]", ")")[:200]


def harmless(value: Any) -> Any:
    """Keep a spreadsheet from running a cell as a formula, by adding an apostrophe."""
    return f"'{value}" if isinstance(value, str) and value[:1] in _FORMULA and value else value


def without_apostrophe(cell: str) -> str:
    """Remove the apostrophe that ``harmless`` added to a cell."""
    return cell[1:] if cell[:1] == "'" and cell[1:2] in _FORMULA and len(cell) > 1 else cell
