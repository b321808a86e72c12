"""Runs the stages ``offers`` and ``plans``, which solve queries with hard constraints.

Queries without hard constraints may get reference plans. Both stages run after control, because a
plan must not contain a row that control sets aside. ``offers`` contains only the columns that a
solver reads. Plans are therefore recomputed if an offer changes, but not each time a document is
added.
"""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from flows.pipeline.shards import Frames
from flows.pipeline.stages.base import Job, Output, Stage, Upstream, only, tables
from schemas.arrow import frame, sort_by_key
from schemas.frames import RENOWN
from schemas.tables import TABLES
from validators.plans.reference import reference
from validators.plans.renown import renown_of, renown_rows
from validators.plans.request import FAMILIES, request_of
from validators.plans.solve import solve, witness_row
from validators.plans.world import COLUMNS, world_of

#: Statuses of queries that are solved; the others wait for documents or have no tables.
_ASKED = ("kept", "infeasible")
#: Statuses of other queries that get a reference plan, for which documents are not needed.
_REFERRED = ("kept", "pending_documents", "ungrounded")
_QUESTION = ("query_id", "family", "structure")


def compute_offers(job: Job, upstream: Upstream) -> Frames:
    """Return the table columns that a planner reads, and the queries to solve."""
    if not job.inputs.profile.plans.solve:
        return {}
    published = only(upstream, "control")
    proven = pl.col("family").is_in(FAMILIES)
    asked = proven & pl.col("status").is_in(_ASKED)
    references = job.inputs.profile.plans.references
    if "balanced" in references:
        asked |= ~proven & pl.col("status").is_in(_REFERRED)
    queries = published["queries"].filter(asked).select(_QUESTION)
    if queries.is_empty():
        return {}
    known = {"renown": renown_rows(published)} if references else {}
    return (
        {"queries": queries}
        | known
        | {name: published[name].select(cols) for name, cols in COLUMNS.items()}
    )


def compute_plans(job: Job, upstream: Upstream) -> Frames:
    """Return the ``witness_plans`` for a city.

    The search has no time limit here, so its result depends only on the tables.
    """
    city_id = job.own_city.city_id
    offers = only(upstream, "offers")
    if not offers:
        return {"witness_plans": frame("witness_plans", [])}
    world = world_of(offers, offers["cities"], city_id)
    queries = offers["queries"].sort("query_id").to_dicts()
    asked = [row for row in queries if row["family"] in FAMILIES]
    requests = [request_of(row) for row in asked]
    outcomes = [solve(request, world, None) for request in requests if request is not None]
    if len(outcomes) != len(requests):
        raise RuntimeError(f"{job.shard}: {len(requests)} queries, {len(outcomes)} outcomes")
    rows = [witness_row(outcome, city_id) for outcome in outcomes]
    if "renown" in offers:
        renown = renown_of(offers["renown"])
        rows += [
            witness_row(reference(row, world, renown, kind), city_id, kind)
            for kind in job.inputs.profile.plans.references
            for row in queries
            if kind == "balanced" or row["family"] == "traveleval"
        ]
    return {
        "witness_plans": sort_by_key("witness_plans", frame("witness_plans", rows)),
        **{name: offers[name] for name in ("quarantine", "stage_counts") if name in offers},
    }


def _describe_offered() -> dict[str, Output]:
    """Describe the frames in ``offers``, which contain some columns of tables and, where possible,
    keep the tables' keys.
    """
    found = {}
    for name, columns in {**COLUMNS, "queries": _QUESTION}.items():
        table = TABLES[name]
        marked = tuple(f"{c}?" if c in table.nullable else c for c in columns)
        key = table.key if set(table.key) <= set(columns) else ()
        found[name] = Output(replace(table, columns=marked, key=key, references={}))
    return {**found, "renown": Output(RENOWN), **tables("quarantine", "stage_counts")}


def tell_status(queries: pl.DataFrame, plans: pl.DataFrame) -> pl.DataFrame:
    """Set the status of each query, which depends on its proof or plan."""
    proofs = plans.filter(pl.col("plan_kind") == "proof")
    proofs = proofs.select("query_id", "solvability", proof="reason")
    joined = queries.join(proofs, on="query_id", how="left", maintain_order="left")
    proven = pl.col("solvability") == "infeasible"
    known = pl.col("solvability").is_not_null()
    return joined.with_columns(
        status=pl.when(proven)
        .then(pl.lit("infeasible"))
        .when(known)
        .then(pl.lit("kept"))
        .otherwise("status"),
        reason=pl.when(proven)
        .then(pl.coalesce("reason", "proof"))
        .when(known)
        .then(None)
        .otherwise("reason"),
    ).select(queries.columns)


OFFERS_STAGE = Stage(
    "offers", 4, compute_offers, _describe_offered(),
    settings=lambda job: job.inputs.profile.plans.model_dump(mode="json"),
)  # fmt: skip
PLANS_STAGE = Stage(
    "plans",
    22,
    compute_plans,
    tables("witness_plans", "quarantine", "stage_counts"),
    accounts=True,
    settings=lambda job: {"references": list(job.inputs.profile.plans.references)},
)
