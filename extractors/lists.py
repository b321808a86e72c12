"""Recognises documents that only list names, and lines that are titles of other documents."""

from __future__ import annotations

import re

from schemas.documents import Document

#: A list has so many rows or more, beside hardly a heading, and of them so large a share is short
#: and no sentence: titles that ask or cry out are among them.
_LIST_ROWS, _LIST_SHARE, _PLAIN_SHARE, _ROW_CHARACTERS = 30, 0.95, 0.85, 80
_MORE_THAN_A_PLAN = 200
#: So many lines one after the other, each short and no sentence, may be titles of other pages.
_TITLE_LINES = 6
_SENTENCE = re.compile(r"[。！？；]|[.!?;](?:\s|$)")


def is_list(document: Document, *, has_route: bool = False) -> bool:
    """Whether a document is rows of names without sentences.

    It has many rows, hardly a heading, and of its rows nearly all are short and end no sentence.
    What seems to be a route in it may be one, unless it has more rows than any plan.
    """
    rows = [block.text for block in document.blocks if block.kind not in ("title", "heading")]
    if len(rows) < _LIST_ROWS or len(rows) < _LIST_SHARE * len(document.blocks):
        return False
    if has_route and len(rows) < _MORE_THAN_A_PLAN:
        return False
    plain = sum(len(row) <= _ROW_CHARACTERS and not _SENTENCE.search(row) for row in rows)
    return plain >= _PLAIN_SHARE * len(rows)


def title_lines(document: Document) -> set[int]:
    """Starts of the blocks that may be titles of other pages: short lines without a sentence, a
    good many one after the other."""
    found: set[int] = set()
    run: list[int] = []
    for block in document.blocks:
        is_plain = len(block.text) <= _ROW_CHARACTERS and not _SENTENCE.search(block.text)
        if is_plain and block.kind in ("paragraph", "list_item"):
            run.append(block.start)
            continue
        found.update(run if len(run) >= _TITLE_LINES else ())
        run = []
    return found | set(run if len(run) >= _TITLE_LINES else ())
