"""Small invented documents for the tests of the rules, and how to read them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from extractors.rules import RulesEngine
from extractors.tasks import FactExtraction, PoiExtraction, TrajectoryExtraction
from schemas.documents import BlockKind, Document, DocumentLanguage, GivenBlock
from schemas.ids import doc_id, text_sha256
from schemas.reading import DocumentKind, Fact, GazetteerEntry, Mention, Route
from schemas.tasks import DocumentInput, Engine

_MARKS: tuple[tuple[str, BlockKind, int], ...] = (
    ("### ", "heading", 3),
    ("## ", "heading", 2),
    ("# ", "title", 1),
    ("- ", "list_item", 0),
    ("> ", "quote", 0),
    ("| ", "table_row", 0),
)


@dataclass(frozen=True)
class Reading:
    """What the three document tasks say of a document, side by side."""

    kind: DocumentKind
    cities: tuple[str, ...]
    days_stated: int | None
    mentions: tuple[Mention, ...]
    route: Route | None
    facts: tuple[Fact, ...]
    decoys: tuple[str, ...]


def document(text: str, lang: str = "zh", path: str = "page.md") -> Document:
    """A document from a few Markdown-like lines."""
    blocks: list[GivenBlock] = []
    for line in filter(None, (raw.strip() for raw in text.splitlines())):
        kind: BlockKind = "paragraph"
        level, body = 0, line
        for mark, named, rank in _MARKS:
            if line.startswith(mark):
                kind, level, body = named, rank, line[len(mark) :]
                break
        blocks.append((kind, level, body, False))
    # The model refuses a language that it doesn't know.
    return Document.from_texts(
        doc_id(text_sha256(text)), path, blocks, lang=cast("DocumentLanguage", lang)
    )


def read(text: str, lang: str = "zh", gazetteer: tuple[GazetteerEntry, ...] = ()) -> Reading:
    """What the rules read in a text, by a fresh engine."""
    item = DocumentInput(document=document(text, lang), gazetteer=gazetteer)
    return read_item(RulesEngine(), item)


def read_item(engine: Engine, item: DocumentInput) -> Reading:
    """What an engine reads in a document; every word of it has its evidence."""
    pois = engine.run(PoiExtraction(), item)
    route = engine.run(TrajectoryExtraction(), item)
    facts = engine.run(FactExtraction(), item)
    assert (*pois.ungrounded, *route.ungrounded, *facts.ungrounded) == ()
    found = pois.output
    return Reading(found.kind, found.cities, found.days_stated, found.mentions,
                   route.output.route, facts.output.facts, found.decoys)  # fmt: skip


def roles(reading: Reading) -> dict[str, str]:
    """Role by surface name."""
    return {mention.name: mention.role for mention in reading.mentions}


def route(reading: Reading) -> dict[int, list[str]] | None:
    """Names of the stops by day."""
    if reading.route is None:
        return None
    days: dict[int, list[str]] = {}
    for visit in reading.route.visits:
        days.setdefault(visit.day, []).append(visit.name)
    return days


def facts(reading: Reading) -> set[tuple[str, str, str, str]]:
    """Facts as (poi, field, value, valid when)."""
    return {(fact.poi, fact.field, fact.value, fact.valid_when) for fact in reading.facts}
