"""Snippets of search results as plain text."""

from __future__ import annotations

import html
import re

from sources.web.lines import clean

_TAG = re.compile(r"<[^<>]*>")
_CHARS = 1000


def plain_snippet(text: str) -> str:
    """A snippet without the marks that engines put around the words found."""
    return clean(html.unescape(_TAG.sub("", text[: 4 * _CHARS])))[:_CHARS]
