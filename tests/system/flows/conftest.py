"""The builds that these tests look at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.flows.builds import (
    built_sample,
    small,
    small_build,
    small_copy,
    without_data_docs,
    without_extras,
)
from tests.support.flows.looking import Looking, looking
from tests.support.flows.models import model, server
from tests.support.flows.report.fixtures import browser, chromium

__all__ = [
    "browser",
    "built_sample",
    "chromium",
    "model",
    "server",
    "small",
    "small_build",
    "small_copy",
    "without_data_docs",
    "without_extras",
]


@pytest.fixture(scope="session")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Looking]:
    """Our own web and its model, and a first build from them; not to be built in again."""
    with looking(tmp_path_factory.mktemp("web") / "city", by_model=True) as found:
        told = found.build()
        assert told.code == 0, told
        yield replace(found, n_first=found.n_asked)


@pytest.fixture
def city(reference: Looking, tmp_path: Path) -> Looking:
    """A folder in which nothing was built yet, and the web and its model as they were at first."""
    return reference.elsewhere(tmp_path / "city")


@pytest.fixture
def built(reference: Looking, tmp_path: Path) -> Looking:
    """A folder in which the first build was made."""
    return reference.elsewhere(tmp_path / "city", built=True)
