"""Shared fixtures. Real inputs lie outside the project; tests that need them skip without."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = ROOT / "sources" / "sample" / "hangzhou"
#: Real inputs: not there on every machine.
SHARED = Path(os.environ.get("TRIPBED_SHARED", ROOT.parent / "shared"))


@pytest.fixture(scope="session")
def shared() -> Path:
    """Folder of real inputs; the test is skipped where it is absent."""
    if not (SHARED / "data").is_dir():
        pytest.skip(f"no real inputs at {SHARED}: set TRIPBED_SHARED")
    return SHARED


@pytest.fixture(scope="session")
def sample() -> Path:
    """Folder of the bundled sample city."""
    return SAMPLE
