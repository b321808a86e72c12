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

#: What a reader has of their own: pages about the README's three places and others.
PAGES = {
    "three-days.md": """\
# 成都三日游

## 第一天

上午游览武侯祠,下午游览锦里,傍晚游览望江楼公园。

## 第二天

上午游览宽窄巷子,中午游览大慈寺,下午参观四川博物院,傍晚游览浣花溪公园。

## 第三天

上午游览文殊院,中午游览昭觉寺,下午游览青羊宫,傍晚游览洛带古镇。
""",
    "weekend.html": """\
<html><head><title>成都周末两日游</title></head><body>
<h1>成都周末两日游</h1>
<h2>第一天</h2><p>上午游览宽窄巷子,下午游览文殊院,晚上游览锦里。</p>
<h2>第二天</h2><p>上午游览武侯祠,下午参观四川博物院,傍晚游览黄龙溪古镇。</p>
</body></html>
""",
}
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
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The snapshot of the README's own city: its commands, without Prefect's server."""
    folder = tmp_path_factory.mktemp("reader")
    (folder / "mine" / "pages").mkdir(parents=True)
    for name, text in PAGES.items():
        (folder / "mine" / "pages" / name).write_text(text, encoding="utf-8")
    (script,) = _blocks("sh", "Your own city")
    assert script.count(".venv/bin/tripbed build") == 1
    command = script.replace(".venv/bin/tripbed", f"'{sys.executable}' -m flows.cli")
    done = subprocess.run(
        ["bash", "-euc", command.rstrip("\n") + " --direct\n"],
        cwd=folder, capture_output=True, text=True, timeout=300, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    found = folder / done.stdout.splitlines()[-1]
    assert found.is_dir()
    assert (folder / "mine" / "snapshots" / "latest").resolve() == found.resolve()
    return found


def test_a_city_of_ones_own(snapshot: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "flows.cli", "inspect", str(snapshot), "--json"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    facts = json.loads(done.stdout)
    assert facts["cities"] == ["chengdu"]
    assert facts["queries"]["chengdu"]["kept"] >= 1
    assert facts["pois"]["chengdu"]["places"] > 3, "places that only documents name are found"
    assert facts["pois"]["chengdu"]["trajectories"] == 2


def test_the_three_ways_of_reading(snapshot: Path, tmp_path: Path) -> None:
    blocks = _blocks("python", "Reading a snapshot")
    assert [name for name in ("polars", "duckdb", "datasets") if name not in "".join(blocks)] == []
    for block in blocks:
        assert isinstance(ast.parse(block).body[-1], ast.Expr)
        assert "PATH" in block
    offline = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "hf")}
    done = subprocess.run(
        [sys.executable, "-c", READER],
        input=json.dumps([block.replace("PATH", str(snapshot)) for block in blocks]),
        cwd=tmp_path, capture_output=True, text=True, check=False, env={**os.environ, **offline},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    heights = json.loads(done.stdout.splitlines()[-1])
    assert heights[0] == heights[2] > heights[1] > 0
