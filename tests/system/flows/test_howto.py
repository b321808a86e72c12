"""The README's "Your own city" and "Reading a snapshot", run as a reader would run them."""

from __future__ import annotations

import ast
import json
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest

from flows.pipeline.request import make_inputs
from flows.pipeline.run import build_directly
from flows.pipeline.shards import Workspace
from tests.conftest import ROOT
from tests.support.flows.looking import looking
from tests.support.flows.running import checksums, run

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


@dataclass(frozen=True)
class Reader:
    """A folder where the README's own city was built, the snapshot, and what was said."""

    folder: Path
    snapshot: Path
    complaints: str


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    """An empty folder with the environment in it, after the README's own city was built there."""
    empty = tmp_path_factory.mktemp("reader")
    (empty / ".venv").mkdir()
    (empty / ".venv" / "bin").symlink_to(Path(sys.executable).parent)
    (script,) = _blocks("sh", "Your own city")
    outside = {name: v for name, v in os.environ.items() if not name.startswith("PREFECT_")}
    done = subprocess.run(
        ["bash", "-euc", script],
        cwd=empty, capture_output=True, text=True, timeout=300, check=False,
        env={**outside, "PYTHONPATH": str(ROOT), "PREFECT_HOME": str(empty / "prefect")},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    found = empty / done.stdout.splitlines()[-1]
    assert (empty / "mine" / "snapshots" / "latest").resolve() == found.resolve()
    return Reader(empty, found, done.stderr)


def test_prefect_and_direct_builds_are_equal(reader: Reader, tmp_path: Path) -> None:
    """The README's build is the default one, by Prefect with its own server in a fresh home."""
    mine = reader.folder / "mine"
    inputs = make_inputs(["成都"], [mine / "pages"], mine / "tables")
    direct = build_directly(inputs, Workspace(tmp_path / "work"), tmp_path / "out")
    assert checksums(reader.snapshot) == checksums(direct.published.path)
    assert "Traceback" not in reader.complaints
    stages = json.loads((reader.snapshot / "run.json").read_text(encoding="utf-8"))["stages"]
    assert {name: stage["shards"] for name, stage in stages.items()} == {
        name: stage["shards"] for name, stage in direct.costs["stages"].items()
    }
    assert (reader.folder / "prefect").is_dir()


def test_a_city_of_ones_own(reader: Reader) -> None:
    facts = json.loads(run("inspect", reader.snapshot, "--json").out)
    assert facts["cities"] == ["chengdu"]
    assert facts["queries"]["chengdu"]["kept"] >= 1
    assert facts["pois"]["chengdu"]["places"] > 3, "places that only documents name are found"
    assert facts["pois"]["chengdu"]["trajectories"] == 1


def test_the_ways_of_reading_run_as_they_stand(reader: Reader, tmp_path: Path) -> None:
    blocks = _blocks("python", "Reading a snapshot")
    assert [
        name for name in ("polars", "duckdb", "datasets", "nearby") if name not in "".join(blocks)
    ] == []
    assert all(isinstance(ast.parse(block).body[-1], ast.Expr) for block in blocks)
    offline = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "hf"), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", READER],
        input=json.dumps(blocks),
        cwd=reader.folder, capture_output=True, text=True, check=False,
        env={**os.environ, **offline},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    places, named, loaded, asked = json.loads(done.stdout.splitlines()[-1])
    assert places == loaded >= named > 0
    assert asked == 3


def test_a_leaderboard_in_three_commands(reader: Reader) -> None:
    (script,) = _blocks("sh", "From a snapshot to a leaderboard")
    assert len(script.strip().splitlines()) == 3
    done = subprocess.run(
        ["bash", "-euc", script],
        cwd=reader.folder, capture_output=True, text=True, timeout=300, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    page = (reader.folder / "mine" / "leaderboard.html").read_text(encoding="utf-8")
    assert f"<code>{reader.snapshot.name}</code>" in page


def test_from_a_search_engine_to_a_snapshot_in_one_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The README's search engine is our own web; nothing else of its lines is changed."""
    (script,) = _blocks("sh", "From the web")
    *before, setting, command = script.strip().splitlines()
    subprocess.run(["bash", "-euc", "\n".join(before)], cwd=tmp_path, check=True)
    assert "TRIPBED_SEARXNG_URL=" in setting
    program, *arguments = shlex.split(command)
    assert program == ".venv/bin/tripbed"
    monkeypatch.chdir(tmp_path)
    with looking(tmp_path / "own") as city, city.at_hand():
        told = run(*arguments, "--direct")
        assert told.code == 0, told
        found = Path(told.last_line)
        documents = pl.read_parquet(found / "data" / "documents" / "**" / "*.parquet")
        assert documents.height > 5
        assert documents["url"].null_count() == documents["fetched_on"].null_count() == 0
        city.web.forget()
        assert Path(run(*arguments, "--direct").last_line).name == found.name
        assert city.web.answered == []
