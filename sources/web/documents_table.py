"""The table of documents of a crawl: one row an address, whatever came of it. No bodies.

It is a pure function of the archive and of ``MAIN_TEXT_VERSION``: the same archive, the same
bytes. Addresses in = stored + quarantined + pending.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pyarrow as pa
import pyarrow.parquet as pq

from schemas.documents import Document
from schemas.ids import doc_id
from sources.web.archive import Archive, VisitRow
from sources.web.authors import stated_authors
from sources.web.collection import corpus_path
from sources.web.errors import UnreadableDocument
from sources.web.main_text import parse
from sources.web.metadata import document_meta
from sources.web.near_duplicates import near_duplicates
from sources.web.personal_data import mask_document

_TEXT, _INT = pa.string(), pa.int64()
SCHEMA = pa.schema(
    [
        ("url", _TEXT), ("final_url", _TEXT), ("host", _TEXT),
        ("fetched_at", pa.timestamp("us", tz="UTC")), ("status", _INT), ("robots", _TEXT),
        ("outcome", _TEXT), ("reason", _TEXT), ("message", _TEXT), ("doc_id", _TEXT),
        ("content_sha256", _TEXT), ("content_type", _TEXT), ("size_bytes", _INT), ("lang", _TEXT),
        ("title", _TEXT), ("published_on", pa.date32()), ("modified_on", pa.date32()),
        ("n_chars", _INT), ("n_blocks", _INT), ("n_masked", _INT), ("near_duplicate_of", _TEXT),
        ("licence_hint", _TEXT),
    ]
)  # fmt: skip


class Documents(NamedTuple):
    """Rows of the table in the order of their addresses, and the counts by outcome."""

    rows: list[dict[str, Any]]
    counts: Counter[str]


def documents_of(archive: Archive, urls: Iterable[str]) -> Documents:
    """What the archive holds of some addresses. One that was never asked is pending.

    Of near-duplicates the first address in order is the original; the others name its document.
    """
    rows: list[dict[str, Any]] = []
    texts: dict[str, str] = {}
    for url in sorted(set(urls)):
        visit = archive.latest(url)
        if visit is None:
            rows.append({"url": url, "host": host_of(url), "outcome": "pending",
                         "reason": "not_asked", "robots": "not_asked"})  # fmt: skip
            continue
        row = _of_visit(visit)
        if visit.outcome == "stored":
            row |= _of_text(archive, visit, texts)
        rows.append(row)
    originals = near_duplicates(texts)
    for row in rows:
        row["near_duplicate_of"] = originals.get(row.get("doc_id") or "")
    counts = Counter(str(row["outcome"]) for row in rows)
    if len(rows) != sum(counts[name] for name in ("stored", "quarantined", "pending")):
        raise RuntimeError(f"{len(rows)} addresses went in, but {dict(counts)} came out")
    return Documents(rows, counts)


def write_documents(documents: Documents, path: Path) -> None:
    """Write the table; equal rows give equal bytes."""
    write_table(documents.rows, SCHEMA, path)


def write_table(rows: list[dict[str, Any]], schema: pa.Schema, path: Path) -> None:
    """Rows as a Parquet file with exactly this schema, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_suffix(".part")
    pq.write_table(pa.Table.from_pylist(rows, schema), aside, compression="zstd")
    aside.replace(path)


def host_of(url: str) -> str | None:
    """Host of an address; None for a document of a corpus, and for one that can't be read."""
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None


def _of_visit(visit: VisitRow) -> dict[str, Any]:
    return {
        "url": visit.url, "final_url": visit.final_url, "host": host_of(visit.final_url or visit.url),
        "fetched_at": visit.fetched_at, "status": visit.status, "robots": visit.robots,
        "outcome": visit.outcome, "reason": visit.reason_code, "message": visit.message,
        "content_sha256": visit.content_sha256, "content_type": visit.content_type,
        "size_bytes": visit.size_bytes,
    }  # fmt: skip


def _of_text(archive: Archive, visit: VisitRow, texts: dict[str, str]) -> dict[str, Any]:
    """Columns that the main text gives; an unreadable document is quarantined with the reason."""
    try:
        document, columns = read_document(archive, visit)
    except UnreadableDocument as error:
        return {"outcome": "quarantined", "reason": error.reason_code, "message": error.message}
    texts.setdefault(document.doc_id, document.text)
    return columns


def read_document(archive: Archive, visit: VisitRow) -> tuple[Document, dict[str, Any]]:
    """The main text of a stored visit, personal data masked. Raises UnreadableDocument."""
    raw = archive.body(visit)
    path = corpus_path(visit.final_url or visit.url, visit.content_type or "")
    parsed = parse(raw, path, charset=visit.charset)
    document, masked = mask_document(parsed.document, stated_authors(parsed))
    meta = document_meta(parsed._replace(document=document))
    return document, {
        "doc_id": doc_id(visit.content_sha256 or ""), "lang": meta.lang, "title": meta.title or None,
        "published_on": meta.published_on, "modified_on": meta.modified_on,
        "n_chars": meta.n_chars, "n_blocks": len(document.blocks), "n_masked": masked.total(),
        "licence_hint": meta.licence_hint,
    }  # fmt: skip
