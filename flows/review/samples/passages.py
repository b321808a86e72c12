"""Find the passages that a claim is based on, and show them with the text around them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

import polars as pl

from extractors.rules.common.days import find_days
from extractors.rules.common.lines import lines_of
from flows.errors import SettingsError
from flows.review.samples.claims import Claim, Row
from queries.contexts import context_hits
from schemas.documents import Block, Document
from schemas.ids import text_sha256
from sources.web.corpus import read_folder
from sources.web.errors import UnreadableDocument
from warehouse.read import Snapshot

#: The numbers of characters shown on each side of a passage, and of words that name a context.
AROUND, AROUND_CONTEXT = 300, 60
#: The maximum numbers of documents that are shown for a claim, and that are searched for them.
_SHOWN, _LOOKED_AT = 3, 30
_NEEDED = (
    "use --documents to name the folders that the build read, or --workspace to name the build's"
    " workspace"
)


class DocumentTexts:
    """The main texts of documents, with personal data masked.

    ``document`` returns the document with a given id. A document is read when it is first needed.
    """

    def __init__(self, folders: Sequence[Path], workspace: Path | None):
        if not folders and workspace is None:
            raise SettingsError(f"passages cannot be shown without the documents: {_NEEDED}")
        self._corpus = read_folder(folders) if folders else None
        self._files = {f.doc_id: f for f in self._corpus.files} if self._corpus else {}
        self._shards = _shards_of(workspace) if workspace is not None else []
        self.document = cache(self._read)

    def _read(self, doc_id: str) -> Document | None:
        """Return a document, or None if it is neither in the folders nor in the workspace."""
        return self._of_folder(doc_id) or self._of_workspace(doc_id)

    def _of_folder(self, doc_id: str) -> Document | None:
        if self._corpus is not None and doc_id in self._files:
            with suppress(UnreadableDocument):
                return self._corpus.load(self._files[doc_id])
        return None

    def _of_workspace(self, doc_id: str) -> Document | None:
        for folder in self._shards:
            blocks = pl.scan_parquet(folder / "blocks.parquet").filter(doc_id=doc_id).collect()
            if blocks.height:
                meta = pl.read_parquet(folder / "meta.parquet").row(
                    by_predicate=pl.col("doc_id") == doc_id, named=True
                )
                rows = blocks.sort("position").select(*Block.model_fields).to_dicts()
                return Document.model_construct(
                    doc_id=doc_id, path=meta["path"], lang=meta["lang"], title=meta["title"] or "",
                    blocks=tuple(Block.model_construct(**row) for row in rows),
                )  # fmt: skip
        return None


def _shards_of(workspace: Path) -> list[Path]:
    """Return the finished shards of documents, with the most recently used first.

    Raises SettingsError if the workspace has no finished shards of documents.
    """
    found = [meta.parent for meta in workspace.glob("shards/corpus/*/*/meta.json")]
    if not found:
        raise SettingsError(f"{workspace} contains no documents: {_NEEDED}")
    return sorted(found, key=lambda shard: (-shard.stat().st_mtime_ns, shard))


class ClaimPassages:
    """The passages that claims are based on, and the documents that contain them."""

    def __init__(self, snapshot: Snapshot, texts: DocumentTexts):
        self._texts = texts
        rows = snapshot.table("evidence").filter(evidence_kind="document").to_dicts()
        self._spans: dict[str, Row] = {row["evidence_id"]: row for row in rows}
        self._about = {r["doc_id"]: r for r in snapshot.table("documents").to_dicts()}
        names = snapshot.table("poi_mentions").group_by("doc_id").agg(pl.struct("start", "end"))
        self._names: dict[str, list[Row]] = dict(names.iter_rows())

    def of(self, claim: Claim) -> tuple[str, str]:
        """Return the passages of a claim, and the titles, addresses and dates of their documents.

        Both results are texts, which are empty if the claim is based only on rows from a source.
        Raises SettingsError if a document is missing or has changed.
        """
        context = claim.said.get("context_id", "") if claim.table == "poi_popularity" else ""
        spans = [self._spans[e] for e in claim.evidence if e in self._spans]
        if context:
            spans = self._speaking_of(context, spans)
        passages = [self._passage(span, context, claim) for span in spans]
        documents = [self.title(span["doc_id"]) for span in spans]
        if len(spans) > 1:
            passages = [f"[{n}] {text}" for n, text in enumerate(passages, 1)]
            documents = [f"[{n}] {text}" for n, text in enumerate(documents, 1)]
        return "\n\n".join(passages), "\n".join(documents)

    def _speaking_of(self, context: str, spans: list[Row]) -> list[Row]:
        """Return the first spans whose documents name a context or, if there are none, simply the
        first spans.
        """
        looked_at = spans[:_LOOKED_AT]
        found = [span for span in looked_at if self._context_words(span, context)]
        return (found or looked_at)[:_SHOWN]

    def _context_words(self, span: Row, context: str) -> tuple[int, int] | None:
        """Find where a document names a context; return the position nearest to the given span.

        Words within the names of places do not count. Returns None if the document has no words for
        the context.
        """
        kind, _, code = context.partition(":")
        if kind == "any":
            return None
        names = self._names.get(span["doc_id"], [])
        hits = [
            (hit.start, hit.end) for hit in context_hits(self.document(span))
            if (hit.kind, hit.code) == (kind, code)
            and not any(n["start"] < hit.end and hit.start < n["end"] for n in names)
        ]  # fmt: skip
        return min(hits, key=lambda hit: (abs(hit[0] - span["start"]), hit), default=None)

    def document(self, span: Row) -> Document:
        """Return the document that contains a span.

        Raises SettingsError if the document is missing or has changed.
        """
        path = self._about[span["doc_id"]]["path"]
        document = self._texts.document(span["doc_id"])
        if document is None:
            raise SettingsError(f"the document {path} cannot be found: {_NEEDED}")
        if text_sha256(document.text[span["start"] : span["end"]]) != span["quote_sha256"]:
            raise SettingsError(
                f"the current text of {path} does not contain the words that the snapshot quotes: "
                "use the workspace in which the snapshot was built, or build again"
            )
        return document

    def _passage(self, span: Row, context: str, claim: Claim) -> str:
        document = self.document(span)
        text, start, end = document.text, span["start"], span["end"]
        lines = [_mark_span(text, start, end, AROUND)]
        if heads := heads_above(document, start - AROUND):
            lines.insert(0, f"(Headings above the passage: {' > '.join(heads)})")
        day = _day_line(document, start) if claim.said.get("day") is not None else None
        if day is not None and day[0] < start - AROUND:
            lines.insert(-1, f"(The text about this day begins with: {day[1]})")
        words = self._context_words(span, context) if context else None
        if words:
            lines.append(f"(The document also says: {_mark_span(text, *words, AROUND_CONTEXT)})")
        return "\n".join(lines)

    def title(self, doc_id: str) -> str:
        """Return the title, address and date of a document as text."""
        about = self._about[doc_id]
        date = about["published_on"] or "no date"
        return f"{about['title'] or 'no title'} ({about['url'] or about['path']}; {date})"


def _mark_span(text: str, start: int, end: int, around: int) -> str:
    """Return a span between the marks ``>>`` and ``<<``, with the text around it."""
    first, last = max(0, start - around), min(len(text), end + around)
    before, after = text[first:start], text[end:last]
    left, right = "…" if first else "", "…" if last < len(text) else ""
    return f"{left}{before}>>{text[start:end]}<<{after}{right}"


def heads_above(document: Document, position: int) -> list[str]:
    """Return the headings above a position in a document, with the outermost first."""
    above: list[Block] = []
    for block in document.blocks:
        if block.start <= position and block.kind in ("title", "heading"):
            above = [*(b for b in above if b.level < block.level), block]
    return [block.text for block in above]


def _day_line(document: Document, position: int) -> tuple[int, str] | None:
    """Find the last line above a position that begins a day, and return the line's offset and
    text.
    """
    lines = lines_of(document)
    marks = [lines[mark.line] for mark in find_days(lines).marks]
    above = [line for line in marks if line.start <= position]
    last = max(above, key=lambda line: line.start, default=None)
    return None if last is None else (last.start, last.text.strip()[:80])
