"""A report that a browser shows."""

from __future__ import annotations

from tests.support.flows.report.fixtures import page, snapshot

__all__ = ["page", "snapshot"]
