"""Fetch documents politely and safely; each address ends up as fetched, rejected or pending.

An address is rejected if another attempt would fail too: the address is forbidden, robots.txt
forbids it, the type is wrong, or the body is too large. An address is pending if another attempt
may succeed: after status 429 or 5xx, after a timeout, or if robots.txt cannot be fetched. A
conditional request can also show that the document is unchanged. A visit checks the address, reads
robots.txt, follows redirects, retries if necessary, and reads the body.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Iterable
from datetime import UTC, datetime

import httpx

from sources.web.decoding import binary_reason
from sources.web.fetch_body import BodyError, exchange_of, read_body
from sources.web.fetch_types import (
    Ask,
    Exchange,
    FetchedDocument,
    FetchSettings,
    FetchVisit,
    Pending,
    PendingCode,
    Rejected,
    Result,
    RobotsDecision,
    Unchanged,
)
from sources.web.guard import ForbiddenUrl, Target, check_url
from sources.web.robots import REDIRECTS, Hosts, Robots, read_robots, resolve_redirect, retry_wait_s
from sources.web.transport import GuardedBackend, GuardedTransport, Resolve, resolve_name

_TRANSIENT = frozenset({408, 425, 429, 500, 502, 503, 504})
_RobotsAnswer = tuple[Robots | Pending, tuple[Exchange, ...]]


class _Outcome(Exception):
    """Raised if a visit ends early with the given ``result``."""

    def __init__(self, result: Result) -> None:
        super().__init__()
        self.result = result


class Visitor:
    """A client that visits addresses and reads the robots.txt of each host only once."""

    def __init__(self, client: httpx.AsyncClient, settings: FetchSettings) -> None:
        self._client = client
        self._settings = settings
        self._hosts = Hosts(settings.per_host_concurrency, settings.concurrency)
        self._robots: dict[tuple[str, str, int], asyncio.Task[_RobotsAnswer]] = {}
        self._failures: Counter[str] = Counter()

    async def visit(self, ask: Ask) -> FetchVisit:
        """Visit an address and return the outcome; a server error is also an outcome."""
        at = datetime.now(UTC)
        one = _One(ask)
        try:
            result = await self._with_redirects(one)
        except _Outcome as outcome:
            result = outcome.result
        except ForbiddenUrl as error:
            result = Rejected(ask.url, error.code, error.message)
        return FetchVisit(ask, result, one.robots, tuple(one.exchanges), at)

    async def _with_redirects(self, one: _One) -> Result:
        url, settings = one.ask.url, self._settings
        target = check_url(url, settings.allow_hosts)
        for _ in range(settings.max_redirects + 1):
            self._rest(one, target)
            robots = await self._robots_of(target, one)
            answer = await self._with_retries(one, target, robots)
            if not isinstance(answer, str):
                return answer
            target = check_url(answer, settings.allow_hosts)
        return Rejected(url, "too_many_redirects", f"more than {settings.max_redirects} redirects")

    def _rest(self, one: _One, target: Target) -> None:
        """Check the host. Raises _Outcome if the host has failed too often in a row."""
        if self._failures[target.host] >= self._settings.failures_until_host_rests:
            message = f"{self._failures[target.host]} requests to {target.host} failed in a row"
            raise _Outcome(Pending(one.ask.url, "host_resting", message, 0))

    async def _with_retries(
        self, one: _One, target: Target, robots: Robots
    ) -> FetchedDocument | Unchanged | str:
        """Return the document or the address to which it has moved; in any other case, raise
        _Outcome.
        """
        url, settings = one.ask.url, self._settings
        stated_s = robots.delay_s or 0.0
        delay_s, is_strict = max(settings.delay_s, stated_s), stated_s >= settings.delay_s
        pending = Pending(url, "unreachable", "never tried", 0)
        for attempt in range(1, settings.max_tries + 1):
            retry_after: str | None = None
            try:
                async with (
                    self._hosts.turn(target.host, delay_s, is_strict=is_strict),
                    asyncio.timeout(settings.total_timeout_s),
                    self._client.stream(
                        "GET", target.url, headers=_validators(one.ask, target)
                    ) as response,
                ):
                    if response.status_code not in _TRANSIENT:
                        self._failures[target.host] = 0
                        return await self._accept(one, target, response, attempt)
                    one.exchanges.append(exchange_of(response, is_cut=True))
                    pending = _read_wait(url, response.status_code, attempt)
                    retry_after = response.headers.get("retry-after")
            except (TimeoutError, httpx.TimeoutException):
                pending = Pending(
                    url, "timeout", "the server did not send a complete answer in time", attempt
                )
            except httpx.TransportError as error:
                name = type(error).__name__
                pending = Pending(url, "unreachable", f"the connection failed ({name})", attempt)
            wait_s = retry_wait_s(retry_after, attempt, settings)
            if wait_s is None or attempt == settings.max_tries:
                break
            self._hosts.pause(target.host, wait_s)
        self._failures[target.host] += 1
        raise _Outcome(pending)

    async def _accept(
        self, one: _One, target: Target, response: httpx.Response, attempt: int
    ) -> FetchedDocument | Unchanged | str:
        url, status, headers = one.ask.url, response.status_code, response.headers
        if status == 304 and _validators(one.ask, target):
            one.exchanges.append(exchange_of(response))
            return Unchanged(url, target.url, attempt)
        body = await self._body(one, response)
        if status in REDIRECTS and "location" in headers:
            return resolve_redirect(target.url, headers["location"])
        assert body is not None
        if (reason := binary_reason(body)) is not None:
            raise _Outcome(Rejected(url, "binary", reason, status))
        if not body.strip():
            raise _Outcome(Rejected(url, "empty", "the answer is empty", status))
        return FetchedDocument(
            url, target.url, status, _content_type(response), response.charset_encoding, body,
            attempt, headers.get("etag"), headers.get("last-modified"),
        )  # fmt: skip

    async def _body(self, one: _One, response: httpx.Response) -> bytes | None:
        """Read the body of an answer; return None for a redirect.

        Raises _Outcome if the body is refused.
        """
        url, status, settings = one.ask.url, response.status_code, self._settings
        content_type = _content_type(response)
        refusal: Rejected | None = None
        body: bytes | None = None
        if status in REDIRECTS and "location" in response.headers:
            pass
        elif not 200 <= status < 300:
            refusal = Rejected(url, "http_status", f"the server answers {status}", status)
        elif content_type and content_type not in settings.content_types:
            message = f"{content_type[:80]} is not a supported content type"
            refusal = Rejected(url, "content_type", message, status)
        else:
            try:
                body = await read_body(response, settings.max_bytes)
            except BodyError as error:
                refusal = Rejected(url, error.code, error.message, status)
        one.exchanges.append(exchange_of(response, body or b"", is_cut=body is None))
        if refusal:
            raise _Outcome(refusal)
        return body

    async def _robots_of(self, target: Target, one: _One) -> Robots:
        """Return the host's rules.

        Raises _Outcome if the rules forbid the visit or cannot be fetched.
        """
        url = one.ask.url
        key = (target.scheme, target.host, target.port)
        is_first = key not in self._robots
        if is_first:
            asking = read_robots(self._client, target, self._settings, self._hosts)
            self._robots[key] = asyncio.create_task(asking)
        robots, exchanges = await self._robots[key]
        one.exchanges += exchanges if is_first else ()
        if isinstance(robots, Pending):
            one.robots = "unreachable"
            raise _Outcome(Pending(url, robots.reason_code, robots.message, robots.n_tries))
        path = httpx.URL(target.url).raw_path.decode("ascii")
        one.robots = "forbidden"
        if not robots.allows(path):
            raise _Outcome(Rejected(url, "robots", f"robots.txt of {target.host} forbids {path}"))
        if (robots.delay_s or 0.0) > self._settings.max_crawl_delay_s:
            message = (
                f"robots.txt of {target.host} requires {robots.delay_s:.0f} s between requests, "
                f"more than the maximum of {self._settings.max_crawl_delay_s:.0f} s"
            )
            raise _Outcome(Rejected(url, "robots", message))
        one.robots = "allowed"
        return robots


class _One:
    """The exchanges during a visit, and whether robots.txt allowed the visit."""

    def __init__(self, ask: Ask) -> None:
        self.ask = ask
        self.robots: RobotsDecision = "not_asked"
        self.exchanges: list[Exchange] = []


def _validators(ask: Ask, target: Target) -> dict[str, str]:
    if target.url != (ask.validated_url or ask.url):
        return {}
    values = {"If-None-Match": ask.etag, "If-Modified-Since": ask.last_modified}
    return {name: value for name, value in values.items() if value}


def _content_type(response: httpx.Response) -> str:
    stated: str = response.headers.get("content-type", "")
    return stated.partition(";")[0].strip().lower()


def _read_wait(url: str, status: int, attempt: int) -> Pending:
    code: PendingCode = "rate_limited" if status == 429 else "server_error"
    return Pending(url, code, f"the server answers {status}", attempt)


async def crawl(
    asks: Iterable[Ask],
    settings: FetchSettings,
    on_visit: Callable[[FetchVisit], object],
    resolve: Resolve = resolve_name,
) -> int:
    """Visit all addresses and call ``on_visit`` after each visit; return the number of visits.

    Several hosts are visited concurrently. The addresses on one host are visited in the given
    order. Visits are not kept in memory.
    """
    lines: dict[str, deque[Ask]] = {}
    n_asked = 0
    for ask in asks:
        lines.setdefault(_host(ask.url, settings), deque()).append(ask)
        n_asked += 1
    n_visited = 0
    async with open_client(settings, resolve) as client:
        visitor = Visitor(client, settings)
        most = settings.per_host_concurrency
        waiting = deque(line for line in lines.values() for _ in range(min(most, len(line))))

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
    """Create a client that connects only to checked addresses and sends no credentials."""
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
        return ""  # the visit rejects it without opening a connection
