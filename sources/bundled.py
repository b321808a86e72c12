"""The sample city that ships with tripbed: Hangzhou, with documents and tables of our own."""

from __future__ import annotations

from pathlib import Path

CITY = "Hangzhou"
_FOLDER = Path(__file__).parent / "sample" / "hangzhou"
DOCUMENTS, TABLES = _FOLDER / "documents", _FOLDER / "tables"
