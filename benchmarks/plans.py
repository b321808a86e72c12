"""Plans: shares solved and proven, and CPU seconds to solve and to check, by days and constraints.

    python -m benchmarks.plans SNAPSHOT QUERIES... [--step 5] [--write]

``benchmarks.plan_checks`` measures what the checker catches, and scoring.

Queries are files of ``tripbed queries build`` (queries.jsonl) or of TravelEval's published form
(.json); the snapshot holds their cities. For queries that are not solved the obstacle is counted.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks.report import table, write_section
from schemas.cities import find_city
from validators.plans.check import check
from validators.plans.request import Request, request_of, request_of_structure
from validators.plans.solve import solve
from validators.plans.world import World, read_world
from warehouse.read import Snapshot


def _row(name: str, pairs: Sequence[tuple[float, float]]) -> list[object]:
    seconds, checks = np.array(pairs).T
    middle, high = np.quantile(seconds, (0.5, 0.95))
    check_ms = 1000 * float(np.median(checks))
    return [
        name,
        len(seconds),
        f"{middle:.3f}",
        f"{high:.3f}",
        f"{max(seconds):.3f}",
        f"{check_ms:.1f}",
    ]


def _requests(files: Iterable[Path]) -> Iterator[tuple[str, str, Request]]:
    """Family, city id and request of every query with hard constraints."""
    for file in files:
        text = file.read_text("utf-8")
        if file.suffix == ".json":
            found = json.loads(text)
            groups = found.get("query_groups", [])
            for query in [*found.get("queries", []), *(q for group in groups for q in group)]:
                request = request_of_structure(query["uid"], query)
                yield "published", find_city(request.target_city).city_id, request
            continue
        for row in map(json.loads, text.splitlines()):
            if (mine := request_of(row)) is not None:
                yield row["family"], row["city_id"], mine


def measure(snapshot: Path, files: Iterable[Path], step: int) -> str:
    """Tables of shares and times."""
    held = Snapshot(snapshot)
    worlds: dict[str, World] = {}
    shares: dict[str, Counter[str]] = defaultdict(Counter)
    times: dict[str, list[tuple[float, float]]] = defaultdict(list)
    obstacles: Counter[tuple[str, str, str]] = Counter()
    for family, city, request in list(_requests(files))[::step]:
        worlds[city] = worlds.get(city) or read_world(held, city)
        began = time.process_time()
        outcome = solve(request, worlds[city])
        seconds = time.process_time() - began
        shares[family][outcome.solvability] += 1
        if outcome.obstacle:
            obstacles[family, outcome.solvability, outcome.obstacle] += 1
        began = time.process_time()
        checked = outcome.plan is not None and check(outcome.plan, worlds[city], request).passed
        check_seconds = time.process_time() - began
        shares[family]["accepted"] += checked
        for group in (family, f"{request.days} days", f"{len(request.hard)} constraints"):
            times[group].append((seconds, check_seconds))
    told = [
        [f, *(n[s] for s in ("solved", "accepted", "infeasible", "unknown"))]
        for f, n in shares.items()
    ]
    why = [[*key, number] for key, number in sorted(obstacles.items())]
    return (
        table(
            ("family", "solved", "plans that the checker accepts", "proven infeasible", "unknown"),
            told,
        )
        + "\n"
        + (table(("family", "end", "obstacle", "queries"), why) + "\n" if why else "")
        + table(
            ("queries", "number", "median s", "95 % s", "most s", "check, median ms"),
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
    body += (
        "\nTimes are in CPU seconds of one process, with a background load of"
        f" {os.getloadavg()[0]:.0f}.\n"
    )
    if asked.write:
        command = f"python -m benchmarks.plans SNAPSHOT QUERIES... --step {asked.step} --write"
        write_section("Solving", command, body)
    print(body)


if __name__ == "__main__":
    main()
