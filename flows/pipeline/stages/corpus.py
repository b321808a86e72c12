"""Stage corpus: files of a folder become blocks of main text; a shard is a bucket of files."""

from __future__ import annotations

from typing import Any

import polars as pl

from flows.pipeline.shards import Frames
from flows.pipeline.stages.base import Job, Output, Stage, Upstream
from schemas import frames as inner
from schemas.arrow import polars_schema_of
from schemas.documents import Block, Document
from schemas.ids import canonical_json, digest
from sources.web import corpus as reader
from sources.web.errors import UnreadableDocument
from sources.web.main_text import MAIN_TEXT_VERSION
from sources.web.metadata import DocumentMeta

#: Files are spread over this many shards by the hash of their bytes.
BUCKETS = 8

BLOCKS, META = polars_schema_of(inner.BLOCKS), polars_schema_of(inner.META)
REJECTED = polars_schema_of(inner.REJECTED)


def compute(job: Job, upstream: Upstream) -> Frames:
    """Read the files of one bucket; an unreadable one keeps its reason and the rest goes on."""
    corpus: reader.Corpus | None = job.extra["corpus"]
    blocks: list[dict[str, Any]] = []
    meta: list[dict[str, Any]] = []
    rejected: list[dict[str, str]] = [
        {"path": entry.path_rel, "check": entry.reason_code, "message": entry.message}
        for entry in job.extra["rejected"]
    ]
    for file in job.extra["files"]:
        assert corpus is not None
        try:
            loaded = corpus.load_with_meta(file)
        except UnreadableDocument as error:
            rejected.append(
                {"path": file.path_rel, "check": error.reason_code, "message": str(error)}
            )
            continue
        blocks += _block_rows(loaded.document)
        meta.append(_meta_row(loaded.document, loaded.meta, file.size_bytes))
    copies = [
        {"path": entry.path_rel, "check": "same_bytes", "message": entry.original_path_rel}
        for entry in job.extra["duplicates"]
    ]
    return {
        "blocks": pl.DataFrame(blocks, schema=BLOCKS, orient="row").sort("doc_id", "position"),
        "meta": pl.DataFrame(meta, schema=META, orient="row").sort("doc_id"),
        "rejected": pl.DataFrame(rejected, schema=REJECTED, orient="row").sort("path"),
        "copies": pl.DataFrame(copies, schema=REJECTED, orient="row").sort("path"),
    }


def _block_rows(document: Document) -> list[dict[str, Any]]:
    return [
        {"doc_id": document.doc_id, "position": position, **block.model_dump()}
        for position, block in enumerate(document.blocks)
    ]


def _meta_row(document: Document, found: DocumentMeta, size_bytes: int) -> dict[str, Any]:
    return {
        "doc_id": document.doc_id,
        "path": document.path,
        "lang": document.lang,
        "title": document.title or None,
        "published_on": found.published_on,
        "licence_hint": found.licence_hint,
        "size_bytes": size_bytes,
        "n_chars": len(document.text),
    }


def documents(frames: Frames) -> list[Document]:
    """The documents of a bucket, in the order of their ids."""
    grouped: dict[str, list[dict[str, Any]]] = {}
    for row in frames["blocks"].sort("doc_id", "position").iter_rows(named=True):
        grouped.setdefault(row["doc_id"], []).append(row)
    found = []
    for row in frames["meta"].sort("doc_id").iter_rows(named=True):
        blocks = tuple(
            Block.model_construct(
                kind=b["kind"],
                text=b["text"],
                start=b["start"],
                level=b["level"],
                strong=b["strong"],
            )
            for b in grouped.get(row["doc_id"], [])
        )
        found.append(
            Document.model_construct(
                doc_id=row["doc_id"], path=row["path"], lang=row["lang"],
                title=row["title"] or "", blocks=blocks,
            )
        )  # fmt: skip
    return found


def bucket_of(sha256: str) -> int:
    """The bucket of a file, by the hash of its bytes: a new file changes one bucket only."""
    return int(sha256[:8], 16) % BUCKETS


def _files_hash(job: Job) -> str:
    listed = [(file.path_rel, file.sha256) for file in job.extra["files"]]
    listed += [(entry.path_rel, entry.reason_code) for entry in job.extra["rejected"]]
    listed += [(entry.path_rel, entry.doc_id) for entry in job.extra["duplicates"]]
    return digest(canonical_json(sorted(listed)), length=32)


STAGE = Stage(
    "corpus",
    4,
    compute,
    {
        "blocks": Output(inner.BLOCKS),
        "meta": Output(inner.META),
        "rejected": Output(inner.REJECTED),
        "copies": Output(inner.COPIES),
    },
    settings=lambda job: {"main_text": MAIN_TEXT_VERSION},
    ingredients=lambda job: {"files": _files_hash(job)},
)
