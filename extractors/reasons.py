"""Finds why people go to a place, in the document's own words.

A reason is a range of the document: a sentence that names the place and says that it is worth a
visit, or what it is known for. A document that only names a place gives no reason.
"""

from __future__ import annotations

import re

from schemas.reading import Span
from schemas.word_lists import Lists

_LISTS = Lists("extractors")

#: Characters between a name and a reason that a model gives for it.
BESIDE = 200
#: Most characters of a reason that is looked for here.
_MOST = 160
_END = re.compile(r"[。！？!?；;\n]|\.(?=\s|$)")
_WORTH = {
    "zh": re.compile(_LISTS.either("worth_words_zh")),
    "en": re.compile(
        rf"\b(?:{_LISTS.either('worth_words_en')})\b",
        re.IGNORECASE,
    ),
}


def reason_for(name: Span, text: str, lang: str) -> Span | None:
    """The sentence around a name where it says why one goes there; None where it does not."""
    earliest = max(0, name.end - _MOST)
    ends = [found.end() for found in _END.finditer(text, earliest, name.start)]
    start = ends[-1] if ends else earliest
    closing = _END.search(text, name.end)
    end = (
        closing.end()
        if closing and closing[0] != "\n"
        else closing.start()
        if closing
        else len(text)
    )
    end = min(end, name.start + _MOST)
    sentence = text[start:end]
    if not _WORTH["zh" if lang == "zh" else "en"].search(sentence):
        return None
    start += len(sentence) - len(sentence.lstrip())
    return Span(start=start, end=start + len(sentence.strip()))


def stands_beside(reason: Span, name: Span, text: str) -> bool:
    """Whether a reason that was claimed stands in the text, near the name it is for."""
    near = reason.start - BESIDE < name.end and name.start < reason.end + BESIDE
    return reason.end <= len(text) and near
