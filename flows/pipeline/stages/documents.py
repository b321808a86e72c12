"""Stage documents: the documents about a city in one table, with near-duplicates linked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from flows.pipeline.shards import Frames
from flows.pipeline.stages.base import (
    Job,
    Output,
    Stage,
    Upstream,
    only,
    quarantine_row,
    stage_count,
    tables,
)
from flows.pipeline.stages.copies import copies_among
from schemas import frames as inner
from schemas.arrow import frame
from schemas.cities import City
from schemas.documents import code_language
from schemas.ids import canonical_json, digest, doc_id
from schemas.read_hash import with_read_hash
from schemas.rows import StageCountsRow
from schemas.typed_rows import read_rows
from sources.web.pages import judge_date

#: What is told of a page beside what it says itself.
WHERE_FOUND = (
    "url", "final_url", "provider", "sub_query_id", "found_rank", "fetched_for", "fetched_on",
    "gone_on",
)  # fmt: skip


def compute(job: Job, upstream: Upstream) -> Frames:
    """Join the buckets: documents, their texts for the search, and what could not be read."""
    assert job.city is not None
    city = job.city
    about = pl.concat([frames["about"] for frames in upstream["mentions"]]).sort("doc_id")
    meta = pl.concat([frames["meta"] for frames in upstream["corpus"]])
    chosen = about.join(meta, on="doc_id").sort("path", "doc_id")
    texts = texts_of(upstream, chosen)
    copies = copies_among(only(upstream, "copies")["originals"], chosen["doc_id"].to_list())
    found, stated = list_found_pages(upstream), job.extra.get("licences", {})
    documents = [
        document_row(city, row, copies.get(row["doc_id"]), found.get(row["doc_id"], {}), stated)
        for row in chosen.to_dicts()
    ]
    rejected = pl.concat([frames["rejected"] for frames in upstream["corpus"]]).to_dicts()
    quarantine = [
        quarantine_row(city, "documents", "documents", row["path"], row["check"], row["message"])
        for row in rejected
    ]
    copied = sum(frames["copies"].height for frames in upstream["corpus"])
    counted = stage_count(
        city, "documents", "documents", rows_in=about.height + len(rejected) + copied,
        kept=len(documents), quarantined=len(quarantine), merged=copied,
    )  # fmt: skip
    return {
        "documents": with_read_hash(frame("documents", documents)),
        "texts": texts,
        "quarantine": frame("quarantine", quarantine),
        "stage_counts": frame("stage_counts", [counted, *_bucket_counts(upstream)]),
    }


def texts_of(upstream: Upstream, chosen: pl.DataFrame) -> pl.DataFrame:
    """The main text of some documents: doc_id and text."""
    blocks = pl.concat([frames["blocks"] for frames in upstream["corpus"]])
    return (
        blocks.join(chosen.select("doc_id"), on="doc_id", how="semi")
        .sort("doc_id", "position")
        .group_by("doc_id", maintain_order=True)
        .agg(pl.col("text").str.join("\n"))
    )


def document_row(
    city: City,
    row: dict[str, Any],
    original: str | None,
    found: dict[str, Any],
    licences: Mapping[str, str],
) -> dict[str, Any]:
    """A document's row. The date that a search states counts where the page states none."""
    kept = (
        "doc_id",
        "path",
        "title",
        "published_on",
        "published_by",
        "modified_on",
        "modified_by",
        "size_bytes",
        "n_chars",
    )
    stated = found.get("stated_on")
    if row["published_on"] is None and stated is not None:
        believable = judge_date(stated, "search", found["fetched_on"])
        row = {**row, "published_on": believable[0], "published_by": believable[1]}
    return {
        **{column: row[column] for column in kept},
        **{column: found.get(column) for column in WHERE_FOUND},
        "lang": code_language(row["lang"]),
        "city_id": city.city_id,
        "document_kind": row["kind"],
        "near_duplicate_of": original,
        # A list beside the documents says more than words that a page quotes.
        "licence_hint": licences.get(row["doc_id"]) or row["licence_hint"],
    }


def list_found_pages(upstream: Upstream, fetched_for: str = "query") -> dict[str, dict[str, Any]]:
    """Address, days and best hit of every archived page, by ``doc_id``; none without a search.

    Of several addresses with the same bytes the first counts, as in stage pages.
    """
    found: dict[str, dict[str, Any]] = {}
    best = {row["url"]: row for row in best_hits(upstream).to_dicts()}
    for frames in upstream.get("fetch", []):
        stored = frames["addresses"].filter(pl.col("outcome") == "stored").sort("url")
        for row in stored.to_dicts():
            key = doc_id(row["content_sha256"])
            found.setdefault(key, {**row, **best.get(row["url"], {}), "fetched_for": fetched_for})
    return found


def best_hits(upstream: Upstream) -> pl.DataFrame:
    """Of every address the hit of the best rank; the newest day that a search states of it."""
    hits = [frames["hits"] for frames in upstream.get("search", [])]
    if not hits:
        return pl.DataFrame({"url": []}, schema={"url": pl.String})
    return (
        pl.concat(hits)
        .sort("rank", "provider", "sub_query_id")
        .group_by("url", maintain_order=True)
        .agg(
            pl.first("provider", "sub_query_id"),
            pl.first("rank").alias("found_rank"),
            pl.max("published_on").alias("stated_on"),
        )
    )


def _bucket_counts(upstream: Upstream) -> list[StageCountsRow]:
    """The counts of all buckets added up: one row a stage and table."""
    keys = ["city_id", "stage", "table"]
    counts = pl.concat([frames["counts"] for frames in upstream["mentions"]])
    added = counts.group_by(keys).agg(pl.exclude(keys).sum()).sort(keys)
    return read_rows(added, StageCountsRow)


def _licences(job: Job) -> dict[str, str]:
    """What licences are stated beside the documents; nothing where none is."""
    stated = job.extra.get("licences")
    return {"licences": digest(canonical_json(stated), length=32)} if stated else {}


STAGE = Stage(
    "documents",
    5,
    compute,
    {**tables("documents", "quarantine", "stage_counts"), "texts": Output(inner.DOCUMENT_TEXTS)},
    ingredients=_licences,
    accounts=True,
)
