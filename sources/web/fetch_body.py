"""Read the body of an answer, and describe the exchange for the archive.

The size limit applies to the decompressed bytes.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from datetime import UTC, datetime

import httpx

from sources.web.fetch_types import Exchange, RejectedCode

_CHUNK_BYTES = 65_536
#: Values of zlib's window parameter for gzip, for zlib and for raw deflate streams.
_GZIP, _ZLIB, _RAW = 16 + zlib.MAX_WBITS, zlib.MAX_WBITS, -zlib.MAX_WBITS
#: Headers of a request that must not be archived.
_SECRET = frozenset({"authorization", "cookie", "proxy-authorization", "x-subscription-token"})


class BodyError(Exception):
    """Raised if a body is refused; ``code`` gives the reason."""

    def __init__(self, code: RejectedCode, message: str) -> None:
        super().__init__(message)
        self.code: RejectedCode = code
        self.message = message


class _Inflate:
    """A decoder for gzip and deflate that limits the size of its output."""

    def __init__(self, encoding: str) -> None:
        self._gzip = encoding != "deflate"
        self._inflate = zlib.decompressobj(_GZIP if self._gzip else _ZLIB)
        self._started = False

    def decode(self, data: bytes, room: int) -> bytes:
        try:
            return self._inflate.decompress(data, room)
        except zlib.error as error:
            if self._started or self._gzip:
                raise BodyError(
                    "content_encoding", "the compressed response body is damaged"
                ) from error
            self._inflate = zlib.decompressobj(_RAW)  # some servers send raw deflate
            return self._inflate.decompress(data, room)
        finally:
            self._started = True


async def read_body(response: httpx.Response, max_bytes: int) -> bytes:
    """Read and decompress the body of a streamed answer.

    Raises BodyError if the body is too large or cannot be decompressed, and httpx's own errors if
    the connection fails.
    """
    length = response.headers.get("content-length", "")
    if length.isascii() and length.isdigit() and int(length[:18]) > max_bytes:
        raise BodyError("too_large", f"the server announces more than {max_bytes} bytes")
    decode = _decoder(response.headers.get("content-encoding", ""))
    body = bytearray()
    async for chunk in response.aiter_raw(_CHUNK_BYTES):
        body += decode(chunk, max_bytes + 1 - len(body))
        if len(body) > max_bytes:
            raise BodyError("too_large", f"the response body has more than {max_bytes} bytes")
    return bytes(body)


def _decoder(encoding: str) -> Callable[[bytes, int], bytes]:
    """Return a function that decompresses a chunk to at most the given number of bytes."""
    encoding = encoding.strip().lower()
    if encoding in ("", "identity"):
        return lambda data, room: data[:room]
    if encoding in ("gzip", "x-gzip", "deflate"):
        return _Inflate(encoding).decode
    raise BodyError(
        "content_encoding",
        f"the response body has the encoding {encoding[:40]}, which is not supported",
    )


def exchange_of(response: httpx.Response, body: bytes = b"", *, is_cut: bool = False) -> Exchange:
    """Return an answer and its request as an exchange; ``is_cut`` means that the body was left out.

    Secret headers are removed.
    """
    sent = response.request
    return Exchange(
        url=str(sent.url),
        at=datetime.now(UTC),
        request_headers=tuple(
            (name, value) for name, value in sent.headers.multi_items() if name not in _SECRET
        ),
        status=response.status_code,
        reason=response.reason_phrase,
        http_version=response.http_version,
        response_headers=tuple(
            (name.decode("latin-1"), value.decode("latin-1"))
            for name, value in response.headers.raw
        ),
        body=body,
        is_cut=is_cut,
    )
