"""Solving: shares solved and proven, and CPU seconds a query by days and by constraints.

Queries are files of ``tripbed queries build`` (queries.jsonl); the snapshot holds their cities.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from benchmarks.report import table, write_section
from validators.plans.request import request_of
from validators.plans.solve import solve
from validators.plans.world import World, read_world
from warehouse.read import Snapshot


def _row(name: str, seconds: Sequence[float]) -> list[object]:
    middle, high = np.quantile(seconds, (0.5, 0.95))
    return [name, len(seconds), f"{middle:.3f}", f"{high:.3f}", f"{max(seconds):.3f}"]


def measure(snapshot: Path, files: Iterable[Path], step: int) -> str:
    """Tables of shares and times."""
    held = Snapshot(snapshot)
    worlds: dict[str, World] = {}
    shares: dict[str, Counter[str]] = defaultdict(Counter)
    times: dict[str, list[float]] = defaultdict(list)
    rows = [json.loads(line) for f in files for line in f.read_text("utf-8").splitlines()]
    for row in rows[::step]:
        request = request_of(row)
        if request is None:
            continue
        city = row["city_id"]
        worlds[city] = worlds.get(city) or read_world(held, city)
        began = time.process_time()
        outcome = solve(request, worlds[city])
        seconds = time.process_time() - began
        shares[row["family"]][outcome.solvability] += 1
        for group in (row["family"], f"{request.days} days", f"{len(request.hard)} constraints"):
            times[group].append(seconds)
    told = [[f, *(n[s] for s in ("solved", "infeasible", "unknown"))] for f, n in shares.items()]
    return (
        table(("family", "solved", "proven infeasible", "unknown"), told)
        + "\n"
        + table(
            ("queries", "number", "median s", "95 % s", "most s"),
            (_row(name, found) for name, found in sorted(times.items())),
        )
    )


def main() -> None:
    """Print the tables, or write them to the page."""
    parser = argparse.ArgumentParser()
    parser.add_argument("snapshot", type=Path)
    parser.add_argument("queries", type=Path, nargs="+")
    parser.add_argument("--step", type=int, default=1, help="every n-th query")
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    body = measure(asked.snapshot, asked.queries, asked.step)
    if asked.write:
        command = f"python -m benchmarks.solving SNAPSHOT QUERIES... --step {asked.step} --write"
        write_section("Solving", command, body)
    print(body)


if __name__ == "__main__":
    main()
