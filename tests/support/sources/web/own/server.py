"""Our own web on loopback: a search in SearXNG's shape, and the hosts whose pages it finds.

with own_web() as web:
    ...  # TRIPBED_SEARXNG_URL=web.search_url, TRIPBED_ALLOW_HOSTS=web.allow_hosts
"""

from __future__ import annotations

import hashlib
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.support.sources.web.own.engine import Page, pages, results, said

_ON_A_PAGE = 10


@dataclass
class OwnWeb:
    """The web while it stands; a test changes what is not frozen."""

    port: int = 0
    edition: int = 1
    #: Hosts that close every connection unanswered.
    down: set[str] = field(default_factory=set)
    #: Searches that are answered before the quota is spent; None without a quota.
    quota: int | None = None
    #: Whether the search finds anything.
    finds: bool = True
    #: Host, path and status of every answer, in order.
    answered: list[tuple[str, str, int]] = field(default_factory=list)

    def url(self, at: str) -> str:
        """Address of a page by host and path."""
        host, _, path = at.partition("/")
        return f"http://{address(host)}:{self.port}/{path}"

    @property
    def search_url(self) -> str:
        """Address of the search engine."""
        return self.url("search").rstrip("/")

    @property
    def allow_hosts(self) -> str:
        """The hosts, as the setting names them."""
        return ",".join(address(host) for host in said()["hosts"])

    def list_requests(self, status: int | None = None) -> list[str]:
        """Pages that were asked for, by host and path, in order; robots.txt and searches not."""
        return [
            f"{host}{path}" for host, path, answer in self.answered
            if host != "search" and path != "/robots.txt" and status in (None, answer)
        ]  # fmt: skip

    def searches(self) -> int:
        """How many searches were asked."""
        return sum(host == "search" for host, _, _ in self.answered)

    def reset(self) -> None:
        """Be as at first."""
        self.edition, self.down, self.quota, self.finds = 1, set(), None, True
        self.forget()

    def forget(self) -> None:
        """Count from here."""
        self.answered.clear()


def address(host: str) -> str:
    """Address of a host by its name."""
    return f"127.0.0.{said()['hosts'][host]['address']}"


@contextmanager
def own_web() -> Iterator[OwnWeb]:
    """Serve every host on one port of its own address, until the block ends."""
    web = OwnWeb()
    servers: list[ThreadingHTTPServer] = []
    for host in said()["hosts"]:
        handler = type("Handler", (_Handler,), {"web": web, "host": host})
        server = ThreadingHTTPServer((address(host), web.port), handler)
        web.port = server.server_address[1]
        servers.append(server)
    for server in servers:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield web
    finally:
        for server in servers:
            server.shutdown()
            server.server_close()


class _Handler(BaseHTTPRequestHandler):
    web: OwnWeb
    host: str

    def do_GET(self) -> None:
        """Answer one request."""
        if self.host in self.web.down:
            self.web.answered.append((self.host, self.path, 0))
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
            return
        url = urlsplit(self.path)
        if self.host == "search":
            self._search(parse_qs(url.query))
        elif url.path == "/robots.txt":
            rules = said()["hosts"][self.host].get("robots")
            self._answer(200 if rules else 404, (rules or "").encode(), "text/plain")
        else:
            self._page(pages(self.web.edition).get(f"{self.host}{url.path}"))

    def _search(self, asked: dict[str, list[str]]) -> None:
        if self.web.quota is not None and self.web.searches() >= self.web.quota:
            self._answer(402, b"{}", "application/json")
            return
        first = (int(asked["pageno"][0]) - 1) * _ON_A_PAGE
        found = results(asked["q"][0], self.web.edition) if self.web.finds else []
        rows = [
            {"url": self.web.url(page.at), "title": page.title, "content": page.text[:100],
             "publishedDate": page.on}
            for page in found[first : first + _ON_A_PAGE]
        ]  # fmt: skip
        answer = {"query": asked["q"][0], "results": rows, "unresponsive_engines": []}
        self._answer(200, json.dumps(answer, ensure_ascii=False).encode(), "application/json")

    def _page(self, page: Page | None) -> None:
        if page is None or page.trait == "missing":
            self._answer(404, b"<p>Nothing here.</p>")
        elif page.to is not None:
            self._answer(301, b"", more={"Location": self.web.url(page.to)})
        elif page.trait == "picture":
            self._answer(200, b"\x89PNG\r\n", "image/png")
        elif page.trait == "empty":
            self._answer(200, b"")
        else:
            self._document(page)

    def _document(self, page: Page) -> None:
        again = said()["hosts"][self.host].get("again")
        etag = f'"{hashlib.sha256(page.html).hexdigest()[:16]}"'
        at = format_datetime(
            datetime.fromisoformat(page.changed or page.on or "2020-01-01").replace(tzinfo=UTC),
            usegmt=True,
        )
        if again == "etag":
            more, is_same = {"ETag": etag}, self.headers.get("If-None-Match") == etag
        elif again == "last-modified":
            more, is_same = {"Last-Modified": at}, self.headers.get("If-Modified-Since") == at
        else:
            more, is_same = {}, False
        self._answer(304 if is_same else 200, b"" if is_same else page.html, more=more)

    def _answer(
        self, status: int, body: bytes, kind: str = "text/html; charset=utf-8",
        more: dict[str, str] | None = None,
    ) -> None:  # fmt: skip
        self.web.answered.append((self.host, self.path, status))
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in (more or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""
