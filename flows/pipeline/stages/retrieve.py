"""Stage retrieve: sub-queries of every query, and the documents that each purpose finds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Set
from datetime import date
from typing import Any

import polars as pl

from flows.pipeline.shards import Frames
from flows.pipeline.stages.base import Job, Stage, Upstream, only, stage_count, tables
from flows.pipeline.stages.relevance import documents_by_constraint
from queries.sub_queries import sub_queries
from schemas.arrow import frame
from sources.web.search import BM25Index

#: Constant of reciprocal rank fusion (Cormack et al. 2009): damps the weight of the first ranks.
_FUSION_K = 60
#: Families whose queries search the city's documents.
RECALLED = ("tprag", "tripscore")


def compute(job: Job, upstream: Upstream) -> Frames:
    """Search the city's documents for places and routes of each query."""
    assert job.city is not None
    city, settings = job.city, job.inputs.profile.documents
    planned = only(upstream, "queries")["queries"].filter(pl.col("family").is_in(RECALLED))
    asked = [row for query in planned.to_dicts() for row in sub_queries(query, city)]
    limits = {"poi": settings.per_poi_search, "route": settings.per_route_search}
    meeting = documents_by_constraint(upstream, settings.minimum_context_score)
    preferred = {
        query["query_id"]: meeting.get((query["constraint_kind"], query["constraint_code"]), set())
        for query in planned.to_dicts()
    }
    found = search(asked, recent_texts(upstream, settings.newest_after), limits, preferred)
    return {
        "sub_queries": frame("sub_queries", asked),
        "query_documents": frame("query_documents", found),
        "stage_counts": frame(
            "stage_counts",
            [stage_count(city, "retrieve", "sub_queries", rows_in=len(asked), kept=len(asked))],
        ),
    }


def recent_texts(upstream: Upstream, newest_after: date | None) -> pl.DataFrame:
    """Texts of the documents, without those known to be older; an unknown date is kept."""
    found = only(upstream, "documents")
    if newest_after is None:
        return found["texts"]
    is_old = pl.col("published_on").is_not_null() & (pl.col("published_on") < newest_after)
    return found["texts"].join(found["documents"].filter(is_old), on="doc_id", how="anti")


def search(
    asked: list[dict[str, Any]],
    texts: pl.DataFrame,
    limits: dict[str, int],
    preferred: Mapping[str, Set[str]],
) -> list[dict[str, Any]]:
    """Rows of ``query_documents``: the sub-queries of a purpose fused by reciprocal rank.

    Equal sub-queries are searched once. ``texts`` has the columns doc_id and text. The documents
    that ``preferred`` gives for a query meet its constraint: they count as if two more
    searches had found them first.
    """
    if not asked or texts.is_empty():
        return []
    index = BM25Index.build(list(texts.sort("doc_id").select("doc_id", "text").iter_rows()))
    depth = texts.height
    hits = {
        row["sub_query_id"]: index.search(row["text"], depth)
        for row in {row["sub_query_id"]: row for row in asked}.values()
    }
    fused: dict[tuple[str, str, str], dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for row in asked:
        scores = fused[row["query_id"], row["city_id"], row["purpose"]]
        for hit in hits[row["sub_query_id"]]:
            scores[hit.doc_id] += 1.0 / (_FUSION_K + hit.rank)
    for (query_id, _, _), scores in fused.items():
        for doc_id in preferred.get(query_id, set()) & scores.keys():
            scores[doc_id] += 2.0 / _FUSION_K
    rows: list[dict[str, Any]] = []
    for (query_id, city_id, purpose), scores in sorted(fused.items()):
        ranked = sorted(scores.items(), key=lambda item: (-item[1], item[0]))[: limits[purpose]]
        rows += [
            {
                "query_id": query_id,
                "city_id": city_id,
                "purpose": purpose,
                "rank": rank,
                "doc_id": doc_id,
                "score": round(score, 6),
            }
            for rank, (doc_id, score) in enumerate(ranked, 1)
        ]
    return rows


STAGE = Stage(
    "retrieve",
    2,
    compute,
    tables("sub_queries", "query_documents", "quarantine", "stage_counts"),
    settings=lambda job: {"documents": job.inputs.profile.documents.model_dump(mode="json")},
)
