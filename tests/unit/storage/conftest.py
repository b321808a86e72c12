"""A store in memory, and a scratch folder."""

from __future__ import annotations

from tests.support.addresses import memory, scratch

__all__ = ["memory", "scratch"]
