"""Write and read WARC records (ISO 28500) using warcio.

The body of a response is stored unpacked. The headers that describe the original compression of the
body get the prefix ``X-Archive-Orig-``.
"""

from __future__ import annotations

import hashlib
import io
import json
import uuid
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed
from warcio.recordloader import ArcWarcRecord
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from sources.web.archive_index import VisitRow
from sources.web.fetch_types import Exchange

_TRANSPORT = frozenset({"content-encoding", "content-length", "transfer-encoding", "connection"})
_REVISIT = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
_VISIT_TYPE = "application/vnd.tripbed.visit+json"


class RecordPiece:
    """The records of one visit, which are later appended to a file in a single write."""

    def __init__(self) -> None:
        self._buffer = io.BytesIO()
        self._writer = WARCWriter(self._buffer, gzip=True, warc_version="WARC/1.1")

    def content(self) -> bytes:
        """Return the bytes of all records."""
        return self._buffer.getvalue()

    def add_exchange(self, exchange: Exchange, *, is_revisit: bool = False) -> int:
        """Add a request and its response, and return the position of the response."""
        date = _date(exchange.at)
        path = exchange.url.split("/", 3)[3] if exchange.url.count("/") > 2 else ""
        request = StatusAndHeaders(
            f"GET /{path.partition('#')[0]} HTTP/1.1",
            list(exchange.request_headers),
            is_http_request=True,
        )
        response = StatusAndHeaders(
            f"{exchange.status} {exchange.reason}".strip(),
            _select_headers(exchange),
            protocol="HTTP/1.1",
        )
        extra = {"WARC-Date": date, "WARC-Protocol": exchange.http_version.lower()}
        if exchange.is_cut:
            extra["WARC-Truncated"] = "unspecified"
        if is_revisit:
            extra["WARC-Profile"] = _REVISIT
            extra["WARC-Payload-Digest"] = f"sha256:{hashlib.sha256(exchange.body).hexdigest()}"
        self._write(exchange.url, "request", request, b"", {"WARC-Date": date})
        start = self._buffer.tell()
        kind = "revisit" if is_revisit else "response"
        self._write(exchange.url, kind, response, b"" if is_revisit else exchange.body, extra)
        return start

    def add_resource(self, url: str, raw: bytes, content_type: str, at: datetime) -> int:
        """Add a document that was read from a file, and return its position."""
        start = self._buffer.tell()
        self._write(url, "resource", None, raw, {"WARC-Date": _date(at)}, content_type)
        return start

    def add_visit(self, row: VisitRow) -> int:
        """Add the outcome of the visit as the last record, and return its position."""
        start = self._buffer.tell()
        raw = json.dumps(row.model_dump(mode="json"), ensure_ascii=False, sort_keys=True).encode()
        date = _date(row.checked_at or row.fetched_at)
        self._write(row.url, "metadata", None, raw, {"WARC-Date": date}, _VISIT_TYPE)
        return start

    def _write(
        self,
        url: str,
        kind: str,
        http: StatusAndHeaders | None,
        body: bytes,
        extra: dict[str, str],
        content_type: str = "",
    ) -> None:
        # The writer's own ids are random; these depend only on the content and its position.
        parts = f"{kind}\n{url}\n{extra}\n{self._buffer.tell()}\n".encode() + body
        name = uuid.UUID(bytes=hashlib.sha256(parts).digest()[:16], version=5)
        record = self._writer.create_warc_record(
            url,
            kind,
            payload=io.BytesIO(body),
            length=len(body),
            http_headers=http,
            warc_content_type=content_type,
            warc_headers_dict={"WARC-Record-ID": f"<urn:uuid:{name}>", **extra},
        )
        self._writer.write_record(record)


def read_visit_at(path: Path, offset: int) -> VisitRow:
    """Read a visit's outcome from the record at a byte position in a file."""
    return VisitRow.model_validate_json(read_body_at(path, offset))


def read_body_at(path: Path, offset: int) -> bytes:
    """Read the content of the record at a byte position in a file."""
    with path.open("rb") as stream:
        stream.seek(offset)
        return _content(next(iter(ArchiveIterator(stream))))


def scan(path: Path, start: int) -> Iterator[tuple[VisitRow, int, int]]:
    """Yield the visits after a byte position in a file, each with its start and end.

    Positions are counted from the start of the file. Reading stops at the end of the file or at an
    incomplete record.
    """
    if start >= path.stat().st_size:
        return
    with path.open("rb") as stream:
        stream.seek(start)
        records = ArchiveIterator(stream)
        while True:
            try:
                record = next(records)
                is_visit = record.content_type == _VISIT_TYPE
                raw = _content(record)
                length = records.get_record_length()
                offset = records.get_record_offset()
                row = VisitRow.model_validate_json(raw) if is_visit else None
            except (StopIteration, ArchiveLoadFailed, EOFError, ValueError):
                return
            if row is None:
                continue
            if not _is_whole(path, offset, length):
                return
            yield row, offset, offset + length


def read_documents(path: Path) -> Iterator[tuple[str, str, str | None, bytes]]:
    """Yield the address, content type, charset and unpacked body of each document in a WARC file.

    Resource records count as documents, as do responses with status 200, except those for
    robots.txt.
    """
    with path.open("rb") as stream:
        records = ArchiveIterator(stream)
        for record in records:
            if record.rec_type not in ("response", "resource"):
                continue
            url = record.rec_headers.get_header("WARC-Target-URI") or ""
            http = record.http_headers
            if url.endswith("/robots.txt") or (http and http.get_statuscode() != "200"):
                continue
            stated = (http.get_header("Content-Type") if http else record.content_type) or ""
            content_type, _, rest = stated.partition(";")
            charset = rest.partition("charset=")[2].strip(" \"'") or None
            yield url, content_type.strip().lower(), charset, _content(record)


def _is_whole(path: Path, offset: int, length: int) -> bool:
    """Check whether a gzip member is complete; the reader of records does not check this."""
    with path.open("rb") as stream:
        stream.seek(offset)
        unpacker = zlib.decompressobj(16 + zlib.MAX_WBITS)
        try:
            unpacker.decompress(stream.read(length))
        except zlib.error:
            return False
    return unpacker.eof


def _content(record: ArcWarcRecord) -> bytes:
    return bytes(record.content_stream().read())


def _select_headers(exchange: Exchange) -> list[tuple[str, str]]:
    headers = [
        (f"X-Archive-Orig-{name}" if name.lower() in _TRANSPORT else name, value)
        for name, value in exchange.response_headers
    ]
    return [*headers, ("Content-Length", str(len(exchange.body)))]


def _date(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
