"""Runs the stage ``ask``, which finds places with missing facts and writes inquiries about them.

An inquiry about a place is written if its hours or its price are missing from all sources and
documents. An inquiry is also written if nothing describes the place, that is, if no document
reports a visit to the place or recommends it. There is one inquiry per place: for one kept query
that has the place as a candidate, and for this query's season or holiday. TP-RAG (section 3.2), in
contrast, searches for every pair of query and place. The inquiries depend only on earlier stages,
so this stage never reads the answers.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping

import polars as pl

from flows.pipeline.shards import Frames
from flows.pipeline.stages.base import Job, Output, Row, Stage, Upstream, only, stage_count, tables
from flows.pipeline.stages.relevance import select_liked
from queries.sub_queries import inquiries
from schemas import frames as inner
from schemas.arrow import frame, polars_schema_of
from schemas.rows import SubQueriesRow

#: What is missing about a place if no fact has this field.
_FACTS = {"hours": "opening_hours", "price": "ticket_price"}
_ANYWHERE = "any:any"


def compute(job: Job, upstream: Upstream) -> Frames:
    """Return the inquiries about a city, and the places that get no inquiry because the profile
    limits the number of inquiries."""
    limits = job.inputs.profile.documents
    candidates = _candidates(upstream)
    lacking = _lacking(upstream, candidates)
    ordered = by_weight(lacking, candidates, _popularity(upstream))
    places = share_out(ordered, candidates, limits.inquiries_per_query if limits.per_inquiry else 0)
    names = {
        row["poi_id"]: re.sub(r"\s+", " ", row["name_zh"] or row["name_en"])
        for row in only(upstream, "feedback")["pois"].to_dicts()
    }
    asked: list[SubQueriesRow] = []
    about: list[Row] = []
    for query in only(upstream, "candidates")["queries"].sort("query_id").to_dicts():
        mine = places.get(query["query_id"], [])
        rows = inquiries(query, job.own_city, [names[poi_id] for poi_id in mine])
        asked += rows
        about += [
            {"sub_query_id": row["sub_query_id"], "poi_id": poi_id, "lacks": lacking[poi_id]}
            for row, poi_id in zip(rows, mine, strict=True)
        ]
    left = set(lacking) - {row["poi_id"] for row in about}
    counted = stage_count(
        job.own_city, "ask", "pois", rows_in=len(lacking), kept=len(lacking) - len(left),
        pending=len(left),
    )  # fmt: skip
    out = [{"poi_id": poi_id, "lacks": lacking[poi_id]} for poi_id in sorted(left)]
    return {
        "sub_queries": frame("sub_queries", asked),
        "inquiries": pl.DataFrame(about, polars_schema_of(inner.INQUIRIES), orient="row").sort(
            "sub_query_id", "poi_id"
        ),
        "left_out": pl.DataFrame(out, polars_schema_of(inner.LEFT_OUT), orient="row"),
        "stage_counts": frame("stage_counts", [counted]),
    }


def by_weight(
    lacking: Mapping[str, object], candidates: pl.DataFrame, popularity: Mapping[str, float]
) -> list[str]:
    """Sort places by the number of queries for which they are candidates, then by popularity."""
    wanted = Counter(candidates["poi_id"].to_list())
    return sorted(
        lacking, key=lambda poi_id: (-wanted[poi_id], -popularity.get(poi_id, 0.0), poi_id)
    )


def share_out(ordered: list[str], candidates: pl.DataFrame, each: int) -> dict[str, list[str]]:
    """Share places among queries: at most ``each`` places per query, and one query per place.

    Each place is assigned to the query that ranks it best, among the queries that still have fewer
    than ``each`` places. ``candidates`` has the columns query_id, poi_id and rank.
    """
    askers: dict[str, list[str]] = defaultdict(list)
    for row in candidates.sort("rank", "query_id").to_dicts():
        askers[row["poi_id"]].append(row["query_id"])
    found: dict[str, list[str]] = defaultdict(list)
    for poi_id in ordered:
        free = (query_id for query_id in askers[poi_id] if len(found[query_id]) < each)
        if (query_id := next(free, None)) is not None:
            found[query_id].append(poi_id)
    return found


def _candidates(upstream: Upstream) -> pl.DataFrame:
    """Return the candidates of the kept queries that search for documents."""
    found = only(upstream, "candidates")
    kept = found["queries"].filter((pl.col("family") == "tprag") & (pl.col("status") == "kept"))
    return found["query_pois"].join(kept.select("query_id"), on="query_id", how="semi")


def _lacking(upstream: Upstream, candidates: pl.DataFrame) -> dict[str, list[str]]:
    """Return the candidates that lack hours, a price or a description, and what each of them
    lacks."""
    facts = only(upstream, "tags")["poi_facts"]
    told = {
        name: set(facts.filter(pl.col("fact_field") == field)["poi_id"])
        for name, field in _FACTS.items()
    }
    told["description"] = set(select_liked(only(upstream, "feedback")["poi_mentions"])["poi_id"])
    found: dict[str, list[str]] = {}
    for poi_id in candidates["poi_id"].unique().sort().to_list():
        if lacks := [name for name, places in told.items() if poi_id not in places]:
            found[poi_id] = lacks
    return found


def _popularity(upstream: Upstream) -> dict[str, float]:
    return dict(
        only(upstream, "tags")["poi_popularity"]
        .filter(pl.col("context_id") == _ANYWHERE)
        .select("poi_id", "score")
        .iter_rows()
    )


STAGE = Stage(
    "ask",
    2,
    compute,
    {
        **tables("sub_queries", "stage_counts"),
        "inquiries": Output(inner.INQUIRIES),
        "left_out": Output(inner.LEFT_OUT),
    },
    settings=lambda job: {
        name: getattr(job.inputs.profile.documents, name)
        for name in ("inquiries_per_query", "per_inquiry")
    },
)
