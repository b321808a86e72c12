"""The example of docs/sandbox.md and the export command, run as a reader would run them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.support.flows.running import run
from tests.support.warehouse.exporting import write_snapshot


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_snapshot(tmp_path_factory.mktemp("two"))


def test_the_example(snapshot: Path) -> None:
    page = (ROOT / "docs" / "sandbox.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    done = subprocess.run(
        [sys.executable, "-c", block.replace("PATH", str(snapshot))],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "3 面馆 06:00-14:00"
    assert lines[-2] == "True"
    assert "mode='taxi'" in lines[-1]


def test_every_operation_of_the_page_is_there() -> None:
    from warehouse.sandbox import Sandbox

    page = (ROOT / "docs" / "sandbox.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(\w+)\(city", page)) | {"intercity"}
    assert len(named) > 10
    assert [name for name in named if not hasattr(Sandbox, name)] == []


def test_the_export_command(snapshot: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = ["export", snapshot, "--format", "chinatravel", "--out", out]
    done = run(*command, "--json")
    assert done.code == 0, done.err
    told = json.loads(done.out)
    assert told == json.loads((out / "export.json").read_text(encoding="utf-8"))
    assert told["counts"]["hangzhou"]["hotels"] == {"rows": 5, "written": 4, "left_out": 1}
    again = run(*command)
    assert again.code == 2
    assert "not an empty folder" in again.err
