"""Markers by folder, and shared fixtures.

A test's kind is the folder that it lies in: ``unit``, ``pipeline`` or ``system``. Real inputs lie
outside the project; tests that need them skip without.
"""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from flows.garbage import collect_garbage_rarely

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = ROOT / "sources" / "sample" / "hangzhou"
#: Real inputs: not there on every machine.
SHARED = Path(os.environ.get("TRIPBED_SHARED", ROOT.parent / "shared"))

# Several workers, builds and servers share the cores; threads of polars would get in their way.
# Processes that tests start inherit this. It must be set before polars is imported.
os.environ.setdefault("POLARS_MAX_THREADS", "1")

#: What a run of all tests writes, with some reserve.
_WRITTEN_BYTES = 6_000_000_000
# Tests write a hundred thousand files, which memory takes faster than a disk.
_MEMORY = Path("/dev/shm")
if _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free > _WRITTEN_BYTES:
    os.environ.setdefault("TMPDIR", str(_MEMORY))
    tempfile.tempdir = None  # another plugin may have asked before

# The same as in a process of tripbed.
collect_garbage_rarely()

# A worker of pytest stays on one core, as do processes that its tests start. Polars hands each of
# its many small computations to a thread; handing them to another core doubles their time.
_WORKER = os.environ.get("PYTEST_XDIST_WORKER", "")
_CORES = sorted(os.sched_getaffinity(0))
if _WORKER:
    os.sched_setaffinity(0, {_CORES[int(_WORKER.removeprefix("gw")) % len(_CORES)]})

# A shell that starts the tests in the background ignores Ctrl-C for all that they start, too.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

#: The longest first: where workers share a run, the short ones fill the gaps at its end.
KINDS = ("system", "pipeline", "unit")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give every test the marker of its kind, and run kind after kind, each with the slow first."""
    for item in items:
        item.add_marker(_kind(item))
    items.sort(key=lambda item: (KINDS.index(_kind(item)), item.get_closest_marker("slow") is None))


def _kind(item: pytest.Item) -> str:
    return item.path.relative_to(ROOT / "tests").parts[0]


@pytest.fixture(scope="session", autouse=True)
def _no_wait_for_the_disk() -> Iterator[None]:
    """Tests kill processes, never the machine, so files in its memory are as safe as on its disk.

    A small build waits for the disk 400 times.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda handle: None)
        yield


@pytest.fixture
def all_cores() -> Iterator[None]:
    """Processes and threads that the test starts run side by side: what they share is at stake."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, _CORES)
    yield
    os.sched_setaffinity(0, before)


@pytest.fixture(scope="session")
def shared() -> Path:
    """Folder of real inputs; the test is skipped where it is absent."""
    if not (SHARED / "data").is_dir():
        pytest.skip(f"no real inputs at {SHARED}: set TRIPBED_SHARED")
    return SHARED


@pytest.fixture(scope="session")
def sample() -> Path:
    """Folder of the bundled sample city."""
    return SAMPLE
