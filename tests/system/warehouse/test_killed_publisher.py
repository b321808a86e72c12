"""What a publisher that is killed leaves."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from tests.conftest import ROOT
from tests.support.warehouse.publishing import leftovers, publish_book
from warehouse.publish import latest_snapshot

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
