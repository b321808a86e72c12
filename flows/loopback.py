"""Start and stop a server that only this machine can reach, and read the requests that it gets."""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import anyio

from flows.errors import SettingsError

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request

HOST = "127.0.0.1"
#: Names for this machine that a request may use.
HOST_NAMES = [HOST, "localhost"]
#: The exit code after Ctrl-C, the seconds until open calls are cancelled, and the maximum number
#: of open connections.
INTERRUPTED, GRACE_S, MOST_CONNECTIONS = 130, 2, 512


class RefusedRequest(Exception):
    """The error for a request that the server refuses, with its HTTP status and the reason."""

    def __init__(self, status: int, text: str):
        super().__init__(text)
        self.status, self.text = status, text


async def read_object(
    request: Request, most_bytes: int, seconds: float, words: Mapping[int, str], empty: bytes = b""
) -> dict[str, Any]:
    """Return the JSON object in a request's body; an empty body is read as ``empty``.

    Raises RefusedRequest if the body is too large, arrives too slowly or is not a JSON object.
    ``words`` maps each HTTP status to the message for it.
    """
    from starlette.requests import ClientDisconnect  # only a server needs it

    if not request.headers.get("content-type", "").startswith("application/json"):
        raise RefusedRequest(415, words[415])
    parts, size = [], 0
    try:
        with anyio.fail_after(seconds):
            async for part in request.stream():
                size += len(part)
                if size > most_bytes:
                    raise RefusedRequest(413, words[413])
                parts.append(part)
        value = json.loads(b"".join(parts) or empty)
    except TimeoutError:
        raise RefusedRequest(408, words[408]) from None
    except ClientDisconnect:
        raise RefusedRequest(400, "the client disconnected") from None
    except (ValueError, RecursionError):
        raise RefusedRequest(400, words[400]) from None
    if not isinstance(value, dict):
        raise RefusedRequest(422, words[422])
    return value


def listening(port: int) -> socket.socket:
    """Open a socket that waits for connections. If the port is 0, the system chooses a free port.

    Raises SettingsError if the port cannot be used.
    """
    # TCP is named because asyncio otherwise delays small parts of an answer.
    door = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        door.bind((HOST, port))
    except OSError as error:
        door.close()
        raise SettingsError(
            f"port {port} cannot be used ({error.strerror}): choose a different port with --port"
        ) from None
    door.listen(128)
    return door


def address_of(door: socket.socket) -> str:
    """Return the ``http://`` address of an open socket."""
    return f"http://{HOST}:{door.getsockname()[1]}"


def run(app: Starlette, door: socket.socket) -> None:
    """Serve an application. Raises KeyboardInterrupt if Ctrl-C is pressed."""
    import uvicorn  # takes half a second to import

    config = uvicorn.Config(
        app, log_level="warning", access_log=False, timeout_graceful_shutdown=GRACE_S,
        limit_concurrency=MOST_CONNECTIONS,
    )  # fmt: skip
    uvicorn.Server(config).run(sockets=[door])


def leave(code: int) -> None:
    """End the process at once if a thread is still working on an answer."""
    sys.stdout.flush()
    busy = [t for t in threading.enumerate() if t is not threading.main_thread() and not t.daemon]
    if busy:
        os._exit(code)
