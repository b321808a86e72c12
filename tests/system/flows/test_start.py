"""The command line starts fast, and without what only some commands need."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

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
    assert _seconds("--help", ends_with=0) < 2


@pytest.mark.parametrize("name", ["Bali", "Qwxzyv"])
def test_a_doubtful_city_is_answered_within_a_second(name: str) -> None:
    assert _seconds("build", "--city", name, ends_with=2) < 1


def _seconds(*arguments: str, ends_with: int) -> float:
    """The least of three runs.

    Counted in seconds of the processor: a busy machine makes a command wait, not work.
    """
    seconds = []
    for _ in range(3):
        before = _spent_by_children()
        done = subprocess.run(
            [sys.executable, "-m", "flows.cli", *arguments],
            cwd=ROOT, capture_output=True, check=False,
        )  # fmt: skip
        seconds.append(_spent_by_children() - before)
        assert done.returncode == ends_with
    return min(seconds)


def _spent_by_children() -> float:
    """Seconds of the processor that ended children of this process took."""
    spent = os.times()
    return spent.children_user + spent.children_system
