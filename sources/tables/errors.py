"""Errors of the adapters: an unusable source and a broken row."""

from __future__ import annotations


class TableError(ValueError):
    """A source is wrong as a whole. The message names file, place and what to do."""


class RowError(ValueError):
    """One row is broken; it goes to quarantine under ``check`` and the import goes on."""

    def __init__(self, check: str, message: str):
        self.check = check
        super().__init__(message)
