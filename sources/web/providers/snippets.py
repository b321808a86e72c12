"""Results of searches, their snippets as plain text."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from typing import Any

from sources.web.lines import clean
from sources.web.providers.base import SearchResult, as_text, day

_TAG = re.compile(r"<[^<>]*>")
_CHARS = 1000


def read_result(
    row: Mapping[str, Any], rank: int, url: str, snippet: str, dated: str
) -> SearchResult:
    """A row of an answer; ``snippet`` and ``dated`` are the provider's names of these fields."""
    return SearchResult(
        url=url,
        rank=rank,
        title=as_text(row.get("title")),
        snippet=_plain(as_text(row.get(snippet))),
        published_on=day(row.get(dated)),
    )


def _plain(text: str) -> str:
    """A snippet without the marks that engines put around the words found."""
    return clean(html.unescape(_TAG.sub("", text[: 4 * _CHARS])))[:_CHARS]
