"""``tripbed sandbox serve``: one snapshot for agents on this machine, until it is stopped."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from pathlib import Path

import anyio
import uvicorn

from flows.agents.calls import CallLog, Desk
from flows.errors import SettingsError
from warehouse.sandbox import Sandbox

HOST = "127.0.0.1"
#: Exit code after Ctrl-C, seconds that calls under way are given then, open connections.
INTERRUPTED, GRACE_S, MOST_CONNECTIONS = 130, 2, 512


def serve(snapshot: Path, port: int, log: Path | None, *, stdio: bool) -> int:
    """Serve a snapshot over stdio or HTTP. Returns the exit code.

    Raises SnapshotError for a folder that is no snapshot, SettingsError for a port that is taken.
    """
    desk = Desk(Sandbox(snapshot), CallLog(log))
    code = 0
    try:
        if stdio:
            # A thread waits for input, and nothing but the end of the process ends that.
            signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
            anyio.run(_over_stdio, desk)
        else:
            _over_http(desk, port)
    except KeyboardInterrupt:
        code = INTERRUPTED
    _leave(code)
    return code


async def _over_stdio(desk: Desk) -> None:
    from flows.agents.mcp_server import serve_stdio  # the SDK takes a second to import

    await serve_stdio(desk)


def _over_http(desk: Desk, port: int) -> None:
    from flows.agents.http import make_app  # as above

    app = make_app(desk)
    with _listening(port) as door:
        address = f"http://{HOST}:{door.getsockname()[1]}"
        sys.stdout.write(f"{address}/ tools by hand, {address}/docs HTTP, {address}/mcp MCP\n")
        sys.stdout.flush()
        config = uvicorn.Config(
            app, log_level="warning", access_log=False, timeout_graceful_shutdown=GRACE_S,
            limit_concurrency=MOST_CONNECTIONS,
        )  # fmt: skip
        uvicorn.Server(config).run(sockets=[door])


def _listening(port: int) -> socket.socket:
    # Named as TCP, for asyncio sends small parts at once only where a socket says that it is.
    door = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        door.bind((HOST, port))
    except OSError as error:
        door.close()
        raise SettingsError(f"port {port} cannot be used ({error.strerror}): name another with --port") from None  # fmt: skip
    door.listen(128)
    return door


def _leave(code: int) -> None:
    """End now where a thread still works on an answer that nobody waits for."""
    sys.stdout.flush()
    busy = [t for t in threading.enumerate() if t is not threading.main_thread() and not t.daemon]
    if busy:
        os._exit(code)
