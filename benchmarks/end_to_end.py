"""Measure whole builds: the time and memory of each stage, and the time that Prefect adds.

    python -m benchmarks.end_to_end --sample
    python -m benchmarks.end_to_end --city chengdu --documents DIR --tables DIR
    python -m benchmarks.end_to_end --ten --documents DIR --tables DIR

``--ten`` builds all cities in the tables into one snapshot. Each build is a separate process. The
first build runs without Prefect in a new workspace and store. The second build repeats the first
without changes. Two more builds run with Prefect, each with its own server. The first Prefect build
has a new Prefect home, so Prefect has to create its database. The second Prefect build uses the
Prefect home of the first, and shows how much time Prefect adds. ``--write`` writes the figures to
``docs/benchmarks``.

The memory figure for a stage is the process's peak memory so far, so it never falls from one stage
to the next. With Prefect, two shards run at a time, so the seconds of their stages overlap.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.report import count_of, table, write_section
from sources.tables.registry import available_cities

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = ROOT / "sources" / "sample" / "hangzhou"
MODULE = "python -m benchmarks.end_to_end"


@dataclass(frozen=True)
class BuildCase:
    """The settings of the builds, and the command to repeat the measurement."""

    title: str
    command: str
    options: tuple[str, ...]


@dataclass(frozen=True)
class Build:
    """One finished build: its wall-clock and CPU seconds, its peak memory and its output."""

    seconds: float
    cpu_seconds: float
    peak_bytes: int
    facts: dict[str, Any]

    @property
    def stages(self) -> dict[str, dict[str, float]]:
        """Seconds, shards and memory of each stage."""
        found: dict[str, dict[str, float]] = self.facts["stages"]
        return found

    @property
    def in_stages(self) -> float:
        """Total seconds of all stages."""
        return sum(stage["seconds"] for stage in self.stages.values())

    @property
    def rows(self) -> int:
        """Number of rows in the snapshot."""
        return sum(self.facts["rows"].values())


@dataclass(frozen=True)
class Builds:
    """The builds of one case."""

    direct: Build
    again: Build
    fresh: Build
    warm: Build


def build(
    options: tuple[str, ...],
    folder: Path,
    home: Path | None = None,
    *,
    keep_server: bool = False,
    at: str | None = None,
) -> Build:
    """Run ``tripbed build`` in its own process, with Prefect if ``home`` is given.

    With ``keep_server``, the build uses the server at ``PREFECT_API_URL``. If ``at`` is given, the
    workspace and the store are at this address; otherwise, they are in ``folder``. Raises
    RuntimeError if the build fails.
    """
    folder.mkdir(parents=True, exist_ok=True)
    argv = [
        sys.executable, "-m", "flows.cli", "build", *options, "--json",
        "--workspace", f"{at or folder}/work", "--out", f"{at or folder}/out",
        *([] if home else ["--direct"]),
    ]  # fmt: skip
    environment = {**os.environ, "PREFECT_HOME": str(home or folder / "prefect")}
    if not keep_server:
        environment.pop("PREFECT_API_URL", None)
    started = time.perf_counter()
    with (folder / "out.json").open("wb") as out, (folder / "err.txt").open("wb") as err:
        child = subprocess.Popen(argv, cwd=ROOT, stdout=out, stderr=err, env=environment)
        _pid, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - started
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        said = (folder / "err.txt").read_text(encoding="utf-8", errors="replace")
        raise RuntimeError(f"the build ended with exit code {child.returncode}: {said[-3000:]}")
    facts = json.loads((folder / "out.json").read_text(encoding="utf-8"))
    return Build(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, facts)


def measure(case: BuildCase) -> str:
    """Return the figures of a case as Markdown. Raises RuntimeError if a build fails."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        home = folder / "home"
        builds = Builds(
            direct=build(case.options, folder / "direct"),
            again=build(case.options, folder / "direct"),
            fresh=build(case.options, folder / "fresh", home),
            warm=build(case.options, folder / "warm", home),
        )
    return "\n".join([_summary(builds), _by_stage(builds.direct)])


def _summary(builds: Builds) -> str:
    direct, again, warm = builds.direct, builds.again, builds.warm
    reused = sum(stage["reused"] for stage in again.stages.values())
    shards = sum(stage["shards"] for stage in again.stages.values())
    named = {
        "fresh build, without Prefect": direct,
        "fresh build, with Prefect": warm,
        "fresh build, with Prefect and a new Prefect home": builds.fresh,
        "repeated build without changes, without Prefect": again,
    }
    rows = [
        (name, f"{b.seconds:.1f}", f"{b.cpu_seconds:.1f}", _mega(b.peak_bytes))
        for name, b in named.items()
    ]
    share = (warm.seconds - direct.seconds) / direct.seconds
    return (
        table(("build", "seconds", "CPU seconds", "peak MB"), rows)
        + f"\nWith Prefect, the build takes {share:.0%} ({warm.seconds - direct.seconds:.1f} s)"
        f" longer than without Prefect."
        f" The repeated build reused {count_of(round(reused), round(shards), 'shards')}. The fresh"
        f" build published {direct.rows:,} rows, or {direct.rows / direct.seconds:,.0f} rows per"
        f" second. {_kept_told(direct.facts['queries'])}\n"
    )


def _kept_told(queries: dict[str, dict[str, int]]) -> str:
    """Return a sentence with the numbers of planned and kept queries for each city."""
    if len(queries) == 1:
        ((city, n),) = queries.items()
        return (
            f"The build kept {n['kept']} of the {n['planned']} queries planned for {city.title()}."
        )
    kept = ", ".join(f"{city} {n['kept']} of {n['planned']}" for city, n in queries.items())
    return f"The build kept the following numbers of planned queries: {kept}."


def _by_stage(direct: Build) -> str:
    rows = [
        (name, f"{stage['shards']:.0f}", f"{stage['seconds']:.2f}", _mega(stage["peak_bytes"]))
        for name, stage in direct.stages.items()
    ]
    rest = direct.facts["seconds"] - direct.in_stages
    start = direct.seconds - direct.facts["seconds"]
    rows.append(
        ("publishing: gates, Data Docs, report", "", f"{rest:.2f}", _mega(direct.peak_bytes))
    )
    rows.append(("start of the process", "", f"{start:.2f}", ""))
    return table(("stage", "shards", "seconds", "peak MB"), rows)


def _mega(size: float) -> str:
    return f"{size / 1e6:,.0f}"


def _case(arguments: argparse.Namespace) -> BuildCase:
    if arguments.sample:
        options = ("--city", "hangzhou", "--profile", "demo", "--documents",
                   str(SAMPLE / "documents"), "--tables", str(SAMPLE / "tables"))  # fmt: skip
        return BuildCase("End to end: the sample", f"{MODULE} --sample", options)
    layout = arguments.tables_format
    if arguments.ten:
        cities = available_cities(arguments.tables, layout) or []
        title, asked = f"End to end: {len(cities)} cities in one snapshot", "--ten"
    else:
        cities = [arguments.city]
        title, asked = f"End to end: {arguments.city}", f"--city {arguments.city}"
    options = (
        *(part for city in cities for part in ("--city", city)),
        "--documents", str(arguments.documents), "--tables", str(arguments.tables),
        "--tables-format", layout,
    )  # fmt: skip
    return BuildCase(title, f"{MODULE} {asked} --documents DIR --tables DIR", options)


def main() -> None:
    """Run the measurements and print the results; with ``--write``, also write them to the docs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--sample", action="store_true")
    which.add_argument("--city")
    which.add_argument("--ten", action="store_true")
    parser.add_argument("--documents", type=Path)
    parser.add_argument("--tables", type=Path)
    parser.add_argument("--tables-format", default="traveleval")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    if not arguments.sample and not (arguments.documents and arguments.tables):
        parser.error("give --documents and --tables")
    case = _case(arguments)
    body = measure(case)
    sys.stdout.write(f"{case.title}\n\n{body}")
    if arguments.write:
        write_section(case.title, case.command, body)


if __name__ == "__main__":
    main()
