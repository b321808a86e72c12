"""A local HTTP server that answers like the map services, in the shape of their documentation."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

#: Path and parameters to status and body (JSON, or text as it is).
Answering = Callable[[str, dict[str, str]], tuple[int, Any]]


class Served:
    """A running server: its address, and the requests that it saw."""

    def __init__(self, url: str, seen: list[tuple[str, dict[str, str], dict[str, str], str]]):
        self.url, self.seen = url, seen


@contextmanager
def serving(answer: Answering) -> Iterator[Served]:
    """Serve on 127.0.0.1 until the block ends."""
    seen: list[tuple[str, dict[str, str], dict[str, str], str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            parameters = dict(parse_qsl(parts.query, keep_blank_values=True))
            seen.append((parts.path, parameters, dict(self.headers), self.path))
            status, body = answer(parts.path, parameters)
            raw = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(raw.encode())

        def log_message(self, format: str, *args: object) -> None:
            """Keep the test's output quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield Served(f"http://127.0.0.1:{server.server_port}", seen)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def amap_ok(*pois: dict[str, Any]) -> dict[str, Any]:
    """Amap's answer to a place search."""
    return {
        "status": "1", "info": "OK", "infocode": "10000", "count": str(len(pois)),
        "suggestion": {"keywords": [], "cities": []}, "pois": list(pois),
    }  # fmt: skip


def amap_poi(name: str, location: str, **more: Any) -> dict[str, Any]:
    """One place as Amap gives it: empty fields are empty lists."""
    return {
        "id": f"B{name}{location}", "name": name, "type": "风景名胜;公园广场",
        "address": [], "location": location, "cityname": "云州市", **more,
    }  # fmt: skip


def amap_error(code: str, info: str) -> dict[str, Any]:
    """Amap's answer to what it refuses."""
    return {"status": "0", "info": info, "infocode": code}


def baidu_ok(*places: dict[str, Any]) -> dict[str, Any]:
    """Baidu's answer to a place search."""
    return {"status": 0, "message": "ok", "result_type": "poi_type", "results": list(places)}


def baidu_place(name: str, lat: float, lng: float) -> dict[str, Any]:
    """One place as Baidu gives it."""
    return {
        "name": name, "location": {"lat": lat, "lng": lng}, "address": "灵峰路1号",
        "province": "云省", "city": "云州市", "area": "湖区", "detail": 1, "uid": f"{lat}{lng}",
    }  # fmt: skip
