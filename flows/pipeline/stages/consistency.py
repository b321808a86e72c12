"""What a model is asked about a document that is recalled for wishes whose words it has."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from extractors.tasks.consistency import Recalled, Wish
from flows.pipeline.stages.sentences import sentence_of
from queries.contexts import ContextHit
from schemas.documents import Document
from schemas.taxonomy import CONSTRAINTS

#: Passages shown for a wish, and characters of each.
_MOST_PASSAGES, _LONGEST = 4, 120
_WORDS = {
    (kind, term.code): f"{term.zh} / {term.en}"
    for kind, terms in CONSTRAINTS.items()
    for term in terms
}


def recalled(document: Document, hits: Iterable[ContextHit], minimum: int) -> Recalled | None:
    """The wishes that a document names often enough, with its words; None where there is none."""
    by_wish: dict[tuple[str, str], list[ContextHit]] = defaultdict(list)
    for hit in hits:
        by_wish[hit.kind, hit.code].append(hit)
    wishes = tuple(
        Wish(kind=kind, code=code, words=_WORDS[kind, code], passages=_passages(document, found))
        for (kind, code), found in sorted(by_wish.items())
        if sum(hit.weight for hit in found) >= minimum
    )
    title = document.blocks[0].text[:_LONGEST] if document.blocks else ""
    return Recalled(title=title, wishes=wishes) if wishes else None


def _passages(document: Document, hits: list[ContextHit]) -> tuple[str, ...]:
    """The sentences around the weightiest hits, each once."""
    first = sorted(hits, key=lambda hit: (-hit.weight, hit.start))
    found = dict.fromkeys(_passage(document.text, hit) for hit in first)
    return tuple(found)[:_MOST_PASSAGES]


def _passage(text: str, hit: ContextHit) -> str:
    start, end = sentence_of(text, hit.start, hit.end)
    most = (_LONGEST - (hit.end - hit.start)) // 2
    return text[max(start, hit.start - most) : min(end, hit.end + most)]
