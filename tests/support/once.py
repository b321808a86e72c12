"""What is made once for all workers of a run of tests."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock


def make_once(name: str, factory: pytest.TempPathFactory, make: Callable[[Path], object]) -> Path:
    """The folder that ``make`` filled: in the first worker that asks, for all of them."""
    mine = factory.getbasetemp()
    # Every worker of pytest-xdist has its own folder below the one of the run.
    base = mine.parent if "PYTEST_XDIST_WORKER" in os.environ else mine
    folder, finished = base / f"once-{name}", base / f"once-{name}.finished"
    with FileLock(base / f"once-{name}.lock"):
        if not finished.exists():
            folder.mkdir()
            make(folder)
            finished.touch()
    return folder
