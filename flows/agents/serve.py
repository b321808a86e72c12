"""``tripbed sandbox serve``: serve a snapshot to agents on this machine, until stopped."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import anyio

from flows import loopback
from flows.agents.calls import CallDesk, CallLog
from warehouse.sandbox import Sandbox


def serve(snapshot: Path, port: int, log: Path | None, *, stdio: bool) -> int:
    """Serve a snapshot over stdio or HTTP. Returns the exit code.

    Raises SnapshotError if the folder is not a snapshot, SettingsError if the port is in use.
    """
    desk = CallDesk(Sandbox(snapshot), CallLog(log))
    code = 0
    try:
        if stdio:
            # A thread waits for input, and nothing but the end of the process ends that.
            signal.signal(signal.SIGINT, lambda *_: os._exit(loopback.INTERRUPTED))
            anyio.run(_over_stdio, desk)
        else:
            _over_http(desk, port)
    except KeyboardInterrupt:
        code = loopback.INTERRUPTED
    loopback.leave(code)
    return code


async def _over_stdio(desk: CallDesk) -> None:
    from flows.agents.mcp_server import serve_stdio  # the SDK takes a second to import

    await serve_stdio(desk)


def _over_http(desk: CallDesk, port: int) -> None:
    from flows.agents.http import make_app  # as above

    app = make_app(desk)
    with loopback.listening(port) as door:
        address = loopback.address_of(door)
        sys.stdout.write(f"{address}/ tools by hand, {address}/docs HTTP, {address}/mcp MCP\n")
        sys.stdout.flush()
        loopback.run(app, door)
