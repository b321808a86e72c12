"""A real HTTP server on 127.0.0.x that answers raw bytes, misbehaving where told to."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

Handler = Callable[[str, "Connection"], Awaitable[None]]


@dataclass
class Connection:
    """One request being answered: ``send`` writes raw bytes, ``count`` tells which try it is."""

    writer: asyncio.StreamWriter
    request: bytes
    count: int
    reader: asyncio.StreamReader

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def answer(
        self, body: bytes = b"", status: str = "200 OK", headers: tuple[str, ...] = ()
    ) -> None:
        lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers]
        if not any(header.lower().startswith("content-type") for header in headers):
            lines.append("Content-Type: text/html; charset=utf-8")
        await self.send("\r\n".join([*lines, "Connection: close", "", ""]).encode() + body)


@dataclass
class Server:
    """Where the server listens and what it was asked."""

    host: str
    port: int
    asked: Counter[str] = field(default_factory=Counter)
    starts: list[tuple[str, float]] = field(default_factory=list)
    requests: list[bytes] = field(default_factory=list)
    open_now: int = 0
    open_most: int = 0

    def url(self, path: str, host: str | None = None) -> str:
        return f"http://{host or self.host}:{self.port}{path}"


@asynccontextmanager
async def serving(
    routes: dict[str, Handler], host: str = "127.0.0.1", port: int = 0
) -> AsyncIterator[Server]:
    """Serve some routes; robots.txt allows everything unless a route says otherwise."""
    state = Server(host, port)

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            request = await reader.readuntil(b"\r\n\r\n")
            path = request.split(b" ")[1].decode()
            state.asked[path] += 1
            state.starts.append((path, asyncio.get_running_loop().time()))
            state.requests.append(request)
            state.open_now += 1
            state.open_most = max(state.open_most, state.open_now)
            connection = Connection(writer, request, state.asked[path], reader)
            if path in routes:
                await routes[path](path, connection)
            elif path == "/robots.txt":
                await connection.answer(b"", "404 Not Found")
            else:
                await connection.answer(b"<p>nothing here</p>", "404 Not Found")
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            state.open_now -= 1
            writer.close()

    server = await asyncio.start_server(handle, host, port)
    state.port = server.sockets[0].getsockname()[1]
    try:
        yield state
    finally:
        server.close()
