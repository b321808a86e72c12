"""A report, and a browser that shows it."""

from __future__ import annotations

import pytest

from tests.support.flows.report.browser import Browser
from tests.support.flows.report.fixtures import page, snapshot

__all__ = ["page", "snapshot"]


@pytest.fixture(scope="session")
def browser(chromium: Browser) -> Browser:
    """The browser in one tab for all tests: every page of a report is opened anew."""
    return chromium
