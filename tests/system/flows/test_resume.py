"""A build that is killed at any moment goes on where it stopped, to the same bytes."""

from __future__ import annotations

import fcntl
import json
import os
import platform
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from flows.pipeline.shards import Workspace
from tests.support.flows import running
from tests.support.flows.builds import Built
from tests.support.flows.running import (
    build_options,
    checksums,
    leave_out_extras,
    run,
    shards,
)
from tests.support.forked import Command

#: Shards that are finished when the build is killed, and seconds that it is let run after.
#: ``benchmarks/kill_resume.py`` kills at many moments, by Prefect and on PostgreSQL too.
MOMENTS = [(13, 0.026), (0, 0.05)]


def _killed_at(moment: int, delay: float, inputs: running.Inputs, space: Path, out: Path) -> bool:
    """Start a build and kill it once so many shards are finished, or (0) once it publishes.

    False where the build ended before: on a busy machine the one that kills may have had to wait.
    """
    options = [*inputs.options(), *build_options(space, out)]
    build = Command(["build", *options], before=leave_out_extras)
    deadline = time.monotonic() + 120
    while build.poll() is None and time.monotonic() < deadline:
        if (moment and len(shards(space)) >= moment) or list(out.glob(".candidate-*")):
            time.sleep(delay)
            break
        time.sleep(0.002)
    build.send_signal(signal.SIGKILL)
    return build.wait() == -signal.SIGKILL


@pytest.mark.parametrize(("moment", "delay"), MOMENTS)
def test_a_killed_build_comes_to_the_same(
    moment: int,
    delay: float,
    small_build: Built,
    small: running.Inputs,
    tmp_path: Path,
    without_extras: None,
) -> None:
    for attempt in range(5):
        space, out = tmp_path / f"work-{attempt}", tmp_path / f"out-{attempt}"
        if _killed_at(moment, delay, small, space, out):
            break
    else:
        pytest.fail("five builds ended before they could be killed")
    assert not (out / "latest").exists()
    kept = len(shards(space))
    assert kept >= moment
    seen = run("build", *small.options(), *build_options(space, out), "--json")
    assert seen.code == 0, seen
    snapshot = (out / "latest").resolve()
    assert checksums(snapshot) == checksums(small_build.path)
    stages = json.loads(seen.out)["stages"].values()
    assert sum(stage["reused"] for stage in stages) == kept
    with (out / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    assert {path.name for path in out.iterdir()} == {".lock", "latest", snapshot.name}
    assert list(space.rglob(".*")) == [], "half-written shards are cleared away"


def test_only_the_leavings_of_dead_builds_are_cleared(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    space = Workspace(tmp_path)
    shard = tmp_path / "shards" / "tags" / "suzhou"
    names = [f".key.{platform.node()}.{ended.pid}", f".key.{platform.node()}.{os.getpid()}"]
    names.append(f".key.elsewhere.{ended.pid}")
    for name in names:
        (shard / name).mkdir(parents=True)
    (shard / f".last.json.{platform.node()}.{ended.pid}").write_text("{")
    space.prepare()
    assert {path.name for path in shard.iterdir()} == set(names[1:])


def test_a_truncated_shard_is_computed_again(
    small_build: Built, small: running.Inputs, tmp_path: Path, without_extras: None
) -> None:
    space, out = tmp_path / "work", tmp_path / "out"
    assert run("resolve", *small.options(), "--workspace", space).code == 0
    meta = next((space / "shards" / "pois").rglob("meta.json"))
    meta.write_text(meta.read_text("utf-8")[:20], encoding="utf-8")
    outcome = run("build", *small.options(), *build_options(space, out))
    assert outcome.code == 0
    assert checksums(Path(outcome.last_line)) == checksums(small_build.path)
