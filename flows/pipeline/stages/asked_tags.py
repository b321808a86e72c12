"""Asks a model for tags in context, once for each place and context.

The model sees the passages that the rules found. Its answer is checked against these passages: a
value that they do not contain is set aside with the reason. Known facts take precedence over the
model's values. If the model gives no usable answer, the tag from the rules is kept, and the next
build asks again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from extractors.ask_all import ask_all
from extractors.tasks import ContextTagging
from extractors.tasks.place_tasks import ContextInput, ContextTag, ContextTags
from flows.models.engines import engine_identity, engine_named
from flows.pipeline.stages.base import Job
from flows.pipeline.stages.context_tags import Row, TagMaterial, Tags, add, prove, quote_tags
from flows.pipeline.stages.facts_in_context import FILLS, Key
from flows.pipeline.stages.tellings import ANY, Telling
from schemas.hours import weekly_spans
from schemas.tasks import Grounded, Unanswered
from schemas.taxonomy import CONSTRAINTS

#: The engine that answers questions about tags, by the engine that reads the documents.
_TAGGERS = {"openai": "openai", "cascade": "openai"}
#: The number of passages in one request.
MOST_PASSAGES = 8
#: The columns of facts, which a model's answer never changes.
_STATED = frozenset(name for columns, proof in FILLS.values() for name in (*columns, proof))


@dataclass
class TagAnswers:
    """Tags from a model, the parts of answers that were set aside, and keys without an answer.

    A part that was set aside has a key, a text and a reason.
    """

    tags: Tags
    aside: list[tuple[Key, str, str]] = field(default_factory=list)
    unanswered: dict[Key, str] = field(default_factory=dict)


@dataclass(frozen=True)
class _Passages:
    """The passages of one request, with the offset at which each begins in the request's text."""

    item: ContextInput
    parts: tuple[tuple[int, Telling], ...]

    def telling(self, tag: ContextTag) -> tuple[Telling, tuple[int, int]] | None:
        """Return the passage with the tag's quote, and the quote's range in its document."""
        for start, told in self.parts:
            if start <= tag.span.start and tag.span.end <= start + told.end - told.start:
                moved = told.start - start
                return told, (tag.span.start + moved, tag.span.end + moved)
        return None


def settings_of(job: Job) -> dict[str, Any]:
    """Return the settings on which tags depend, or none if no model is asked."""
    engine = _TAGGERS.get(job.inputs.engine)
    if engine is None:
        return {}
    return {"tagging": [engine_identity(engine, job.inputs.settings), ContextTagging.version]}


def services(job: Job) -> tuple[str, ...]:
    """Return the name of the service that is asked."""
    return ("llm",) if job.inputs.engine in _TAGGERS else ()


def ask_tags(job: Job, known: TagMaterial, names: dict[str, tuple[str, ...]]) -> TagAnswers:
    """Return the tags of the build's engine.

    ``names`` gives all names of each place, its own first.
    """
    by_rules = quote_tags(known)
    engine = _TAGGERS.get(job.inputs.engine)
    if engine is None:
        return TagAnswers(by_rules)
    asked = TagAnswers(Tags(evidence=dict(by_rules.evidence)))
    requests = {key: _passages(known, key, told, names) for key, told in sorted(known.said.items())}
    items = [request.item for request in requests.values()]
    answers = dict(zip(requests, _ask(job, engine, items), strict=True))
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
    _drop_unused(asked.tags)
    return asked


def _drop_unused(tags: Tags) -> None:
    """Remove the evidence of passages that no row uses in the end."""
    used = {
        value for row in tags.rows for name, value in row.items() if name.endswith("evidence_id")
    }
    tags.evidence = {proof: row for proof, row in tags.evidence.items() if proof in used}


def _passages(
    known: TagMaterial, key: Key, told: Sequence[Telling], names: dict[str, tuple[str, ...]]
) -> _Passages:
    """Return the text about a place in a context: the context, then one passage per line."""
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


def _ask(
    job: Job, name: str, items: Sequence[ContextInput]
) -> list[Grounded[ContextTags] | Unanswered]:
    """Return the checked answer to each item, or the reason why there is none."""
    engine, task = engine_named(name, job.inputs.settings, job.inputs.run_id), ContextTagging()
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
    """Return the columns of one statement and their evidence column.

    None if the value is impossible.
    """
    try:
        if tag.field == "opening_hours":
            weekly = weekly_spans(tag.value)
            return (
                ({"hours_osm": tag.value, "hours_weekly": weekly}, "hours_evidence_id")
                if weekly
                else None
            )
        if tag.field == "duration_hours":
            low, _, high = tag.value.partition("-")
            least, most = round(float(low) * 60), round(float(high or low) * 60)
            minutes = {"duration_min_min": least, "duration_max_min": most}
            return (minutes, "duration_evidence_id") if 0 < least <= most else None
    except ValueError:
        return None
    if tag.field == "arrival_time":
        return {"arrive": tag.value}, "arrive_evidence_id"
    return {"description": tag.value}, "description_evidence_id"
