"""Gates on witness plans, which must be valid and must answer enough queries."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import polars as pl

from validators.gates.base import (
    NONE,
    Demands,
    Failure,
    Gate,
    GateContext,
    failing,
    failures,
    gathered,
    together,
)
from validators.plans.check import check_json
from validators.plans.reference import find_objections
from validators.plans.request import FAMILIES, RequestError, request_of
from validators.plans.trip import any_request
from validators.plans.world import CONNECTIONS, OWN, World, world_of

#: Queries with these statuses are solved; the others wait for documents or lack tables.
ASKED = ("kept", "infeasible")


def witness_shape(context: GateContext) -> pl.DataFrame:
    """A solved query has a plan; an infeasible or undecided query has a reason and no plan.

    The result of a proof must agree with the status of the query. Queries of all families may have
    reference plans.
    """
    rows = context.table("witness_plans")
    solved = pl.col("solvability") == "solved"
    statuses = context.table("queries").select("query_id", "status", "family")
    told = rows.join(statuses, on="query_id", how="left")
    proven = pl.col("solvability") == "infeasible"
    proof = pl.col("plan_kind") == "proof"
    differs = proof & ((pl.col("status") == "infeasible") != proven)
    return together(
        [
            failing(
                "witness_plans",
                rows,
                solved != pl.col("plan").is_not_null(),
                "plan",
                "a query must have a plan if and only if it is solved",
            ),
            failing(
                "witness_plans",
                rows,
                solved != pl.col("reason").is_null(),
                "reason",
                "a query must have a reason if and only if it is not solved",
            ),
            failing(
                "witness_plans",
                rows,
                solved != pl.col("obstacle").is_null(),
                "obstacle",
                "a query must have an obstacle if and only if it is not solved",
            ),
            failing(
                "witness_plans",
                told,
                differs,
                "solvability",
                pl.format("the query is {}", "status"),
            ),
            failing(
                "witness_plans",
                told,
                proof & ~pl.col("family").is_in(FAMILIES),
                "query_id",
                "a query of this family must not have a proof, because it has no constraints on "
                "a whole plan",
            ),
        ]
    )


def witnesses(context: GateContext) -> pl.DataFrame:
    """The checker accepts every witness plan when run on the tables in the plan's snapshot."""
    rows = context.table("witness_plans").drop_nulls("plan")
    if rows.is_empty():
        return NONE
    queries = context.table("queries")
    return failures(
        failure
        for city_id in rows["city_id"].unique().sort().to_list()
        for failure in _find_refused(
            rows.filter(pl.col("city_id") == city_id).sort("query_id", "plan_kind"),
            queries,
            _world(context, city_id),
        )
    )


def _find_refused(rows: pl.DataFrame, queries: pl.DataFrame, world: World) -> Iterator[Failure]:
    asked = {r["query_id"]: r for r in queries.join(rows, on="query_id", how="semi").to_dicts()}
    for query_id, kind, text in rows.select("query_id", "plan_kind", "plan").iter_rows():
        if query_id in asked and (why := _why_refused(text, asked[query_id], world, kind)):
            yield ("witness_plans", "plan", f"{query_id}/{kind}", text[:200], why)


def _why_refused(text: str, query: dict[str, Any], world: World, kind: str) -> str | None:
    try:
        request = request_of(query) if kind == "proof" else any_request(query)
        report = check_json(json.loads(text), world, request)
    except (json.JSONDecodeError, RequestError) as error:
        return f"the plan cannot be checked: {error}"
    bad = find_objections(report, kind)
    if not bad:
        return None
    reasons = (
        "; ".join(bad[0].reasons) or "the tables do not show whether the plan meets this constraint"
    )
    return f"{', '.join(verdict.constraint for verdict in bad[:3])}: {reasons}"


def _world(context: GateContext, city_id: str) -> World:
    own = {n: context.table(n).filter(pl.col("city_id") == city_id) for n in OWN}
    connections = {n: context.table(n) for n in CONNECTIONS}
    return world_of({**own, **connections}, context.table("cities"), city_id)


@gathered
def decided(context: GateContext) -> Iterator[Failure]:
    """Among the queries with hard constraints in a city, the share that is solved or proven
    infeasible is at least the profile's minimum.
    """
    plans = context.table("witness_plans")
    queries = context.table("queries").filter(
        pl.col("family").is_in(FAMILIES) & pl.col("status").is_in(ASKED)
    )
    for city_id, slug in context.table("cities").select("city_id", "slug").iter_rows():
        least = (context.find_demands(slug) or Demands()).gates.plans_decided
        mine = queries.filter(pl.col("city_id") == city_id)
        if not mine.height or not least:
            continue
        done = (
            plans.filter(pl.col("plan_kind") == "proof")
            .filter(pl.col("solvability") != "unknown")
            .join(mine, on="query_id", how="semi")
        )
        share = done.height / mine.height
        if share < least:
            why = (
                f"{share:.1%} of {mine.height} queries are solved or proven infeasible, but the "
                f"profile requires {least:.1%}"
            )
            yield ("witness_plans", "solvability", slug, f"{share:.3f}", why)


GATES = (
    Gate(
        "witness_shape",
        witness_shape,
        "A plan proves that a query can be solved, and a conflict proves that a query cannot be "
        "solved.",
        "Solve the query again.",
    ),
    Gate(
        "witness_plans",
        witnesses,
        "If the tables contradict a plan, the plan proves nothing.",
        "Solve the queries again if the tables have changed. If the solver and "
        "this gate disagree about a plan, report the plan as a bug.",
    ),
    Gate(
        "plans_decided",
        decided,
        "Each query should be either solved or proven infeasible. Solvers from the literature "
        "solve fewer than a fifth of the queries with hard constraints.",
        "Look at the reasons in `witness_plans`: queries remain undecided if the tables lack "
        "hubs, hours or prices. Otherwise, lower `gates.plans_decided`.",
        "snapshot",
    ),
)
