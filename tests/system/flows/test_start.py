"""The command line starts fast, and without what only some commands need."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.conftest import ROOT

#: Each takes longer to import than a user waits for ``--help``.
HEAVY = ("prefect", "great_expectations", "pandas", "pandera", "polars", "sklearn", "openai")


def test_it_starts_without_heavy_modules() -> None:
    script = "import sys, flows.cli; print(*sorted(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert set(done.stdout.split()) & set(HEAVY) == set()


def test_it_starts_fast() -> None:
    """Counted in seconds of the processor: a busy machine makes it wait, not work."""
    seconds = []
    for _ in range(3):
        before = _spent_by_children()
        subprocess.run(
            [sys.executable, "-m", "flows.cli", "--help"],
            cwd=ROOT, capture_output=True, check=True,
        )  # fmt: skip
        seconds.append(_spent_by_children() - before)
    assert min(seconds) < 2


def _spent_by_children() -> float:
    """Seconds of the processor that ended children of this process took."""
    spent = os.times()
    return spent.children_user + spent.children_system
