"""Scores plans with the leaderboard's metrics: one row per query, even if it has no plan.

The checks are tripbed's own; the papers' metrics are the same as in ``plans score --metrics all``.
A metric that has no value for a plan, for example because there are no visits, is null and never
zero. If there is no plan, every requirement of the query counts as failed, and metrics that need a
plan have no value. If you add a column of numbers, the leaderboard shows it as a new figure
(``flows.bench.leaderboard``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import polars as pl

from flows.bench.questions import BenchQuestion
from flows.plans.files import Record
from flows.plans.metrics import measure_plans
from schemas.plans import PlanError, read_plan
from validators.metrics.catalogue import PAPERS
from validators.metrics.measure import columns
from validators.plans.check import Report, check
from validators.plans.request import request_of
from validators.plans.scores import METRICS as TPRAG
from validators.plans.verdicts import ConstraintVerdict
from validators.plans.world import World, read_world
from warehouse.read import Snapshot

#: The most activities of a plan; a longer plan is not scored.
MOST_ACTIVITIES = 500
_CHECKED = ("passed", "environment", "commonsense", "request")
#: Papers whose figures are about whole plans; these figures are left out for queries that only ask
#: for places by day.
_OF_WHOLE_PLANS = ("chinatravel", "tripscore")


def score(snapshot: Path, asked: Sequence[BenchQuestion], plans: Mapping[str, Any]) -> pl.DataFrame:
    """Return one row for each query, with ``problem`` and all metrics.

    ``plans`` maps the id of each query to its plan.
    """
    held = Snapshot(snapshot.resolve())
    world_of = cache(partial(read_world, held))
    rows: list[dict[str, Any]] = []
    records: list[Record] = []
    for question in asked:
        query_id, plan = question.query_id, plans.get(question.query_id)
        row = _check_plan(question, plan, world_of(question.city_id))
        rows.append(row)
        records.append(Record(query_id, plan, query_id, row["problem"]))
    text, number = pl.String, pl.Float64
    schema = {"query_id": text, "problem": text, "delivered": number}
    checked = pl.DataFrame(rows, {**schema, **dict.fromkeys(_CHECKED, number)}, orient="row")
    counted = measure_plans(held.path, records, PAPERS).select(
        "tag", "goals", *TPRAG, *columns(PAPERS)
    )
    whole = pl.Series([question.wants_whole_plan for question in asked], dtype=pl.Boolean)
    return pl.concat([checked, counted], how="horizontal").with_columns(
        pl.when(whole).then(pl.col(name)) for name in columns(_OF_WHOLE_PLANS)
    )


def _check_plan(question: BenchQuestion, plan: Any, world: World) -> dict[str, Any]:
    """Return the results of the checks for a plan, or a description of the plan's problem."""
    head = {"query_id": question.query_id, "problem": None}
    failed = dict.fromkeys(_CHECKED, 0.0) if question.wants_whole_plan else {}
    try:
        if plan is None:
            raise PlanError(["there is no plan"])
        if (found := _activities(plan)) > MOST_ACTIVITIES:
            raise PlanError(
                [
                    f"the plan has {found:,} activities, but a plan can have at most"
                    f" {MOST_ACTIVITIES}"
                ]
            )
        Record(question.query_id, plan).itinerary()
        row: dict[str, Any] = {**head, "delivered": 1.0}
        if question.wants_whole_plan:
            row |= _shares(check(read_plan(plan), world, request_of(question.row)))
    except PlanError as error:
        return {**head, "problem": str(error)[:500], "delivered": 0.0, **failed}
    return row


def _shares(report: Report) -> dict[str, float]:
    """For each group of constraints, return the share of constraints that the plan meets."""
    groups = {
        "environment": report.environment,
        "commonsense": report.tripscore,
        "request": report.query,
    }
    return {
        "passed": float(report.passed),
        **{name: _share(found) for name, found in groups.items()},
    }


def _share(verdicts: Sequence[ConstraintVerdict]) -> float:
    return sum(verdict.passed is True for verdict in verdicts) / max(len(verdicts), 1)


def _activities(plan: Any) -> int:
    """Count the activities on all days of a plan in any form, without recursion."""
    count, waiting = 0, [plan]
    while waiting and count <= 100_000:
        one = waiting.pop()
        if isinstance(one, dict):
            count += "type" in one or "POI name" in one
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)
    return count
