"""Defines tools as functions; a tool's schema is derived from the function's typed parameters.

Parameters that several tools share (names, points, times, pages) are described only once, in this
module.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Protocol, TypeVar, get_type_hints

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, create_model

from flows.agents.words import Lang, number_lines
from warehouse.records import Point
from warehouse.sandbox import Sandbox


@dataclass(frozen=True)
class ToolAnswer:
    """A tool's answer: ``text`` is for a model to read, and ``data`` is for ``json.dumps``."""

    text: str
    data: dict[str, Any]


class Environment(Protocol):
    """Answers ChinaTravel's calls; ``memory`` contains the results of a client's earlier calls."""

    def answer(self, text: str, memory: Any) -> Any:
        """Answer a command with the text that ChinaTravel's environment would print."""

    def memory(self) -> Any:
        """Return an empty memory for a new client's results."""


@dataclass
class Session:
    """One client's session with a sandbox.

    ``environment`` returns ChinaTravel's environment, which is created when it is first needed.
    """

    box: Sandbox
    client: str
    environment: Callable[[], Environment]
    memory: Any = None


@dataclass(frozen=True)
class Tool:
    """A tool that the sandbox offers. A call may take at most ``seconds`` seconds."""

    name: str
    description: str
    arguments: type[BaseModel]
    run: Callable[..., ToolAnswer]
    example: dict[str, Any]
    seconds: float = 10.0

    @property
    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of the arguments; its type is ``object``."""
        made: dict[str, Any] = _bare(self.arguments.model_json_schema())
        made["examples"] = [self.example]
        return made

    def openai(self) -> dict[str, Any]:
        """Describe the tool for OpenAI-compatible endpoints."""
        function = {"name": self.name, "description": self.description, "parameters": self.schema}
        return {"type": "function", "function": function}


#: Every tool by name, in the order in which tools are listed.
TOOLS: dict[str, Tool] = {}


def tool(
    seconds: float = 10.0, **example: Any
) -> Callable[[Callable[..., ToolAnswer]], Callable[..., ToolAnswer]]:
    """Turn a function with typed parameters into a tool; ``example`` contains example arguments."""

    def register(run: Callable[..., ToolAnswer]) -> Callable[..., ToolAnswer]:
        hints = get_type_hints(run, include_extras=True)
        fields: dict[str, Any] = {
            name: (hints[name], ... if given.default is given.empty else given.default)
            for name, given in list(inspect.signature(run).parameters.items())[1:]
        }
        strict = ConfigDict(extra="forbid", str_max_length=500)
        model = create_model(f"{run.__name__}_arguments", __config__=strict, **fields)
        text = " ".join((run.__doc__ or "").split())
        TOOLS[run.__name__] = Tool(run.__name__, text, model, run, example, seconds)
        return run

    return register


def _bare(schema: Any) -> Any:
    """Return a JSON schema without the titles that pydantic derives from names."""
    if isinstance(schema, list):
        return [_bare(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    titled = isinstance(schema.get("title"), str)
    return {key: _bare(part) for key, part in schema.items() if not (titled and key == "title")}


T = TypeVar("T")
#: The most rows of a page, and the most places of a distance matrix.
MOST_ROWS, MOST_PLACES = 50, 30
_POINT = re.compile(r"^\s*(-?\d{1,3}(?:\.\d+)?)\s*[,，]\s*(-?\d{1,3}(?:\.\d+)?)\s*$")

Table = Annotated[
    Literal["attractions", "restaurants", "hotels", "hubs"],
    Field(description="kind of place; hubs are railway stations and airports"),
]


def _text_of_point(value: Any) -> Any:
    """Convert a point from a list to text."""
    if isinstance(value, list | tuple) and len(value) == 2:
        return ",".join(map(str, value))
    return value


City = Annotated[str, Field(description="city by any name, e.g. 杭州 or Hangzhou", max_length=80)]
Where = Annotated[
    str,
    BeforeValidator(_text_of_point),
    Field(description='name or id of a place, or "latitude,longitude" (WGS 84)', max_length=200),
]
PlaceName = Annotated[str, Field(description="name or id of a place", max_length=200)]
Date = Annotated[str, Field(description="date, YYYY-MM-DD", max_length=10)]
Time = Annotated[str, Field(description="clock time, HH:MM", max_length=5)]
InLang = Annotated[Lang, Field(description="language of names in the answer")]
Page = Annotated[int, Field(description="page number, starting at 1", ge=1, le=100_000)]
Rows = Annotated[int, Field(description="number of rows per page", ge=1, le=MOST_ROWS)]
QueryId = Annotated[str, Field(description="id of a query", max_length=200)]


def where_of(where: str) -> str | Point:
    """Return a point if the text contains coordinates; otherwise, return the text as a name."""
    match = _POINT.match(where)
    return (float(match[1]), float(match[2])) if match else where


def page_of(
    found: Sequence[T], page: int, rows: int, row: Callable[[T], Any], shown: Callable[[T], str],
    title: str,
) -> ToolAnswer:  # fmt: skip
    """Return one page of rows, with the total numbers of rows and pages."""
    first, pages = (page - 1) * rows, max(1, -(-len(found) // rows))
    part = list(found[first : first + rows])
    data = {"total": len(found), "page": page, "pages": pages, "rows": [row(one) for one in part]}
    if not found:
        return ToolAnswer(f"{title}: none.", data)
    if not part:
        return ToolAnswer(f"{title}: there is no page {page}; the last page is {pages}.", data)
    text = (
        f"{title}: {len(found)}, page {page} of"
        f" {pages}\n{number_lines(map(shown, part), first + 1)}"
    )
    return ToolAnswer(text + (f"\nMore: page={page + 1}" if page < pages else ""), data)
