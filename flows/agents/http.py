"""Serves the tools for ``tripbed sandbox serve``, over HTTP and the Model Context Protocol.

The server accepts connections only from this machine. The server refuses requests for other host
names and request bodies that are not JSON. Therefore, pages on other websites cannot send requests
to the server.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server
from starlette.applications import Starlette
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from flows import loopback
from flows.agents import openapi, page
from flows.agents.calls import CallDesk, CallLog
from flows.agents.registry import TOOLS
from flows.report.one_file import page_style
from warehouse.errors import SandboxError
from warehouse.sandbox import Sandbox

#: The most bytes of a request's body, the seconds until it must arrive, and the most MCP sessions.
MOST_BYTES, BODY_SECONDS, MOST_SESSIONS = 65_536, 10.0, 256
_SESSION_IDLE_S = 1800.0
_CLIENT = re.compile(r"^[\w.:-]{1,64}$")


#: The reason why a body is refused, by HTTP status.
_REFUSED = {
    400: 'the body is not JSON: send an object such as {"city": "杭州"}',
    408: f"the arguments were not sent within {BODY_SECONDS:g} s",
    413: f"the arguments must not be larger than {MOST_BYTES:,} bytes",
    415: "send the arguments as a JSON object, with the header content-type: application/json",
    422: 'the arguments must be an object, such as {"city": "杭州"}',
}


NAME = "tripbed"
_INSTRUCTIONS = """\
A sandbox for planning trips: places, opening times, routes, trains and flights for {cities}. \
Amounts of money are in hundredths of the record's currency, distances in metres, times as HH:MM. \
Unknown values are left out. Names may be Chinese or English; for an unknown name, the answer \
lists similar names. Long answers are split into pages."""


def make_server(desk: CallDesk, via: str) -> Server[Any]:
    """Return an MCP server that answers calls; ``via`` is the server's name in the log."""
    reads = types.ToolAnnotations(read_only_hint=True, open_world_hint=False, idempotent_hint=True)
    tools = [
        types.Tool(name=t.name, description=t.description, input_schema=t.schema, annotations=reads)
        for t in TOOLS.values()
    ]

    async def list_tools(
        _context: ServerRequestContext[Any], _params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=tools)

    async def call_tool(
        context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        found = await desk.call(params.name, params.arguments, _mcp_client(context, via), via)
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


def _mcp_client(context: ServerRequestContext[Any], via: str) -> str:
    """Identify the client by its name and, if the transport has sessions, by its session."""
    told = context.session.client_params
    name = told.client_info.name[:40] if told else "client"
    request = context.request
    if request is None:
        return f"{via}:{name}"
    session = request.headers.get("mcp-session-id")
    return f"{name}:{session[:12] if session else _peer(request)}"


async def serve_stdio(desk: CallDesk) -> None:
    """Serve one client on standard input and output until the client closes them."""
    server = make_server(desk, "stdio")
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


def make_app(desk: CallDesk) -> Starlette:
    """Return the web application, which serves ``/``, ``/docs``, ``/openapi.json``, ``/tools`` and
    ``/mcp``.
    """

    async def call(request: Request) -> Response:
        name = request.path_params["name"]
        try:
            arguments = await loopback.read_object(
                request, MOST_BYTES, BODY_SECONDS, _REFUSED, empty=b"{}"
            )
        except loopback.RefusedRequest as refused:
            return JSONResponse({"error": refused.text}, refused.status)
        found = await desk.call(name, arguments, _client(request), "http")
        if not found.ok:
            return _json(found.data, found.status)
        if request.query_params.get("format") == "text":
            return PlainTextResponse(found.text)
        return _json({"text": found.text, "data": found.data})

    async def spots(request: Request) -> Response:
        try:
            found = await anyio.to_thread.run_sync(
                page.spots, desk.box, request.path_params["city"][:80]
            )
        except SandboxError as error:
            return _json({"error": str(error)}, 404)
        return _json(found)

    made = page.make(desk.box)
    reference = openapi.reference_page(page_style("flows.agents"))
    policy = {"content-security-policy": made.policy}
    tools = [
        {
            "name": tool.name, "description": tool.description, "arguments": tool.schema,
            "example": tool.example,
        }
        for tool in TOOLS.values()
    ]  # fmt: skip
    fixed = {
        "/": HTMLResponse(made.html, headers=policy),
        "/docs": HTMLResponse(reference, headers=policy),
        "/openapi.json": _json(openapi.openapi()),
        "/tools": _json({"tools": tools}),
    }
    app = make_server(desk, "mcp").streamable_http_app(
        json_response=True,
        max_request_body_size=MOST_BYTES * 4,
        max_sessions=MOST_SESSIONS,
        session_idle_timeout=_SESSION_IDLE_S,
        custom_starlette_routes=[
            *(Route(path, response, methods=["GET"]) for path, response in fixed.items()),
            Route("/tools/{name}", call, methods=["POST"]),
            Route("/map/{city}", spots),
        ],
    )
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=loopback.HOST_NAMES)
    return app


def _json(value: Any, status: int = 200) -> Response:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return Response(text, status, media_type="application/json")


def _client(request: Request) -> str:
    """Return the name that the client reports, or its address if it reports no name."""
    named = request.headers.get("x-client", "")
    if _CLIENT.match(named):
        return named
    return _peer(request)


def _peer(request: Any) -> str:
    return f"{request.client.host}:{request.client.port}" if request.client else "unknown"


def serve(snapshot: Path, port: int, log: Path | None, *, stdio: bool) -> int:
    """Serve a snapshot over stdio or HTTP and return the exit code.

    Raises SnapshotError if the folder is not a snapshot, and SettingsError if the port is in use.
    """
    desk = CallDesk(Sandbox(snapshot), CallLog(log))
    code = 0
    try:
        if stdio:
            # A thread waits for input, and only the end of the process can stop it.
            signal.signal(signal.SIGINT, lambda *_: os._exit(loopback.INTERRUPTED))
            anyio.run(serve_stdio, desk)
        else:
            _over_http(desk, port)
    except KeyboardInterrupt:
        code = loopback.INTERRUPTED
    loopback.leave(code)
    return code


def _over_http(desk: CallDesk, port: int) -> None:
    app = make_app(desk)
    with loopback.listening(port) as door:
        address = loopback.address_of(door)
        sys.stdout.write(
            f"{address}/ is a page for trying the tools by hand, {address}/docs describes calls"
            f" over HTTP, and MCP clients use {address}/mcp\n"
        )
        sys.stdout.flush()
        loopback.run(app, door)
