"""Collect what the review page shows about a row: its sentence, passages, place and rivals."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from typing import Any

import polars as pl

from flows.errors import SettingsError
from flows.review.desk.around import Around
from flows.review.desk.queue import QueueRow
from flows.review.desk.words import RowWords
from flows.review.samples.passages import ClaimPassages, DocumentTexts, heads_above
from flows.review.samples.sentences import SnapshotPlaces
from schemas.documents import Document
from schemas.ranking import LIKED_ROLES
from warehouse.read import Snapshot

Row = dict[str, Any]
Span = tuple[int, int]
#: The numbers of characters shown on each side of a single span, and of each of several spans.
_AROUND, _AROUND_EACH = 300, 60
#: The maximum numbers of spans shown for a row, and of documents shown for a place.
_MOST, _MOST_DOCUMENTS = 16, 2


class Excerpts:
    """The passages that a snapshot's rows are based on.

    Without ``texts``, only the titles of the documents are known.
    """

    def __init__(self, snapshot: Snapshot, texts: DocumentTexts | None):
        self._texts = texts
        self._passages = ClaimPassages(snapshot, texts) if texts is not None else None
        rows = snapshot.table("evidence").filter(evidence_kind="document").to_dicts()
        self._spans: dict[str, Row] = {row["evidence_id"]: row for row in rows}
        self._titles = {
            r["doc_id"]: r["title"] or r["path"] for r in snapshot.table("documents").to_dicts()
        }
        self._mentions: dict[str, list[Row]] = defaultdict(list)
        self._named: dict[str, list[str]] = defaultdict(list)
        for row in snapshot.table("poi_mentions").sort("doc_id", "start").to_dicts():
            self._mentions[row["doc_id"]].append(row)
            if row["poi_id"] is not None and row["role"] in LIKED_ROLES:
                self._named[row["poi_id"]].append(row["evidence_id"])
        trips = dict(snapshot.table("trajectories").select("trajectory_id", "doc_id").iter_rows())
        found = (
            snapshot.table("query_trajectories").group_by("query_id").agg(pl.col("trajectory_id"))
        )
        self._trips = {q: {trips[t] for t in ts if t in trips} for q, ts in found.iter_rows()}

    def of(self, item: QueueRow) -> list[Row]:
        """Return the passages that support a row, one for each document.

        Each passage has a title, headings and pieces of text, or a note that explains why there is
        no text.
        """
        row = item.row
        if item.table in ("links", "unlinked_names"):
            return [self._name(row)]
        if item.table == "trajectories":
            proofs = [visit["evidence_id"] for visit in row["noisy_visits"]]
            return self._excerpts(proofs, _AROUND_EACH)
        if item.table == "query_pois":
            return self._naming(row["poi_id"], self._trips.get(row["query_id"], frozenset()))
        proof = row.get("evidence_id")
        if item.table == "pois" and proof not in self._spans:
            return self._naming(row["poi_id"], frozenset())
        return self._excerpts([proof] if proof else [], _AROUND)

    def _naming(self, poi_id: str, first_in: Collection[str]) -> list[Row]:
        """Return passages where a place is visited or recommended; documents in ``first_in`` come
        first.
        """
        proofs = self._named[poi_id]
        ordered = sorted(proofs, key=lambda proof: self._spans[proof]["doc_id"] not in first_in)
        first: dict[str, str] = {}
        for proof in ordered:
            first.setdefault(self._spans[proof]["doc_id"], proof)
        return self._excerpts(list(first.values())[:_MOST_DOCUMENTS], _AROUND)

    def _excerpts(self, proofs: Sequence[str], around: int) -> list[Row]:
        of_document: dict[str, list[Row]] = defaultdict(list)
        for span in (self._spans[proof] for proof in proofs if proof in self._spans):
            of_document[span["doc_id"]].append(span)
        return [self._excerpt(doc_id, spans, around) for doc_id, spans in of_document.items()]

    def _excerpt(self, doc_id: str, spans: list[Row], around: int) -> Row:
        if self._passages is None:
            return self._missing(doc_id, None)
        try:
            document, *_ = [self._passages.document(span) for span in spans]
        except SettingsError as error:
            return self._missing(doc_id, str(error))
        return self._show(doc_id, document, [(s["start"], s["end"]) for s in spans], around)

    def _name(self, row: Row) -> Row:
        """Return the passage around a name's mentions or, if it has no mentions, around its first
        occurrence.
        """
        document = self._texts.document(row["doc_id"]) if self._texts is not None else None
        if document is None:
            told = (
                None
                if self._texts is None
                else "the given folders and workspace do not contain the document"
            )
            return self._missing(row["doc_id"], told)
        mentioned = self._mentions[row["doc_id"]]
        same = [m for m in mentioned if m["name"] == row["name"]]
        same = same or [m for m in mentioned if row.get("poi_id") and m["poi_id"] == row["poi_id"]]
        spans = [(m["start"], m["end"]) for m in same]
        if not spans and (at := document.text.find(row["name"])) >= 0:
            spans = [(at, at + len(row["name"]))]
        if not spans:
            return self._missing(
                row["doc_id"], "the document's current text does not contain the name"
            )
        # A decision applies to the name in the whole document; three occurrences show its use.
        return self._show(row["doc_id"], document, spans[:3], _AROUND // len(spans[:3]))

    def _show(self, doc_id: str, document: Document, spans: list[Span], around: int) -> Row:
        pieces = mark_pieces(document.text, spans[:_MOST], around)
        first = min(start for start, _ in spans)
        return {
            "title": self._title(doc_id), "heads": heads_above(document, first), "pieces": pieces,
            "more": max(0, len(spans) - _MOST), "lang": document.lang,
        }  # fmt: skip

    def _missing(self, doc_id: str, why: str | None) -> Row:
        told = why or "restart with --documents or --workspace to see the passage"
        return {"title": self._title(doc_id), "heads": [], "pieces": [], "note": told}

    def _title(self, doc_id: str) -> str:
        if self._passages is not None and doc_id in self._titles:
            return self._passages.title(doc_id)
        return str(self._titles.get(doc_id, doc_id))


def mark_pieces(text: str, spans: Iterable[Span], around: int) -> list[list[Any]]:
    """Split the text around spans into pieces, and return for each piece whether it is marked.

    Omitted text becomes the piece ``…``. Overlapping spans are marked as one.
    """
    found: list[list[Any]] = []
    at = 0
    ordered = sorted(spans)
    for n, span in enumerate(ordered):
        start, end = (max(place, at) for place in span)
        begin = max(at, start - around)
        if begin > at or (n == 0 and begin > 0):
            found.append(["…", False])
        found += [[text[begin:start], False], [text[start:end], True]]
        at = min(end + around, max(ordered[n + 1][0] if n + 1 < len(ordered) else len(text), end))
        found.append([text[end:at], False])
    if found and at < len(text):
        found.append(["…", False])
    return [piece for piece in found if piece[0]]


#: Tables whose rows may refer to the wrong place.
_OF_PLACES = ("pois", "links", "unlinked_names", "query_pois", "poi_facts", "poi_tags")
#: The number of shown rows that are kept in memory, because a page loads rows in advance.
_KEPT = 256


class ShownQueue:
    """The rows of a queue, as the page shows them.

    ``texts`` are the documents, or None if no documents are available.
    """

    def __init__(self, snapshot: Snapshot, texts: DocumentTexts | None):
        places = SnapshotPlaces(snapshot)
        self._places, self._words = places, RowWords(snapshot, places)
        self._excerpts, self._around = Excerpts(snapshot, texts), Around(snapshot, places)
        self.row = lru_cache(_KEPT)(self._row)

    def _row(self, item: QueueRow) -> Row:
        shown: Row = visible({
            "table": item.table, "row_id": item.row_id, "why": item.why,
            "city": self._places.city(item.city_id), "sentence": self._words.sentence(item),
            "beside": self._words.beside(item),
            "passages": self._excerpts.of(item), **self._around.of(item),
            "can_be_other": item.table in _OF_PLACES,
        })  # fmt: skip
        return shown

    def find(self, item: QueueRow, name: str) -> list[Row]:
        """Find places in the row's city whose names contain a given text."""
        found: list[Row] = visible(self._around.find(item.city_id, name))
        return found

    def knows(self, item: QueueRow, poi_id: str) -> bool:
        """Check whether a reviewer may replace the row's place with this place: a rival or any
        other place in the city.
        """
        if item.table not in _OF_PLACES or poi_id == item.row.get("poi_id"):
            return False
        return poi_id in (item.row.get("rivals") or ()) or self._around.knows(item.city_id, poi_id)

    def name(self, poi_id: str) -> str:
        """Return the name of a place, or its id if the snapshot does not contain the place."""
        return str(visible(self._around.name(poi_id)))


def visible(value: Any) -> Any:
    """Replace invisible characters in all texts within a value with their code points.

    Direction marks, control characters and zero-width characters could make one name look like
    another.
    """
    if isinstance(value, str):
        return "".join(_write_character(character) for character in value)
    if isinstance(value, dict):
        return {name: visible(one) for name, one in value.items()}
    if isinstance(value, list):
        return [visible(one) for one in value]
    return value


def _write_character(character: str) -> str:
    if character in "\n\t\u200d":  # the last one joins letters of some scripts, and emoji
        return character
    hidden = unicodedata.category(character) in ("Cc", "Cf", "Cs")
    return f"⟨{ord(character):04X}⟩" if hidden else character
