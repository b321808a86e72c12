"""Build with one process and with workers, and compare the files and the times.

    python -m benchmarks.workers --documents DIR --tables DIR [--workers 2] [--rounds 2] [--write]

The run builds all cities in the tables without Prefect, alternately with one process and with
workers. Each build has a new workspace and store. The published files of all builds must be equal.
Wall-clock times are unreliable if other programs use the machine. The run therefore also adds the
CPU seconds of the build's own process to those of its busiest worker. The sum, which is in the
column *longest chain*, is the time that the build would take if each process had a free core.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from benchmarks.end_to_end import ROOT
from benchmarks.report import table, write_section
from sources.tables.registry import available_cities
from tests.support.flows.running import checksums

_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Took:
    """The figures of a build: seconds, CPU seconds, checksums of its files, and the load.

    The list of CPU seconds has one item per process and begins with the build's own process.
    """

    workers: int
    seconds: float
    processor: tuple[float, ...]
    files: dict[str, str]
    load: float

    @property
    def chain(self) -> float:
        """The CPU seconds of the build's own process plus those of its busiest worker."""
        own, *others = self.processor
        return own + max(others, default=0.0)

    @property
    def cells(self) -> tuple[str, ...]:
        """The cells of the table row for the build."""
        found = (self.seconds, sum(self.processor), self.chain, self.load)
        return str(self.workers), *(f"{figure:.1f}" for figure in found)


def build(options: tuple[str, ...], folder: Path, workers: int) -> Took:
    """Build in a separate process. Raises RuntimeError if the build fails."""
    folder.mkdir()
    argv = [
        sys.executable,
        "-m",
        "flows.cli",
        "build",
        "--direct",
        *options,
        "--json",
        "--workers",
        str(workers),
        "--workspace",
        str(folder / "work"),
        "--out",
        str(folder / "out"),
    ]
    load, started = os.getloadavg()[0], time.perf_counter()
    used: dict[int, float] = {}
    with (folder / "said").open("wb") as said:
        child = subprocess.Popen(argv, cwd=ROOT, stdout=said, stderr=said)
        while child.poll() is None:
            used |= dict(_cpu_seconds_of(child.pid))
            time.sleep(0.2)
    seconds = time.perf_counter() - started
    if child.returncode:
        raise RuntimeError(f"the build failed: {(folder / 'said').read_text('utf-8')[-3000:]}")
    files = checksums((folder / "out" / "latest").resolve())
    own = used.pop(child.pid)
    return Took(workers, seconds, (own, *used.values()), files, load)


def _cpu_seconds_of(pid: int) -> Iterator[tuple[int, float]]:
    """Yield the CPU seconds of a process and of the running processes that it started."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        started = [
            int(other)
            for task in Path(f"/proc/{pid}/task").iterdir()
            for other in (task / "children").read_text(encoding="utf-8").split()
        ]
    except (FileNotFoundError, ProcessLookupError):
        return
    yield pid, (int(fields[11]) + int(fields[12])) / _TICKS
    for other in started:
        yield from _cpu_seconds_of(other)


def report(builds: list[Took], cities: int, workers: int) -> str:
    """Return the figures as Markdown."""
    one, many = ([b for b in builds if (b.workers == 1) is alone] for alone in (True, False))
    wall = fmean(b.seconds for b in one) / fmean(b.seconds for b in many)
    chain = fmean(b.chain for b in one) / fmean(b.chain for b in many)
    same = all(b.files == builds[0].files for b in builds)
    header = ("processes", "seconds", "CPU seconds", "longest chain", "load before")
    return (
        f"{table(header, [b.cells for b in builds])}\n"
        f"The builds cover {cities} cities. The manifests and all Parquet files are"
        f" {'identical' if same else 'DIFFERENT'}. In wall-clock time, {workers} workers are"
        f" {wall:.2f} times as fast as one process. The column *longest chain* shows the CPU time"
        " of the build's own process plus that of the busiest worker. If every process had a core"
        f" of its own, {workers} workers would be {chain:.2f} times as fast as one process.\n"
    )


def main() -> None:
    """Build and compare; the exit code is 1 if the snapshots differ."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--documents", type=Path, required=True)
    parser.add_argument("--tables", type=Path, required=True)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    cities = available_cities(arguments.tables, "traveleval") or []
    options = (
        *(part for city in cities for part in ("--city", city)), "--profile", "folder",
        "--documents", str(arguments.documents), "--tables", str(arguments.tables),
        "--tables-format", "traveleval",
    )  # fmt: skip
    builds: list[Took] = []
    with tempfile.TemporaryDirectory() as temporary:
        for number in range(2 * arguments.rounds):
            workers = (1, arguments.workers)[number % 2]
            builds.append(build(options, Path(temporary, str(number)), workers))
            sys.stderr.write(f"{table(('', *[''] * 4), [builds[-1].cells]).splitlines()[-1]}\n")
    body = report(builds, len(cities), arguments.workers)
    sys.stdout.write(body)
    if arguments.write:
        command = (
            "python -m benchmarks.workers --documents DIR --tables DIR "
            f"--workers {arguments.workers} --rounds {arguments.rounds}"
        )
        write_section("One process and two workers of one machine", command, body)
    sys.exit(any(b.files != builds[0].files for b in builds))


if __name__ == "__main__":
    main()
