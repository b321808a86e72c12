"""Check and create search providers by name, and send requests to them.

Requests are spaced out and repeated if necessary, and stored answers are used.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import httpx
from pydantic import SecretStr

from sources.web.fetch import open_client
from sources.web.fetch_body import BodyError, read_body
from sources.web.fetch_types import FetchSettings
from sources.web.guard import ForbiddenUrl, check_url
from sources.web.providers.baidu import BaiduSearch
from sources.web.providers.base import (
    Answers,
    Api,
    ApiAnswer,
    ApiRequest,
    ProviderError,
    SearchQuery,
    SearchResult,
)
from sources.web.providers.brave import Brave
from sources.web.providers.mediawiki import MediaWiki
from sources.web.providers.searxng import SearXNG
from sources.web.settings import WebSettings
from sources.web.transport import Resolve, resolve_name

_MAX_ANSWER_BYTES = 5_000_000
_WAITABLE = frozenset({"rate_limited", "server_error", "unreachable"})


class ApiProvider:
    """A search provider with an HTTP API, whose answers are stored.

    If there is a stored answer from a paid provider, the request is never sent again. A request to
    a free provider is repeated if the stored answer is older than ``since``.
    """

    def __init__(
        self,
        api: Api,
        answers: Answers,
        settings: FetchSettings,
        *,
        since: datetime | None = None,
        offline: bool = False,
        resolve: Resolve = resolve_name,
    ) -> None:
        self.name, self.is_paid = api.name, api.is_paid
        self._api, self._answers, self._settings = api, answers, settings
        # A paid answer never becomes too old.
        self._since = None if api.is_paid else since
        self._offline, self._resolve = offline, resolve
        self._turn = asyncio.Lock()
        self._next_start = 0.0

    async def search(self, query: SearchQuery, limit: int) -> list[SearchResult]:
        """Return up to ``limit`` different results. Raises ProviderError if the search fails."""
        found: dict[str, SearchResult] = {}
        page = 0
        while len(found) < limit:
            request = self._api.request(query, page, limit)
            if request is None:
                break
            read = self._api.read(request, await self._answer(request))
            for entry in read.found:
                found.setdefault(entry.url, replace(entry, rank=len(found) + 1))
            if not read.has_more:
                break
            page += 1
        return list(found.values())[:limit]

    async def _answer(self, request: ApiRequest) -> ApiAnswer:
        async with self._turn:
            since = None if self._offline else self._since
            kept = self._answers.get(self.name, request, since)
            if kept is not None:
                return kept
            if self._offline:
                message = f"no answer from {self.name} is stored, and --offline sends no requests"
                raise ProviderError("offline", message)
            answer = await self._with_retries(request)
            self._answers.put(self.name, request, answer)
            return answer

    async def _with_retries(self, request: ApiRequest) -> ApiAnswer:
        """Send a request, and retry if waiting may help.

        Raises ProviderError if all attempts fail.
        """
        settings = self._settings
        for attempt in range(1, settings.max_tries + 1):
            try:
                answer = await self._send(request)
                self._api.read(request, answer)  # an error is not kept as an answer
                return answer
            except ProviderError as error:
                wait_s = error.wait_s
                if wait_s is None:
                    wait_s = settings.backoff_s * 2.0 ** (attempt - 1)
                is_last = attempt == settings.max_tries or wait_s > settings.max_retry_after_s
                if error.code not in _WAITABLE or is_last:
                    raise
            await asyncio.sleep(wait_s)
        raise ProviderError("unreachable", f"{self.name} was never tried")

    async def _send(self, request: ApiRequest) -> ApiAnswer:
        loop = asyncio.get_running_loop()
        await asyncio.sleep(max(0.0, self._next_start - loop.time()))
        self._next_start = loop.time() + self._api.min_interval_s
        try:
            check_url(request.url, self._settings.allow_hosts)
            async with (
                asyncio.timeout(self._settings.total_timeout_s),
                open_client(self._settings, self._resolve) as client,
                client.stream(
                    request.method,
                    request.url,
                    params=dict(request.params) or None,
                    json=request.json,
                    headers={"Accept": "application/json", **request.secret_headers},
                ) as response,
            ):
                raw = await read_body(response, _MAX_ANSWER_BYTES)
        except ForbiddenUrl as error:
            raise ProviderError("bad_request", error.message) from None
        except BodyError as error:
            raise ProviderError("unreadable_answer", error.message) from None
        except (TimeoutError, httpx.TransportError) as error:
            message = f"{self.name} can't be reached ({type(error).__name__})"
            raise ProviderError("unreachable", message) from None
        headers = {name.lower(): value for name, value in response.headers.items()}
        return ApiAnswer(response.status_code, headers, _json(raw))


def _json(raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None


@dataclass(frozen=True)
class ProviderEntry:
    """A search provider; if the setting named in ``needs`` is missing, ``make`` returns None."""

    name: str
    needs: str
    make: Callable[[WebSettings], Api | None]
    url: Callable[[WebSettings], str | None]


def _brave(settings: WebSettings) -> Api | None:
    key = settings.brave_key
    return Brave(key.get_secret_value(), settings.brave_url) if key else None


def _baidu(settings: WebSettings) -> Api | None:
    key = settings.baidu_key
    return BaiduSearch(key.get_secret_value(), settings.baidu_url) if key else None


def _searxng(settings: WebSettings) -> Api | None:
    return SearXNG(settings.searxng_url) if settings.searxng_url else None


def _mediawiki(settings: WebSettings) -> Api | None:
    return MediaWiki(settings.mediawiki_site, settings.mediawiki_url)


#: All providers with an API, the most preferred one first; the last one needs no settings.
APIS: tuple[ProviderEntry, ...] = (
    ProviderEntry("baidu", "TRIPBED_BAIDU_KEY", _baidu, lambda s: s.baidu_url),
    ProviderEntry("brave", "TRIPBED_BRAVE_KEY", _brave, lambda s: s.brave_url),
    ProviderEntry("searxng", "TRIPBED_SEARXNG_URL", _searxng, lambda s: s.searxng_url),
    ProviderEntry(
        "mediawiki", "", _mediawiki, lambda s: s.mediawiki_url or f"https://zh.{s.mediawiki_site}"
    ),
)  # fmt: skip
#: Names of all providers; ``corpus`` searches local documents and has no API.
PROVIDERS: tuple[str, ...] = ("corpus", *(entry.name for entry in APIS))


def check_provider(name: str, settings: WebSettings, *, offline: bool = False) -> None:
    """Check a provider. Raises ProviderError if the provider is unknown or not configured."""
    if name == "corpus":
        return
    entry = next((entry for entry in APIS if entry.name == name), None)
    if entry is None:
        raise ProviderError(
            "not_configured",
            f"no provider is called {name!r}: choose one of {', '.join(PROVIDERS)}",
        )
    if not offline and entry.make(settings) is None:
        raise ProviderError("not_configured", f"{name} is not configured: set {entry.needs}")


def make_provider(
    name: str,
    settings: WebSettings,
    answers: Answers,
    *,
    since: datetime | None = None,
    offline: bool = False,
) -> ApiProvider:
    """Create a provider by name.

    Raises ProviderError if the provider is unknown or not configured.
    """
    check_provider(name, settings, offline=offline)
    entry = next(entry for entry in APIS if entry.name == name)
    api = entry.make(settings)
    if api is None:  # stored answers can be read without a key
        keys = dict.fromkeys(("brave_key", "baidu_key"), SecretStr("unset"))
        unset = {**keys, "searxng_url": "http://unset.invalid"}
        api = entry.make(settings.model_copy(update=unset))
        assert api is not None
    asking = settings.asking(entry.url(settings) or "")
    return ApiProvider(api, answers, asking, since=since, offline=offline)
