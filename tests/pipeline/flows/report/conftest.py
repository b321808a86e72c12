"""A report that these tests look at."""

from __future__ import annotations

from tests.support.flows.report.fixtures import page, snapshot

__all__ = ["page", "snapshot"]
