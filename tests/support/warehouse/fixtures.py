"""One published snapshot for the tests that only read it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.support.warehouse.publishing import publish_book


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The good snapshot, published; not to be changed."""
    return publish_book(tmp_path_factory.mktemp("store")).path


@pytest.fixture
def copy(published: Path, tmp_path: Path) -> Path:
    """The good snapshot, to be changed: replace files, do not write into them."""
    shutil.copytree(published, tmp_path / "copy", copy_function=os.link)
    return tmp_path / "copy"
