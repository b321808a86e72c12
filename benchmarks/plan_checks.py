"""Break good plans, and measure how many breaks are caught and how fast plans are scored.

The run makes good plans for made-up requests between the cities of a snapshot, which must have
several cities. The run then breaks each plan in one place
(``tests/counterexamples/broken_trips.py`` and ``broken_times.py``). A break is caught if the
constraint that it violates fails, and no unrelated constraint fails.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl

from benchmarks.report import count_of, table, write_section
from flows.plans import check
from tests.counterexamples import broken_times, broken_trips  # noqa: F401 - they register
from tests.counterexamples.trips import BREAKS, NEAR_MISSES, Trip
from validators.plans.check import Report, check_json
from validators.plans.request import Request, make_requirement
from validators.plans.solve import solve
from validators.plans.world import read_world
from warehouse.read import Snapshot

TITLE = "Plans: breaks caught, scores a minute"
#: A Wednesday in an ordinary week.
START = dt.date(2026, 3, 11)
#: Numbers of breaks, of allowed changes and of scored plans.
BROKEN, NEAR, PLANS = 300, 100, 10_000


def good_trips(snapshot: Snapshot) -> list[Trip]:
    """Solve trips of one to four days to every city; each trip starts in the previous city on the
    list.
    """
    cities = snapshot.table("cities").sort("slug").to_dicts()
    found = []
    for at, city in enumerate(cities):
        world, home = read_world(snapshot, city["city_id"]), cities[at - 1]
        for days in (1, 2, 3, 4):
            people = 1 + (at + days) % 5
            budget = make_requirement("budget", "all", (), 8000 * days * people)
            asked = Request(
                f"{city['slug']}-{days}", home["name_zh"], city["name_zh"], days, people, START,
                (budget,),
            )  # fmt: skip
            outcome = solve(asked, world)
            if outcome.plan is not None:
                found.append(Trip(outcome.plan.to_json(), world, asked))
    return found


def name_failed(report: Report) -> set[str]:
    """Return the names of the failed constraints, both of the environment and of the query."""
    return {v.constraint for v in (*report.environment, *report.query) if v.passed is False}


def breaks(trips: list[Trip], wanted: int, first: int = 0) -> tuple[Counter[str], list[str]]:
    """Break plans; return the number of breaks by constraint, and those that the checker missed."""
    caught: Counter[str] = Counter()
    wrong: list[str] = []
    for seed in range(first, first + 50):
        for number, broken in enumerate(BREAKS):
            if caught.total() >= wanted:
                return caught, wrong
            trip = trips[(seed * 7 + number) % len(trips)].copy(seed)
            changed = broken.mutate(trip)
            if changed is None:
                continue
            found = name_failed(check_json(changed.plan, changed.world, changed.request))
            caught[broken.constraint] += 1
            if broken.constraint not in found or found - {broken.constraint} - broken.also:
                wrong.append(f"{trip.request.query_id}, {broken.name}: {sorted(found)}")
    return caught, wrong


def near_misses(trips: list[Trip], wanted: int, first: int = 0) -> tuple[int, list[str]]:
    """Make allowed changes; return their number, and the changes that the checker rejected."""
    tried = 0
    wrong: list[str] = []
    for seed in range(first, first + 50):
        for number, (name, mutate) in enumerate(NEAR_MISSES):
            if tried >= wanted:
                return tried, wrong
            changed = mutate(trips[(seed * 7 + number) % len(trips)].copy(seed))
            if changed is None:
                continue
            tried += 1
            report = check_json(changed.plan, changed.world, changed.request)
            if not report.passed:
                wrong.append(f"{changed.request.query_id}, {name}: {report.list_failed()}")
    return tried, wrong


def invented_plans(snapshot: Snapshot, count: int, stops: int) -> list[dict[str, Any]]:
    """Make plans in TP-RAG's form that visit random places in the city of a query."""
    chosen = random.Random(1)
    queries = snapshot.table("queries").select("query_id", "city_id").rows()
    named = snapshot.table("pois").drop_nulls("name_zh")
    names = {
        city: group["name_zh"].to_list()
        for (city,), group in named.group_by("city_id", maintain_order=True)
    }
    plans = []
    for number in range(count):
        query_id, city_id = queries[number % len(queries)]
        visits = [
            {
                "POI name": name, "Start visit time": f"{8 + n % 4 * 3:02d}:00",
                "End visit time": f"{9 + n % 4 * 3:02d}:30",
            }
            for n, name in enumerate(chosen.sample(names[city_id], stops))
        ]  # fmt: skip
        days = {f"Day {d + 1}": visits[d * 4 : d * 4 + 4] for d in range(-(-stops // 4))}
        plans.append({"plan_id": f"p{number}", "query_id": query_id, "plan": days})
    return plans


def scoring(path: Path, snapshot: Snapshot, count: int) -> list[tuple[int, float, float]]:
    """Score ``count`` plans; return the stops per plan, the seconds and the CPU seconds."""
    found = []
    for stops in (8, 12):
        with tempfile.TemporaryDirectory() as folder:
            file, out = Path(folder) / "plans.jsonl", Path(folder) / "scores.parquet"
            lines = [
                json.dumps(p, ensure_ascii=False) for p in invented_plans(snapshot, count, stops)
            ]
            file.write_text("\n".join(lines), encoding="utf-8")
            started, worked = time.perf_counter(), time.process_time()
            check.score(path, [file], out, None, True)
            found.append((stops, time.perf_counter() - started, time.process_time() - worked))
            assert pl.read_parquet(out).height == count
    return found


def _caught_told(breaks_made: int, wrong: int) -> str:
    if not wrong:
        return (
            f"The checker catches all {breaks_made} changes that break a constraint, and correctly"
            " names the broken constraint each time."
        )
    return (
        f"Of {breaks_made} changes that break a constraint, the checker catches"
        f" {breaks_made - wrong} and names the right constraint each time."
    )


def main() -> int:
    """Take the measurements, print the section and, with ``--write``, write it to the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("snapshot", type=Path)
    parser.add_argument("--plans", type=int, default=PLANS)
    parser.add_argument("--seed", type=int, default=0, help="seed of the first round of changes")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    snapshot = Snapshot(options.snapshot)
    trips = good_trips(snapshot)
    caught, wrong = breaks(trips, BROKEN, options.seed)
    near, taken = near_misses(trips, NEAR, options.seed)
    times = scoring(options.snapshot, snapshot, options.plans) if options.plans else []
    cities = len({trip.world.city_id for trip in trips})
    body = (
        f"The benchmark makes random changes to {len(trips)} correct plans for trips in {cities}"
        f" cities. {_caught_told(caught.total(), len(wrong))} The checker also accepts"
        f" {count_of(near - len(taken), near, 'changes')} after which a plan only just obeys the"
        " rules.\n\n"
        + table(["constraint", "breaks"], sorted(caught.items()))
        + "\n"
        + table(
            ["stops per plan", "plans", "seconds", "CPU seconds", "plans per minute"],
            [
                (
                    s,
                    f"{options.plans:,}",
                    f"{t:.1f}",
                    f"{cpu:.1f}",
                    f"{options.plans / t * 60:,.0f}",
                )
                for s, t, cpu in times
            ],
        )
        + "\nThe last table shows how fast plans are scored, from reading a JSON Lines file to"
        " writing a Parquet file. The times include the time needed to find the shortest path"
        " through the stops of each plan, and the time needed to prove that no path is shorter. The"
        f" load average of the machine was {os.getloadavg()[0]:.0f}.\n"
    )
    sys.stdout.write("\n".join([body, *wrong, *taken]) + "\n")
    if options.write:
        command = f"python -m benchmarks.plan_checks SNAPSHOT --seed {options.seed} --write"
        write_section(TITLE, command, body)
    return 1 if wrong or taken or caught.total() < BROKEN else 0


if __name__ == "__main__":
    sys.exit(main())
