"""Small invented documents for the tests of the rules, and how to read them."""

from __future__ import annotations

from extractors.read import read_document
from extractors.rules import RulesEngine
from schemas.documents import BlockKind, Document
from schemas.ids import doc_id
from schemas.reading import GazetteerEntry, Reading
from schemas.tasks import DocumentInput

_MARKS: tuple[tuple[str, BlockKind, int], ...] = (
    ("### ", "heading", 3),
    ("## ", "heading", 2),
    ("# ", "title", 1),
    ("- ", "list_item", 0),
    ("> ", "quote", 0),
    ("| ", "table_row", 0),
)


def document(text: str, lang: str = "zh", path: str = "page.md") -> Document:
    """A document from a few Markdown-like lines."""
    blocks: list[tuple[BlockKind, int, str, bool]] = []
    for line in filter(None, (raw.strip() for raw in text.splitlines())):
        kind: BlockKind = "paragraph"
        level, body = 0, line
        for mark, named, rank in _MARKS:
            if line.startswith(mark):
                kind, level, body = named, rank, line[len(mark) :]
                break
        blocks.append((kind, level, body, False))
    return Document.from_texts(doc_id(text.encode()), path, blocks, lang=lang)  # type: ignore[arg-type]


def read(text: str, lang: str = "zh", gazetteer: tuple[GazetteerEntry, ...] = ()) -> Reading:
    """What the rules read in a text, by a fresh engine."""
    item = DocumentInput(document=document(text, lang), gazetteer=gazetteer)
    reading, ungrounded = read_document(RulesEngine(), item)
    assert ungrounded == ()
    return reading


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
