"""Runs the stage ``retrieve``, which finds documents for each query's sub-queries, by purpose.

The stage searches the build's documents with BM25, and ranks pages from web searches together with
these documents.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from datetime import date
from typing import Any, NamedTuple

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
from flows.pipeline.stages.relevance import documents_by_constraint
from flows.pipeline.stages.search import part_of
from schemas.arrow import frame
from schemas.cities import City
from schemas.ids import doc_id
from schemas.rows import QuarantineRow, QueryDocumentsRow, StageCountsRow, SubQueriesRow
from schemas.typed_rows import read_rows
from sources.web.search import BM25Index

#: Constant of reciprocal rank fusion (Cormack et al. 2009), which reduces the weight of the first
#: ranks.
_FUSION_K = 60
#: The name of the search in the documents at hand.
AT_HAND = "corpus"


class RetrievedDocument(NamedTuple):
    """A document that a provider found for a sub-query; the best document has ``rank`` 1."""

    provider: str
    doc_id: str
    rank: int


#: Web hits by sub-query.
WebHits = Mapping[str, list[RetrievedDocument]]


def compute(job: Job, upstream: Upstream) -> Frames:
    """Search the city's documents for the places and routes that each query needs."""
    city, settings = job.own_city, job.inputs.profile.documents
    asked = read_rows(only(upstream, "sub_queries")["sub_queries"], SubQueriesRow)
    limits = {"poi": settings.per_poi_search, "route": settings.per_route_search}
    meeting = documents_by_constraint(upstream, settings.minimum_context_score)
    preferred = {
        query["query_id"]: meeting.get((query["constraint_kind"], query["constraint_code"]), set())
        for query in only(upstream, "queries")["queries"].to_dicts()
    }
    found = search(
        asked, recent_texts(upstream, settings.newest_after), limits, preferred, web_hits(upstream)
    )
    counts = [stage_count(city, "retrieve", "sub_queries", rows_in=len(asked), kept=len(asked))]
    aside: list[QuarantineRow] = []
    if "fetch" in upstream:
        counted, aside = addresses_told(city, upstream, "fetch")
        counts.append(counted)
    return {
        "sub_queries": frame("sub_queries", asked),
        "query_documents": frame("query_documents", found),
        "quarantine": frame("quarantine", aside),
        "stage_counts": frame("stage_counts", counts),
    }


def addresses_told(
    city: City, upstream: Upstream, stage: str
) -> tuple[StageCountsRow, list[QuarantineRow]]:
    """Count the addresses that were chosen for the city's queries; list the addresses set aside."""
    chosen = only(upstream, "search")["chosen"].filter(pl.col("city_id") == city.city_id)
    rows = only(upstream, "fetch")["addresses"].join(chosen, on="url", how="semi")
    outcomes = dict(rows.group_by("outcome").len().iter_rows())
    stored = rows.filter(pl.col("outcome") == "stored")
    kept = stored["content_sha256"].n_unique()
    counted = stage_count(
        city, stage, "documents", rows_in=rows.height, kept=kept, merged=stored.height - kept,
        quarantined=outcomes.get("quarantined", 0), pending=outcomes.get("pending", 0),
    )  # fmt: skip
    aside = [
        quarantine_row(city, stage, "documents", row["url"], row["reason"], row["message"])
        for row in rows.filter(pl.col("outcome") == "quarantined").sort("url").to_dicts()
    ]
    return counted, aside


def web_hits(upstream: Upstream) -> WebHits:
    """Return the documents that were stored for the addresses found by web searches."""
    found: dict[str, list[RetrievedDocument]] = defaultdict(list)
    stored = {
        row["url"]: doc_id(row["content_sha256"])
        for frames in upstream.get("fetch", [])
        for row in frames["addresses"].filter(pl.col("outcome") == "stored").to_dicts()
    }
    for frames in upstream.get("search", []):
        for row in frames["hits"].sort("sub_query_id", "provider", "rank").to_dicts():
            if row["url"] in stored:
                hit = RetrievedDocument(row["provider"], stored[row["url"]], row["rank"])
                found[row["sub_query_id"]].append(hit)
    return found


def recent_texts(upstream: Upstream, newest_after: date | None) -> pl.DataFrame:
    """Return the texts of documents, except those known to be too old; undated texts are kept."""
    found = only(upstream, "documents")
    if newest_after is None:
        return found["texts"]
    is_old = pl.col("published_on").is_not_null() & (pl.col("published_on") < newest_after)
    return found["texts"].join(found["documents"].filter(is_old), on="doc_id", how="anti")


def search(
    asked: Sequence[SubQueriesRow],
    texts: pl.DataFrame,
    limits: dict[str, int],
    preferred: Mapping[str, Set[str]],
    web: WebHits | None = None,
    more: Set[str] = frozenset(),
) -> list[QueryDocumentsRow]:
    """Return rows for ``query_documents``; the results of all sub-queries for a purpose are fused
    by reciprocal rank.

    Identical sub-queries are searched only once; each inquiry is ranked on its own. ``texts`` has
    the columns doc_id and text. A hit in ``web`` counts if its document is in ``texts`` or in
    ``more``. ``preferred`` contains the documents that meet a query's constraint; these documents
    count as if two additional searches had ranked them first.
    """
    if not asked or (texts.is_empty() and not more):
        return []
    index = BM25Index.build(list(texts.sort("doc_id").select("doc_id", "text").iter_rows()))
    known = set(texts["doc_id"]) | more
    hits = {
        row["sub_query_id"]: [
            *(hit for hit in (web or {}).get(row["sub_query_id"], []) if hit.doc_id in known),
            *(
                RetrievedDocument(AT_HAND, h.doc_id, h.rank)
                for h in index.search(row["text"], texts.height)
            ),
        ]
        for row in {row["sub_query_id"]: row for row in asked}.values()
    }
    fused: dict[_FusionGroup, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    best: dict[tuple[_FusionGroup, str], tuple[Any, ...]] = {}
    for row in asked:
        group = _FusionGroup(row["query_id"], row["city_id"], row["purpose"], part_of(row))
        for hit in hits[row["sub_query_id"]]:
            fused[group][hit.doc_id] += 1.0 / (_FUSION_K + hit.rank)
            # A document counts as found on the web rather than at hand, then by its best rank.
            found = (hit.provider == AT_HAND, hit.rank, hit.provider, row["sub_query_id"])
            best[group, hit.doc_id] = min(found, best.get((group, hit.doc_id), found))
    for group, scores in fused.items():
        for doc in preferred.get(group.query_id, set()) & scores.keys():
            scores[doc] += 2.0 / _FUSION_K
    lists: dict[tuple[str, str, str], dict[str, tuple[float, Any]]] = defaultdict(dict)
    for group, scores in sorted(fused.items()):
        ranked = sorted(scores.items(), key=_best_first)[: limits[group.purpose]]
        held = lists[group[:3]]
        for doc, score in ranked:
            held[doc] = max((score, best[group, doc]), held.get(doc, (0.0, ())))
    rows: list[QueryDocumentsRow] = []
    for (query_id, city_id, purpose), held in lists.items():
        for rank, (doc, (score, at)) in enumerate(sorted(held.items(), key=_best_first), 1):
            _, found_rank, provider, sub_query_id = at
            rows.append({
                "query_id": query_id, "city_id": city_id, "purpose": purpose, "rank": rank,
                "doc_id": doc, "score": round(score, 6), "provider": provider,
                "sub_query_id": sub_query_id, "found_rank": found_rank,
            })  # fmt: skip
    return rows


class _FusionGroup(NamedTuple):
    """A group of sub-queries whose results are fused: all for one query and purpose, or a single
    inquiry.
    """

    query_id: str
    city_id: str
    purpose: str
    part: int


def _best_first(item: tuple[str, Any]) -> tuple[float, str]:
    """Return a key that sorts by score (or a tuple's first value), highest first, then by id."""
    return -(item[1][0] if isinstance(item[1], tuple) else item[1]), item[0]


STAGE = Stage(
    "retrieve",
    3,
    compute,
    tables("sub_queries", "query_documents", "quarantine", "stage_counts"),
    settings=lambda job: {"documents": job.inputs.profile.documents.model_dump(mode="json")},
)
