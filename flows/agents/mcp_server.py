"""Serves the tools over the Model Context Protocol, with the official SDK."""

from __future__ import annotations

from typing import Any

import mcp_types as types
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server

from flows.agents.calls import CallDesk
from flows.agents.registry import TOOLS

NAME = "tripbed"
_INSTRUCTIONS = """\
A sandbox for planning trips: places, opening times, routes, trains and flights of {cities}. \
Amounts of money are in hundredths of the record's currency, distances in metres, times as HH:MM. \
Unknown values are left out. Names may be Chinese or English; for an unknown name, the answer \
lists similar names. Long answers come in pages."""


def offer_tools() -> list[types.Tool]:
    """Return the tools as the protocol describes them."""
    reads = types.ToolAnnotations(read_only_hint=True, open_world_hint=False, idempotent_hint=True)
    return [
        types.Tool(name=t.name, description=t.description, input_schema=t.schema, annotations=reads)
        for t in TOOLS.values()
    ]


def make_server(desk: CallDesk, via: str) -> Server[Any]:
    """Return a server of the protocol that answers calls; ``via`` is its name in the log."""

    async def list_tools(
        _context: ServerRequestContext[Any], _params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=offer_tools())

    async def call_tool(
        context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        found = await desk.call(params.name, params.arguments, _client(context, via), via)
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=found.text)],
            structured_content=found.data,
            is_error=not found.ok,
        )

    return Server(
        NAME,
        title="tripbed sandbox",
        instructions=_INSTRUCTIONS.format(cities=", ".join(desk.box.cities)),
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _client(context: ServerRequestContext[Any], via: str) -> str:
    """Identify the client by its session, if the transport has sessions, and by its own name."""
    told = context.session.client_params
    name = told.client_info.name[:40] if told else "client"
    request = context.request
    if request is None:
        return f"{via}:{name}"
    session = request.headers.get("mcp-session-id")
    return f"{name}:{session[:12] if session else _peer(request)}"


def _peer(request: Any) -> str:
    return f"{request.client.host}:{request.client.port}" if request.client else "unknown"


async def serve_stdio(desk: CallDesk) -> None:
    """Serve one client on standard input and output until it closes them."""
    server = make_server(desk, "stdio")
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())
