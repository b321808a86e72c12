"""Send requests to an open data provider: check addresses, space out requests, and limit sizes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import TypeVar

import httpx

from sources.open.errors import Code, OpenDataError, RequestUnanswered
from sources.web.fetch import open_client
from sources.web.fetch_body import BodyError, read_body
from sources.web.fetch_types import FetchSettings
from sources.web.guard import ForbiddenUrl, check_url
from sources.web.robots import Hosts, retry_wait_s

T = TypeVar("T")
#: Status codes after which the request should be sent again later.
_BUSY: dict[int, Code] = {429: "rate_limited", 408: "timeout", 504: "timeout"}
_CHUNK_BYTES = 1_000_000


class Asker:
    """A client for one provider; a failed request is repeated as often as the settings allow."""

    def __init__(self, name: str, settings: FetchSettings, *, at_once: int = 1) -> None:
        self._name, self._settings = name, settings
        # A file server can answer several requests at once; all other servers get them in turn.
        self._delay_s = settings.delay_s if at_once == 1 else 0.0
        self._hosts = Hosts(at_once, at_once)
        self._client = open_client(settings)

    async def __aenter__(self) -> Asker:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        await self._client.aclose()

    async def get(
        self, url: str, max_bytes: int, *, params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> bytes:  # fmt: skip
        """Get the body of the answer from an address.

        Raises OpenDataError if the request is refused, and RequestUnanswered if a later request may
        succeed.
        """
        request = self._client.build_request("GET", url, params=params, headers=headers)
        return await self._ask(request, lambda answer: read_body(answer, max_bytes))

    async def span(self, url: str, start: int, length: int) -> bytes:
        """Get ``length`` bytes of a file, beginning at the byte ``start``.

        Raises OpenDataError if the request fails.
        """
        headers = {"Range": f"bytes={start}-{start + length - 1}", "Accept-Encoding": "identity"}
        request = self._client.build_request("GET", url, headers=headers)

        async def read(answer: httpx.Response) -> bytes:
            if answer.status_code != 206:
                raise OpenDataError(
                    f"{self._name}: the server does not send parts of {url} "
                    f"(status {answer.status_code}): use a server that supports range requests"
                )
            body = await read_body(answer, length)
            if len(body) != length:
                raise httpx.RemoteProtocolError("the answer is incomplete")
            return body

        return await self._ask(request, read)

    async def post(self, url: str, form: Mapping[str, str], max_bytes: int) -> bytes:
        """Send form data and return the answer.

        Raises OpenDataError if the request is refused, and RequestUnanswered if a later request may
        succeed.
        """
        request = self._client.build_request(
            "POST", url, data=dict(form), headers={"Accept": "application/json"}
        )
        return await self._ask(request, lambda answer: read_body(answer, max_bytes))

    async def save(self, url: str, path: Path, max_bytes: int) -> None:
        """Download the file at an address in chunks and save it.

        Raises OpenDataError if the download fails.
        """
        request = self._client.build_request("GET", url, headers={"Accept-Encoding": "identity"})

        async def write(answer: httpx.Response) -> None:
            taken = 0
            with path.open("wb") as handle:
                async for chunk in answer.aiter_raw(_CHUNK_BYTES):
                    taken += len(chunk)
                    if taken > max_bytes:
                        raise BodyError("too_large", f"the file has more than {max_bytes} bytes")
                    handle.write(chunk)

        await self._ask(request, write)

    async def _ask(
        self, request: httpx.Request, read: Callable[[httpx.Response], Awaitable[T]]
    ) -> T:
        """Send a request and return the result of ``read``; retry later if the server is busy."""
        tries = self._settings.max_tries
        for attempt in range(1, tries + 1):
            retry_after: str | None = None
            try:
                check_url(str(request.url.copy_with(query=None)), self._settings.allow_hosts)
                async with (
                    self._hosts.turn(request.url.host, self._delay_s),
                    asyncio.timeout(self._settings.total_timeout_s),
                ):
                    answer = await self._client.send(request, stream=True)
                    try:
                        if answer.status_code in (200, 206):
                            return await read(answer)
                        code = _BUSY.get(answer.status_code, "server_error")
                        retry_after = answer.headers.get("retry-after")
                        said = f"status {answer.status_code}"
                        if answer.status_code not in _BUSY and answer.status_code < 500:
                            raise OpenDataError(self._refusal(request, answer))
                    finally:
                        await answer.aclose()
            except ForbiddenUrl as error:
                raise OpenDataError(
                    f"tripbed may not contact {self._name}: {error.message}"
                ) from None
            except BodyError as error:
                raise RequestUnanswered("too_large", f"{self._name}: {error.message}") from None
            except (TimeoutError, httpx.TimeoutException):
                code, said = "timeout", "no answer in time"
            except httpx.ConnectError as error:
                code, said = "unreachable", type(error).__name__
            except httpx.TransportError as error:
                code, said = "server_error", f"the answer is incomplete, {type(error).__name__}"
            wait_s = retry_wait_s(retry_after, attempt, self._settings)
            if attempt == tries or wait_s is None:
                break
            await asyncio.sleep(wait_s)
        raise RequestUnanswered(code, self._advice(request, code, said))

    def _refusal(self, request: httpx.Request, answer: httpx.Response) -> str:
        where = f"{request.url.scheme}://{request.url.netloc.decode()}{request.url.path}"
        return (
            f"{self._name}: {where} refuses the request (status {answer.status_code}); check "
            f"the address in the settings, and check that the file exists"
        )

    def _advice(self, request: httpx.Request, code: Code, said: str) -> str:
        host = request.url.netloc.decode()
        if code == "unreachable":
            return (
                f"{self._name}: {host} can't be reached ({said}): check the network and the "
                "provider's address, or use the stored answers with --offline"
            )
        return (
            f"{self._name}: {host} is too busy or too slow ({said}): try again later, or set "
            f"the address of your own server"
        )
