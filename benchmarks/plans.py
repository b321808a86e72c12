"""Solve queries, count the solved and the infeasible queries, and measure the CPU seconds.

    python -m benchmarks.plans SNAPSHOT QUERIES... [--step 5] [--write]

QUERIES are files from ``tripbed queries build`` (queries.jsonl) or in TravelEval's published form
(.json). The snapshot must contain the cities of the queries. One table shows how many queries have
no plan, grouped by what prevents a plan. ``benchmarks.plan_checks`` measures how many deliberately
broken plans the checker catches, and how fast plans are scored.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks.report import table, write_section
from schemas.cities import find_city
from schemas.nouns import count_noun
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


_PUBLISHED = " The family `published` consists of the queries that TravelEval publishes."
_UNKNOWN = (
    " A result is *unknown* if the solver neither finds a plan nor shows that no plan exists."
)
_TIMES = (
    "queries",
    "number",
    "median, s",
    "95th percentile, s",
    "maximum, s",
    "check, median ms",
)


def _requests(files: Iterable[Path]) -> Iterator[tuple[str, str, Request]]:
    """Yield the family, city id and request of every query with hard constraints."""
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
    """Solve every ``step``-th query, and return the tables of counts and times."""
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
        for group in (
            family,
            count_noun(request.days, "day"),
            count_noun(len(request.hard), "constraint"),
        ):
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
        + (table(("family", "result", "obstacle", "queries"), why) + "\n" if why else "")
        + table(
            _TIMES,
            (_row(name, found) for name, found in sorted(times.items())),
        )
    )


def main() -> None:
    """Print the tables and, with ``--write``, write them to the page."""
    parser = argparse.ArgumentParser()
    parser.add_argument("snapshot", type=Path)
    parser.add_argument("queries", type=Path, nargs="+")
    parser.add_argument("--step", type=int, default=1, help="use every n-th query")
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    body = measure(asked.snapshot, asked.queries, asked.step)
    body += (
        "\nThe times are the CPU seconds of a single process."
        f"{_PUBLISHED if '| published |' in body else ''}{_UNKNOWN}\n"
    )
    if asked.write:
        command = f"python -m benchmarks.plans SNAPSHOT QUERIES... --step {asked.step} --write"
        write_section("Solving", command, body)
    print(body)


if __name__ == "__main__":
    main()
