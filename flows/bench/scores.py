"""What plans are worth: one row a plan, a number a metric. Every metric of the leaderboard is made here.

A metric that has no value for a plan (no constraints asked for, no visits) is null, never zero. A
plan that was not delivered fails what its query asks for, and has no figures that need a plan.
Whoever adds a column of numbers to the frame sees it in every table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from flows.bench.questions import Question
from flows.plans.files import Record
from schemas.plans import PlanError, read_plan
from validators.plans.check import Report, check
from validators.plans.request import request_of
from validators.plans.scores import METRICS
from validators.plans.verdicts import Verdict
from validators.plans.visits import STOPS, score_plans
from validators.plans.world import World, read_world
from warehouse.read import Snapshot

#: Activities of a plan at most: a longer one is not judged.
MOST_ACTIVITIES = 500
#: Whether more is better; a metric that is not here has no arrow.
BETTER: Mapping[str, str] = {
    "delivered": "high", "passed": "high", "environment": "high", "commonsense": "high",
    "request": "high", "failure_rate": "low", "repetition_rate": "low",
    "distance_margin_ratio": "low", "duration_underflow": "low", "time_buffer": "high",
    "poi_popularity": "high",
}  # fmt: skip
_CHECKED = ("passed", "environment", "commonsense", "request")


def score(snapshot: Path, asked: Sequence[Question], plans: Mapping[str, Any]) -> pl.DataFrame:
    """A row for each question, by id, with ``problem`` and all metrics; ``plans`` are by query."""
    held = Snapshot(snapshot)
    worlds: dict[str, World] = {}
    rows: list[dict[str, Any]] = []
    stops: list[tuple[Any, ...]] = []
    for question in asked:
        if question.city_id not in worlds:
            worlds[question.city_id] = read_world(held, question.city_id)
        row, visits = _judged(question, plans.get(question.query_id), worlds[question.city_id])
        rows.append(row)
        stops += visits
    text, number = pl.String, pl.Float64
    schema = {"plan_id": text, "query_id": text, "problem": text, "delivered": number}
    named = pl.DataFrame(rows, {**schema, **dict.fromkeys(_CHECKED, number)}, orient="row")
    scored = score_plans(named, pl.DataFrame(stops, STOPS, orient="row"), held.table)
    assert scored.height == len(asked), "every question has a row"
    return scored.select(*named.columns, *METRICS).drop("plan_id")


def _judged(
    question: Question, plan: Any, world: World
) -> tuple[dict[str, Any], list[tuple[Any, ...]]]:
    """A plan's row, and its visits for the metrics that count them."""
    head = {"plan_id": question.query_id, "query_id": question.query_id, "problem": None}
    failed = dict.fromkeys(_CHECKED, 0.0) if question.wants_whole_plan else {}
    try:
        if plan is None:
            raise PlanError(["there is no plan"])
        if (found := _activities(plan)) > MOST_ACTIVITIES:
            raise PlanError([f"the plan has {found:,} activities; up to {MOST_ACTIVITIES} are judged"])  # fmt: skip
        itinerary, _ = Record(question.query_id, plan).itinerary()
        row: dict[str, Any] = {**head, "delivered": 1.0}
        if question.wants_whole_plan:
            row |= _shares(check(read_plan(plan), world, request_of(question.row)))
    except PlanError as error:
        return {**head, "problem": str(error)[:500], "delivered": 0.0, **failed}, []
    visits = [
        (question.query_id, question.query_id, question.city_id, s.day, order, s.name, s.start_min, s.end_min)
        for order, s in enumerate(itinerary.visits(), 1)
    ]  # fmt: skip
    return row, visits


def _shares(report: Report) -> dict[str, float]:
    """Shares of the verdicts that are known to hold, by group."""
    groups = {
        "environment": report.environment,
        "commonsense": report.tripscore,
        "request": report.query,
    }
    return {"passed": float(report.passed), **{name: _share(found) for name, found in groups.items()}}  # fmt: skip


def _share(verdicts: Sequence[Verdict]) -> float:
    return sum(verdict.passed is True for verdict in verdicts) / max(len(verdicts), 1)


def _activities(plan: Any) -> int:
    """Objects below a plan's days, whatever its form; counted without recursion."""
    count, waiting = 0, [plan]
    while waiting and count <= 100_000:
        one = waiting.pop()
        if isinstance(one, dict):
            count += "type" in one or "POI name" in one
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)
    return count
