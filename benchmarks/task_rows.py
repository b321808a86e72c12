"""Draw requests like those that a build sends, with rows to label, to measure a task's value.

The rows are drawn from the workspace and the snapshot of a finished build, with a seed.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from benchmarks.careful_links import Tables
from extractors.tasks.consistency import ConsistencyJudgement
from extractors.tasks.name_reviews import LinkReview
from extractors.tasks.name_tasks import (
    AttractionClassification,
    Attractions,
    Described,
)
from extractors.tasks.query_tasks import QueryRewording, RewordingRequest
from flows.pipeline.doubtful import doubtful_names
from flows.pipeline.stages.consistency import recall_wishes
from flows.pipeline.stages.corpus import documents
from flows.pipeline.stages.link import _list_told
from flows.pipeline.stages.queries import family_of_city
from flows.settings.profile import load_profile
from geocoding.linking.decide import link_document
from queries.grounding import offer_of
from schemas.cities import find_city
from schemas.documents import Document
from schemas.tasks import Task
from schemas.taxonomy import BASE_TYPES
from warehouse.read import Snapshot

ROWS, SEED = 60, 20261123
#: Number of characters around a name, and at the start of a text, that a labeller sees.
PROFILES = ("traveleval-full", "chinatravel", "tripscore", "triptailor")
_AROUND, _SHOWN = 50, 250


@dataclass(frozen=True)
class TaskRequest:
    """A request and its rows; each row has an id and the text that a labeller sees."""

    task: Task[Any, Any]
    item: Any
    rows: tuple[tuple[str, str], ...]


class FinishedBuild:
    """A finished build: its documents, shards and snapshot."""

    def __init__(self, workspace: Path, snapshot: Path) -> None:
        self._shards = workspace / "shards"
        self.snapshot = Snapshot(snapshot)

    def shards(self, stage: str) -> list[str]:
        """Return the names of a stage's shards, in the same order as their frames."""
        return sorted(last.parent.name for last in (self._shards / stage).glob("*/last.json"))

    def frames(self, stage: str) -> Iterator[dict[str, pl.DataFrame]]:
        """Yield the frames of each shard of a stage."""
        for last in sorted((self._shards / stage).glob("*/last.json")):
            folder = last.parent / json.loads(last.read_text())["key"]
            yield {file.stem: pl.read_parquet(file) for file in sorted(folder.glob("*.parquet"))}

    @cached_property
    def documents(self) -> Mapping[str, Document]:
        """All documents by their ids."""
        found = (d for frames in self.frames("corpus") for d in documents(frames))
        return {document.doc_id: document for document in found}


def link_requests(made: FinishedBuild, tables: Path) -> Iterator[TaskRequest]:
    """Yield one request per document about names whose links are marked for review."""
    index = Tables(tables).index
    told = {
        one.doc_id: one
        for corpus, read in zip(made.frames("corpus"), made.frames("read"), strict=True)
        for one in _list_told({"corpus": [corpus], "read": [read]}, {})
    }
    for doc_id in _shuffle(told):
        items = doubtful_names(told[doc_id], link_document(told[doc_id], index), index)
        if not items:
            continue
        item = random.Random(doc_id).choice(items)
        text = made.documents[doc_id].text
        rows = []
        for name in item.names:
            start, end = next(n.spans[0] for n in told[doc_id].names if n.n == name.n)
            offered = "\n".join(
                f"  {number}. {place.name} ({', '.join(place.also)}) {place.city}"
                for number, place in enumerate(name.places, 1)
            )
            said = " ".join(text[max(0, start - 100) : end + 100].split())
            shown = f"{told[doc_id].path}\n  ... {said} ...\n  Name: {name.name}\n{offered}"
            rows.append((f"{doc_id}/{name.n}", shown))
        yield TaskRequest(LinkReview(), item, tuple(rows))


def consistency_requests(made: FinishedBuild, least: int = 2) -> Iterator[TaskRequest]:
    """Yield one request per document about the wishes that the document satisfies according to the
    rules.
    """
    read = list(made.frames("read"))
    hits, names = (pl.concat([frames[name] for frames in read]) for name in ("contexts", "names"))
    of_cities = set(made.snapshot.table("documents")["doc_id"])
    for doc_id in _shuffle(of_cities & made.documents.keys()):
        document = made.documents[doc_id]
        mine = hits.filter(doc_id=doc_id).to_dicts()
        item = recall_wishes(document, mine, names.filter(doc_id=doc_id).to_dicts(), least)
        if item is None:
            continue
        begin = " ".join(document.text[:_SHOWN].split())
        rows = []
        for wish in item.wishes:
            said = [
                " ".join(document.text[max(0, h["start"] - 70) : h["end"] + 70].split())
                for h in mine if (h["kind"], h["code"]) == (wish.kind, wish.code)
            ]  # fmt: skip
            shown = "\n".join(f"  ... {part} ..." for part in said[:6])
            told = f"{document.path}\n  Begins: {begin}\n  Wish: {wish.words}\n{shown}"
            rows.append((f"{doc_id}/{wish.kind}/{wish.code}", told))
        yield TaskRequest(ConsistencyJudgement(), item, tuple(rows))


def classification_requests(made: FinishedBuild, together: int = 20) -> Iterator[TaskRequest]:
    """Yield requests about places without a kind that are known only from documents."""
    pois = made.snapshot.table("pois").filter(
        (pl.col("poi_source") == "document") & pl.col("base_type").is_null()
    )
    mentions = made.snapshot.table("poi_mentions").sort("doc_id", "start")
    first = mentions.unique("poi_id", keep="first", maintain_order=True)
    cities = dict(made.snapshot.table("cities").select("city_id", "name_zh").iter_rows())
    rows = pois.join(first.select("poi_id", "doc_id", "start", "end"), on="poi_id").sort("poi_id")
    drawn = _shuffle(rows["poi_id"].to_list())[:ROWS]
    by_id = {row["poi_id"]: row for row in rows.to_dicts()}
    for at in range(0, len(drawn), together):
        some = [by_id[poi_id] for poi_id in drawn[at : at + together]]
        told = []
        for row in some:
            text = made.documents[row["doc_id"]].text
            said = text[max(0, row["start"] - _AROUND) : row["end"] + _AROUND]
            told.append((row["name_zh"] or row["name_en"], " ".join(said.split())))
        item = Attractions(places=tuple(Described(name=n, description=d) for n, d in told))
        shown = tuple(
            (row["poi_id"], f"{cities[row['city_id']]}: {name} ... {said}")
            for row, (name, said) in zip(some, told, strict=True)
        )
        yield TaskRequest(AttractionClassification(), item, shown)


def rewording_requests(made: FinishedBuild) -> Iterator[TaskRequest]:
    """Yield requests about texts of queries of the families in ``PROFILES``, alternately in Chinese
    and English.
    """
    by_id: dict[str, dict[str, Any]] = {}
    for slug, frames in zip(made.shards("tables"), made.frames("tables"), strict=True):
        city = find_city(slug)
        offer = offer_of(city, frames)
        for profile in PROFILES:
            chosen = load_profile(profile)
            for family in chosen.families:
                rows = family_of_city(family, city, offer, chosen.queries)
                by_id |= {f"{family}/{row['query_id']}": row for row in rows.to_dicts()}
    for number, key in enumerate(_shuffle(by_id)[:ROWS]):
        lang = ("zh", "en")[number % 2]
        text = by_id[key][f"text_{lang}"]
        item = RewordingRequest.model_validate({"text": text, "lang": lang})
        yield TaskRequest(QueryRewording(), item, ((f"{key}/{lang}", text),))


def draw_requests(requests: Iterator[TaskRequest]) -> list[TaskRequest]:
    """Return the first requests that together contain enough rows."""
    found: list[TaskRequest] = []
    for request in requests:
        if sum(len(one.rows) for one in found) >= ROWS:
            break
        found.append(request)
    return found


def _shuffle(keys: Any) -> list[str]:
    found = sorted(keys)
    random.Random(SEED).shuffle(found)
    return found


#: The question to labellers about each row, and the form of a label.
QUESTIONS = {
    "link_review": (
        "Which of the numbered places does the name in this text refer to? Choose a place only if"
        " the name refers to exactly this place. A part of it, a larger place that contains it,"
        " another branch, or a different place with the same name does not count. Label: the number"
        " of the place, 0 if the name refers to none of the places, or ? if nobody can decide."
    ),
    "consistency_judgement": (
        "Would this text help a traveller with this wish? A text helps if it describes, plans or"
        " recommends a journey at this time, in this company or at this pace, or if it describes"
        " what the places are like under these conditions. Label: 1 for yes, 0 for no (the words"
        " mean something else, or only mention the wish), or ? if nobody can decide."
    ),
    "attraction_classification": (
        "Which type is the place, judging by the text and by what you know about the place?"
        " Label: one of "
        + ", ".join(f"{term.code} ({term.zh})" for term in BASE_TYPES)
        + ". If two types are equally right, write both with | between them. Write `-` if the"
        " place is not an attraction or is more than one place, and `?` if nobody can decide."
    ),
}
