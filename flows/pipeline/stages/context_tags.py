"""Writes tags for candidates in the contexts of their queries.

Tags describe when a place is open, when to arrive, how long to stay, and what the place is (TP-RAG,
section 3.2 and appendix E.1).

All queries in a context share the same row for each place. The row of the context ``any`` contains
what is always true. A row for a specific context contains only values that are stated for this
context and differ from the values for ``any``. Values are never imputed: a place without a value
has no row.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from flows.pipeline.shards import Frames
from flows.pipeline.stages.base import Row, Upstream, document_evidence, only
from flows.pipeline.stages.facts_in_context import FILLS, Key, Stated, facts_by_context
from flows.pipeline.stages.tellings import ANY, Telling, TellingDocument, tellings
from schemas.cities import City
from schemas.ranking import LISTED_FAMILIES
from schemas.taxonomy import CONTEXT_KINDS

#: The least score of a link, from 0 to 1, for its sentence to be quoted; the second number applies
#: if the written name is a name of the place.
SURE_SCORE, LEAST_SCORE = 0.9, 0.86


@dataclass
class Tags:
    """Rows for ``context_tags``, with the evidence that is not already evidence for facts."""

    rows: list[Row] = field(default_factory=list)
    evidence: dict[str, Row] = field(default_factory=dict)


@dataclass(frozen=True)
class TagMaterial:
    """The facts and passages from which a city's tags are made.

    ``wanted`` contains pairs of a context and a place that is a candidate for a query in this
    context. ``said`` contains passages from documents, with the best passage first. ``texts``
    contains the texts of the documents, by id.
    """

    city: City
    wanted: frozenset[Key]
    facts: Mapping[Key, Mapping[str, Row]]
    said: Mapping[Key, Sequence[Telling]]
    texts: Mapping[str, str]


def gather_known(
    city: City, upstream: Upstream, facts: pl.DataFrame, evidence: Iterable[Row],
    dates: Mapping[str, Any],
) -> TagMaterial:  # fmt: skip
    """Gather the facts and passages about candidates for a city's queries, by context."""
    texts = dict(only(upstream, "documents")["texts"].iter_rows())
    if (answered := only(upstream, "answers").get("texts")) is not None:
        texts |= dict(answered.iter_rows())
    wanted = _find_wanted(only(upstream, "candidates"))
    mentions = only(upstream, "feedback")["poi_mentions"].drop_nulls("poi_id")
    named = mentions.sort("start").group_by("doc_id").agg(pl.struct("start", "end", "poi_id"))
    stated = Stated({row["evidence_id"]: row for row in evidence}, texts, dict(named.iter_rows()))
    return TagMaterial(
        city, wanted, facts_by_context(facts.to_dicts(), stated, city, wanted),
        _find_tellings(city, upstream, texts, dates, wanted), texts,
    )  # fmt: skip


def quote_tags(known: TagMaterial) -> Tags:
    """Return tags whose descriptions are quoted word for word from the documents."""
    tags = Tags()
    for key in sorted(known.facts.keys() | known.said.keys()):
        row = _list_values(known, key)
        if told := known.said.get(key):
            row |= _quote(known, told[0], tags.evidence)
        add(tags, known.city, key, row)
    return tags


def add(tags: Tags, city: City, key: Key, row: Row) -> None:
    """Add a row for a place in a context, if the row has any value."""
    if row:
        own = {"context_id": key[0], "poi_id": key[1], "city_id": city.city_id}
        tags.rows.append({"tagged_by": "rules", **row, **own})


def _list_values(known: TagMaterial, key: Key) -> Row:
    """Return the facts' values in a context, except those that are the same in any context."""
    always = known.facts.get((ANY, key[1]), {})
    row: Row = {}
    for name, fact in known.facts.get(key, {}).items():
        columns, proof = FILLS[name]
        same = always.get(name)
        if key[0] != ANY and same and all(same[c] == fact[c] for c in columns):
            continue
        row |= {column: fact[column] for column in columns} | {proof: fact["evidence_id"]}
    return row


def _quote(known: TagMaterial, told: Telling, evidence: dict[str, Row]) -> Row:
    """Return the columns of a description that quotes a passage."""
    text = known.texts[told.doc_id]
    named_at = told.named_at
    return {
        "description": text[told.start : told.end],
        "description_evidence_id": prove(known, told.doc_id, (told.start, told.end), evidence),
        "context_evidence_id": prove(known, told.doc_id, named_at, evidence) if named_at else None,
    }


def prove(known: TagMaterial, doc_id: str, at: tuple[int, int], evidence: dict[str, Row]) -> str:
    """Add a range of a document to the evidence and return its id."""
    row = document_evidence(known.city, doc_id, *at, known.texts[doc_id][slice(*at)])
    evidence[row["evidence_id"]] = row
    return str(row["evidence_id"])


def _find_wanted(candidates: Frames) -> frozenset[Key]:
    """Return pairs of a context and a candidate: each candidate with ``any`` and with its query's
    context.
    """
    queries = (
        candidates["queries"]
        .filter(pl.col("family").is_in(LISTED_FAMILIES))
        .select("query_id", "constraint_kind", "constraint_code")
    )
    places = candidates["query_pois"].join(queries, on="query_id")
    anywhere = {(ANY, poi) for poi in places["poi_id"]}
    own = places.filter(pl.col("constraint_kind").is_in(CONTEXT_KINDS)).select(
        pl.concat_str("constraint_kind", pl.lit(":"), "constraint_code"), "poi_id"
    )
    return frozenset(anywhere | set(own.iter_rows()))


def _find_tellings(
    city: City, upstream: Upstream, texts: Mapping[str, str], dates: Mapping[str, Any],
    wanted: frozenset[Key],
) -> dict[Key, list[Telling]]:  # fmt: skip
    """Return the documents' passages about candidates, without copies and with the best passage
    first.

    Passages are sorted by certainty, then by date (newest first, undated last), then by position.
    """
    found: dict[Key, list[Telling]] = defaultdict(list)
    for document in _documents(upstream, texts):
        for told in tellings(document, city.lat):
            if (told.context_id, told.poi_id) in wanted:
                found[told.context_id, told.poi_id].append(told)
    for key, several in found.items():
        found[key] = sorted(
            several,
            key=lambda t: (
                -t.strength, -(dates[t.doc_id].toordinal() if dates.get(t.doc_id) else 0),
                t.doc_id, t.start,
            ),
        )  # fmt: skip
    return found


def _with_surety(mentions: pl.DataFrame, feedback: Frames) -> pl.DataFrame:
    """Add a column that shows whether the link's score is high enough to be certain of the place.

    A lower score is enough if the written name is part of a name of the place. A written name that
    is longer than the place's own names may refer to something near the place.
    """
    called = pl.concat(
        [
            feedback["pois"].select("poi_id", called="name_zh"),
            feedback["pois"].select("poi_id", called="name_en"),
            feedback["poi_aliases"].select("poi_id", called="alias"),
        ]
    ).drop_nulls()
    own = called.group_by("poi_id").agg(called=pl.col("called").str.join("\n"))
    stands = pl.col("called").str.contains(pl.col("name"), literal=True).fill_null(value=False)
    score = pl.col("resolution_score")
    sure = (score >= SURE_SCORE) | ((score >= LEAST_SCORE) & stands)
    return mentions.join(own, on="poi_id", how="left").with_columns(is_sure=sure)


def _documents(upstream: Upstream, texts: Mapping[str, str]) -> Iterable[TellingDocument]:
    """Yield a city's documents, except copies, with the parts that are needed to find passages."""
    feedback = only(upstream, "feedback")
    originals = (
        only(upstream, "documents")["documents"]
        .filter(pl.col("near_duplicate_of").is_null())["doc_id"]
        .sort()
        .to_list()
    )
    read = pl.concat([frames["mentions"] for frames in upstream["mentions"]])
    hits = pl.concat([frames["contexts"] for frames in upstream["mentions"]])
    places = feedback["resolutions"].select("doc_id", "n", place="poi_id")
    at = ["doc_id", "start", "end"]
    sections = read.select(*at, "section").unique(at, keep="first", maintain_order=True)
    mentions = (
        _with_surety(feedback["poi_mentions"].drop_nulls("poi_id"), feedback)
        .join(sections, on=at, how="left")
        .sort(at)
    )
    own, named, said = (
        frame.partition_by("doc_id", as_dict=True)
        for frame in (
            mentions.select("doc_id", "poi_id", "start", "end", "role", "is_sure", "section"),
            read.join(places, on=["doc_id", "n"], how="left").sort(at).select(*at, "place"),
            hits.sort("doc_id", "start", "end", "kind", "code"),
        )
    )
    kin: dict[str, set[str]] = defaultdict(set)
    for one, other in feedback["poi_hierarchy"].select("poi_id", "parent_poi_id").iter_rows():
        kin[one].add(other)
        kin[other].add(one)
    for doc_id in originals:
        key = (doc_id,)
        if key in own and doc_id in texts:
            yield TellingDocument(
                doc_id, texts[doc_id], own[key].to_dicts(),
                [row[1:] for row in named[key].iter_rows()] if key in named else [],
                said[key].to_dicts() if key in said else [], kin,
            )  # fmt: skip
