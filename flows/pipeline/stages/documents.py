"""Stage documents: the documents about a city in one table, near-duplicates linked."""

from __future__ import annotations

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
from schemas.documents import published_language
from schemas.ids import canonical_json, digest
from schemas.read_hash import with_read_hash


def compute(job: Job, upstream: Upstream) -> Frames:
    """Join the buckets: documents, their texts for the search, and what could not be read."""
    assert job.city is not None
    city = job.city
    about = pl.concat([frames["about"] for frames in upstream["mentions"]]).sort("doc_id")
    meta = pl.concat([frames["meta"] for frames in upstream["corpus"]])
    chosen = about.join(meta, on="doc_id").sort("path", "doc_id")
    texts = _texts(upstream, chosen)
    copies = copies_among(only(upstream, "copies")["originals"], chosen["doc_id"].to_list())
    stated = job.extra.get("licences", {})
    documents = [
        _row(city, row, copies.get(row["doc_id"]), stated.get(row["doc_id"]))
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


def _texts(upstream: Upstream, chosen: pl.DataFrame) -> pl.DataFrame:
    blocks = pl.concat([frames["blocks"] for frames in upstream["corpus"]])
    return (
        blocks.join(chosen.select("doc_id"), on="doc_id", how="semi")
        .sort("doc_id", "position")
        .group_by("doc_id", maintain_order=True)
        .agg(pl.col("text").str.join("\n"))
    )


def _row(
    city: City, row: dict[str, Any], original: str | None, licence: str | None
) -> dict[str, Any]:
    kept = (
        "doc_id",
        "path",
        "title",
        "published_on",
        "size_bytes",
        "n_chars",
    )
    return {
        **{column: row[column] for column in kept},
        "lang": published_language(row["lang"]),
        "city_id": city.city_id,
        "document_kind": row["kind"],
        "near_duplicate_of": original,
        # A list beside the documents says more than words that a page quotes.
        "licence_hint": licence or row["licence_hint"],
    }


def _bucket_counts(upstream: Upstream) -> list[dict[str, Any]]:
    """The counts of all buckets added up: one row a stage and table."""
    keys = ["city_id", "stage", "table"]
    counts = pl.concat([frames["counts"] for frames in upstream["mentions"]])
    return counts.group_by(keys).agg(pl.exclude(keys).sum()).sort(keys).to_dicts()


def _licences(job: Job) -> dict[str, str]:
    """What licences are stated beside the documents; nothing where none is."""
    stated = job.extra.get("licences")
    return {"licences": digest(canonical_json(stated), length=32)} if stated else {}


STAGE = Stage(
    "documents",
    4,
    compute,
    {**tables("documents", "quarantine", "stage_counts"), "texts": Output(inner.DOCUMENT_TEXTS)},
    ingredients=_licences,
    accounts=True,
)
