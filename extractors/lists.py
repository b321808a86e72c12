"""Documents that are rows of names, such as an export of a site."""

from __future__ import annotations

import re

from schemas.documents import Document

#: A list has so many rows or more, and so large a share of them is short and no sentence.
_LIST_ROWS, _LIST_SHARE, _ROW_CHARACTERS = 30, 0.95, 80
_SENTENCE = re.compile(r"[。！？；]|[.!?;](?:\s|$)")


def is_list(document: Document) -> bool:
    """Whether a document is rows of names without sentences.

    It has many rows, hardly a heading, and of its rows nearly all are short and end no sentence.
    """
    rows = [block.text for block in document.blocks if block.kind not in ("title", "heading")]
    if len(rows) < _LIST_ROWS or len(rows) < _LIST_SHARE * len(document.blocks):
        return False
    plain = sum(len(row) <= _ROW_CHARACTERS and not _SENTENCE.search(row) for row in rows)
    return plain >= _LIST_SHARE * len(rows)
