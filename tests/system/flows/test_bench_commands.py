"""Commands as planners: good ones, and those that hang, flood, fail or answer no plan."""

from __future__ import annotations

import json
import signal
import sys
import time
from pathlib import Path

import polars as pl
import pytest

from flows.bench.planners import CommandPlanner
from flows.bench.questions import BenchQuestion, questions
from flows.errors import SettingsError
from tests.support.flows.running import run
from tests.support.forked import Command


@pytest.fixture(scope="module")
def question(built_sample: Path) -> BenchQuestion:
    return questions(built_sample, "test", limit=1)[0]


def planner(folder: Path, script: str, snapshot: Path, seconds: float = 20.0) -> CommandPlanner:
    (folder / "planner.py").write_text(script, encoding="utf-8")
    return CommandPlanner(f"{sys.executable} {folder / 'planner.py'}", snapshot, seconds)


def test_a_line_in_and_a_plan_out(
    built_sample: Path, question: BenchQuestion, tmp_path: Path
) -> None:
    script = (
        "import json, sys; q = json.loads(sys.stdin.readline()); print('hm');"
        " print(json.dumps({'plan': q}))"
    )
    told = planner(tmp_path, script, built_sample).plan(question).plan
    assert told["query_id"] == question.query_id
    assert (told["days"], told["form"], told["city"]) == (question.days, "tprag", "hangzhou")
    assert Path(told["snapshot"]) == built_sample.resolve()
    assert told["structure"]["days"] == question.days


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("import time; time.sleep(60)", "no answer within 1 s"),
        (
            (
                "import sys, time; sys.stdout.close(); sys.stderr.close()\nimport os\nos.close(1);"
                " os.close(2)\ntime.sleep(60)"
            ),
            "did not end within 1 s",
        ),
        ("while True: print('x' * 10_000)", "more than 1,000,000 bytes"),
        ("import sys\nwhile True: sys.stderr.write('x' * 10_000)", "no answer within 1 s"),
        ("import sys; sys.exit('no money left')", "ended with exit code 1: no money left"),
        ("print('a lovely trip')", "not JSON: 'a lovely trip'"),
        ("", "the answer is empty"),
    ],
)
def test_a_bad_command_is_ended_and_told(
    built_sample: Path, question: BenchQuestion, tmp_path: Path, script: str, told: str
) -> None:
    began = time.monotonic()
    found = planner(tmp_path, script, built_sample, 1.0).plan(question)
    assert found.plan is None
    assert told in str(found.problem)
    assert time.monotonic() - began < 15


def test_what_a_command_started_ends_with_it(
    built_sample: Path, question: BenchQuestion, tmp_path: Path
) -> None:
    script = f"""
import subprocess, sys, time
child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])
open({str(tmp_path / "child")!r}, 'w').write(str(child.pid))
time.sleep(600)
"""
    planner(tmp_path, script, built_sample, 1.5).plan(question)
    child = int((tmp_path / "child").read_text())
    deadline = time.monotonic() + 10
    while _alive(child):
        assert time.monotonic() < deadline, "the command's own child lives on"
        time.sleep(0.05)


def _alive(pid: int) -> bool:
    status = Path(f"/proc/{pid}/status")
    return status.exists() and "State:\tZ" not in status.read_text(encoding="utf-8")


def test_a_program_that_is_not_there_is_refused(built_sample: Path) -> None:
    with pytest.raises(SettingsError, match="is not a program"):
        CommandPlanner("no-such-program", built_sample, 1.0)


def test_ten_thousand_activities_are_not_judged(built_sample: Path, tmp_path: Path) -> None:
    script = "print('{\"Day 1\": [' + ','.join(['{\"POI name\": \"x\"}'] * 10_000) + ']}')"
    (tmp_path / "planner.py").write_text(script, encoding="utf-8")
    out = tmp_path / "out"
    command = f"{sys.executable} {tmp_path / 'planner.py'}"
    done = run("bench", "run", built_sample, "--planner", command, "--out", out, "--limit", "1")
    assert done.code == 0, done.err
    row = pl.read_parquet(out / "scores.parquet").row(0, named=True)
    assert row["delivered"] == 0.0
    assert "10,000 activities" in row["problem"]


def test_a_killed_run_goes_on_to_the_same_table(built_sample: Path, tmp_path: Path) -> None:
    (tmp_path / "planner.py").write_text(
        'import time; time.sleep(0.2); print(\'{"Day 1": [{"POI name": "西湖"}]}\')',
        encoding="utf-8",
    )
    command = f"{sys.executable} {tmp_path / 'planner.py'}"
    words = [
        "bench",
        "run",
        str(built_sample),
        "--planner",
        command,
        "--limit",
        "6",
        "--name",
        "mine",
    ]
    out = tmp_path / "killed"
    process = Command([*words, "--out", out])
    results = out / "results.jsonl"
    while not results.exists() or results.read_bytes().count(b"\n") < 2:
        assert process.poll() is None
        time.sleep(0.02)
    second = run(*words, "--out", out)
    assert second.code == 2
    assert "another run is using" in second.err
    process.kill()
    assert process.wait() == -signal.SIGKILL
    again = json.loads(run(*words, "--out", out, "--json").out)
    assert again["before"] >= 2
    assert again["planned"] == 6
    run(*words, "--out", tmp_path / "alone")
    lines = [
        json.loads(run("bench", "report", folder, "--json").out)["lines"]
        for folder in (out, tmp_path / "alone")
    ]
    assert lines[0] == lines[1]
