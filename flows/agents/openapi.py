"""Describes the tools for programs, as OpenAI function schemas and as an OpenAPI document."""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from typing import Any

from flows.agents import tools  # noqa: F401 - registers the tools
from flows.agents.registry import TOOLS, Tool

_WHY = {
    "404": "there is no tool with this name",
    "422": "the arguments cannot be read, or a name is unknown; the answer lists similar names",
    "429": "too many calls are in progress",
    "504": "the call took too long",
}


def describe_tools(form: str) -> Any:
    """Describe the tools in one of the ``FORMS``."""
    return FORMS[form]()


def openai_functions() -> list[dict[str, Any]]:
    """Return function schemas for OpenAI-compatible endpoints."""
    return [tool.openai() for tool in TOOLS.values()]


def mcp_tools() -> list[dict[str, Any]]:
    """Return the tools in the format of the Model Context Protocol."""
    return [
        {"name": t.name, "description": t.description, "inputSchema": t.schema}
        for t in TOOLS.values()
    ]


def openapi() -> dict[str, Any]:
    """Return the OpenAPI 3.1 document, with one POST request per tool."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "tripbed sandbox",
            "version": "1",
            "description": (
                "Tools for planning trips with the data of one snapshot. Read only. Amounts"
                " of money are in hundredths of the record's currency, distances are in metres, and"
                " times have the form HH:MM."
            ),
        },
        "paths": {f"/tools/{tool.name}": {"post": _operation(tool)} for tool in TOOLS.values()},
    }


FORMS: dict[str, Callable[[], Any]] = {
    "openai": openai_functions,
    "mcp": mcp_tools,
    "openapi": openapi,
}


def _operation(tool: Tool) -> dict[str, Any]:
    body = {"schema": tool.schema, "example": tool.example}
    return {
        "operationId": tool.name,
        "summary": tool.description.split(". ")[0].rstrip("."),
        "description": tool.description,
        "requestBody": {"required": True, "content": {"application/json": body}},
        "responses": {
            "200": _response(
                "the answer",
                {"text": {"type": "string"}, "data": {"type": "object"}},
            ),
            **{
                status: _response(
                    why,
                    {
                        "error": {"type": "string"},
                        "nearest": {"type": "array", "items": {"type": "string"}},
                    },
                )
                for status, why in _WHY.items()
            },
        },
    }


def _response(description: str, properties: dict[str, Any]) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": [next(iter(properties))]}
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def reference_page(style: str) -> str:
    """Return the OpenAPI document as an HTML page without scripts."""
    parts = [
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>",
        "<meta name='viewport' content='width=device-width, initial-scale=1'>",
        f"<title>Tools · tripbed</title><style>{style}</style></head><body><main>",
        (
            "<h1>Tools</h1><p class='lead'>POST a JSON object of arguments to"
            " <code>/tools/NAME</code>. Programs can read the OpenAPI document <a"
            " href='/openapi.json'>openapi.json</a>; <a href='/'>try the tools by hand</a>. Agents"
            " that speak the Model Context Protocol connect to <code>/mcp</code>.</p>"
        ),
    ]
    parts += [_section(tool) for tool in TOOLS.values()]
    return "".join([*parts, "</main></body></html>"])


def _section(tool: Tool) -> str:
    rows = "".join(
        f"<tr><td><code>{html.escape(name)}</code></td>"
        f"<td>{'required' if name in tool.schema.get('required', ()) else ''}</td>"
        f"<td>{html.escape(_type(part))}</td>"
        f"<td>{html.escape(part.get('description', ''))}</td></tr>"
        for name, part in tool.schema.get("properties", {}).items()
    )
    table = f"<div class='scroll'><table>{rows}</table></div>" if rows else "<p>No arguments.</p>"
    example = html.escape(json.dumps(tool.example, ensure_ascii=False))
    return (
        f"<section id='{tool.name}'><h2>{tool.name}</h2><p>{html.escape(tool.description)}</p>"
        f"{table}<pre>{example}</pre></section>"
    )


def _type(part: dict[str, Any]) -> str:
    """Describe the type of an argument in words, with its allowed codes and its default."""
    words = [
        " | ".join(map(str, one["enum"])) if "enum" in one else one.get("type", "")
        for one in [one for one in part.get("anyOf", [part]) if one.get("type") != "null"]
    ]
    default = part.get("default")
    return ", ".join(dict.fromkeys(words)) + (f" (else {default})" if default is not None else "")
