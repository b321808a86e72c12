"""A request and its answer as the archive keeps them."""

from __future__ import annotations

from datetime import UTC, datetime

import httpx

from sources.web.fetch_types import Exchange

#: Headers of a request that no archive may hold.
_SECRET = frozenset({"authorization", "cookie", "proxy-authorization", "x-subscription-token"})


def exchange_of(response: httpx.Response, body: bytes = b"", *, is_cut: bool = False) -> Exchange:
    """The exchange behind an answer; ``is_cut`` where the body was not taken."""
    sent = response.request
    return Exchange(
        url=str(sent.url),
        at=datetime.now(UTC),
        request_headers=tuple(
            (name, value) for name, value in sent.headers.multi_items() if name not in _SECRET
        ),
        status=response.status_code,
        reason=response.reason_phrase,
        http_version=response.http_version,
        response_headers=tuple(
            (name.decode("latin-1"), value.decode("latin-1"))
            for name, value in response.headers.raw
        ),
        body=body,
        is_cut=is_cut,
    )
