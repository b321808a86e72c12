"""HTML source handled as text in one pass, so that even a hostile page takes linear time."""

from __future__ import annotations

import re
from collections.abc import Callable

_ELEMENT = re.compile(r"<([A-Za-z]\w*)\b([^<>]*)>")


def without_comments(text: str) -> str:
    """The text without HTML comments; one that never ends is left."""
    kept: list[str] = []
    at = 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start)) >= 0:
        kept.append(text[at:start])
        at = end + len("-->")
    return "".join([*kept, text[at:]])


def replace_elements(
    text: str, concerns: Callable[[str, str], bool], replace: Callable[[str, str], str]
) -> str:
    """Replace elements, each up to its first closing tag.

    ``concerns(tag, attributes)`` chooses them, ``replace(tag, element)`` gives the new text.
    An element that is never closed is left.
    """
    kept: list[str] = []
    unclosed: set[str] = set()
    at = 0
    for match in _ELEMENT.finditer(text):
        tag = match[1].lower()
        if match.start() < at or tag in unclosed or not concerns(tag, match[2]):
            continue
        closing = re.compile(rf"</{tag}\s?>", re.IGNORECASE).search(text, match.end())
        if closing is None:
            unclosed.add(tag)
            continue
        kept += [
            text[at : match.start()],
            replace(tag, text[match.start() : closing.end()]),
        ]
        at = closing.end()
    return "".join([*kept, text[at:]])
