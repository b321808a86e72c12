"""Stage sub_queries: what to ask a search engine for each query of a city."""

from __future__ import annotations

import polars as pl

from flows.pipeline.shards import Frames
from flows.pipeline.stages.base import Job, Stage, Upstream, only, tables
from flows.queries.sub_queries import rewrite
from queries.sub_queries import sub_queries
from schemas.arrow import frame
from sources.web.providers.base import Answers

#: Families whose queries search for documents.
RECALLED = ("tprag", "tripscore")


def compute(job: Job, upstream: Upstream) -> Frames:
    """Sub-queries by rules; where the web is searched, an engine that writes adds its own."""
    assert job.city is not None
    queries = only(upstream, "queries")["queries"].to_dicts()
    asking = [query for query in queries if query["family"] in RECALLED]
    asked = [row for query in asking for row in sub_queries(query, job.city)]
    if _writes(job):
        web = job.inputs.web
        assert web is not None
        asked += rewrite(
            [query for query in asking if query["family"] == "tprag"], job.city,
            job.inputs.engine, job.inputs.settings, Answers(web.archive / "answers"),
            offline=web.offline, run_id=job.inputs.run_id,
        )  # fmt: skip
    return {"sub_queries": frame("sub_queries", asked).unique().sort(pl.all())}


def _writes(job: Job) -> bool:
    return job.inputs.web is not None and job.inputs.engine != "rules"


STAGE = Stage(
    "sub_queries",
    2,
    compute,
    tables("sub_queries"),
    settings=lambda job: {"engine": job.inputs.engine} if _writes(job) else {},
)
