"""At random moments, kill processes that publish to an object store while another process reads.

    python -m benchmarks.kill_publish [--kills 20] [--seed 1] [--write]

The run starts its own S3-compatible server. Each publisher is a process that publishes a new
snapshot and is killed (SIGKILL) at a random moment after it has sent its first object. A second
publisher then publishes the same snapshot. The objects in the store must be equal to those from a
publisher that was not killed. Meanwhile, a reader with its own scratch folder keeps opening
``latest``. Each snapshot that the reader finds must be complete (according to the checksums in its
manifest), and must be the old or the new one.
"""

from __future__ import annotations

import argparse
import hashlib
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from pathlib import Path
from unittest.mock import patch

from benchmarks.report import count_of, table, write_section
from schemas.ids import text_sha256
from storage.mirror import remote_of
from storage.places import find_folder
from tests.support.servers import object_store
from tests.support.warehouse.publishing import data_bytes, publish_book
from warehouse.addresses import put_snapshot, read_name
from warehouse.manifest import FILE_NAME

STORE = "s3://tripbed/snapshots"
#: Forks publishers from a process that has loaded what they need, once for all of them.
_PROCESSES = multiprocessing.get_context("forkserver")
_SOUND = (
    " Each time, the separate process found a complete snapshot, either the old one or the new one."
)
_READER = """
import sys, time
from storage.places import StorageError
from warehouse.errors import SnapshotError
from warehouse.manifest import read_manifest, verify
from warehouse.sandbox import Sandbox

while True:
    try:
        box = Sandbox(sys.argv[1])
        faults = list(verify(box.path, read_manifest(box.path)))
        said = f"{box.path.name} {'whole' if not faults else faults[0]}"
    except (SnapshotError, StorageError) as error:
        said = f"none {error}"
    print(said, flush=True)
    time.sleep(0.2)
"""


@dataclass(frozen=True)
class PublisherKill:
    """One killed publisher: when it was killed, and which snapshots the reader saw."""

    after_seconds: float
    objects: int
    moment: str
    seen: Counter[str]
    faults: tuple[str, ...]


def publish_number(number: int, store: str) -> str:
    """Publish snapshot ``number`` and return its name; each number gives a different snapshot."""
    named = {"control/number": text_sha256(str(number))}
    return publish_book(find_folder(store), ingredients=named).path.name


def kill_publishers(kills: int, seed: int, folder: Path) -> tuple[float, list[PublisherKill]]:
    """Kill publishers, publish again, and compare the results.

    Returns the number of seconds that an undisturbed publisher takes, and a list of all kills. The
    environment variables give the server's address. The temporary folder of this process is the
    scratch folder.
    """
    draw = random.Random(seed)
    _run_publisher(0)
    with _reading(folder) as seen:
        seconds = _run_publisher(0, store=f"{STORE}-of-nobody")
        return seconds, [
            _kill_publisher(number, draw.uniform(0, seconds), seen, folder)
            for number in range(1, kills + 1)
        ]


def _run_publisher(number: int, *, store: str = STORE, kill_after: float | None = None) -> float:
    """Publish in another process, and return the seconds for which it sent objects.

    With ``kill_after``, the process is killed that many seconds after it sends its first object.
    Raises RuntimeError if the process fails for any other reason.
    """
    heard, sending = _PROCESSES.Pipe(duplex=False)
    child = _PROCESSES.Process(target=_publish, args=(number, store, dict(os.environ), sending))
    child.start()
    sending.close()
    with heard, suppress(EOFError):  # the process failed
        heard.recv()  # the snapshot is on this machine, and its gates passed
    started = time.perf_counter()
    if kill_after is not None:
        time.sleep(kill_after)
        child.kill()
    child.join()
    if child.exitcode not in (0, -signal.SIGKILL):
        raise RuntimeError(f"publisher number {number} failed")
    return time.perf_counter() - started


def _publish(number: int, store: str, environment: dict[str, str], sending: Connection) -> None:
    """Publish a snapshot, and report when its first object is about to be sent."""
    os.environ.clear()
    os.environ.update(environment)
    tempfile.tempdir = None

    def report_and_put(snapshot: Path) -> None:
        sending.send("sending")
        put_snapshot(snapshot)

    with patch("warehouse.publish.put_snapshot", report_and_put):
        publish_number(number, store)


def _kill_publisher(number: int, after: float, seen: Path, folder: Path) -> PublisherKill:
    old = read_name(find_folder(STORE)) or ""
    plain = folder / "plain" / str(number)
    new = publish_number(number, str(plain))
    begun = seen.read_text().count("\n")
    _run_publisher(number, kill_after=after)
    there, name = objects_of(new), read_name(find_folder(STORE))
    moment = "pointer put" if name == new else "being sent" if there else "before sending"
    _wait_for_reader(seen)
    between = seen.read_text().splitlines()[begun:]
    _run_publisher(number)
    _wait_for_reader(seen)
    lines = seen.read_text().splitlines()[begun:]
    faults = [line for line in lines if line not in (f"{old} whole", f"{new} whole")]
    if between[-1] != f"{name} whole":
        faults.append("after the kill, the reader does not see the snapshot that `latest` names")
    if lines[-1] != f"{new} whole":
        faults.append("at the end, the reader does not see the new snapshot")
    if objects_of(new) != {key: _digest(raw) for key, raw in data_bytes(plain / new).items()}:
        faults.append("other bytes")
    words = {old: "old", new: "new"}
    counts = Counter(words.get(line.split()[0], "none") for line in lines)
    return PublisherKill(after, len(there), moment, counts, tuple(faults))


def objects_of(name: str) -> dict[str, str]:
    """Return the hashes of a snapshot's objects in the store: the manifest and the data."""
    remote = remote_of(find_folder(STORE) / name)
    assert remote is not None
    keys = [key for key in remote.stamps() if key == FILE_NAME or key.startswith("data/")]
    return {key: _digest(remote.read(key) or b"") for key in keys}


def _digest(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()


@contextmanager
def _reading(folder: Path) -> Iterator[Path]:
    """Run a reader, and yield the file in which the reader lists the snapshots that it sees."""
    scratch, seen = folder / "reader", folder / "seen"
    scratch.mkdir()
    with seen.open("wb") as out:
        child = subprocess.Popen(
            [sys.executable, "-c", _READER, f"{STORE}/latest"], stdout=out,
            env={**os.environ, "TMPDIR": str(scratch)},
        )  # fmt: skip
    try:
        _wait_for_reader(seen)
        yield seen
        assert child.poll() is None, "the reader ended too soon"
    finally:
        child.kill()
        child.wait()


def _wait_for_reader(seen: Path) -> None:
    """Wait until the reader has opened and checked one more snapshot."""
    held, deadline = seen.read_text().count("\n"), time.monotonic() + 120
    while seen.read_text().count("\n") < held + 2:
        if time.monotonic() > deadline:
            raise RuntimeError("the reader has stopped reading")
        time.sleep(0.05)


def main() -> None:
    """Kill publishers, publish again, and compare the results.

    The exit code is 1 if the reader or the store shows anything but the old or the new snapshot.
    """
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    _PROCESSES.set_forkserver_preload(["tests.support.warehouse.publishing"])
    forkserver.ensure_running()  # its socket must outlive the temporary folder below
    with tempfile.TemporaryDirectory() as temporary, object_store(Path(temporary)) as environment:
        folder = Path(temporary)
        tempfile.tempdir = os.environ["TMPDIR"] = str(folder)
        os.environ |= environment
        seconds, kills = kill_publishers(arguments.kills, arguments.seed, folder)
    rows = [
        (f"{k.after_seconds:.2f}", k.moment, k.objects, k.seen["old"], k.seen["new"],
         "; ".join(k.faults) or "none")
        for k in kills
    ]  # fmt: skip
    header = (
        "upload time before the kill, s",
        "moment",
        "objects there",
        "old snapshot seen",
        "new snapshot seen",
        "faults",
    )
    good = sum(not kill.faults for kill in kills)
    reads = sum(kill.seen.total() for kill in kills)
    body = (
        f"An uninterrupted upload takes {seconds:.2f} s. After each of the {len(kills)} kills, the"
        f" benchmark published the same snapshot again. In {count_of(good, len(kills), 'cases')},"
        " the manifest and the data files were byte-for-byte identical to those of an uninterrupted"
        f" upload. During the benchmark, a separate process opened the latest snapshot {reads}"
        f" times.{_SOUND if good == len(kills) else ''}\n\n"
        f"{table(header, rows)}"
    )
    sys.stdout.write(body)
    if arguments.write:
        command = (
            f"python -m benchmarks.kill_publish --kills {arguments.kills} --seed {arguments.seed}"
        )
        write_section("Killed while publishing to S3", command, body)
    sys.exit(good != len(kills))


if __name__ == "__main__":
    main()
