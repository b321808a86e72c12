"""Fetch documents politely and safely: every URL ends as fetched, rejected or pending.

Rejected is what asking again would not change (a forbidden address, robots.txt, a wrong type,
a body over the limit); pending is what it might (429, 5xx, a timeout, a robots.txt that can't
be had, which forbids as long as it can't).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from urllib.parse import urljoin

import httpx

from sources.web.decoding import binary_reason
from sources.web.fetch_body import BodyError, read_body
from sources.web.fetch_types import Fetched, FetchSettings, Pending, Rejected, Result
from sources.web.guard import ForbiddenUrl, Target, check_url
from sources.web.politeness import Hosts, retry_wait_s
from sources.web.robots import FORBID_ALL, Robots, parse_robots
from sources.web.transport import GuardedBackend, GuardedTransport, Resolve, resolve_name

__all__ = ["FetchSettings", "Fetched", "Pending", "Rejected", "Result", "fetch"]

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_TRANSIENT = frozenset({408, 425, 429, 500, 502, 503, 504})
_ROBOTS_MAX_BYTES = 500_000


class _Outcome(Exception):
    """Ends the work on one URL."""

    def __init__(self, result: Result) -> None:
        super().__init__()
        self.result = result


async def fetch(
    urls: Sequence[str], settings: FetchSettings | None = None, resolve: Resolve = resolve_name
) -> list[Result]:
    """Fetch every URL once; results stand in the order of ``urls``, one for each."""
    settings = settings or FetchSettings()
    backend = GuardedBackend(settings.allow_hosts, resolve)
    headers = {
        "User-Agent": settings.user_agent_header,
        "Accept": "text/html,application/xhtml+xml,text/plain;q=0.9,text/markdown;q=0.9",
        "Accept-Encoding": "gzip, deflate",
    }
    async with httpx.AsyncClient(
        transport=GuardedTransport(backend, settings.concurrency),
        headers=headers,
        timeout=settings.timeout_s,
        follow_redirects=False,
        trust_env=False,
    ) as client:
        fetcher = _Fetcher(client, settings)
        unique = list(dict.fromkeys(urls))
        found = dict(zip(unique, await asyncio.gather(*map(fetcher.one, unique)), strict=True))
    results = [found[url] for url in urls]
    assert len(results) == len(urls)
    return results


class _Fetcher:
    def __init__(self, client: httpx.AsyncClient, settings: FetchSettings) -> None:
        self._client = client
        self._settings = settings
        self._hosts = Hosts(settings.per_host_concurrency)
        self._free = asyncio.Semaphore(settings.concurrency)
        self._robots: dict[tuple[str, str, int], asyncio.Task[Robots | Pending]] = {}

    async def one(self, url: str) -> Result:
        """The result for one URL, whatever its server does, within the time limit."""
        async with self._free:
            try:
                return await self._with_redirects(url)
            except _Outcome as outcome:
                return outcome.result
            except ForbiddenUrl as error:
                return Rejected(url, error.code, error.message)

    async def _with_redirects(self, url: str) -> Result:
        target = check_url(url, self._settings.allow_hosts)
        for _ in range(self._settings.max_redirects + 1):
            robots = await self._robots_of(target, url)
            answer = await self._with_retries(url, target, robots)
            if isinstance(answer, Fetched):
                return answer
            target = check_url(answer, self._settings.allow_hosts)
        message = f"more than {self._settings.max_redirects} redirects"
        return Rejected(url, "too_many_redirects", message)

    async def _with_retries(self, url: str, target: Target, robots: Robots) -> Fetched | str:
        """The document, or where it moved to. Raises _Outcome for all else."""
        settings = self._settings
        delay_s = max(settings.delay_s, robots.delay_s or 0.0)
        pending = Pending(url, "unreachable", "never tried", 0)
        for attempt in range(1, settings.max_tries + 1):
            retry_after: str | None = None
            try:
                async with (
                    self._hosts.turn(target.host, delay_s),
                    asyncio.timeout(settings.total_timeout_s),
                    self._client.stream("GET", target.url) as response,
                ):
                    if response.status_code not in _TRANSIENT:
                        return await self._accepted(url, target, response, attempt)
                    pending = _asked_to_wait(url, response.status_code, attempt)
                    retry_after = response.headers.get("retry-after")
            except (TimeoutError, httpx.TimeoutException):
                pending = Pending(url, "timeout", "no full answer in time", attempt)
            except httpx.TransportError as error:
                name = type(error).__name__
                pending = Pending(url, "unreachable", f"the connection failed ({name})", attempt)
            wait_s = retry_wait_s(retry_after, attempt, settings)
            if wait_s is None or attempt == settings.max_tries:
                break
            await asyncio.sleep(wait_s)
        raise _Outcome(pending)

    async def _accepted(
        self, url: str, target: Target, response: httpx.Response, attempt: int
    ) -> Fetched | str:
        settings = self._settings
        status = response.status_code
        if status in _REDIRECTS and "location" in response.headers:
            return _joined(target.url, response.headers["location"])
        if not 200 <= status < 300:
            raise _Outcome(Rejected(url, "http_status", f"the server answers {status}", status))
        content_type = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if content_type and content_type not in settings.content_types:
            message = f"{content_type} is not a type that is read"
            raise _Outcome(Rejected(url, "content_type", message, status))
        try:
            body = await read_body(response, settings.max_bytes)
        except BodyError as error:
            raise _Outcome(Rejected(url, error.code, error.message, status)) from error
        if (reason := binary_reason(body)) is not None:
            raise _Outcome(Rejected(url, "binary", reason, status))
        if not body.strip():
            raise _Outcome(Rejected(url, "empty", "the answer holds nothing", status))
        charset = response.charset_encoding
        return Fetched(url, target.url, status, content_type, charset, body, attempt)

    async def _robots_of(self, target: Target, url: str) -> Robots:
        """Rules of the target's host. Raises _Outcome where they forbid or can't be had."""
        key = (target.scheme, target.host, target.port)
        if key not in self._robots:
            self._robots[key] = asyncio.create_task(self._read_robots(target))
        robots = await self._robots[key]
        if isinstance(robots, Pending):
            raise _Outcome(Pending(url, robots.reason_code, robots.message, robots.n_tries))
        path = httpx.URL(target.url).raw_path.decode("ascii")
        if not robots.allows(path):
            raise _Outcome(Rejected(url, "robots", f"robots.txt of {target.host} forbids {path}"))
        if (robots.delay_s or 0.0) > self._settings.max_crawl_delay_s:
            message = f"{target.host} asks for {robots.delay_s:.0f} s between requests"
            raise _Outcome(Rejected(url, "robots", message))
        return robots

    async def _read_robots(self, target: Target) -> Robots | Pending:
        settings = self._settings
        failure = "robots.txt could not be read"
        for attempt in range(1, settings.max_tries + 1):
            try:
                async with asyncio.timeout(settings.total_timeout_s):
                    return await self._ask_robots(urljoin(target.url, "/robots.txt"))
            except (TimeoutError, httpx.TransportError, BodyError) as error:
                failure = f"robots.txt of {target.host} can't be had ({type(error).__name__})"
            if attempt < settings.max_tries:
                await asyncio.sleep(retry_wait_s(None, attempt, settings) or 0.0)
        return Pending(target.url, "robots_unreachable", failure, settings.max_tries)

    async def _ask_robots(self, address: str) -> Robots:
        for _ in range(self._settings.max_redirects + 1):
            target = check_url(address, self._settings.allow_hosts)
            async with self._client.stream("GET", target.url) as response:
                status = response.status_code
                if status in _REDIRECTS and "location" in response.headers:
                    address = _joined(target.url, response.headers["location"])
                    continue
                if status in (401, 403):
                    return FORBID_ALL
                if status == 429 or status >= 500:
                    raise BodyError("http_status", f"the server answers {status}")
                if status >= 300:
                    return Robots()
                body = await read_body(response, _ROBOTS_MAX_BYTES)
                text = body.decode("utf-8", errors="replace")
                return parse_robots(text, self._settings.user_agent)
        raise BodyError("http_status", "robots.txt is redirected without end")


def _asked_to_wait(url: str, status: int, attempt: int) -> Pending:
    message = f"the server answers {status}"
    if status == 429:
        return Pending(url, "rate_limited", message, attempt)
    return Pending(url, "server_error", message, attempt)


def _joined(base: str, location: str) -> str:
    try:
        return urljoin(base, location)
    except ValueError as error:
        raise ForbiddenUrl("malformed", f"a redirect can't be read: {error}") from error
