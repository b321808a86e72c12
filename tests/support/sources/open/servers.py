"""Servers on 127.0.0.1 that speak as the providers of open data do, and misbehave where told to."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

Answer = tuple[int, dict[str, str], bytes]


@dataclass
class Asked:
    """Where a server listens, and what it was asked; ``faults`` are answers that it gives first."""

    url: str = ""
    requests: list[tuple[str, str, str]] = field(default_factory=list)
    n_bytes: int = 0
    faults: list[Callable[[BaseHTTPRequestHandler], bool]] = field(default_factory=list)


def says(
    status: int, body: bytes = b"", **headers: str
) -> Callable[[BaseHTTPRequestHandler], bool]:
    """A fault: this status in the place of an answer."""

    def answer(handler: BaseHTTPRequestHandler) -> bool:
        _send(handler, (status, headers, body))
        return True

    return answer


def breaks_off(body: bytes) -> Callable[[BaseHTTPRequestHandler], bool]:
    """A fault: half of an answer, with the length of the whole."""

    def answer(handler: BaseHTTPRequestHandler) -> bool:
        handler.send_response(200)
        handler.send_header("Content-Length", str(2 * len(body)))
        handler.end_headers()
        handler.wfile.write(body)
        handler.close_connection = True
        return True

    return answer


def waits(seconds: float) -> Callable[[BaseHTTPRequestHandler], bool]:
    """A fault: nothing for so long, then the connection ends."""

    def answer(handler: BaseHTTPRequestHandler) -> bool:
        time.sleep(seconds)
        handler.close_connection = True
        return True

    return answer


@contextmanager
def serving(respond: Callable[[str, str, str, dict[str, str]], Answer]) -> Iterator[Asked]:
    """Serve by a function of method, path with query, body and headers."""
    state = Asked()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Head and body are two writes; the second would wait 40 ms for the client's receipt.
        disable_nagle_algorithm = True

        def _handle(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = self.rfile.read(length).decode() if length else ""
            state.requests.append((self.command, self.path, body))
            if state.faults and state.faults.pop(0)(self):
                return
            headers = {name.lower(): value for name, value in self.headers.items()}
            answer = respond(self.command, self.path, body, headers)
            state.n_bytes += len(answer[2])
            _send(self, answer)

        do_GET = do_POST = _handle

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    state.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _send(handler: BaseHTTPRequestHandler, answer: Answer) -> None:
    status, headers, body = answer
    handler.send_response(status)
    for name, value in {"Content-Length": str(len(body)), **headers}.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(body)


@contextmanager
def bucket(folder: Path, page_size: int = 1000) -> Iterator[Asked]:
    """A folder as a bucket: listed as S3 does (ListObjectsV2), files by ranges."""

    def respond(method: str, path: str, body: str, headers: dict[str, str]) -> Answer:
        parts = urlsplit(path)
        if parts.path == "/":
            asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
            return 200, {"Content-Type": "application/xml"}, _listing(folder, asked, page_size)
        file = folder / unquote(parts.path).lstrip("/")
        if not file.is_file():
            return 404, {}, b"<Error><Code>NoSuchKey</Code></Error>"
        span = re.fullmatch(r"bytes=(\d+)-(\d+)", headers.get("range", ""))
        if span is None:
            return 200, {}, file.read_bytes()
        start, end = int(span[1]), min(int(span[2]), file.stat().st_size - 1)
        with file.open("rb") as handle:
            handle.seek(start)
            data = handle.read(end - start + 1)
        return 206, {"Content-Range": f"bytes {start}-{end}/{file.stat().st_size}"}, data

    with serving(respond) as state:
        yield state


def _listing(folder: Path, asked: dict[str, str], page_size: int) -> bytes:
    prefix, delimiter = asked.get("prefix", ""), asked.get("delimiter")
    keys = sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    )
    keys = [key for key in keys if key.startswith(prefix)]
    if delimiter:
        below = {prefix + key[len(prefix) :].split(delimiter)[0] + delimiter for key in keys}
        inner = "".join(
            f"<CommonPrefixes><Prefix>{escape(p)}</Prefix></CommonPrefixes>" for p in sorted(below)
        )
        more = "<IsTruncated>false</IsTruncated>"
    else:
        start = int(asked.get("continuation-token", "0"))
        page = keys[start : start + page_size]
        inner = "".join(
            f"<Contents><Key>{escape(key)}</Key>"
            f"<Size>{(folder / key).stat().st_size}</Size></Contents>"
            for key in page
        )
        is_cut = start + page_size < len(keys)
        more = f"<IsTruncated>{str(is_cut).lower()}</IsTruncated>"
        if is_cut:
            more += f"<NextContinuationToken>{start + page_size}</NextContinuationToken>"
    head = '<?xml version="1.0" encoding="UTF-8"?>\n'
    space = 'xmlns="http://s3.amazonaws.com/doc/2006-03-01/"'
    return f"{head}<ListBucketResult {space}>{more}{inner}</ListBucketResult>".encode()


_CLAUSE = re.compile(
    r'nwr\["(?P<key>[^"]+)"~"\^\((?P<values>[^"]*)\)\$"\]\["name"\]'
    r"\((?P<s>[-\d.]+),(?P<w>[-\d.]+),(?P<n>[-\d.]+),(?P<e>[-\d.]+)\);"
)
_IS_IN = re.compile(
    r'is_in\(([-\d.]+),([-\d.]+)\)->\.a;rel\(pivot\.a\)\["boundary"="administrative"\]'
)


@contextmanager
def overpass(
    elements: list[dict[str, Any]],
    *,
    at_most: int | None = None,
    stamp: str = "2026-10-01T00:00:00Z",
) -> Iterator[Asked]:
    """An Overpass server with some elements; it gives up on more than ``at_most`` of them.

    It knows the questions that tripbed asks: clauses of key, values, name and box; the relations
    around a point; relations by their ids. Anything else is a bad request.
    """

    def respond(method: str, path: str, body: str, headers: dict[str, str]) -> Answer:
        query = parse_qs(body).get("data", [""])[0]
        if method != "POST" or not query.startswith("[out:json][timeout:"):
            return 400, {}, b"parse error"
        answer: dict[str, Any] = {
            "version": 0.6, "generator": "a test", "elements": [],
            "osm3s": {"timestamp_osm_base": stamp, "copyright": "ODbL"},
        }  # fmt: skip
        found = _meant(query, elements)
        if found is None:
            return 400, {}, b"parse error"
        answer["elements"] = found
        if at_most is not None and len(found) > at_most:
            answer["elements"] = found[:at_most]
            answer["remark"] = (
                'runtime error: Query timed out in "query" at line 1 after 3 seconds.'
            )
        return 200, {"Content-Type": "application/json"}, json.dumps(answer).encode()

    with serving(respond) as state:
        yield state


def _meant(query: str, elements: list[dict[str, Any]]) -> list[dict[str, Any]] | None:
    if _IS_IN.search(query):
        admin = [e for e in elements if e["tags"].get("boundary") == "administrative"]
        return [{k: v for k, v in e.items() if k != "members"} for e in admin]
    ids = re.search(r"rel\(id:([\d,]+)\);out geom;", query)
    if ids is not None:
        wanted = set(map(int, ids[1].split(",")))
        return [e for e in elements if e["type"] == "relation" and e["id"] in wanted]
    clauses = list(_CLAUSE.finditer(query))
    if not clauses or not query.endswith(");out meta center;"):
        return None
    return [e for e in elements if any(_fits(clause, e) for clause in clauses)]


def _fits(clause: re.Match[str], element: dict[str, Any]) -> bool:
    values = clause["values"].replace("\\", "").split("|")
    point = element if element["type"] == "node" else element.get("center") or {}
    if element["tags"].get(clause["key"]) not in values or "name" not in element["tags"]:
        return False
    if "lat" not in point:
        return True
    lat, lon = float(point["lat"]), float(point["lon"])
    south, north, west, east = (float(clause[side]) for side in "snwe")
    return south <= lat <= north and west <= lon <= east


@contextmanager
def files(folder: Path) -> Iterator[Asked]:
    """A folder's files, whole."""

    def respond(method: str, path: str, body: str, headers: dict[str, str]) -> Answer:
        file = folder / unquote(urlsplit(path).path).lstrip("/")
        return (200, {}, file.read_bytes()) if file.is_file() else (404, {}, b"")

    with serving(respond) as state:
        yield state
