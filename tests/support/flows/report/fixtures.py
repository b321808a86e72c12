"""A snapshot of two cities, its report, and a browser where there is one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from flows.report.render import write_report
from tests.support.flows.report.browser import CHROMIUM, Browser
from tests.support.flows.report.snapshots import IMAGE, city_rows, verdict, write

GATES = (
    verdict("key_unique", "error", True, "keys are unique"),
    verdict("known_share", "warning", False, f"too little is known {IMAGE}"),
)


@pytest.fixture(scope="session")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two cities, hostile texts in both."""
    tables = {slug: city_rows(slug) for slug in ("hangzhou", "suzhou")}
    return write(tmp_path_factory.mktemp("report"), tables, GATES)


@pytest.fixture(scope="session")
def page(snapshot: Path) -> Path:
    """The report of the two cities."""
    return write_report(snapshot)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """One headless browser for all tests."""
    if CHROMIUM is None:
        pytest.skip("chromium is not installed")
    started = Browser()
    yield started
    started.close()


@pytest.fixture
def browser(chromium: Browser) -> Browser:
    """The browser, in a new tab that keeps nothing of other tests."""
    chromium.renew()
    return chromium
