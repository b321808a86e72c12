"""Connect only to checked addresses; a name is resolved and checked immediately before use."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import ssl
from collections.abc import Awaitable, Callable, Collection, Iterable
from functools import cache
from pathlib import Path

import httpcore
import httpx

from sources.web.guard import ForbiddenUrl, check_address, check_host

Resolve = Callable[[str, int], Awaitable[list[str]]]


async def resolve_name(host: str, port: int) -> list[str]:
    """Resolve a host with the system's resolver, and return the addresses in order."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


class GuardedBackend(httpcore.AsyncNetworkBackend):
    """A network backend that connects only to public addresses and to allowed hosts."""

    def __init__(self, allow_hosts: Collection[str], resolve: Resolve = resolve_name) -> None:
        self._allow_hosts = allow_hosts
        self._resolve = resolve
        self._backend = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """If all addresses of a host are allowed, connect to the first address that answers."""
        addresses = await self._check_addresses(host, port, timeout)
        failure: Exception | None = None
        for address in addresses:
            try:
                return await self._backend.connect_tcp(
                    address, port, timeout, local_address, socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure or httpcore.ConnectError(f"{host} has no address")

    async def _check_addresses(self, host: str, port: int, timeout: float | None) -> list[str]:
        check_host(host, self._allow_hosts)
        try:
            addresses = await asyncio.wait_for(self._resolve(host, port), timeout)
        except TimeoutError as error:
            raise httpcore.ConnectTimeout(f"the name {host} was not resolved in time") from error
        except OSError as error:
            raise httpcore.ConnectError(f"the name {host} can't be resolved") from error
        for address in addresses:
            plain = ipaddress.ip_address(address.partition("%")[0])
            check_address(plain, host, self._allow_hosts)
        return addresses

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Refuse to connect, because documents are never fetched through a local socket."""
        raise ForbiddenUrl("forbidden_address", f"{path} is a socket on this machine")

    async def sleep(self, seconds: float) -> None:
        """Wait for a number of seconds."""
        await self._backend.sleep(seconds)


@cache
def _tls_context(ca_file: Path | None) -> ssl.SSLContext:
    """Return the TLS context that all clients share; reading the certificates takes 20 ms."""
    return ssl.create_default_context(cafile=str(ca_file) if ca_file else None)


class GuardedTransport(httpx.AsyncHTTPTransport):
    """An httpx transport that uses the guarded backend and ignores proxies in the environment."""

    def __init__(
        self, backend: GuardedBackend, max_connections: int, ca_file: Path | None = None
    ) -> None:
        context = _tls_context(ca_file)
        super().__init__(verify=context, trust_env=False)
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=context,
            max_connections=max_connections,
            max_keepalive_connections=max_connections,
            keepalive_expiry=5.0,
            http2=True,
            network_backend=backend,
        )
