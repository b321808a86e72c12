"""Kill builds of the sample at random moments, and resume them.

    python -m benchmarks.kill_resume [--kills 12] [--seed 1] [--by direct|sqlite|postgres] [--write]

``--by`` chooses what runs the shards: the process itself, or Prefect with its own server and a
SQLite or PostgreSQL database. One build runs undisturbed, to measure its time and checksums. Each
of the other builds starts in a new workspace, is killed (SIGKILL) at a random moment within the
time that the undisturbed build took, and is run again. The manifest and data of the second run must
have the checksums of the undisturbed build. The killed build must not leave half-written files, and
the lock must be free.
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.end_to_end import ROOT, SAMPLE
from benchmarks.report import count_of, table, write_section
from tests.support.servers import postgres, prefect_server

OPTIONS = (
    "--city", "hangzhou", "--profile", "demo", "--documents", str(SAMPLE / "documents"),
    "--tables", str(SAMPLE / "tables"), "--json",
)  # fmt: skip


_NAMES = {"direct": "directly", "sqlite": "Prefect on SQLite", "postgres": "Prefect on PostgreSQL"}


@dataclass(frozen=True)
class BuildKill:
    """A build that was killed, and its second run."""

    moment_seconds: float
    shards: int
    at: str
    resumed_seconds: float
    faults: tuple[str, ...]


def start(folder: Path) -> subprocess.Popen[bytes]:
    """Start a build of the sample in a folder; PREFECT_API_URL names the server, if any."""
    folder.mkdir(parents=True, exist_ok=True)
    argv = [sys.executable, "-m", "flows.cli", "build", *OPTIONS]
    argv += [] if os.environ.get("PREFECT_API_URL") else ["--direct"]
    places = ["--workspace", str(folder / "work"), "--out", str(folder / "out")]
    with (folder / "out.json").open("wb") as out:
        return subprocess.Popen([*argv, *places], cwd=ROOT, stdout=out, stderr=subprocess.DEVNULL)


@contextmanager
def server(by: str) -> Iterator[None]:
    """Start the server that runs the builds; ``direct`` needs no server."""
    with tempfile.TemporaryDirectory() as temporary, ExitStack() as running:
        folder = Path(temporary)
        if by != "direct":
            database = running.enter_context(postgres(folder)) if by == "postgres" else None
            url = running.enter_context(prefect_server(folder, database))
            os.environ |= {"PREFECT_API_URL": url, "PREFECT_HOME": str(folder / "client")}
        try:
            yield
        finally:
            os.environ.pop("PREFECT_API_URL", None)


def finish(folder: Path) -> float:
    """Run a build to its end and return how many seconds it took. Raises RuntimeError if the build
    fails.
    """
    started = time.perf_counter()
    if start(folder).wait():
        raise RuntimeError(f"a build of the sample failed: {(folder / 'out.json').read_text()}")
    return time.perf_counter() - started


def checksums(store: Path) -> dict[str, str]:
    """Return the SHA-256 of the manifest and of each data file of the latest snapshot."""
    snapshot = store / "latest"
    files = [snapshot / "manifest.json", *snapshot.glob("data/**/*.parquet")]
    return {
        str(path.relative_to(snapshot)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }


def disturb(folder: Path, moment_seconds: float, wanted: dict[str, str]) -> BuildKill:
    """Kill a build after some seconds (fewer if the build would end before the kill), and run it
    again.
    """
    while not _kill_after(start(folder), moment_seconds):
        shutil.rmtree(folder)
        moment_seconds *= 0.8
    shards = sorted(folder.glob("work/shards/*/*/*/meta.json"), key=lambda p: p.stat().st_mtime_ns)
    publishing = any((folder / "out").glob(".candidate-*"))
    at = "publishing" if publishing else f"after {shards[-1].parts[-4]}" if shards else "start"
    seconds = finish(folder)
    faults = list(_faults(folder, wanted))
    return BuildKill(moment_seconds, len(shards), at, seconds, tuple(faults))


def _kill_after(build: subprocess.Popen[bytes], seconds: float) -> bool:
    """Kill a build after some seconds; return False if it ended before the kill."""
    try:
        build.wait(seconds)
    except subprocess.TimeoutExpired:
        build.send_signal(signal.SIGKILL)
    return build.wait() == -signal.SIGKILL


def _faults(folder: Path, wanted: dict[str, str]) -> list[str]:
    found = []
    if checksums(folder / "out") != wanted:
        found.append("other checksums")
    if any((folder / "out").glob(".candidate-*")) or any((folder / "work").rglob(".*")):
        found.append("half-written files stay")
    with (folder / "out" / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            found.append("the lock is held")
    return found


def main() -> None:
    """Kill, resume and compare builds; the exit code is 1 if a resumed build differs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--kills", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--by", choices=("direct", "sqlite", "postgres"), default="direct")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    with server(arguments.by), tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        seconds = finish(folder / "whole")
        wanted = checksums(folder / "whole" / "out")
        draw = random.Random(arguments.seed)
        moments = sorted(draw.uniform(0, seconds) for _ in range(arguments.kills))
        kills = [
            disturb(folder / str(n), moment, wanted) for n, moment in enumerate(moments)
        ]  # fmt: skip
    rows = [
        (f"{k.moment_seconds:.1f}", k.at, k.shards, f"{k.resumed_seconds:.1f}",
         ", ".join(k.faults) or "same")
        for k in kills
    ]  # fmt: skip
    header = ("killed at second", "moment", "shards kept", "second run, s", "checksums")
    same = sum(not kill.faults for kill in kills)
    body = (
        f"An uninterrupted build took {seconds:.1f} s."
        f" {count_of(same, len(kills), 'resumed builds').capitalize()} produced the same"
        f" {len(wanted)} checksums as the uninterrupted build and left no half-written"
        f" files.\n\n{table(header, rows)}"
    )
    sys.stdout.write(body)
    if arguments.write:
        asked = f"--kills {arguments.kills} --seed {arguments.seed} --by {arguments.by}"
        command = f"python -m benchmarks.kill_resume {asked}"
        write_section(f"Killed and resumed: the sample, {_NAMES[arguments.by]}", command, body)
    sys.exit(same != len(kills))


if __name__ == "__main__":
    main()
