"""Make reference plans, and measure how many queries get one and how good these plans are.

    python -m benchmarks.references SNAPSHOT [--each 6] [--seed 1] [--write]

The run draws the same number of queries for each city and family, and makes a new reference plan
for each query. The run leaves out queries with several cities and queries that are proven to have
no plan.
"""

from __future__ import annotations

import argparse
import hashlib
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.report import table, write_section
from schemas.plans import JOURNEYS, Activity, Plan
from validators.plans.appeal import must_sees, wishes_met, wishes_of
from validators.plans.build import cost_cents
from validators.plans.reference import reference
from validators.plans.renown import Renown, read_renown
from validators.plans.request import RequestError
from validators.plans.trip import TripRequest, trip_of
from validators.plans.world import Place, World, read_world
from warehouse.read import Snapshot

#: Fewest days of a trip that should include three of the city's best-known sights and should
#: meet each wish more than once.
_LONG_TRIP, _FIRST_KNOWN = 3, 3
#: Minutes of a long route, and the minutes of the day for bedtime and the earliest departure.
_LONG_WAY_MIN, _LATE, _DAWN = 40, 1320, 360
#: Activities that are neither at a hotel nor at a station.
_STOPS = frozenset({"attraction", "lunch", "dinner"})


_NOTE = (
    "The benchmark draws the same number of queries for each city and family, and makes a new"
    " reference plan for each query. The benchmark leaves out queries about several cities, as well"
    " as queries that have been proven infeasible."
)


@dataclass(frozen=True)
class PlannedQuery:
    """One query and its new plan."""

    trip: TripRequest
    plan: Plan | None
    accepted: bool
    seconds: float


def draw_queries(
    rows: Iterable[Mapping[str, Any]], each: int, seed: int
) -> list[Mapping[str, Any]]:
    """Draw at most ``each`` queries for every city and family.

    The first queries by a hash of the seed and the query id are drawn; infeasible ones are left
    out.
    """
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        if row["status"] != "infeasible":
            groups[row["city_id"], row["family"]].append(row)

    def key(row: Mapping[str, Any]) -> str:
        return hashlib.sha256(f"{seed}:{row['query_id']}".encode()).hexdigest()

    return [row for _, group in sorted(groups.items()) for row in sorted(group, key=key)[:each]]


class PlanFigures:
    """The figures for the plans of all cities."""

    def __init__(self) -> None:
        self.families: dict[str, Counter[str]] = defaultdict(Counter)
        self.plans: Counter[str] = Counter()
        self.days = 0
        self.spent: list[float] = []
        self.seconds: list[float] = []

    def add(self, family: str, made: PlannedQuery, world: World, renown: Renown) -> None:
        """Add one query and its plan to the figures."""
        counts = self.families[family]
        counts["queries"] += 1
        counts["plans"] += made.plan is not None
        counts["accepted"] += made.accepted
        self.seconds.append(made.seconds)
        if made.plan is not None:
            self._look(made.trip, made.plan, world, renown)

    def _look(self, trip: TripRequest, plan: Plan, world: World, renown: Renown) -> None:
        sights = [_place(world, a) for a in _visits(plan)]
        seen = [place for place in sights if place is not None]
        self.days += len(plan.itinerary)
        self._count_known(trip, seen, world, renown)
        self._wishes(trip, seen, world, renown)
        ways = [_way_min(a) for _, a in plan.activities()]
        self.plans["way_min"] += sum(ways)
        self.plans["long_ways"] += sum(way > _LONG_WAY_MIN for way in ways)
        self.plans["zigzags"] += sum(way > _LONG_WAY_MIN for way in _inner_ways(plan))
        late = sum(a.end_time > _LATE for a in _visits(plan))
        self.plans["late"] += late * trip.gentle
        self.plans["visits"] += len(sights)
        self.plans["dawn"] += sum(a.start_time < _DAWN for a in _journeys(plan))
        budgets = [r.amount for r in trip.request.requirements if r.kind == "budget" and r.amount]
        if budgets:
            self.spent.append(cost_cents(plan) / 100 / min(budgets))

    def _count_known(
        self, trip: TripRequest, seen: Sequence[Place], world: World, renown: Renown
    ) -> None:
        if trip.request.days < _LONG_TRIP:
            return
        best = must_sees(world.all_of("attraction"), renown)
        held = sum(any(renown.same_visit(k, s) for s in seen) for k in best)
        self.plans["long_trips"] += 1
        self.plans["known"] += held >= _FIRST_KNOWN

    def _wishes(
        self, trip: TripRequest, seen: Sequence[Place], world: World, renown: Renown
    ) -> None:
        if not (wishes := wishes_of(trip)):
            return
        met = [wishes_met(place, trip, renown) for place in seen]
        self.plans["wished_sights"] += sum(map(bool, met))
        self.plans["sights_of_wishing"] += len(met)
        for wish in wishes if trip.request.days >= _LONG_TRIP else ():
            self.plans["wishes"] += 1
            self.plans["met_twice"] += sum(wish in m for m in met) > 1

    def tables(self) -> str:
        """Return the tables with the results."""
        families = [
            [name, *(n[k] for k in ("queries", "plans", "accepted"))]
            for name, n in sorted(self.families.items())
        ]
        head = ("family", "queries", "with a plan", "accepted by the checker")
        return table(head, families) + "\n" + table(("plans", "figure"), self._figures())

    def _figures(self) -> Iterator[tuple[str, str]]:
        n = self.plans
        yield (
            "trips of three days or more that include at least three of the five best-known sights",
            _part(n["known"], n["long_trips"]),
        )
        yield (
            "on trips of three days or more: wishes satisfied by at least two sights",
            _part(n["met_twice"], n["wishes"]),
        )
        yield (
            "sights that satisfy a wish, on trips that wish for kinds of sights",
            _part(n["wished_sights"], n["sights_of_wishing"]),
        )
        yield "sights per day", f"{n['visits'] / max(self.days, 1):.2f}"
        yield "visits after 22:00 on trips with children or seniors", str(n["late"])
        yield "minutes of travel per day", f"{n['way_min'] / max(self.days, 1):.1f}"
        yield (
            f"routes of more than {_LONG_WAY_MIN} minutes",
            f"{n['long_ways']} in {self.days:,} days",
        )
        yield (
            f"routes of more than {_LONG_WAY_MIN} minutes that neither start nor end at a hotel"
            " or station",
            str(n["zigzags"]),
        )
        yield "journeys that start before 06:00", str(n["dawn"])
        low, middle, high = np.quantile(self.spent or [0.0], (0.1, 0.5, 0.9))
        yield (
            "share of the budget spent: 10th, 50th and 90th percentile",
            f"{low:.0%}, {middle:.0%}, {high:.0%}",
        )
        yield "CPU seconds per query, median", f"{np.median(self.seconds or [0.0]):.2f}"
        yield (
            "CPU seconds per query, 95th percentile",
            f"{np.quantile(self.seconds or [0.0], 0.95):.2f}",
        )


def measure(snapshot: Path, each: int, seed: int) -> PlanFigures:
    """Plan ``each`` queries for each city and family, and return the figures."""
    held = Snapshot(snapshot)
    slugs = dict(held.table("cities").select("city_id", "slug").iter_rows())
    rows = [row for slug in slugs.values() for row in held.table("queries", slug).to_dicts()]
    known: dict[str, tuple[World, Renown]] = {}
    counts = PlanFigures()
    for row in draw_queries(rows, each, seed):
        city = row["city_id"]
        if city not in known:
            known[city] = read_world(held, city), read_renown(held, slugs[city])
        made = _plan(row, *known[city])
        if made is not None:
            counts.add(row["family"], made, *known[city])
    return counts


def _plan(row: Mapping[str, Any], world: World, renown: Renown) -> PlannedQuery | None:
    """Plan a query; return None if it has several cities."""
    try:
        trip = trip_of(row)
    except RequestError:
        return None
    began = time.process_time()
    outcome = reference(row, world, renown)
    seconds = time.process_time() - began
    accepted = outcome.report is not None and outcome.report.passed
    return PlannedQuery(trip, outcome.plan, accepted, seconds)


def _visits(plan: Plan) -> list[Activity]:
    return [a for _, a in plan.activities() if a.type == "attraction"]


def _journeys(plan: Plan) -> list[Activity]:
    return [a for _, a in plan.activities() if a.type in JOURNEYS]


def _place(world: World, visit: Activity) -> Place | None:
    found = world.find("attraction", visit.position or "")
    return found[0] if len(found) == 1 else None


def _way_min(activity: Activity) -> int:
    legs = activity.transports
    return legs[-1].end_time - legs[0].start_time if legs else 0


def _inner_ways(plan: Plan) -> Iterator[int]:
    """Yield the travel minutes from each sight or restaurant to the next one on the same day."""
    for day in plan.itinerary:
        for before, after in pairwise(day.activities):
            if {before.type, after.type} <= _STOPS:
                yield _way_min(after)


def _part(part: int, whole: int) -> str:
    return f"{part} of {whole}"


def main() -> None:
    """Print the tables and, with ``--write``, write them to the page."""
    parser = argparse.ArgumentParser()
    parser.add_argument("snapshot", type=Path)
    parser.add_argument(
        "--each", type=int, default=6, help="number of queries for each city and family"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    tables = measure(asked.snapshot, asked.each, asked.seed).tables()
    body = f"{_NOTE}\n\n{tables}\nThe times are the CPU seconds of a single process.\n"
    if asked.write:
        command = (
            f"python -m benchmarks.references SNAPSHOT --each {asked.each} --seed {asked.seed}"
            " --write"
        )
        write_section("Reference plans", command, body)
    print(body)


if __name__ == "__main__":
    main()
