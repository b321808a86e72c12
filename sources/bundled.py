"""Paths of the sample city that comes with tripbed: documents and tables for Hangzhou."""

from __future__ import annotations

from pathlib import Path

CITY = "Hangzhou"
_FOLDER = Path(__file__).parent / "sample" / "hangzhou"
DOCUMENTS, TABLES = _FOLDER / "documents", _FOLDER / "tables"
