"""Reports for every document in a build whether it was used, set aside or left waiting, and why.

This module checks that the documents used, set aside and waiting add up to all documents, so that
every document is in the report. The rows are stored beside the snapshot's tables
(``warehouse.given``), because some documents belong to no city.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl

from extractors.own_readings import lines_of_pages
from extractors.read import TASK_NAMES
from flows.pipeline.jobs import other_lines
from flows.pipeline.shards import Frames, Ref, Workspace
from flows.pipeline.stages.base import Inputs, Row
from schemas.ids import doc_id
from sources.web.corpus import Corpus, CorpusFile
from warehouse.given import NO_CITY, make_frame

#: How many characters of an engine's claims are shown.
_SHOWN = 300
#: The frames that are read of each stage; the texts of the documents are not needed.
_FRAMES = {
    "fetch": ("addresses",),
    "corpus": ("meta", "rejected", "copies"),
    "read": ("readings", "names", "stops", "facts", "ungrounded", "unread", "unanswered"),
    "copies": ("originals",),
    "documents": ("documents",),
    "ask_fetch": ("addresses",),
    "ask_corpus": ("meta", "rejected", "copies"),
    "ask_read": ("readings", "names", "stops", "facts", "ungrounded", "unread", "unanswered"),
    "answers": ("documents",),
}
_ASKED = "found by asking about places: it gives facts and tags, and nothing else"
_NO_DOCUMENTS = pl.DataFrame(schema={"doc_id": pl.String})
_NOTHING = "nothing was read in it: no place, stop or fact"


@dataclass(frozen=True)
class GivenDocuments:
    """The documents in a build, and the problems found in their readings.

    ``failed_answers`` is the number of answers that the model's ledger counts as failed;
    ``newly_failed`` counts only the answers that failed in this run.
    """

    documents: pl.DataFrame
    problems: pl.DataFrame
    failed_answers: int = 0
    newly_failed: int = 0

    def frames(self) -> dict[str, pl.DataFrame]:
        """Return the tables for ``warehouse.given``, or no tables if there are no documents."""
        if self.documents.is_empty():
            return {}
        return {"documents": self.documents, "reading_problems": self.problems}


def list_given(
    inputs: Inputs, listed: Corpus | None, workspace: Workspace, refs: Iterable[Ref]
) -> GivenDocuments:
    """Return one row per document from finished shards; raise RuntimeError if a shard is
    missing.
    """
    shards = _Shards(workspace, refs)
    slugs = sorted(city.slug for city in inputs.cities)
    rows = _Accounts(shards).rows(listed)
    problems = _problems(inputs, listed, shards) if rows else []
    for row in (*rows, *problems):
        row["built_for"] = slugs
    return GivenDocuments(make_frame("documents", rows), make_frame("reading_problems", problems))


class _Shards:
    """The finished shards of each stage, with their frames joined."""

    def __init__(self, workspace: Workspace, refs: Iterable[Ref]) -> None:
        #: Name and frames of each shard, by stage.
        self.by_stage: dict[str, list[tuple[str, Frames]]] = defaultdict(list)
        for ref in refs:
            if ref.stage in _FRAMES:
                frames = workspace.load(ref, accounts=False)
                held = {name: frames[name] for name in _FRAMES[ref.stage] if name in frames}
                self.by_stage[ref.stage].append((ref.shard, held))

    def frame(self, stage: str, name: str) -> pl.DataFrame:
        """Join the rows of a frame from all shards, including the shards for inquiries about
        places.

        A row that was found in both rounds of searches appears only once.
        """
        first, again = self._join(stage, name), self._join(f"ask_{stage}", name)
        if again is None:
            return pl.DataFrame() if first is None else first
        if first is None:
            return again
        key = next(key for key in ("doc_id", "path", "url") if key in again.columns)
        return pl.concat([first, again.join(first, on=key, how="anti")])

    def _join(self, stage: str, name: str) -> pl.DataFrame | None:
        found = [frames[name] for _, frames in self.by_stage[stage]]
        return pl.concat(found) if found else None

    def rows(self, stage: str, name: str) -> list[Row]:
        """Return the rows of the joined frame (see ``frame``)."""
        return self.frame(stage, name).to_dicts()

    def number_of(self, name: str) -> Counter[str]:
        """Count the rows in a frame for each document; in ``names``, each place counts once."""
        rows = self.frame("read", name)
        return Counter((rows.unique(["doc_id", "n"]) if name == "names" else rows)["doc_id"])


class _Accounts:
    """Collects the stages' reports about each document."""

    def __init__(self, shards: _Shards) -> None:
        self._meta = {row["doc_id"]: row for row in shards.rows("corpus", "meta")}
        self._rejected = {row["path"]: row for row in shards.rows("corpus", "rejected")}
        self._same_bytes = {row["path"]: row for row in shards.rows("corpus", "copies")}
        self._addresses = shards.rows("fetch", "addresses")
        self._unread = {row["doc_id"]: row for row in shards.rows("read", "unread")}
        self._readings = {row["doc_id"]: row for row in shards.rows("read", "readings")}
        self._originals = {row["doc_id"]: row for row in shards.rows("copies", "originals")}
        self._numbers = {name: shards.number_of(name) for name in ("names", "stops", "facts")}
        self._cities: dict[str, set[str]] = defaultdict(set)
        self._asked: set[str] = set()
        for stage in ("documents", "answers"):
            for slug, frames in shards.by_stage[stage]:
                for used in frames.get("documents", _NO_DOCUMENTS)["doc_id"].to_list():
                    self._cities[used].add(slug)
                    self._asked.update([used] if stage == "answers" else [])
        self._unanswered: dict[str, str] = {
            row["doc_id"]: row["message"] for row in shards.rows("read", "unanswered")
        }

    def rows(self, listed: Corpus | None) -> list[Row]:
        """Return one row per document in the folders and one row per address that a search found.

        Raises RuntimeError if the number of rows differs from the number of documents.
        """
        rows = self._of_folders(listed) if listed is not None else []
        self._first: dict[str, str] = {
            row["doc_id"]: row["path"] for row in rows if row.get("doc_id")
        }
        rows += [self._address(row) for row in self._addresses]
        counted = Counter(row["status"] for row in rows)
        told = sum(counted[status] for status in ("used", "set_aside", "waiting"))
        n_given = len(self._addresses)
        if listed is not None:
            n_given += len(listed.files) + len(listed.rejected) + len(listed.duplicates)
        if not told == len(rows) == n_given:
            raise RuntimeError(f"{n_given} documents were given, but {told} are accounted for")
        return rows

    def _of_folders(self, listed: Corpus) -> list[Row]:
        rows = [
            self._row(file.doc_id, file.path_rel) | self._licence(file.doc_id, listed, file)
            for file in listed.files
        ]
        rows += [
            _aside(entry.path_rel, entry.reason_code, entry.message) for entry in listed.rejected
        ]
        return rows + [
            _aside(entry.path_rel, "same_bytes", f"same bytes as {entry.original_path_rel}")
            for entry in listed.duplicates
        ]

    def _address(self, found: Row) -> Row:
        """Return the row for an address, which shows whether the page was fetched and used."""
        url = found["url"]
        if found["outcome"] == "pending":
            return {
                "path": url,
                "cities": [],
                **_status("waiting", found["reason"], found["message"]),
            }
        if found["outcome"] == "quarantined":
            return _aside(url, found["reason"], found["message"])
        if url in self._same_bytes:
            return _aside(url, "same_bytes", f"same bytes as {self._same_bytes[url]['message']}")
        key = doc_id(found["content_sha256"])
        if (first := self._first.setdefault(key, url)) != url:
            return _aside(url, "same_bytes", f"same bytes as {first}")
        row = self._row(key, url) | self._licence(key)
        words = [
            _ASKED if key in self._asked else None,
            row["why"],
            self._meta.get(key, {}).get("doubt"),
            _tell_gone(found),
        ]
        return {**row, "why": "; ".join(filter(None, words)) or None}

    def _row(self, doc_id: str, path: str) -> Row:
        if doc_id not in self._meta:
            told = self._rejected.get(path)
            if told is None:
                raise RuntimeError(f"the document {path} was lost between listing and reading")
            return _aside(path, told["check"], told["message"])
        reading = self._readings.get(doc_id, {})
        return {
            "path": path,
            "doc_id": doc_id,
            "lang": self._meta[doc_id]["lang"],
            "kind": reading.get("kind"),
            "reader": reading.get("reader"),
            "cities": sorted(self._cities[doc_id]),
            **(self._count(doc_id) if reading else {}),
            **self._status(doc_id),
        }

    def _licence(
        self, doc_id: str, listed: Corpus | None = None, file: CorpusFile | None = None
    ) -> Row:
        """Return a document's licence; a list or a licence file takes precedence over the page."""
        beside = listed.licence_of(file) if listed and file else None
        if beside is not None:
            told = {"licence": beside.licence, "licence_by": beside.said_by}
            return told | {"licence_source": beside.source}
        own = self._meta.get(doc_id, {}).get("licence_hint")
        return {"licence": own, "licence_by": "the document" if own else None}

    def _count(self, doc_id: str) -> Row:
        return {
            "n_places": self._numbers["names"][doc_id],
            "n_stops": self._numbers["stops"][doc_id],
            "n_facts": self._numbers["facts"][doc_id],
        }

    def _status(self, doc_id: str) -> Row:
        """Return a document's status, reason and message.

        The route in a copy of a document is not counted again.
        """
        if doc_id in self._unread:
            told = self._unread[doc_id]
            return _status("set_aside", told["check"], told["message"])
        if doc_id not in self._readings:
            raise RuntimeError(f"the document {doc_id} was lost between the stages corpus and read")
        copy, unanswered = self._originals.get(doc_id), self._unanswered.get(doc_id)
        words = []
        if copy:
            original = self._meta[copy["original"]]["path"]
            words.append(f"copy of {original}, by its {copy['how']}: its route counts once")
        if unanswered:
            words.append(f"the model gave no usable answer ({unanswered})")
        reason = "unanswered" if unanswered else "copy" if copy else None
        is_empty = not any(self._count(doc_id).values())
        if unanswered and (is_empty or not self._cities[doc_id]):
            return _status("waiting", reason, "; ".join(words))
        if self._cities[doc_id]:
            return _status("used", reason, "; ".join(words) or None)
        if is_empty:
            return _status("set_aside", "nothing_read", _NOTHING)
        return NO_CITY | ({"why": f"{NO_CITY['why']}; {words[0]}"} if words else {})


def _tell_gone(found: Row) -> str | None:
    if found["gone_on"] is None:
        return None
    return f"gone since {found['gone_on']} ({found['gone_why']}): what it said before is kept"


def _status(status: str, reason: str | None, why: str | None) -> Row:
    return {"status": status, "reason": reason, "why": why}


def _aside(path: str, reason: str, why: str) -> Row:
    """Return the row for a file whose text was not read."""
    return {"path": path, "cities": [], **_status("set_aside", reason, why)}


def is_unanswered() -> pl.Expr:
    """Select the problems that arose because a model gave no usable answer to a task."""
    return pl.col("what").str.contains(rf"^(?:{'|'.join(sorted(TASK_NAMES))})(?:, part .*)?$")


def _problems(inputs: Inputs, listed: Corpus | None, shards: _Shards) -> list[Row]:
    """List unusable lines in the user's file of readings, and parts of readings that have no
    evidence."""
    own = inputs.own_readings
    found: list[Row] = []
    if own is not None and (listed is not None or inputs.web is not None):
        assigned = own.assign(listed.list_names() if listed is not None else ())
        of_pages = lines_of_pages(
            other_lines(inputs, assigned.lines),
            shards.frame("corpus", "meta").select("doc_id", "path", "text_sha256").iter_rows(),
        )
        used = {line.number for line in of_pages.values()}
        found += [
            {"line": told.line, "reader": "own", "what": told.what, "why": told.why}
            for told in (*own.problems, *(p for p in assigned.problems if p.line not in used))
        ]
    paths = {row["doc_id"]: row["path"] for row in shards.rows("corpus", "meta")}
    readers = {row["doc_id"]: row["reader"] for row in shards.rows("read", "readings")}
    return found + [
        {
            "path": paths.get(row["doc_id"]),
            "doc_id": row["doc_id"],
            "reader": readers[row["doc_id"]],
            "what": row["what"][:_SHOWN],
            "why": row["message"][:_SHOWN],
        }
        for row in shards.rows("read", "ungrounded")
    ]
