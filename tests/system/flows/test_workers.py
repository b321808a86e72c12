"""Builds whose shards run in worker processes:
interrupted, robbed of a worker, and gone on with.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.support.flows import running
from tests.support.flows.builds import Built
from tests.support.flows.running import build_options, checksums, leave_out_extras, shards
from tests.support.forked import Command

#: The command, whose snapshots have no report and no Data Docs.
_BARE = """
from flows.cli import main
from tests.support.flows.running import leave_out_extras

leave_out_extras()
main()
"""
#: What Ctrl-C may take.
_ENDS_WITHIN_SECONDS = 5

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("all_cores")]


def _build(sample: Path, folder: Path, *options: str) -> Command:
    """The sample built by two workers, in a session of its own."""
    command = [
        "build", "--city", "hangzhou", "--profile", "demo",
        "--documents", str(sample / "documents"), "--tables", str(sample / "tables"),
        "--direct", "--workers", "2", *options,
        "--workspace", str(folder / "work"), "--out", str(folder / "out"),
    ]  # fmt: skip
    return Command(command, before=leave_out_extras, heard=True, apart=True)


def _workers(build: Command) -> list[int]:
    """The worker processes of a build."""
    asked = subprocess.run(
        ["ps", "-ww", "-s", str(build.pid), "-o", "pid=,stat=,args="],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    lines = (line.split(maxsplit=2) for line in asked.stdout.splitlines())
    return [int(pid) for pid, state, args in lines if "spawn_main" in args and "Z" not in state]


def _wait_for(build: Command, work: Path, stages: Sequence[str]) -> None:
    """Wait until two workers run, and a shard of each stage is finished."""
    deadline = time.monotonic() + 240
    while time.monotonic() < deadline:
        finished = {path.parents[2].name for path in shards(work)}
        if finished.issuperset(stages) and len(_workers(build)) == 2:
            return
        assert build.poll() is None, build.communicate()
        time.sleep(0.02)
    pytest.fail("the workers did not come so far")


def test_ctrl_c_and_a_killed_worker_lose_nothing(
    sample: Path, built_sample: Path, tmp_path: Path
) -> None:
    """Ctrl-C in a terminal, then a worker's end, then the same bytes as one process makes."""
    work = tmp_path / "work"
    stopped = _build(sample, tmp_path)
    _wait_for(stopped, work, ["tables"])
    began = time.monotonic()
    os.killpg(stopped.pid, signal.SIGINT)
    _, said = stopped.communicate(timeout=60)
    assert (stopped.returncode, time.monotonic() - began < _ENDS_WITHIN_SECONDS) == (130, True)
    assert "Traceback" not in said
    assert _workers(stopped) == []

    robbed = _build(sample, tmp_path)
    _wait_for(robbed, work, ["tables", "corpus"])
    os.kill(_workers(robbed)[0], signal.SIGKILL)
    _, said = robbed.communicate(timeout=120)
    assert robbed.returncode == 2
    assert "a worker process was killed" in said
    assert "Finished shards are kept" in said
    assert "Traceback" not in said
    assert _workers(robbed) == []
    assert not (tmp_path / "out" / "latest").exists()

    kept = len(shards(work))
    whole = _build(sample, tmp_path, "--json")
    told, said = whole.communicate(timeout=300)
    assert whole.returncode == 0, said
    stages = json.loads(told)["stages"].values()
    assert sum(stage["reused"] for stage in stages) == kept > 0
    assert checksums((tmp_path / "out" / "latest").resolve()) == checksums(built_sample)
    assert list(work.rglob(".*")) == [], "half-written shards are cleared away"


def test_threads_of_polars_change_no_byte(
    small: running.Inputs, small_build: Built, tmp_path: Path
) -> None:
    """All other builds of the tests have one thread each, which hides an order that varies."""
    place = build_options(tmp_path / "work", tmp_path / "out")
    built = subprocess.run(
        [sys.executable, "-c", _BARE, "build", *small.options(), *place],
        cwd=ROOT, env={**os.environ, "POLARS_MAX_THREADS": "4"}, capture_output=True, text=True,
        check=False, timeout=300,
    )  # fmt: skip
    assert built.returncode == 0, built.stderr
    assert checksums(Path(built.stdout.splitlines()[-1])) == checksums(small_build.path)


def test_workers_end_with_a_build_that_is_killed(sample: Path, tmp_path: Path) -> None:
    build = _build(sample, tmp_path)
    _wait_for(build, tmp_path / "work", ["tables"])
    build.kill()
    build.communicate(timeout=60)
    deadline = time.monotonic() + 30
    while _workers(build) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert _workers(build) == []
