"""The package in a process of its own: light to import, and it says when something hides it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

HEAVY = {"polars", "prefect", "great_expectations", "pandas", "pyarrow", "pydantic", "numpy"}


def _python(folder: Path, script: str) -> subprocess.CompletedProcess[str]:
    """Run a script that lies in a folder, with ours to be found after it."""
    (folder / "mine.py").write_text(script, encoding="utf-8")
    return subprocess.run(
        [sys.executable, "mine.py"], cwd=folder, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip


def test_the_import_is_light(tmp_path: Path) -> None:
    done = _python(tmp_path, "import sys, tripbed\nprint(*{n.split('.')[0] for n in sys.modules})")
    assert done.returncode == 0, done.stderr
    assert "tripbed" in done.stdout.split()
    assert set(done.stdout.split()) & HEAVY == set()


@pytest.mark.parametrize("hiding", ["schemas/__init__.py", "flows.py"])
def test_it_says_what_hides_a_package(tmp_path: Path, hiding: str) -> None:
    (tmp_path / hiding).parent.mkdir(exist_ok=True)
    (tmp_path / hiding).touch()
    done = _python(tmp_path, "from tripbed import Sandbox")
    assert done.returncode == 1
    said = done.stderr.splitlines()[-1]
    assert f"has a package {hiding.split('/', maxsplit=1)[0].removesuffix('.py')!r}" in said
    assert str((tmp_path / hiding).resolve()) in said
    assert "Rename" in said


def test_a_folder_without_modules_hides_nothing(tmp_path: Path) -> None:
    (tmp_path / "schemas").mkdir()
    assert _python(tmp_path, "from tripbed import Sandbox").returncode == 0
