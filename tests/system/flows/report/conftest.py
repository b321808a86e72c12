"""A report, and a browser that shows it."""

from __future__ import annotations

from tests.support.flows.report.fixtures import browser, page, snapshot

__all__ = ["browser", "page", "snapshot"]
