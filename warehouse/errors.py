"""Errors of the warehouse; every message says what to do."""

from __future__ import annotations


class SnapshotError(ValueError):
    """A folder that is no snapshot, or one that cannot be trusted."""


class WarehouseError(RuntimeError):
    """A snapshot could not be written or published."""
