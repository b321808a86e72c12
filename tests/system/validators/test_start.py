"""Validation starts without what only builds need."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.counterexamples import good


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The good snapshot."""
    path = tmp_path_factory.mktemp("good")
    good.write(path, good.book())
    return path


def test_it_needs_neither_the_orchestrator_nor_great_expectations(base: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from validators.validate import validate\n"
        "assert validate(Path(sys.argv[1])).passed\n"
        "heavy = {'great_expectations', 'prefect', 'pandera', 'sklearn', 'datasets'}\n"
        "print(sorted(heavy & {name.split('.')[0] for name in sys.modules}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(base)],
        cwd=ROOT, check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert done.stdout.strip() == "[]"
