"""Serves the tools over HTTP and the Model Context Protocol, with a page to try them by hand.

Only this machine can connect: requests for other host names are refused, and so are bodies that are
not JSON, so pages of other sites cannot send requests.
"""

from __future__ import annotations

import json
import re
from typing import Any

import anyio
from starlette.applications import Starlette
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from flows.agents import openapi, page
from flows.agents.calls import CallDesk
from flows.agents.mcp_server import make_server
from flows.agents.registry import TOOLS
from flows.loopback import HOST_NAMES
from warehouse.errors import SandboxError

#: Bytes of a request's body, seconds until it must be there, and sessions of the protocol.
MOST_BYTES, BODY_SECONDS, MOST_SESSIONS = 65_536, 10.0, 256
_SESSION_IDLE_S = 1800.0
_CLIENT = re.compile(r"^[\w.:-]{1,64}$")


class _Refused(Exception):
    """A request that cannot be read; its status, and what to do."""

    def __init__(self, status: int, text: str):
        super().__init__(text)
        self.status, self.text = status, text


def make_app(desk: CallDesk) -> Starlette:
    """Make the web application: ``/``, ``/docs``, ``/openapi.json``, ``/tools`` and ``/mcp``."""

    async def call(request: Request) -> Response:
        name = request.path_params["name"]
        try:
            arguments = await _body(request)
        except _Refused as refused:
            return JSONResponse({"error": refused.text}, refused.status)
        found = await desk.call(name, arguments, _client(request), "http")
        if not found.ok:
            return _json(found.data, found.status)
        if request.query_params.get("format") == "text":
            return PlainTextResponse(found.text)
        return _json({"text": found.text, "data": found.data})

    async def listed(_request: Request) -> Response:
        rows = [
            {
                "name": t.name,
                "description": t.description,
                "arguments": t.schema,
                "example": t.example,
            }
            for t in TOOLS.values()
        ]
        return _json({"tools": rows})

    async def spots(request: Request) -> Response:
        try:
            found = await anyio.to_thread.run_sync(
                page.spots, desk.box, request.path_params["city"][:80]
            )
        except SandboxError as error:
            return _json({"error": str(error)}, 404)
        return _json(found)

    made = page.make(desk.box)
    reference = openapi.reference_page(page.style())

    async def front(_request: Request) -> Response:
        return HTMLResponse(made.html, headers={"content-security-policy": made.policy})

    async def docs(_request: Request) -> Response:
        return HTMLResponse(reference, headers={"content-security-policy": made.policy})

    async def document(_request: Request) -> Response:
        return _json(openapi.openapi())

    app = make_server(desk, "mcp").streamable_http_app(
        json_response=True,
        max_request_body_size=MOST_BYTES * 4,
        max_sessions=MOST_SESSIONS,
        session_idle_timeout=_SESSION_IDLE_S,
        custom_starlette_routes=[
            Route("/", front), Route("/docs", docs), Route("/openapi.json", document),
            Route("/tools", listed), Route("/tools/{name}", call, methods=["POST"]),
            Route("/map/{city}", spots),
        ],
    )  # fmt: skip
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=HOST_NAMES)
    return app


def _json(value: Any, status: int = 200) -> Response:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return Response(text, status, media_type="application/json")


async def _body(request: Request) -> Any:
    """The JSON object of a request. Raises _Refused."""
    if not request.headers.get("content-type", "").startswith("application/json"):
        raise _Refused(415, "send the arguments as a JSON object, content-type: application/json")
    parts, size = [], 0
    try:
        with anyio.fail_after(BODY_SECONDS):
            async for part in request.stream():
                size += len(part)
                if size > MOST_BYTES:
                    raise _Refused(413, f"the arguments can have at most {MOST_BYTES:,} bytes")
                parts.append(part)
    except TimeoutError:
        raise _Refused(408, f"the arguments were not sent within {BODY_SECONDS:g} s") from None
    except ClientDisconnect:
        raise _Refused(400, "the client disconnected") from None
    try:
        value = json.loads(b"".join(parts) or b"{}")
    except (ValueError, RecursionError):
        raise _Refused(
            400, 'the body is not JSON: send an object such as {"city": "杭州"}'
        ) from None
    if not isinstance(value, dict):
        raise _Refused(422, 'the arguments must be an object, such as {"city": "杭州"}')
    return value


def _client(request: Request) -> str:
    """The name that the client gives itself, else its address."""
    named = request.headers.get("x-client", "")
    if _CLIENT.match(named):
        return named
    return f"{request.client.host}:{request.client.port}" if request.client else "unknown"
