"""What a publisher that is killed leaves."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.kill_publish import kill_publishers
from tests.conftest import ROOT
from tests.support.addresses import s3, scratch
from tests.support.forked import ensure_running
from tests.support.warehouse.publishing import leftovers, publish_book
from warehouse.publish import latest_snapshot

__all__ = ["s3", "scratch"]

_KILLED = """
import os, signal, sys
from pathlib import Path
from tests.support.warehouse.publishing import publish_book

def die(candidate):
    os.kill(os.getpid(), signal.SIGKILL)

publish_book(Path(sys.argv[1]), extras=die)
"""


def test_the_candidate_of_a_killed_publisher_is_cleaned(tmp_path: Path) -> None:
    """The lock dies with its holder."""
    store = tmp_path / "store"
    done = subprocess.run(
        [sys.executable, "-c", _KILLED, str(store)], cwd=ROOT, check=False, capture_output=True
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert len(leftovers(store)) == 1
    assert latest_snapshot(store) is None
    (store / ".latest-99999").symlink_to("nowhere")
    made = publish_book(store)
    assert latest_snapshot(store) == made.path
    assert leftovers(store) == []


@pytest.mark.slow
@pytest.mark.usefixtures("all_cores")
def test_readers_of_an_object_store_see_the_old_snapshot_or_the_new(
    s3: str, scratch: Path, tmp_path: Path
) -> None:
    """Killed while it sends; the benchmark of this name draws more moments."""
    ensure_running()
    _, kills = kill_publishers(3, 7, tmp_path)
    assert [kill.faults for kill in kills] == [()] * 3
    assert all(kill.seen["old"] and kill.seen["new"] and not kill.seen["none"] for kill in kills)
