"""Nothing local is committed."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ROOT

#: Written in parts, so that this file does not hold what it looks for.
MACHINE_PATHS = re.compile("|".join(rf"(?<![\w.])/{name}/" for name in ("work", "root")))


@pytest.fixture(scope="module")
def tracked() -> list[Path]:
    """Files under version control; the test is skipped in an unpacked archive."""
    done = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip("not a git checkout")
    return [ROOT / name for name in done.stdout.split("\0") if name and (ROOT / name).is_file()]


def test_no_file_holds_paths_of_a_machine(tracked: list[Path]) -> None:
    found = []
    for path in tracked:
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found += [(path.name, hit.group()) for hit in MACHINE_PATHS.finditer(text)]
    assert found == []


def test_nothing_that_a_build_leaves_is_tracked(tracked: list[Path]) -> None:
    left = {".tripbed", "snapshots", ".venv", "__pycache__", "mutants"}
    assert [path for path in tracked if left & set(path.relative_to(ROOT).parts)] == []
