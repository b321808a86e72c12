"""The arguments that several tools share, described once: names, points, times and pages."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BeforeValidator, Field

from flows.agents.registry import ToolAnswer
from flows.agents.words import Lang, number_lines
from warehouse.records import Point

T = TypeVar("T")
#: Rows of a page, and places of a distance matrix, at most.
MOST_ROWS, MOST_PLACES = 50, 30
_POINT = re.compile(r"^\s*(-?\d{1,3}(?:\.\d+)?)\s*[,，]\s*(-?\d{1,3}(?:\.\d+)?)\s*$")

Table = Annotated[
    Literal["attractions", "restaurants", "hotels", "hubs"],
    Field(description="which kind of places; hubs are railway stations and airports"),
]


def _text_of_point(value: Any) -> Any:
    """A point given as a list becomes the text that a name would be."""
    if isinstance(value, list | tuple) and len(value) == 2:
        return ",".join(map(str, value))
    return value


City = Annotated[
    str, Field(description="name of the city in any language, e.g. 杭州 or Hangzhou", max_length=80)
]
Where = Annotated[
    str,
    BeforeValidator(_text_of_point),
    Field(description='name or id of a place, or "latitude,longitude" (WGS 84)', max_length=200),
]
PlaceName = Annotated[str, Field(description="name or id of a place", max_length=200)]
Date = Annotated[str, Field(description="date, YYYY-MM-DD", max_length=10)]
Time = Annotated[str, Field(description="clock time, HH:MM", max_length=5)]
InLang = Annotated[Lang, Field(description="language of names in the answer")]
Page = Annotated[int, Field(description="page, from 1", ge=1, le=100_000)]
Rows = Annotated[int, Field(description="rows a page", ge=1, le=MOST_ROWS)]
QueryId = Annotated[str, Field(description="id of a query", max_length=200)]


def where_of(where: str) -> str | Point:
    """Read the text as a point if it is one, otherwise as a name."""
    match = _POINT.match(where)
    return (float(match[1]), float(match[2])) if match else where


def page_of(
    found: Sequence[T], page: int, rows: int, row: Callable[[T], Any], shown: Callable[[T], str],
    title: str,
) -> ToolAnswer:  # fmt: skip
    """Make one page of rows, with any information that belongs to it."""
    first, pages = (page - 1) * rows, max(1, -(-len(found) // rows))
    part = list(found[first : first + rows])
    data = {"total": len(found), "page": page, "pages": pages, "rows": [row(one) for one in part]}
    if not found:
        return ToolAnswer(f"{title}: none.", data)
    if not part:
        return ToolAnswer(f"{title}: there are {pages} pages; ask for page 1 to {pages}.", data)
    text = (
        f"{title}: {len(found)}, page {page} of"
        f" {pages}\n{number_lines(map(shown, part), first + 1)}"
    )
    more = f"\nMore: page={page + 1}" if page < pages else ""
    return ToolAnswer(text + more, data)
