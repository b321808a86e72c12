"""Witness plans: each query with hard constraints is solved on the tables that are published.

Part of the stage control, since a row that is set aside there must not stand in a plan.
"""

from __future__ import annotations

import polars as pl

from flows.shards import Frames
from schemas.arrow import frame, sort_by_key
from schemas.cities import City

#: Statuses of queries that are solved: others wait for documents or have no tables.
_ASKED = ("kept", "infeasible")


def solved(city: City, tables: Frames) -> Frames:
    """``witness_plans`` of a city, and its queries with the status that the proofs give them.

    The search has no time limit here: its end depends on the tables alone.
    """
    from validators.plans.request import FAMILIES, request_of
    from validators.plans.solve import solve, witness_row
    from validators.plans.world import world_of

    queries = tables["queries"]
    asked = queries.filter(pl.col("family").is_in(FAMILIES) & pl.col("status").is_in(_ASKED))
    if asked.is_empty():
        return {}
    world = world_of(tables, tables["cities"], city.city_id)
    requests = [request_of(row) for row in asked.sort("query_id").to_dicts()]
    outcomes = [solve(request, world, None) for request in requests if request is not None]
    if len(outcomes) != asked.height:
        raise RuntimeError(f"{city.slug}: {asked.height} queries, {len(outcomes)} outcomes")
    plans = frame("witness_plans", [witness_row(outcome, city.city_id) for outcome in outcomes])
    return {"witness_plans": sort_by_key("witness_plans", plans), "queries": _told(queries, plans)}


def _told(queries: pl.DataFrame, plans: pl.DataFrame) -> pl.DataFrame:
    """Queries with the status that their proof or their plan gives them."""
    proofs = plans.select("query_id", "solvability", proof="reason")
    joined = queries.join(proofs, on="query_id", how="left", maintain_order="left")
    proven = pl.col("solvability") == "infeasible"
    told = pl.col("solvability").is_not_null()
    return joined.with_columns(
        status=pl.when(proven).then(pl.lit("infeasible")).when(told).then(pl.lit("kept")).otherwise("status"),
        reason=pl.when(proven).then(pl.coalesce("reason", "proof")).when(told).then(None).otherwise("reason"),
    ).select(queries.columns)  # fmt: skip
