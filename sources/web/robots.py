"""Obey robots.txt (RFC 9309, read with protego), and space out the requests to each host.

Limits protect against a malicious robots.txt.
"""

from __future__ import annotations

import asyncio
import email.utils
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from urllib.parse import urljoin

import httpx
from protego import Protego

from sources.web.fetch_body import BodyError, exchange_of, read_body
from sources.web.fetch_types import Exchange, FetchSettings, Pending
from sources.web.guard import ForbiddenUrl, Target, check_url

_MAX_BACKOFF_S = 60.0
_MADE_UP_SHARE = 0.1
REDIRECTS = frozenset({301, 302, 303, 307, 308})
_MAX_BYTES = 500_000
_MAX_RULE_CHARS = 2000
_MAX_RULES = 10_000
#: A pattern with more stars takes too long to match. A ban is shortened, which makes it wider, and
#: a permission is ignored.
_MAX_STARS = 5
_AGENT = re.compile(r"user-agent\s*:\s*([^/\s]+)", re.IGNORECASE)


class Hosts:
    """A queue that limits concurrent requests, in total and per host, and spaces them out.

    The delay between two requests is measured from the start of one to the start of the next.
    """

    def __init__(self, per_host_concurrency: int, concurrency: int) -> None:
        self._per_host = per_host_concurrency
        self._free = asyncio.Semaphore(concurrency)
        self._free_of_host: dict[str, asyncio.Semaphore] = {}
        self._gates: dict[str, asyncio.Lock] = {}
        self._next_start: dict[str, float] = {}

    @asynccontextmanager
    async def turn(
        self, host: str, delay_s: float, *, is_strict: bool = False
    ) -> AsyncIterator[None]:
        """Wait until a request to a host may start, and count the request as running.

        If a request starts late, the next delay is shortened by at most a tenth, so that the
        average rate is maintained. If ``is_strict`` is true, as for a delay that the host itself
        demands, no delay is ever shortened.
        """
        free_of_host = self._free_of_host.setdefault(host, asyncio.Semaphore(self._per_host))
        now = asyncio.get_running_loop().time
        async with free_of_host:
            async with self._gates.setdefault(host, asyncio.Lock()):
                while (wait_s := self._next_start.get(host, 0.0) - now()) > 0:
                    await asyncio.sleep(wait_s)
                await self._free.acquire()
                late_s = now() - self._next_start.get(host, now())
                made_up_s = 0.0 if is_strict else min(late_s, _MADE_UP_SHARE * delay_s)
                self._next_start[host] = now() + delay_s - made_up_s
            try:
                yield
            finally:
                self._free.release()

    def pause(self, host: str, wait_s: float) -> None:
        """Start no requests to a host for the next ``wait_s`` seconds."""
        earliest = asyncio.get_running_loop().time() + wait_s
        self._next_start[host] = max(self._next_start.get(host, 0.0), earliest)


def retry_wait_s(retry_after: str | None, attempt: int, settings: FetchSettings) -> float | None:
    """Return the number of seconds until the next attempt, or None if the server asks for a wait
    above the limit.

    Retry-After (seconds or a date) determines the wait; without this header, the wait grows
    exponentially.
    """
    asked = _retry_after_s(retry_after)
    if asked is not None:
        return asked if asked <= settings.max_retry_after_s else None
    return min(settings.backoff_s * 2.0 ** (attempt - 1), _MAX_BACKOFF_S)


def _retry_after_s(value: str | None) -> float | None:
    if value is None:
        return None
    value = value.strip()
    if value.isascii() and value.isdigit():
        return float(value[:9])
    try:
        when = email.utils.parsedate_to_datetime(value)
    except (TypeError, ValueError):
        return None
    if when.tzinfo is None:
        when = when.replace(tzinfo=UTC)
    return max(0.0, (when - datetime.now(UTC)).total_seconds())


class Robots:
    """A host's rules for a user agent or, if there are none, the rules for all user agents.

    ``delay_s`` is the delay between requests that the host asks for.
    """

    def __init__(self, text: str, agent: str) -> None:
        self._rules = Protego.parse(_limit_rules(text))
        self._agent = agent
        delays = [self._rules.crawl_delay(agent) or 0.0]
        if (rate := self._rules.request_rate(agent)) is not None and rate.requests:
            delays.append(rate.seconds / rate.requests)
        self.delay_s: float | None = max(delays) or None

    def allows(self, path: str) -> bool:
        """Check whether a path, including the query, may be requested."""
        return bool(self._rules.can_fetch(path, self._agent))


def _limit_rules(text: str) -> str:
    kept: list[str] = []
    for line in text.splitlines()[: 2 * _MAX_RULES]:
        plain = line.partition("#")[0].strip().strip("\ufeff")
        if len(plain) > _MAX_RULE_CHARS:
            continue
        if (agent := _AGENT.match(plain)) is not None:
            plain = f"User-agent: {agent[1]}"  # the product's name, without its version
        elif plain.count("*") > _MAX_STARS:
            if not plain.lower().startswith("disallow"):
                continue
            plain = "*".join(plain.split("*")[:_MAX_STARS]) + "*"
        kept.append(plain)
    return "\n".join(kept)


#: Rules that forbid everything, and rules that allow everything.
FORBID_ALL = Robots("User-agent: *\nDisallow: /", "*")
ALLOW_ALL = Robots("", "*")


async def read_robots(
    client: httpx.AsyncClient, target: Target, settings: FetchSettings, hosts: Hosts
) -> tuple[Robots | Pending, tuple[Exchange, ...]]:
    """Fetch the rules for a target's host; return the rules or a pending result, and all exchanges.

    If robots.txt does not exist, everything is allowed. If access to robots.txt is denied (status
    401 or 403), everything is forbidden. If robots.txt cannot be fetched (5xx, 429 or a timeout),
    the result is pending. Raises ForbiddenUrl if robots.txt leads to a forbidden address.
    """
    failure = "robots.txt could not be read"
    seen: list[Exchange] = []
    for attempt in range(1, settings.max_tries + 1):
        try:
            address = urljoin(target.url, "/robots.txt")
            return await _ask(client, address, settings, hosts, seen), tuple(seen)
        except (TimeoutError, httpx.TransportError, BodyError) as error:
            why = error.message if isinstance(error, BodyError) else type(error).__name__
            failure = f"robots.txt of {target.host} cannot be fetched ({why})"
        if attempt < settings.max_tries:
            hosts.pause(target.host, retry_wait_s(None, attempt, settings) or 0.0)
    return Pending(target.url, "robots_unreachable", failure, settings.max_tries), tuple(seen)


async def _ask(
    client: httpx.AsyncClient,
    address: str,
    settings: FetchSettings,
    hosts: Hosts,
    seen: list[Exchange],
) -> Robots:
    for _ in range(settings.max_redirects + 1):
        target = check_url(address, settings.allow_hosts)
        async with (
            hosts.turn(target.host, settings.delay_s),
            asyncio.timeout(settings.total_timeout_s),
            client.stream("GET", target.url) as response,
        ):
            status = response.status_code
            body = await read_body(response, _MAX_BYTES) if 200 <= status < 300 else b""
            seen.append(exchange_of(response, body, is_cut=not body))
        if status in REDIRECTS and "location" in response.headers:
            address = resolve_redirect(target.url, response.headers["location"])
        elif status in (401, 403):
            return FORBID_ALL
        elif status == 429 or status >= 500:
            raise BodyError("http_status", f"the server answers {status}")
        elif status >= 300:
            return ALLOW_ALL
        else:
            return Robots(body.decode("utf-8", errors="replace"), settings.user_agent)
    raise BodyError("http_status", "robots.txt redirects too often")


def resolve_redirect(base: str, location: str) -> str:
    """Return the address to which a redirect leads.

    Raises ForbiddenUrl if the address cannot be read.
    """
    try:
        return urljoin(base, location)
    except ValueError as error:
        raise ForbiddenUrl("malformed", f"a redirect can't be read: {error}") from error
