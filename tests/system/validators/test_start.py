"""Validation starts without what only builds need."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.conftest import ROOT
from tests.counterexamples import good


def test_it_needs_neither_the_orchestrator_nor_great_expectations(tmp_path: Path) -> None:
    good.write(tmp_path, good.book())
    program = (
        "import sys; from pathlib import Path; from validators.validate import validate\n"
        "assert validate(Path(sys.argv[1])).passed\n"
        "heavy = {'great_expectations', 'prefect', 'pandera', 'sklearn', 'datasets'}\n"
        "print(sorted(heavy & {name.split('.')[0] for name in sys.modules}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)],
        cwd=ROOT, check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert done.stdout.strip() == "[]"
