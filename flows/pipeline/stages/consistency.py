"""Asks a model whether a document is useful for the wishes that it mentions, such as a season or
holiday.

If the engine has a model, the questions about documents are part of the stage ``read``. The rules
match a document to a wish (a season, holiday, kind of traveller or pace) if words for this wish
occur often enough in the document. For each match, the model then decides whether the document is
useful to a traveller with this wish; the answer is used for all queries. If the model gives no
answer, the rules' match is kept.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from extractors.ask_all import ask_all
from extractors.tasks.consistency import ConsistencyJudgement, DocumentWish, Recalled
from flows.pipeline.stages.base import Job, Row, group_rows
from flows.pipeline.stages.sentences import sentence_of
from queries.contexts import MONTH
from schemas.documents import Document
from schemas.tasks import Unanswered
from schemas.taxonomy import CONSTRAINTS

#: The number of passages that are shown for a wish, and the characters of each passage.
_MOST_PASSAGES, _LONGEST = 4, 120
_WORDS = {
    (kind, term.code): f"{term.zh} / {term.en}"
    for kind, terms in CONSTRAINTS.items()
    for term in terms
}


def settings_of(job: Job) -> dict[str, Any]:
    """Return the settings that the judgements depend on, or no settings if the build uses no
    model."""
    least = job.inputs.profile.documents.minimum_context_score
    return {"consistency": [ConsistencyJudgement.version, least]} if job.services else {}


def judge(job: Job, documents: Iterable[Document], rows: Mapping[str, list[Row]]) -> None:
    """If a document is not useful for a wish, set the weight of the wish's words in ``contexts`` to
    zero.

    Documents whose content the model has not read yet keep their weights.
    """
    engine = job.model
    if engine is None:
        return
    hits, names = (group_rows(rows[name], "doc_id") for name in ("contexts", "names"))
    least = job.inputs.profile.documents.minimum_context_score
    unread = {row["doc_id"] for row in rows["unanswered"]}
    asked = {
        document.doc_id: question
        for document in documents
        if document.doc_id not in unread
        and (
            question := recall_wishes(
                document, hits[document.doc_id], names[document.doc_id], least
            )
        )
    }
    task = ConsistencyJudgement()
    for doc_id, answer in zip(asked, ask_all(engine, task, asked.values()), strict=True):
        if isinstance(answer, Unanswered):
            rows["unanswered"].append(
                {"doc_id": doc_id, "task": task.name, "message": answer.reason}
            )
            continue
        fits = {(wish.kind, wish.code): wish.fits for wish in answer.output.wishes}
        for hit in hits[doc_id]:
            if not fits.get((hit["kind"], hit["code"]), True):
                hit["weight"] = 0


def recall_wishes(
    document: Document, hits: Sequence[Row], names: Sequence[Row], least: int
) -> Recalled | None:
    """Return the wishes whose words occur often enough in a document, or None if there are none.

    Words within the names of places do not count.
    """
    by_wish: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for hit in hits:
        if hit["kind"] == MONTH:  # it means a season only if the city's hemisphere is known
            continue
        if not any(n["start"] < hit["end"] and hit["start"] < n["end"] for n in names):
            by_wish[hit["kind"], hit["code"]].append(hit)
    wishes = tuple(
        DocumentWish(
            kind=kind, code=code, words=_WORDS[kind, code], passages=_passages(document, found)
        )
        for (kind, code), found in sorted(by_wish.items())
        if sum(hit["weight"] for hit in found) >= least
    )
    title = document.blocks[0].text[:_LONGEST] if document.blocks else ""
    return Recalled(title=title, wishes=wishes) if wishes else None


def _passages(document: Document, hits: Sequence[Row]) -> tuple[str, ...]:
    """Return the sentences around the words that have the most weight; each sentence occurs
    once."""
    first = sorted(hits, key=lambda hit: (-hit["weight"], hit["start"]))
    found = dict.fromkeys(_passage(document.text, hit["start"], hit["end"]) for hit in first)
    return tuple(found)[:_MOST_PASSAGES]


def _passage(text: str, at: int, to: int) -> str:
    start, end = sentence_of(text, at, to)
    most = (_LONGEST - (to - at)) // 2
    return text[max(start, at - most) : min(end, to + most)]
