"""The main text of each page of our own web, and what is wrong with readings of them.

    python -m tests.support.sources.web.own.texts READINGS.jsonl

Readings have the form of ``tripbed build --readings``; ``doc`` is host and path of the page, with
``@2`` behind it for a page as the second edition has it.
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

from extractors.own_readings import read_file
from schemas.documents import Document
from sources.web.main_text import parse
from sources.web.personal_data import find_authors, mask_document
from tests.support.sources.web.own.engine import Page, changed, pages

#: Pages that no reader ever sees: not given, or without text.
_UNREAD = ("forbidden", "missing", "picture", "empty")


@cache
def texts() -> dict[str, Document]:
    """The document of each page that can be read, once for all its addresses, by its name."""
    first = {
        at: _text(at, page) for at, page in pages(1).items()
        if page.trait not in _UNREAD and page.to is None
    }  # fmt: skip
    then = {f"{at}@2": _text(f"{at}@2", pages(2)[at]) for at in sorted(changed())}
    found: dict[str, Document] = {}
    for name, document in (first | then).items():
        if document.doc_id not in {other.doc_id for other in found.values()}:
            found[name] = document
    return found


def _text(name: str, page: Page) -> Document:
    """The main text, made as the stage ``corpus`` makes it; its path is the page's name."""
    parsed = parse(page.html, "page.html", charset="utf-8")
    document, _ = mask_document(parsed.document, find_authors(parsed))
    return document.model_copy(update={"path": name})


def problems_of(readings: Path) -> list[str]:
    """What is wrong with readings of our pages; what was kept is printed."""
    own = read_file(readings)
    named = {document.doc_id: document for document in texts().values()}
    assigned = own.assign([(document.doc_id, name) for name, document in texts().items()])
    wrong = [str(problem) for problem in (*own.problems, *assigned.problems)]
    for doc_id, line in sorted(assigned.lines.items(), key=lambda item: item[1].number):
        read = line.read(named[doc_id])
        print(f"line {line.number} {line.doc}: kept {read.kept} of {read.given}")
        wrong += [
            f"line {line.number} {line.doc}: {aside.part} {aside.what}: {aside.why}"
            for aside in read.set_aside
        ]
    return wrong


def main() -> None:
    """Say of each line what was understood, and what is wrong with it; exit code 1 if anything."""
    wrong = problems_of(Path(sys.argv[1]))
    print("\n".join(wrong) or "nothing is wrong")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
