"""Runs the stages ``pages`` and ``corpus``, which extract the main text of files and web pages.

Pages are assigned to buckets by the hash of their bytes, so a page that changes affects only its
own bucket. If several addresses return the same bytes, the first address counts as the page, and
the other addresses count as its copies.
"""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from flows.pipeline.shards import Frames
from flows.pipeline.stages.base import Job, Output, Stage, Upstream, group_rows, only
from schemas import frames as inner
from schemas.arrow import polars_schema_of
from schemas.documents import Block, Document
from schemas.ids import canonical_json, digest, doc_id, text_sha256
from schemas.rows import BlocksRow, MetaRow, PagesRow
from schemas.typed_rows import read_rows
from sources.web import corpus as reader
from sources.web.archive import Archive
from sources.web.errors import UnreadableDocument
from sources.web.main_text import MAIN_TEXT_VERSION
from sources.web.metadata import DocumentMeta
from sources.web.pages import judge_date, load_page

#: The number of shards among which files are divided by the hash of their bytes.
BUCKETS = 8

BLOCKS, META = polars_schema_of(inner.BLOCKS), polars_schema_of(inner.META)
REJECTED = polars_schema_of(inner.REJECTED)
NO_PAGES = pl.DataFrame(schema=polars_schema_of(inner.PAGES))


def compute(job: Job, upstream: Upstream) -> Frames:
    """Read the documents in one bucket; an unreadable document is set aside with the reason."""
    corpus: reader.Corpus = job.extra["corpus"]  # None if the build has no files
    brought = pl.concat([f["pages"] for f in upstream.get("pages", [])] or [NO_PAGES])
    pages = read_rows(brought, PagesRow)
    blocks: list[BlocksRow] = []
    meta: list[MetaRow] = []
    rejected: list[dict[str, str]] = [
        {"path": entry.path_rel, "check": entry.reason_code, "message": entry.message}
        for entry in job.extra["rejected"]
    ]
    for file in job.extra["files"]:
        try:
            loaded = corpus.load_with_meta(file)
        except UnreadableDocument as error:
            rejected.append(
                {"path": file.path_rel, "check": error.reason_code, "message": str(error)}
            )
            continue
        blocks += _block_rows(loaded.document)
        meta.append(_meta_row(loaded.document, loaded.meta, file.size_bytes))
    given = {file.doc_id: file.path_rel for file in job.extra["files"]}
    for page, found in _load_pages(job, [page for page in pages if page["doc_id"] not in given]):
        if isinstance(found, UnreadableDocument):
            rejected.append(
                {"path": page["url"], "check": found.reason_code, "message": str(found)}
            )
            continue
        blocks += _block_rows(found.document)
        meta.append(_page_row(found, page))
    copies = [
        {"path": entry.path_rel, "check": "same_bytes", "message": entry.original_path_rel}
        for entry in job.extra["duplicates"]
    ]
    copies += [
        {"path": page["url"], "check": "same_bytes", "message": given[page["doc_id"]]}
        for page in pages if page["doc_id"] in given
    ]  # fmt: skip
    copies += [row for f in upstream.get("pages", []) for row in f["copies"].to_dicts()]
    return {
        "blocks": pl.DataFrame(blocks, schema=BLOCKS, orient="row").sort("doc_id", "position"),
        "meta": pl.DataFrame(meta, schema=META, orient="row").sort("doc_id"),
        "rejected": pl.DataFrame(rejected, schema=REJECTED, orient="row").sort("path"),
        "copies": pl.DataFrame(copies, schema=REJECTED, orient="row").sort("path"),
    }


def _load_pages(
    job: Job, pages: list[PagesRow]
) -> Iterator[tuple[PagesRow, reader.LoadedDocument | UnreadableDocument]]:
    """Yield each page with its main text, or with the reason why the page has no text."""
    if not pages:
        return
    limit = job.inputs.profile.documents.maximum_bytes
    with Archive(job.inputs.required_web.archive, read_only=True) as archive:
        for page in pages:
            try:
                yield page, load_page(
                    archive, page["url"], page["final_url"], page["content_sha256"],
                    page["content_type"], page["charset"], limit,
                )  # fmt: skip
            except UnreadableDocument as error:
                yield page, error


def _page_row(loaded: reader.LoadedDocument, page: PagesRow) -> MetaRow:
    """Return the row for a page; dates on the page are used if they are plausible."""
    found, size = loaded.meta, page["size_bytes"]
    published = judge_date(found.published_on, found.published_by, page["fetched_on"])
    modified = judge_date(found.modified_on, found.modified_by, page["fetched_on"])
    if modified[0] is None and page["server_date"] is not None:
        modified = (*judge_date(page["server_date"], "server", page["fetched_on"])[:2], modified[2])
    return _meta_row(loaded.document, found, size) | {
        "published_on": published[0],
        "published_by": published[1],
        "modified_on": modified[0],
        "modified_by": modified[1],
        "doubt": published[2] or modified[2],
    }


def _block_rows(document: Document) -> list[BlocksRow]:
    return [
        {
            "doc_id": document.doc_id, "position": position, "kind": block.kind,
            "level": block.level, "strong": block.strong, "start": block.start, "text": block.text,
        }
        for position, block in enumerate(document.blocks)
    ]  # fmt: skip


def _meta_row(document: Document, found: DocumentMeta, size_bytes: int) -> MetaRow:
    return {
        "doc_id": document.doc_id,
        "path": document.path,
        "lang": document.lang,
        "title": document.title or None,
        "published_on": found.published_on,
        "published_by": found.published_by,
        "modified_on": found.modified_on,
        "modified_by": found.modified_by,
        "doubt": None,
        "licence_hint": found.licence_hint,
        "size_bytes": size_bytes,
        "n_chars": len(document.text),
        "text_sha256": text_sha256(document.text),
    }


def documents(frames: Frames) -> list[Document]:
    """Return the documents in a bucket, ordered by id."""
    blocks = frames["blocks"].sort("doc_id", "position").iter_rows(named=True)
    grouped = group_rows(blocks, "doc_id")
    return [
        Document.model_construct(
            doc_id=row["doc_id"],
            path=row["path"],
            lang=row["lang"],
            title=row["title"] or "",
            blocks=tuple(
                Block.model_construct(
                    kind=b["kind"],
                    text=b["text"],
                    start=b["start"],
                    level=b["level"],
                    strong=b["strong"],
                )
                for b in grouped[row["doc_id"]]
            ),
        )
        for row in frames["meta"].sort("doc_id").iter_rows(named=True)
    ]


def bucket_of(sha256: str) -> int:
    """Return a file's bucket, which depends on the hash of the file's bytes.

    A new file changes only one bucket.
    """
    return int(sha256[:8], 16) % BUCKETS


def _files_hash(job: Job) -> str:
    listed = [(file.path_rel, file.sha256) for file in job.extra["files"]]
    listed += [(entry.path_rel, entry.reason_code) for entry in job.extra["rejected"]]
    listed += [(entry.path_rel, entry.doc_id) for entry in job.extra["duplicates"]]
    return digest(canonical_json(sorted(listed)), length=32)


STAGE = Stage(
    "corpus",
    6,
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


_COLUMNS = polars_schema_of(inner.PAGES)


def compute_pages(job: Job, upstream: Upstream) -> Frames:
    """Return the archived addresses that belong to the bucket."""
    mine = [
        {**row, "doc_id": doc_id(row["content_sha256"])}
        for row in only(upstream, "fetch")["addresses"]
        .filter(pl.col("outcome") == "stored")
        .sort("url")
        .to_dicts()
        if bucket_of(row["content_sha256"]) == int(job.shard)
    ]
    first = {row["doc_id"]: row["url"] for row in reversed(mine)}
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


PAGES_STAGE = Stage(
    "pages", 1, compute_pages, {"pages": Output(inner.PAGES), "copies": Output(inner.COPIES)}
)  # fmt: skip
