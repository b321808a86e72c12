"""Serve the review page and answer its requests, only on this machine and only with the token.

Every request except the request for the empty page needs the token in the printed address. The
server refuses requests from other sites' pages and requests for other host names.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

import anyio
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from flows.errors import SettingsError
from flows.loopback import HOST_NAMES, RefusedRequest, read_object
from flows.report.one_file import ServedPage, embed_json, served_page
from flows.review.desk.desk import (
    Changed,
    RefusedAnswer,
    ReviewAnswer,
    ReviewDesk,
    answer_of,
    parse_answer,
    reader_name,
)
from flows.review.desk.shown import ShownQueue, visible
from flows.review.forms import Row, label_of

#: The scripts of the report that the page uses, and its own scripts.
_REPORT, _OWN = ("dom.js", "projection.js"), ("map.js", "show.js", "choose.js", "page.js")


Work = Callable[[Request, str], Awaitable[Any]]
#: The maximum size of a request's body in bytes, and the seconds until it must have arrived.
_MOST_BYTES, _BODY_SECONDS = 16_384, 10.0
_HEADERS = {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
}
#: The messages for refused requests, by HTTP status.
_REFUSED = {
    400: "the body of the request is not JSON",
    408: f"the request took longer than {_BODY_SECONDS:g} s to arrive",
    413: f"an answer must not be larger than {_MOST_BYTES:,} bytes",
    415: "send a JSON object, with the header content-type: application/json",
    422: "an answer must be a JSON object",
}


@dataclass(frozen=True)
class Site:
    """The rows and settings of a review page.

    ``reader`` is the name of the only reviewer; if it is None, the page asks for a name.
    """

    desk: ReviewDesk
    shown: ShownQueue
    title: str
    kind: str
    reader: str | None
    token: str = field(default_factory=lambda: secrets.token_urlsafe(16))


def make_page() -> ServedPage:
    """Return the empty review page, which loads its rows from the server."""
    parts = {"DATA": embed_json({"cities": [], "strings": {}, "terms": {}})}
    return served_page("flows.review.desk", _REPORT, _OWN, parts)


def make_app(site: Site) -> Starlette:
    """Make the application, which serves the page at ``/`` and its data below ``/api``."""
    made = make_page()

    async def front(_request: Request) -> Response:
        return HTMLResponse(made.html, headers={**_HEADERS, "content-security-policy": made.policy})

    async def state(_request: Request, reader: str) -> Row:
        about = {"title": site.title, "kind": site.kind, "total": len(site.desk.items)}
        return {**about, **(await _apart(_progress, site, reader) if reader else {"reader": ""})}

    async def row(request: Request, reader: str) -> Any:
        return await _apart(_row, site, reader, _number(site, request))

    async def answer(request: Request, reader: str) -> Any:
        number = _number(site, request)
        body = await read_object(request, _MOST_BYTES, _BODY_SECONDS, _REFUSED)
        return await _apart(_decide, site, reader, number, body)

    async def undo(_request: Request, reader: str) -> Row:
        number = await _apart(site.desk.undo, reader)
        return {"undone": number, **await _apart(_progress, site, reader)}

    async def places(request: Request, _reader: str) -> Row:
        item = site.desk.items[_number(site, request)]
        name = request.query_params.get("name", "")[:80]
        return {"places": await _apart(site.shown.find, item, name)}

    routes = [
        Route("/", front),
        Route("/api/state", _answering(site, state, nameless=True)),
        Route("/api/rows/{number:int}", _answering(site, row)),
        Route("/api/rows/{number:int}/places", _answering(site, places)),
        Route("/api/rows/{number:int}/answer", _answering(site, answer), methods=["POST"]),
        Route("/api/undo", _answering(site, undo), methods=["POST"]),
    ]
    hosts = Middleware(TrustedHostMiddleware, allowed_hosts=HOST_NAMES)
    return Starlette(routes=routes, middleware=[hosts])


def _answering(
    site: Site, work: Work, *, nameless: bool = False
) -> Callable[[Request], Awaitable[Response]]:
    """Make a handler that checks a request, does the work and answers with JSON.

    If ``nameless`` is set, the request is allowed before the reviewer has given a name.
    """

    async def handle(request: Request) -> Response:
        try:
            _check(site, request)
            name = unquote(request.headers.get("x-reader", ""))
            reader = (
                "" if nameless and not (site.reader or name) else site.reader or reader_name(name)
            )
            return _json(await work(request, reader))
        except RefusedRequest as stop:
            return _json({"error": stop.text}, stop.status)
        except RefusedAnswer as refused:
            return _json({"error": str(refused)}, 422)
        except Changed as changed:
            return _json({"error": str(changed)}, 409)
        except (SettingsError, OSError) as error:
            return _json({"error": f"nothing was saved: {error}"}, 500)

    return handle


def _check(site: Site, request: Request) -> None:
    """Check a request. Raises RefusedRequest if the request is from another site or has no
    token.
    """
    own = f"{request.url.scheme}://{request.headers.get('host', '')}"
    if request.headers.get("origin", own) != own or request.headers.get(
        "sec-fetch-site", "same-origin"
    ) not in ("same-origin", "none"):
        raise RefusedRequest(403, "requests from other websites are refused")
    if not secrets.compare_digest(request.headers.get("x-token", "").encode(), site.token.encode()):
        raise RefusedRequest(
            403, "open the address shown in the terminal: it ends with this server's token"
        )


def _number(site: Site, request: Request) -> int:
    number = int(request.path_params["number"])
    if number >= len(site.desk.items):
        raise RefusedRequest(404, f"there are {len(site.desk.items)} rows")
    return number


def _progress(site: Site, reader: str) -> Row:
    return {
        "reader": reader, "marks": site.desk.marks(reader),
        "agreement": visible(site.desk.agreement(reader)),
    }  # fmt: skip


def _row(site: Site, reader: str, number: int) -> Row:
    """Return a row with the reviewer's own answer, but without the answers of others."""
    item = site.desk.items[number]
    decision = site.desk.answers(reader).get(number)
    return {"number": number, **site.shown.row(item), "answer": _tell_decision(site, decision)}


def _tell_decision(site: Site, decision: Row | None) -> Row | None:
    if decision is None:
        return None
    answer = answer_of(decision)
    return {
        "kind": answer.kind,
        "poi_id": answer.poi_id,
        "name": site.shown.name(answer.poi_id) if answer.poi_id else "",
        "reason": visible(answer.reason),
        "label": label_of(decision),
    }


def _decide(site: Site, reader: str, number: int, body: Row) -> Row:
    answer: ReviewAnswer = parse_answer(body)
    if answer.poi_id and not site.shown.knows(site.desk.items[number], answer.poi_id):
        raise RefusedAnswer(
            "the poi_id for same_as must be that of a different place in the same city"
        )
    site.desk.decide(reader, number, answer, body.get("was"))
    decision = site.desk.answers(reader).get(number)
    return {"answer": _tell_decision(site, decision), **_progress(site, reader)}


async def _apart(work: Callable[..., Any], *given: Any) -> Any:
    """Run a function in another thread, so that its file access does not block other pages."""
    return await anyio.to_thread.run_sync(work, *given)


def _json(value: Any, status: int = 200) -> Response:
    return JSONResponse(value, status, headers=_HEADERS)
