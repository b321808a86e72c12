"""Stage pages: assigns the pages of the archive to buckets, by the hash of their bytes.

A page that changes affects only its own bucket. If several addresses give the same bytes, they
count as one page with the first address, and the others are its copies.
"""

from __future__ import annotations

import polars as pl

from flows.pipeline.shards import Frames
from flows.pipeline.stages.base import Job, Output, Stage, Upstream, only
from flows.pipeline.stages.corpus import bucket_of
from schemas import frames as inner
from schemas.arrow import polars_schema_of
from schemas.ids import doc_id

_COLUMNS = polars_schema_of(inner.PAGES)


def compute(job: Job, upstream: Upstream) -> Frames:
    """The bucket's part of the addresses that are stored."""
    stored = only(upstream, "fetch")["addresses"].filter(pl.col("outcome") == "stored")
    mine = [
        {**row, "doc_id": doc_id(row["content_sha256"])}
        for row in stored.sort("url").to_dicts()
        if bucket_of(row["content_sha256"]) == int(job.shard)
    ]
    first: dict[str, str] = {}
    for row in mine:
        first.setdefault(row["doc_id"], row["url"])
    pages = [
        {name: row[name] for name in _COLUMNS} for row in mine if first[row["doc_id"]] == row["url"]
    ]
    copies = [
        {"path": row["url"], "check": "same_bytes", "message": first[row["doc_id"]]}
        for row in mine
        if first[row["doc_id"]] != row["url"]
    ]
    return {
        "pages": pl.DataFrame(pages, schema=_COLUMNS, orient="row").sort("doc_id"),
        "copies": pl.DataFrame(copies, schema=polars_schema_of(inner.COPIES), orient="row"),
    }


STAGE = Stage(
    "pages", 1, compute, {"pages": Output(inner.PAGES), "copies": Output(inner.COPIES)}
)  # fmt: skip
