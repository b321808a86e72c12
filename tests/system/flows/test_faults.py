"""What goes wrong at night: a full disk, a clock that jumps, two schedulers."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

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

# Reports and Data Docs are of no matter here.
pytestmark = pytest.mark.usefixtures("without_extras")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 200 kB. Needs the right to mount one."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", str(place)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a small file system can't be mounted here: it needs root")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def _grow(disk: Path) -> None:
    subprocess.run(["mount", "-o", "remount,size=50m", str(disk)], check=True)


def test_a_full_disk_stops_the_build_and_room_lets_it_go_on(
    small_disk: Path, small_build: Built, tmp_path: Path
) -> None:
    options = [*small_build.inputs.options(), *build_options(small_disk / "work", tmp_path / "out")]
    full = run("build", *options)
    assert full.code == 2
    assert "the disk is full" in full.err
    assert "finished shards are kept" in full.err
    assert "Traceback" not in full.err
    assert not (tmp_path / "out" / "latest").exists()
    kept = shards(small_disk / "work")
    _grow(small_disk)
    again = run("build", *options)
    assert again.code == 0, again.err
    assert checksums(Path(again.last_line)) == checksums(small_build.path)
    assert set(kept) <= set(shards(small_disk / "work"))


def test_a_full_store_leaves_the_latest(
    small_disk: Path, small_build: Built, tmp_path: Path
) -> None:
    options = [*small_build.inputs.options(), *build_options(tmp_path / "work", small_disk / "out")]
    full = run("build", *options)
    assert full.code == 2
    assert "the disk is full" in full.err
    assert not (small_disk / "out" / "latest").exists()
    _grow(small_disk)
    again = run("build", *options)
    assert again.code == 0, again.err
    assert checksums(Path(again.last_line)) == checksums(small_build.path)
    assert not [path for path in (small_disk / "out").iterdir() if "candidate" in path.name]


def test_a_clock_that_jumps_changes_nothing(
    small_build: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each look at the clock is a day off, now ahead, now behind."""
    off = itertools.cycle([86_400.0, -86_400.0])
    true = time.time
    monkeypatch.setattr(time, "time", lambda: true() + next(off))
    outcome = run(
        "build", *small_build.inputs.options(), *build_options(tmp_path, tmp_path / "out")
    )
    assert outcome.code == 0, outcome.err
    assert checksums(Path(outcome.last_line)) == checksums(small_build.path)
    run_json = (Path(outcome.last_line) / "run.json").read_text("utf-8")
    assert '"seconds": -' not in run_json


@pytest.mark.usefixtures("all_cores")
def test_two_schedulers_start_the_same_city(
    small: running.Inputs, small_build: Built, tmp_path: Path
) -> None:
    """Both end well: one builds, the other waits for it and finds all shards."""
    space, out = tmp_path / "work", tmp_path / "out"
    options = [*small.options(), *build_options(space, out)]
    other = Command(["build", *options], before=leave_out_extras, heard=True)
    deadline = time.monotonic() + 240
    while not shards(space) and other.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    mine = run("build", *options, "--json")
    _out, told = other.communicate(timeout=300)
    assert other.returncode == 0, told
    assert mine.code == 0, mine.err
    assert all(s["reused"] == s["shards"] for s in json.loads(mine.out)["stages"].values())
    snapshots = [path for path in (tmp_path / "out").iterdir() if path.name.startswith("s")]
    assert len(snapshots) == 1
    assert checksums(snapshots[0]) == checksums(small_build.path)
