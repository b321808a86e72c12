"""Runs the stage ``candidates``, which finds each query's reference trajectories and candidates.

A trajectory can be a reference for a query if the query's searches for routes found the
trajectory's document. If the query has a constraint, the trajectory must also meet the constraint.
The trajectory's document must name a requested season, holiday, kind of traveller or pace. If a
query asks for a category, enough of the trajectory's stops must have this category. The length of a
trajectory affects only its rank.

Only queries of the family tprag have trajectories. Queries of every family have candidates, ranked
by ``validators.candidates``. The documents and places for a tripscore query are its frozen context.
If no context was found for a query, the query is dropped and counted (TripScore, section 3.3).
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import polars as pl

from flows.pipeline.shards import Frames
from flows.pipeline.stages.base import (
    Job,
    Row,
    Stage,
    Upstream,
    group_rows,
    only,
    quarantine_row,
    stage_count,
    tables,
)
from flows.pipeline.stages.relevance import CATEGORY_SHARE, context_fits
from flows.settings.profile import Profile
from schemas.arrow import frame
from schemas.ranking import DAY_PENALTY, PACE_FIT
from schemas.rows import QuarantineRow
from validators.candidates import pools

#: A trajectory is compact if it has this many stops a day. The published queries describe the pace
#: "special-forces style" in words; this number is used if the text has no such words.
COMPACT_VISITS_PER_DAY = 5.0


@dataclass
class CityTrajectories:
    """The trajectories in a city, indexed once for all of its queries."""

    trajectories: dict[str, Row]
    by_document: dict[str, list[str]]
    context: dict[str, dict[tuple[str, str], float]]
    category: dict[str, str | None]


def compute(job: Job, upstream: Upstream) -> Frames:
    """Rank trajectories and places for each query; a query with too few results waits for
    documents.
    """
    profile = job.inputs.profile
    routes = _routes(upstream, profile)
    ranked = _rank(job, upstream, routes)
    recalled = set(only(upstream, "retrieve")["query_documents"]["query_id"])
    n_routes, n_places = (
        dict(rows.group_by("query_id").len().iter_rows()) for rows in (routes, ranked)
    )
    queries: list[Row] = []
    dropped: list[QuarantineRow] = []
    for query in only(upstream, "queries")["queries"].to_dicts():
        key = query["query_id"]
        n = n_places.get(key, 0)
        if query["family"] == "tprag":
            queries.append(_with_status(query, n_routes.get(key, 0), n, profile))
        elif query["family"] == "tripscore" and not n and key not in recalled:
            dropped.append(
                quarantine_row(
                    job.own_city, "candidates", "queries", key, "empty_recall",
                    "neither a document nor a place was recalled for the query", query,
                )
            )  # fmt: skip
        else:
            queries.append({**query, "n_candidates": n})
    waiting = sum(query["status"] == "pending_documents" for query in queries)
    counted = stage_count(
        job.own_city,
        "candidates",
        "queries",
        rows_in=len(queries) + len(dropped),
        kept=len(queries) - waiting,
        quarantined=len(dropped),
        pending=waiting,
    )
    return {
        "queries": frame("queries", queries),
        "query_trajectories": routes,
        "query_pois": ranked,
        "quarantine": frame("quarantine", dropped),
        "stage_counts": frame("stage_counts", [counted]),
    }


def _routes(upstream: Upstream, profile: Profile) -> pl.DataFrame:
    """Return the reference trajectories of all queries that have any."""
    city = _index(upstream, profile)
    found = only(upstream, "retrieve")["query_documents"].filter(pl.col("purpose") == "route")
    documents = group_rows(found.sort("query_id", "rank").to_dicts(), "query_id")
    rows = [
        route
        for query in only(upstream, "queries")["queries"].to_dicts()
        if query["family"] == "tprag"
        for route in rank_trajectories(query, documents[query["query_id"]], city, profile)
    ]
    return frame("query_trajectories", rows)


def _rank(job: Job, upstream: Upstream, routes: pl.DataFrame) -> pl.DataFrame:
    """Return the candidates for every query, from the tables that are finished at this stage."""
    feedback, tags = only(upstream, "feedback"), only(upstream, "tags")
    tables = {
        **{name: feedback[name] for name in ("pois", "poi_mentions", "poi_hierarchy", "evidence")},
        **{name: tags[name] for name in ("poi_facts", "poi_tags")},
        "cities": frame("cities", [job.own_city.row()]),
        "queries": only(upstream, "queries")["queries"],
        "documents": only(upstream, "documents")["documents"],
        "query_documents": only(upstream, "retrieve")["query_documents"],
        "trajectories": only(upstream, "trajectories")["trajectories"],
        "query_trajectories": routes,
    }
    asked = job.inputs.profile.candidates
    bounds = {job.own_city.city_id: (asked.per_query, asked.maximum_per_query)}
    return pools.candidates(tables.__getitem__, bounds)


def rank_trajectories(
    query: Row, found: list[Row], city: CityTrajectories, profile: Profile
) -> list[Row]:
    """Return rows for ``query_trajectories`` that meet the constraint, best first."""
    best = max((row["score"] for row in found), default=1.0)
    scored: list[tuple[float, str, int | None]] = []
    for row in found:
        for trajectory_id in city.by_document.get(row["doc_id"], []):
            trajectory = city.trajectories[trajectory_id]
            fit = context_fit(query, trajectory, city)
            if fit is None:
                continue
            gap = abs(trajectory["n_trip_days"] - query["n_days"]) if query["n_days"] else None
            score = fit + row["score"] / best - DAY_PENALTY * (gap or 0)
            scored.append((round(score, 6), trajectory_id, gap))
    scored.sort(key=lambda item: (-item[0], item[1]))
    return [
        {
            "query_id": query["query_id"],
            "city_id": query["city_id"],
            "rank": rank,
            "trajectory_id": trajectory_id,
            "score": score,
            "length_gap_days": gap,
        }
        for rank, (score, trajectory_id, gap) in enumerate(
            scored[: profile.trajectories.maximum_per_query], 1
        )
    ]


def context_fit(query: Row, trajectory: Row, city: CityTrajectories) -> float | None:
    """Return how well a trajectory meets a query's constraint (0 to 1), or None if the constraint
    is not met."""
    kind, code = query["constraint_kind"], query["constraint_code"]
    if kind == "generic":
        return 0.0
    if kind == "poi_category":
        known = [
            c for stop in trajectory["clean_visits"] if (c := city.category.get(stop["poi_id"]))
        ]
        share = known.count(code) / len(known) if known else 0.0
        return share if share >= CATEGORY_SHARE else None
    said = city.context.get(trajectory["doc_id"], {}).get((kind, code))
    if kind == "compactness" and said is None:
        pace = trajectory["n_visits"] / trajectory["n_trip_days"]
        return PACE_FIT if pace >= COMPACT_VISITS_PER_DAY else None
    return said


def _with_status(query: Row, n_trajectories: int, n_candidates: int, profile: Profile) -> Row:
    needs = []
    if n_trajectories < profile.trajectories.per_query:
        needs.append(f"{n_trajectories} of {profile.trajectories.per_query} trajectories")
    if n_candidates < profile.candidates.per_query:
        needs.append(f"{n_candidates} of {profile.candidates.per_query} candidates")
    return {
        **query,
        "n_trajectories": n_trajectories,
        "n_candidates": n_candidates,
        "status": "pending_documents" if needs else "kept",
        "reason": f"found {' and '.join(needs)}" if needs else None,
    }


def _index(upstream: Upstream, profile: Profile) -> CityTrajectories:
    documents = only(upstream, "documents")["documents"]
    copies = set(documents.filter(pl.col("near_duplicate_of").is_not_null())["doc_id"])
    trajectories = {
        row["trajectory_id"]: row
        for row in only(upstream, "trajectories")["trajectories"].to_dicts()
    }
    by_document: dict[str, list[str]] = defaultdict(list)
    for row in trajectories.values():
        if row["doc_id"] not in copies:
            by_document[row["doc_id"]].append(row["trajectory_id"])
    return CityTrajectories(
        trajectories=trajectories,
        by_document=by_document,
        context=context_fits(upstream, profile.documents.minimum_context_score),
        category=dict(only(upstream, "feedback")["pois"].select("poi_id", "category").iter_rows()),
    )


STAGE = Stage(
    "candidates",
    12,
    compute,
    tables("queries", "query_trajectories", "query_pois", "quarantine", "stage_counts"),
    settings=lambda job: {
        "trajectories": job.inputs.profile.trajectories.model_dump(),
        "candidates": job.inputs.profile.candidates.model_dump(),
        "minimum_context_score": job.inputs.profile.documents.minimum_context_score,
    },
)
