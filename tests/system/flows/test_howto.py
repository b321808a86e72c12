"""The README's "Your own city" and "Reading a snapshot", run as a reader would run them."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

#: Runs each block and prints how many rows its last expression has.
READER = """
import ast, json, sys
heights = []
for block in json.load(sys.stdin):
    tree = ast.parse(block)
    names = {}
    exec(compile(ast.Module(tree.body[:-1], []), "README", "exec"), names)
    value = eval(compile(ast.Expression(tree.body[-1].value), "README", "eval"), names)
    if hasattr(value, "fetchall"):
        value = value.fetchall()
    elif isinstance(value, dict):
        (value,) = value.values()
    heights.append(len(value))
print(json.dumps(heights))
"""


def _blocks(language: str, heading: str) -> list[str]:
    """Code blocks of a language below a heading of the README."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    section = re.split(r"^## ", readme.split(f"\n## {heading}\n")[1], flags=re.MULTILINE)[0]
    return re.findall(rf"^```{language}\n(.*?)^```", section, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty folder with the environment in it, after the README's own city was built there."""
    empty = tmp_path_factory.mktemp("reader")
    (empty / ".venv").mkdir()
    (empty / ".venv" / "bin").symlink_to(Path(sys.executable).parent)
    (script,) = _blocks("sh", "Your own city")
    done = subprocess.run(
        ["bash", "-euc", script],
        cwd=empty, capture_output=True, text=True, timeout=300, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PREFECT_HOME": str(empty / "prefect")},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    found = empty / done.stdout.splitlines()[-1]
    assert (empty / "mine" / "snapshots" / "latest").resolve() == found.resolve()
    return empty


def test_a_city_of_ones_own(folder: Path) -> None:
    latest = folder / "mine" / "snapshots" / "latest"
    done = subprocess.run(
        [sys.executable, "-m", "flows.cli", "inspect", str(latest), "--json"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    facts = json.loads(done.stdout)
    assert facts["cities"] == ["chengdu"]
    assert facts["queries"]["chengdu"]["kept"] >= 1
    assert facts["pois"]["chengdu"]["places"] > 3, "places that only documents name are found"
    assert facts["pois"]["chengdu"]["trajectories"] == 1


def test_the_ways_of_reading_run_as_they_stand(folder: Path, tmp_path: Path) -> None:
    blocks = _blocks("python", "Reading a snapshot")
    assert [
        name for name in ("polars", "duckdb", "datasets", "nearby") if name not in "".join(blocks)
    ] == []
    assert all(isinstance(ast.parse(block).body[-1], ast.Expr) for block in blocks)
    offline = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "hf"), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", READER],
        input=json.dumps(blocks),
        cwd=folder, capture_output=True, text=True, check=False, env={**os.environ, **offline},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    places, named, loaded, asked = json.loads(done.stdout.splitlines()[-1])
    assert places == loaded >= named > 0
    assert asked == 3
