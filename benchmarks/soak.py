"""Build the sample many times in one process: memory, open files and disk use must not grow.

    python -m benchmarks.soak [--builds 100] [--write]

The builds alternate between the sample and the sample with one more page, so that every build
publishes a snapshot. Builds reuse shards, but they run the gates and write Data Docs and the report
every time. The exit code is 1 if the last fifth of the builds needs over 10 % more memory than the
second fifth, or if the number of open files or the disk space grows.
"""

from __future__ import annotations

import argparse
import gc
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.end_to_end import SAMPLE
from benchmarks.report import table, write_section
from flows.pipeline.request import make_inputs
from flows.pipeline.run import build_directly
from flows.pipeline.shards import Workspace

_PAGE = "# 杭州两日游\n\n第一天上午游览雷峰塔,下午游览柳浪闻莺。第二天上午游览虎跑,下午游览九溪。\n"


@dataclass(frozen=True)
class Sample:
    """The time, memory, open files and disk space that were measured after a build."""

    seconds: float
    memory_bytes: int
    open_files: int
    disk_bytes: int
    disk_files: int


def measure(folder: Path, builds: int) -> list[Sample]:
    """Run ``builds`` builds, and return the figures that were measured after each build."""
    more = folder / "more"
    shutil.copytree(SAMPLE / "documents", more)
    (more / "one-more.md").write_text(_PAGE, encoding="utf-8")
    samples = []
    for turn in range(builds):
        documents = more if turn % 2 else SAMPLE / "documents"
        inputs = make_inputs(["hangzhou"], [documents], SAMPLE / "tables", profile="demo")
        started = time.perf_counter()
        result = build_directly(inputs, Workspace(folder / "work"), folder / "out")
        if not result.published.passed:
            raise RuntimeError("a build of the sample was rejected")
        gc.collect()
        samples.append(_sample(time.perf_counter() - started, folder))
        sys.stderr.write(f"\r{turn + 1} of {builds}")
    sys.stderr.write("\n")
    return samples


def _sample(seconds: float, folder: Path) -> Sample:
    resident = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    files = [
        path
        for part in ("work/shards", "out")
        for path in (folder / part).rglob("*")
        if path.is_file() and not path.is_symlink()
    ]
    return Sample(
        seconds,
        resident * os.sysconf("SC_PAGE_SIZE"),
        len(os.listdir("/proc/self/fd")),
        sum(path.stat().st_size for path in files),
        len(files),
    )


def _median(samples: Sequence[Sample], name: str) -> float:
    return float(statistics.median(getattr(sample, name) for sample in samples))


def main() -> None:
    """Measure and print the figures; the exit code is 1 if one of them grows."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--builds", type=int, default=100)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        samples = measure(Path(temporary), arguments.builds)
    fifth = max(1, len(samples) // 5)
    early, late = samples[fifth : 2 * fifth] or samples, samples[-fifth:]
    rows = [
        (what, f"{_median(early, name) / unit:,.1f}", f"{_median(late, name) / unit:,.1f}")
        for what, name, unit in (
            ("seconds per build", "seconds", 1), ("memory, MB", "memory_bytes", 1e6),
            ("open files", "open_files", 1), ("disk, MB", "disk_bytes", 1e6),
            ("files on disk", "disk_files", 1),
        )
    ]  # fmt: skip
    header = ("median of", f"builds {fifth + 1}-{2 * fifth}", f"last {fifth} builds")
    body = (
        f"One process runs {len(samples)} builds. The builds alternate between the sample alone"
        " and the sample with one additional page. Because the data changes each time, every"
        " build publishes a snapshot.\n\n"
        f"{table(header, rows)}"
    )
    sys.stdout.write(body)
    if arguments.write:
        command = f"python -m benchmarks.soak --builds {arguments.builds}"
        write_section("Soak: builds in a row", command, body)
    flat = _median(late, "memory_bytes") <= 1.1 * _median(early, "memory_bytes") and all(
        _median(late, name) <= _median(early, name)
        for name in ("open_files", "disk_bytes", "disk_files")
    )
    sys.exit(not flat)


if __name__ == "__main__":
    main()
