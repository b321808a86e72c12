"""Stage candidates: reference trajectories and candidate places of every query, and its status.

A trajectory serves a query when its document was found for the query's routes and, where the
query has a constraint, the trajectory meets it: the document names the season, holiday, kind
of traveller or pace, or its stops are of the category asked for. Its length against the
query's only ranks it.

A tripscore query has no trajectory: its documents and places are its frozen context, and one
for which nothing was recalled is dropped and counted (TripScore, section 3.3).
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from flows.pipeline.shards import Frames
from flows.pipeline.stages.base import (
    Job,
    Stage,
    Upstream,
    only,
    quarantine_row,
    stage_count,
    tables,
)
from flows.pipeline.stages.relevance import CATEGORY_SHARE, context_fits, liked
from flows.settings.profile import Profile
from schemas.arrow import frame
from schemas.ranking import (
    DAY_PENALTY,
    DOCUMENT_SCORE,
    PACE_FIT,
    TABLE_OFFSET,
    TRAJECTORY_SCORE,
)
from schemas.taxonomy import BASE_TYPES, TREND_TYPES

Row = dict[str, Any]

#: A trajectory is compact with this many stops a day: the pace that the published queries call
#: special-forces style is told in words, this is its measure where the text has none.
COMPACT_VISITS_PER_DAY = 5.0


@dataclass
class City:
    """What is known of a city's trajectories and places, indexed once for all its queries."""

    trajectories: dict[str, Row]
    by_document: dict[str, list[str]]
    context: dict[str, dict[tuple[str, str], float]]
    category: dict[str, str | None]
    mentions: dict[str, list[str]]
    popular: list[str]
    sub_sights: set[str]
    names: dict[str, str] = field(default_factory=dict)
    types: dict[str, set[str]] = field(default_factory=dict)


def compute(job: Job, upstream: Upstream) -> Frames:
    """Rank trajectories and places for each query; one with too few waits for documents."""
    assert job.city is not None
    profile = job.inputs.profile
    city = _index(upstream, profile)
    found = only(upstream, "retrieve")["query_documents"]
    documents: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in found.sort("query_id", "purpose", "rank").to_dicts():
        documents[row["query_id"], row["purpose"]].append(row)
    queries: list[Row] = []
    routes: list[Row] = []
    candidates: list[Row] = []
    dropped: list[Row] = []
    for query in only(upstream, "queries")["queries"].to_dicts():
        if query["family"] == "tripscore":
            recalled = [row for p in ("poi", "route") for row in documents[query["query_id"], p]]
            pois = rank_candidates(query, [], recalled, city, profile)
            if pois or recalled:
                queries.append({**query, "n_candidates": len(pois)})
                candidates += pois
            else:
                dropped.append(_dropped(job, query))
            continue
        if query["family"] != "tprag":
            queries.append(query)
            continue
        mine = rank_trajectories(query, documents[query["query_id"], "route"], city, profile)
        pois = rank_candidates(query, mine, documents[query["query_id"], "poi"], city, profile)
        queries.append(_with_status(query, len(mine), len(pois), profile))
        routes += mine
        candidates += pois
    kept = sum(query["status"] == "kept" for query in queries)
    counted = stage_count(
        job.city,
        "candidates",
        "queries",
        rows_in=len(queries) + len(dropped),
        kept=kept,
        quarantined=len(dropped),
        pending=len(queries) - kept,
    )
    return {
        "queries": frame("queries", queries),
        "query_trajectories": frame("query_trajectories", routes),
        "query_pois": frame("query_pois", candidates),
        "quarantine": frame("quarantine", dropped),
        "stage_counts": frame("stage_counts", [counted]),
    }


def _dropped(job: Job, query: Row) -> Row:
    assert job.city is not None
    return quarantine_row(
        job.city, "candidates", "queries", query["query_id"], "empty_recall",
        "neither a document nor a place was recalled for the query", query,
    )  # fmt: skip


def rank_trajectories(query: Row, found: list[Row], city: City, profile: Profile) -> list[Row]:
    """Rows of ``query_trajectories``: those that meet the constraint, best first."""
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


def context_fit(query: Row, trajectory: Row, city: City) -> float | None:
    """How well a trajectory meets a query's constraint, 0 to 1; None when it does not."""
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


def rank_candidates(
    query: Row, trajectories: list[Row], found: list[Row], city: City, profile: Profile
) -> list[Row]:
    """Rows of ``query_pois``: stops of the query's trajectories first, then places of its
    documents, then places of the tables; sub-sights only where a trajectory stops at them."""
    scores: dict[str, tuple[str, float]] = {}
    stops = Counter(
        stop["poi_id"]
        for row in trajectories
        for stop in {
            s["poi_id"]: s for s in city.trajectories[row["trajectory_id"]]["clean_visits"]
        }.values()
    )
    for poi, count in stops.items():
        scores[poi] = ("trajectory", TRAJECTORY_SCORE + count)
    named = Counter(poi for row in found for poi in city.mentions.get(row["doc_id"], []))
    for poi, count in named.items():
        if poi not in scores and poi not in city.sub_sights:
            scores[poi] = ("document", DOCUMENT_SCORE + count / (1 + max(named.values())))
    _fill_from_tables(query, scores, city, profile.candidates.per_query)
    ranked = sorted(scores.items(), key=lambda item: (-item[1][1], item[0]))
    limit = max(profile.candidates.maximum_per_query, len(stops))
    return [
        {
            "query_id": query["query_id"],
            "city_id": query["city_id"],
            "poi_id": poi,
            "rank": rank,
            "candidate_source": source,
            "score": round(score, 6),
        }
        for rank, (poi, (source, score)) in enumerate(ranked[:limit], 1)
    ]


def _fill_from_tables(
    query: Row, scores: dict[str, tuple[str, float]], city: City, wanted: int
) -> None:
    """Popular places up to the number wanted; of the category or types asked for, if any, first."""
    code = query["constraint_code"] if query["constraint_kind"] == "poi_category" else None
    rest = [poi for poi in city.popular if poi not in scores and poi not in city.sub_sights]
    if code is not None:
        rest.sort(key=lambda poi: city.category.get(poi) != code)
    if query["family"] == "tripscore":
        wished = set(json.loads(query["structure"])["attraction_types"])
        rest.sort(key=lambda poi: not wished & city.types.get(poi, set()))
    for place, poi in enumerate(rest[: max(wanted - len(scores), 0)]):
        scores[poi] = ("table", 1.0 / (TABLE_OFFSET + place))


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


def _index(upstream: Upstream, profile: Profile) -> City:
    feedback = only(upstream, "feedback")
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
    pois = feedback["pois"]
    ranked = pois.filter(pl.col("poi_source") == "table").sort(
        pl.col("n_documents"),
        pl.col("rating"),
        "poi_id",
        descending=[True, True, False],
        nulls_last=True,
    )
    return City(
        trajectories=trajectories,
        by_document=by_document,
        context=context_fits(upstream, profile.documents.minimum_context_score),
        category=dict(pois.select("poi_id", "category").iter_rows()),
        mentions=_liked(feedback["poi_mentions"]),
        popular=ranked["poi_id"].to_list(),
        sub_sights=set(feedback["poi_hierarchy"]["poi_id"]),
        types=_types(pois),
    )


def _types(pois: pl.DataFrame) -> dict[str, set[str]]:
    """Published attraction types of each place, as queries name them."""
    names = {term.code: term.zh for term in (*BASE_TYPES, *TREND_TYPES)}
    return {
        poi_id: {names[code] for code in (base, *(trends or ())) if code in names}
        for poi_id, base, trends in pois.select("poi_id", "base_type", "trend_types").iter_rows()
    }


def _liked(mentions: pl.DataFrame) -> dict[str, list[str]]:
    """Places that each document visits or recommends."""
    pairs = liked(mentions).select("doc_id", "poi_id").unique().sort("doc_id", "poi_id")
    grouped: dict[str, list[str]] = defaultdict(list)
    for doc_id, poi_id in pairs.iter_rows():
        grouped[doc_id].append(poi_id)
    return grouped


STAGE = Stage(
    "candidates",
    3,
    compute,
    tables("queries", "query_trajectories", "query_pois", "quarantine", "stage_counts"),
    settings=lambda job: {
        "trajectories": job.inputs.profile.trajectories.model_dump(),
        "candidates": job.inputs.profile.candidates.model_dump(),
        "minimum_context_score": job.inputs.profile.documents.minimum_context_score,
    },
)
