"""Fetch documents politely and safely: every address ends as fetched, rejected or pending.

An address is rejected where asking again would not help (it is forbidden, also by robots.txt, has
a wrong type or a body over the limit), and pending where it might (429, 5xx, a timeout, or a
robots.txt that cannot be fetched). A conditional request may end as unchanged.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Sequence

import httpx

from sources.web.fetch_types import (
    Ask,
    FetchedDocument,
    FetchSettings,
    FetchVisit,
    Pending,
    Rejected,
    Result,
    Unchanged,
)
from sources.web.guard import ForbiddenUrl, check_url
from sources.web.transport import GuardedBackend, GuardedTransport, Resolve, resolve_name
from sources.web.visiting import Visitor

__all__ = [
    "Ask",
    "FetchSettings",
    "FetchVisit",
    "FetchedDocument",
    "Pending",
    "Rejected",
    "Result",
    "Unchanged",
    "crawl",
    "fetch",
]  # fmt: skip


async def fetch(
    urls: Sequence[str], settings: FetchSettings | None = None, resolve: Resolve = resolve_name
) -> list[Result]:
    """Fetch every address once; results stand in the order of ``urls``, one for each."""
    found: dict[str, Result] = {}

    def keep(visit: FetchVisit) -> None:
        found[visit.ask.url] = visit.result

    await crawl(map(Ask, dict.fromkeys(urls)), settings or FetchSettings(), keep, resolve)
    return [found[url] for url in urls]


async def crawl(
    asks: Iterable[Ask],
    settings: FetchSettings,
    on_visit: Callable[[FetchVisit], object],
    resolve: Resolve = resolve_name,
) -> int:
    """Visit every address and hand each visit over as it ends; gives how many there were.

    Hosts take turns side by side, the addresses of one host in the order given. Nothing is kept
    here but the addresses that still wait.
    """
    lines: dict[str, deque[Ask]] = {}
    n_asked = 0
    for ask in asks:
        lines.setdefault(_host(ask.url, settings), deque()).append(ask)
        n_asked += 1
    n_visited = 0
    async with open_client(settings, resolve) as client:
        visitor = Visitor(client, settings)
        waiting = deque(line for line in lines.values() for _ in range(_abreast(settings, line)))

        async def work() -> None:
            nonlocal n_visited
            while waiting:
                line = waiting.popleft()
                while line:
                    on_visit(await visitor.visit(line.popleft()))
                    n_visited += 1

        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(len(waiting), settings.open_hosts)):
                    group.create_task(work())
        except BaseExceptionGroup as failures:
            raise failures.exceptions[0] from None  # such as a full disk: one is enough to say
    if n_visited != n_asked:
        raise RuntimeError(f"{n_asked} addresses were given, but {n_visited} visits were made")
    return n_visited


def open_client(settings: FetchSettings, resolve: Resolve = resolve_name) -> httpx.AsyncClient:
    """A client that connects to checked addresses only and forwards no credentials."""
    backend = GuardedBackend(settings.allow_hosts, resolve)
    return httpx.AsyncClient(
        transport=GuardedTransport(backend, settings.concurrency, settings.ca_file),
        headers={
            "User-Agent": settings.user_agent_header,
            "Accept": "text/html,application/xhtml+xml,text/plain;q=0.9,text/markdown;q=0.9",
            "Accept-Encoding": "gzip, deflate",
        },
        timeout=settings.timeout_s,
        follow_redirects=False,
        trust_env=False,
    )


def _host(url: str, settings: FetchSettings) -> str:
    try:
        return check_url(url, settings.allow_hosts).host
    except ForbiddenUrl:
        return ""  # decided without a socket, in a line of its own


def _abreast(settings: FetchSettings, line: deque[Ask]) -> int:
    return min(settings.per_host_concurrency, len(line))
