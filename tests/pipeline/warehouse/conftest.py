"""The good snapshot, published."""

from __future__ import annotations

from tests.support.warehouse.fixtures import copy, published

__all__ = ["copy", "published"]
