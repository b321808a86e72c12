"""Runs the stage ``tagging``, which tags candidates in the contexts of their queries.

The stage runs after the answers to inquiries have been read. Facts from the answers are treated in
the same way as facts from other documents.

If the build has a model, the model gets one request for each place and context. The request
contains the passages that the rules found. The model's answer is checked against the passages. A
value that the passages do not contain is set aside with the reason. Known facts take precedence
over the model's values. If the model gives no usable answer, the tag from the rules is kept, and
the next build sends the request again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import polars as pl

from extractors.ask_all import ask_all
from extractors.tasks import ContextTagging
from extractors.tasks.place_tasks import ContextInput, ContextTag, ContextTags
from flows.pipeline.shards import Frames
from flows.pipeline.stages.base import (
    Job,
    Output,
    Row,
    Stage,
    Upstream,
    only,
    quarantine_row,
    stage_count,
    tables,
)
from flows.pipeline.stages.context_tags import (
    TagMaterial,
    Tags,
    add,
    gather_known,
    prove,
    quote_tags,
)
from flows.pipeline.stages.facts_in_context import FILLS, Key
from flows.pipeline.stages.tags import type_value
from flows.pipeline.stages.tellings import ANY, Telling
from schemas import frames as inner
from schemas.arrow import frame, polars_schema_of
from schemas.cities import City
from schemas.dates import date_documents
from schemas.rows import QuarantineRow
from schemas.tasks import Engine, Grounded, Unanswered
from schemas.taxonomy import CONSTRAINTS

#: The number of passages in one request.
MOST_PASSAGES = 8
#: The columns of facts, which a model's answer never changes.
_STATED = frozenset(name for columns, proof in FILLS.values() for name in (*columns, proof))


@dataclass
class TagAnswers:
    """Tags from a model, the parts of answers that were set aside, and the keys that have no
    answer.

    A part that was set aside has a key, a text and a reason.
    """

    tags: Tags
    aside: list[tuple[Key, str, str]] = field(default_factory=list)
    unanswered: dict[Key, str] = field(default_factory=dict)


@dataclass(frozen=True)
class _Passages:
    """The passages in one request, with the offset at which each passage begins in the request's
    text."""

    item: ContextInput
    parts: tuple[tuple[int, Telling], ...]

    def telling(self, tag: ContextTag) -> tuple[Telling, tuple[int, int]] | None:
        """Return the passage with the tag's quote, and the quote's range in its document."""
        for start, told in self.parts:
            if start <= tag.span.start and tag.span.end <= start + told.end - told.start:
                moved = told.start - start
                return told, (tag.span.start + moved, tag.span.end + moved)
        return None


def compute(job: Job, upstream: Upstream) -> Frames:
    """Return the opening hours, arrival time, length of stay and description of a city's
    candidates, with evidence.
    """
    city = job.own_city
    told = [only(upstream, stage) for stage in ("tags", "answers")]
    told = [frames for frames in told if "poi_facts" in frames]
    dated = date_documents(only(upstream, "documents")["documents"])
    known = gather_known(
        city,
        upstream,
        pl.concat([frames["poi_facts"] for frames in told]),
        pl.concat([frames["evidence"] for frames in told]).to_dicts(),
        dict(dated.select("doc_id", "stated_on").iter_rows()),
    )
    found = ask_tags(job, known, _collect_names(only(upstream, "feedback")))
    ungrounded = _list_ungrounded(city, found)
    n_rows, n_aside = len(found.tags.rows), len(ungrounded)
    counted = stage_count(
        city, "tagging", "context_tags", rows_in=n_rows + n_aside, kept=n_rows, quarantined=n_aside
    )
    return {
        "context_tags": frame("context_tags", found.tags.rows),
        "untagged": _list_untagged(found),
        "evidence": frame("evidence", found.tags.evidence.values()),
        "quarantine": frame("quarantine", ungrounded),
        "stage_counts": frame("stage_counts", [counted]),
    }


def _collect_names(feedback: Frames) -> dict[str, tuple[str, ...]]:
    """Return all names of each place, with the place's own name first."""
    found = {
        row["poi_id"]: [name for name in (row["name_zh"], row["name_en"]) if name]
        for row in feedback["pois"].select("poi_id", "name_zh", "name_en").to_dicts()
    }
    for poi_id, alias in (
        feedback["poi_aliases"].select("poi_id", "alias").sort("alias").iter_rows()
    ):
        found.setdefault(poi_id, []).append(alias)
    return {poi_id: tuple(dict.fromkeys(names)) for poi_id, names in found.items() if names}


def _list_ungrounded(city: City, asked: TagAnswers) -> list[QuarantineRow]:
    """Return a model's claims that lack evidence, without duplicates."""
    rows = (
        quarantine_row(
            city, "tagging", "context_tags", "/".join(key), "ungrounded", f"{what}: {why}",
            {"what": what, "why": why},
        )
        for key, what, why in asked.aside
    )  # fmt: skip
    return list({row["quarantine_id"]: row for row in rows}.values())


def _list_untagged(asked: TagAnswers) -> pl.DataFrame:
    rows = [(*key, why) for key, why in sorted(asked.unanswered.items())]
    return pl.DataFrame(rows, schema=polars_schema_of(inner.UNTAGGED), orient="row")


def ask_tags(job: Job, known: TagMaterial, names: dict[str, tuple[str, ...]]) -> TagAnswers:
    """Return the tags from the build's engine.

    ``names`` gives all names of each place, with the place's own name first.
    """
    by_rules = quote_tags(known)
    engine = job.model
    if engine is None:
        return TagAnswers(by_rules)
    asked = TagAnswers(Tags(evidence=dict(by_rules.evidence)))
    requests = {key: _passages(known, key, told, names) for key, told in sorted(known.said.items())}
    items = [request.item for request in requests.values()]
    answers = dict(zip(requests, _ask(engine, items), strict=True))
    for row in by_rules.rows:
        key = (row["context_id"], row["poi_id"])
        answer = answers.get(key)
        if answer is None or isinstance(answer, Unanswered):
            if answer is not None:
                asked.unanswered[key] = answer.reason
            asked.tags.rows.append(row)
            continue
        asked.aside += [(key, part.what, part.why) for part in answer.ungrounded]
        read = _read(known, requests[key], answer.output, asked, key)
        stated = {c: v for c, v in row.items() if c in _STATED}
        by = {"tagged_by": "model"} if read else {}
        add(asked.tags, known.city, key, {**read, **stated, **by})
    tags = asked.tags
    used = {
        value for row in tags.rows for name, value in row.items() if name.endswith("evidence_id")
    }
    tags.evidence = {proof: row for proof, row in tags.evidence.items() if proof in used}
    return asked


def _passages(
    known: TagMaterial, key: Key, told: Sequence[Telling], names: dict[str, tuple[str, ...]]
) -> _Passages:
    """Return the text about a place in a context: first the context, then one passage per line."""
    kind, _, code = key[0].partition(":")
    term = next((t for t in CONSTRAINTS.get(kind, ()) if t.code == code), None)
    lines, parts, at = [], [], 0
    for one in told[:MOST_PASSAGES]:
        lead = f"({term.en}) " if term and one.named_at else ""
        parts.append((at + len(lead), one))
        lines.append(lead + known.texts[one.doc_id][one.start : one.end].replace("\n", " "))
        at += len(lines[-1]) + 1
    own = names.get(key[1], ("",))
    words = (term.zh, term.en, *term.words) if term and key[0] != ANY else ()
    item = ContextInput(poi=own[0], names=own[1:], context_words=words, text="\n".join(lines))
    return _Passages(item, tuple(parts))


def _ask(engine: Engine, items: Sequence[ContextInput]) -> list[Grounded[ContextTags] | Unanswered]:
    """Return the checked answer to each item, or the reason why there is no answer."""
    task = ContextTagging()
    if getattr(engine, "uses_batches", False):
        engine.prefetch([(task, item) for item in items])  # type: ignore[attr-defined]  # engines that use batches have it
    return ask_all(engine, task, items)


def _read(
    known: TagMaterial, passages: _Passages, answer: ContextTags, asked: TagAnswers, key: Key
) -> Row:
    """Return the columns that an answer fills, each with its quote as evidence."""
    row: Row = {}
    for tag in answer.tags:
        found = passages.telling(tag)
        values = _values(tag)
        if found is None or values is None:
            why = (
                "its quote goes beyond one passage" if found is None else "is no value of its kind"
            )
            asked.aside.append((key, tag.field, why))
            continue
        told, at = found
        columns, proof = values
        row |= columns | {proof: prove(known, told.doc_id, at, asked.tags.evidence)}
        if tag.field == "description" and told.named_at:
            row["context_evidence_id"] = prove(
                known, told.doc_id, told.named_at, asked.tags.evidence
            )
    return row


def _values(tag: ContextTag) -> tuple[Row, str] | None:
    """Return the columns that one statement fills, and the name of the column for the evidence.

    Returns None if the value is impossible.
    """
    if tag.field == "description":
        return {"description": tag.value}, "description_evidence_id"
    arrive = {"arrive": tag.value} if tag.field == "arrival_time" else None
    values = arrive or type_value(tag.field, tag.value)
    return (values, FILLS[tag.field][1]) if values else None


STAGE = Stage(
    "tagging",
    2,
    compute,
    {
        **tables("context_tags", "evidence", "quarantine", "stage_counts"),
        "untagged": Output(inner.UNTAGGED),
    },
    settings=lambda job: job.model_settings("tagging", ContextTagging.version),
    providers=lambda job: job.services,
    is_finished=lambda rows: not rows.get("untagged"),
)
