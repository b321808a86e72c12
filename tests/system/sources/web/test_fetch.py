"""Every fault of a server ends in its documented outcome, in bounded time, nothing lost."""

from __future__ import annotations

import asyncio
import gzip
import time
import zlib
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from sources.web.fetch_types import (
    FetchedDocument,
    FetchSettings,
    Pending,
    Rejected,
    Result,
    Unchanged,
)
from sources.web.main_text import parse_document
from tests.support.sources.web.fetching import fetch
from tests.support.sources.web.server import Connection, Handler, Server, serving

PAGE = "<html><body><h1>西山一日</h1><p>上午爬山，下午喝茶。</p></body></html>"


def settings(**changes: Any) -> FetchSettings:
    values: dict[str, Any] = {
        "allow_hosts": frozenset({"127.0.0.1"}),
        "delay_s": 0.0,
        "backoff_s": 0.01,
        "timeout_s": 0.5,
        "total_timeout_s": 1.0,
        "max_bytes": 100_000,
        "max_tries": 2,
    }
    return FetchSettings(**{**values, **changes})


def page(body: bytes = PAGE.encode(), status: str = "200 OK", *headers: str) -> Handler:
    async def handler(path: str, connection: Connection) -> None:
        await connection.answer(body, status, headers)

    return handler


def run(
    routes: dict[str, Handler],
    paths: list[str],
    *,
    check: Callable[[Server, list[Result]], None] | None = None,
    limit_s: float = 10.0,
    resolve: Callable[[str, int], Awaitable[list[str]]] | None = None,
    **changes: Any,
) -> list[Result]:
    async def go() -> list[Result]:
        async with serving(routes) as server:
            urls = [path if "://" in path else server.url(path) for path in paths]
            urls = [url.replace("PORT", str(server.port)) for url in urls]
            options = {"resolve": resolve} if resolve else {}
            results = await fetch(urls, settings(**changes), **options)
            if check:
                check(server, results)
            return results

    started = time.monotonic()
    results = asyncio.run(go())
    assert time.monotonic() - started < limit_s
    assert len(results) == len(paths)
    return results


def one(routes: dict[str, Handler], path: str = "/x", **changes: Any) -> Result:
    return run(routes, [path], **changes)[0]


def code(result: Result) -> str:
    if isinstance(result, FetchedDocument):
        return "fetched"
    assert not isinstance(result, Unchanged)
    return result.reason_code


def test_a_page_is_fetched_whole() -> None:
    def check(server: Server, results: list[Result]) -> None:
        assert b"user-agent: tripbed (+mail@travel.example)" in server.requests[-1].lower()
        assert b"authorization" not in server.requests[-1].lower()

    results = run({"/x": page()}, ["/x"], check=check, contact="mail@travel.example")
    (result,) = results
    assert isinstance(result, FetchedDocument)
    assert (result.body, result.status, result.content_type) == (PAGE.encode(), 200, "text/html")
    document = parse_document(result.body, result.path, charset=result.charset)
    assert document.doc_id == result.doc_id
    assert document.title == "西山一日"


def test_order_and_repeats_are_kept() -> None:
    def check(server: Server, results: list[Result]) -> None:
        assert server.asked == {"/robots.txt": 1, "/a": 1, "/b": 1, "/c": 1}

    routes = {"/a": page(b"<p>a</p>"), "/b": page(b"<p>b</p>")}
    results = run(routes, ["/b", "/a", "/b", "/c"], check=check)
    assert [getattr(result, "body", None) for result in results] == [
        b"<p>b</p>", b"<p>a</p>", b"<p>b</p>", None,
    ]  # fmt: skip
    assert isinstance(results[3], Rejected)
    assert results[3].status == 404


def test_slow_headers_are_pending() -> None:
    async def slow(path: str, connection: Connection) -> None:
        await asyncio.sleep(30)

    assert code(one({"/x": slow})) == "timeout"


def test_a_body_that_trickles_is_pending() -> None:
    async def trickle(path: str, connection: Connection) -> None:
        await connection.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
        for _ in range(300):
            await connection.send(b"x")
            await asyncio.sleep(0.1)

    assert code(one({"/x": trickle})) == "timeout"


def test_an_endless_body_is_too_large() -> None:
    async def endless(path: str, connection: Connection) -> None:
        await connection.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
        while True:
            await connection.send(b"x" * 65_536)

    assert code(one({"/x": endless})) == "too_large"


def test_an_announced_size_is_believed_before_it_is_read() -> None:
    async def announce(path: str, connection: Connection) -> None:
        await connection.send(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 999999999\r\n\r\n"
        )
        await asyncio.sleep(30)

    assert code(one({"/x": announce})) == "too_large"


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_a_compression_bomb_is_too_large(encoding: str) -> None:
    zeros = b"<p>" + b"0" * 200_000_000
    bomb = gzip.compress(zeros, 9) if encoding == "gzip" else zlib.compress(zeros, 9)
    assert len(bomb) < 500_000
    result = one({"/x": page(bomb, "200 OK", f"Content-Encoding: {encoding}")}, max_bytes=1_000_000)
    assert code(result) == "too_large"


@pytest.mark.parametrize(
    ("encoding", "packed"),
    [
        ("gzip", gzip.compress(PAGE.encode())),
        ("deflate", zlib.compress(PAGE.encode())),
        ("deflate", zlib.compress(PAGE.encode())[2:-4]),
    ],
    ids=["gzip", "deflate", "raw"],
)
def test_compressed_pages_are_unpacked(encoding: str, packed: bytes) -> None:
    result = one({"/x": page(packed, "200 OK", f"Content-Encoding: {encoding}")})
    assert isinstance(result, FetchedDocument)
    assert result.body == PAGE.encode()


@pytest.mark.parametrize("encoding", ["gzip, gzip", "br", "zstd", "gzip"])
def test_odd_and_broken_encodings_are_rejected(encoding: str) -> None:
    result = one({"/x": page(b"not packed", "200 OK", f"Content-Encoding: {encoding}")})
    assert code(result) == "content_encoding"


def test_a_wrong_content_length_is_pending() -> None:
    async def short(path: str, connection: Connection) -> None:
        await connection.send(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 500\r\n\r\n<p>cut"
        )

    assert code(one({"/x": short})) == "unreachable"


def test_a_connection_cut_before_the_answer_is_tried_again() -> None:
    async def cut_once(path: str, connection: Connection) -> None:
        if connection.count == 1:
            connection.writer.transport.abort()
        else:
            await connection.answer(PAGE.encode())

    result = one({"/x": cut_once})
    assert isinstance(result, FetchedDocument)
    assert result.n_tries == 2


def test_a_redirect_loop_ends() -> None:
    def check(server: Server, results: list[Result]) -> None:
        assert server.asked["/x"] + server.asked["/y"] == 6

    routes = {
        "/x": page(b"", "301 Moved Permanently", "Location: /y"),
        "/y": page(b"", "302 Found", "Location: /x"),
    }
    assert code(run(routes, ["/x"], check=check)[0]) == "too_many_redirects"


def test_five_redirects_are_followed() -> None:
    routes = {f"/{n}": page(b"", "308 Permanent Redirect", f"Location: /{n + 1}") for n in range(5)}
    result = one({**routes, "/5": page()}, "/0")
    assert isinstance(result, FetchedDocument)
    assert result.final_url.endswith("/5")
    assert result.url.endswith("/0")


@pytest.mark.parametrize(
    "location",
    [
        "http://127.0.0.2:PORT/secret", "http://127.1:PORT/secret", "//2130706433:PORT/secret",
        "http://[::ffff:127.0.0.2]:PORT/secret", "http://user@127.0.0.1:PORT/secret",
        "file:///etc/passwd", "http://localhost:PORT/secret", "http://[bad", "https://",
    ],
)  # fmt: skip
def test_a_redirect_to_a_forbidden_address_asks_nobody(location: str) -> None:
    async def go() -> tuple[Result, Server, Server]:
        async def away(path: str, connection: Connection) -> None:
            to = location.replace("PORT", str(inside.port))
            await connection.answer(b"", "302 Found", (f"Location: {to}",))

        async with (
            serving({"/secret": page()}, host="127.0.0.2") as inside,
            serving({"/x": away}) as outside,
        ):
            return (await fetch([outside.url("/x")], settings()))[0], outside, inside

    result, outside, inside = asyncio.run(go())
    assert isinstance(result, Rejected)
    assert result.reason_code in (
        "forbidden_address", "forbidden_host", "userinfo", "scheme", "malformed",
    )  # fmt: skip
    assert outside.asked["/x"] == 1
    assert not inside.asked


def test_a_name_that_resolves_inside_is_forbidden() -> None:
    async def resolve(host: str, port: int) -> list[str]:
        return {"inside.travel.cn": ["127.0.0.1"], "both.travel.cn": ["8.8.8.8", "127.0.0.1"]}[host]

    def check(server: Server, results: list[Result]) -> None:
        assert not server.asked

    results = run(
        {"/x": page()},
        ["http://inside.travel.cn:PORT/x", "http://both.travel.cn:PORT/x"],
        check=check,
        resolve=resolve,
    )
    assert [code(result) for result in results] == ["forbidden_address"] * 2


def test_an_allowed_name_may_resolve_inside() -> None:
    async def resolve(host: str, port: int) -> list[str]:
        return ["127.0.0.1"]

    allow = frozenset({"guides.travel.cn"})
    path = "http://guides.travel.cn:PORT/x"
    assert code(run({"/x": page()}, [path], resolve=resolve, allow_hosts=allow)[0]) == "fetched"


def test_429_waits_as_asked() -> None:
    async def busy(path: str, connection: Connection) -> None:
        if connection.count == 1:
            await connection.answer(b"", "429 Too Many Requests", ("Retry-After: 1",))
        else:
            await connection.answer(PAGE.encode())

    def check(server: Server, results: list[Result]) -> None:
        first, second = (when for path, when in server.starts if path == "/x")
        assert second - first >= 0.99

    assert code(run({"/x": busy}, ["/x"], check=check)[0]) == "fetched"


@pytest.mark.parametrize(
    ("status", "reason"), [("429 Too Many", "rate_limited"), ("503 Away", "server_error")]
)
def test_servers_that_stay_busy_are_pending(status: str, reason: str) -> None:
    result = one({"/x": page(b"", status)}, max_tries=3)
    assert isinstance(result, Pending)
    assert (result.reason_code, result.n_tries) == (reason, 3)


def test_a_retry_after_beyond_the_limit_is_not_waited_for() -> None:
    result = one({"/x": page(b"", "503 Away", "Retry-After: 86400")}, max_tries=3)
    assert isinstance(result, Pending)
    assert result.n_tries == 1


def test_503_then_ok_is_fetched() -> None:
    async def recovering(path: str, connection: Connection) -> None:
        ok = connection.count > 1
        await connection.answer(PAGE.encode(), "200 OK" if ok else "503 Away")

    assert code(one({"/x": recovering})) == "fetched"


def test_robots_forbids() -> None:
    rules = b"User-agent: *\nDisallow: /private\nAllow: /private/open\n"

    def check(server: Server, results: list[Result]) -> None:
        assert server.asked["/private/a"] == 0

    routes = {"/robots.txt": page(rules), "/private/a": page(), "/private/open": page()}
    results = run(routes, ["/private/a", "/private/open"], check=check)
    assert [code(result) for result in results] == ["robots", "fetched"]


@pytest.mark.parametrize("status", ["500 Oops", "503 Away", "429 Too Many Requests"])
def test_robots_that_fails_forbids_for_now(status: str) -> None:
    def check(server: Server, results: list[Result]) -> None:
        assert server.asked["/x"] == 0

    result = run({"/robots.txt": page(b"", status), "/x": page()}, ["/x"], check=check)[0]
    assert isinstance(result, Pending)
    assert result.reason_code == "robots_unreachable"


def test_robots_that_times_out_forbids_for_now() -> None:
    async def slow(path: str, connection: Connection) -> None:
        await asyncio.sleep(30)

    assert code(one({"/robots.txt": slow, "/x": page()})) == "robots_unreachable"


@pytest.mark.parametrize(("status", "outcome"), [("404 None", "fetched"), ("403 No", "robots")])
def test_robots_that_is_missing_or_locked(status: str, outcome: str) -> None:
    assert code(one({"/robots.txt": page(b"", status), "/x": page()})) == outcome


def test_robots_of_the_host_that_a_redirect_leads_to_counts() -> None:
    async def go() -> Result:
        async def away(path: str, connection: Connection) -> None:
            await connection.answer(b"", "302 Found", (f"Location: {other.url('/y')}",))

        robots = page(b"User-agent: tripbed\nDisallow: /")
        async with (
            serving({"/robots.txt": robots, "/y": page()}, host="127.0.0.3") as other,
            serving({"/x": away}) as first,
        ):
            allow = frozenset({"127.0.0.1", "127.0.0.3"})
            return (await fetch([first.url("/x")], settings(allow_hosts=allow)))[0]

    assert code(asyncio.run(go())) == "robots"


def test_delay_and_concurrency_of_a_host_are_kept() -> None:
    async def slowish(path: str, connection: Connection) -> None:
        await asyncio.sleep(0.05)
        await connection.answer(PAGE.encode())

    def check(server: Server, results: list[Result]) -> None:
        starts = [when for path, when in server.starts if path != "/robots.txt"]
        assert starts[-1] - starts[0] >= 4 * 0.16 * 0.85
        assert server.open_most == 1

    paths = [f"/{n}" for n in range(5)]
    run(dict.fromkeys(paths, slowish), paths, check=check, delay_s=0.16)


def test_a_crawl_delay_is_obeyed_and_an_absurd_one_refused() -> None:
    def check(server: Server, results: list[Result]) -> None:
        starts = [when for path, when in server.starts if path != "/robots.txt"]
        assert starts[1] - starts[0] >= 0.25  # 0.3 s less what a busy machine blurs

    polite = page(b"User-agent: *\nCrawl-delay: 0.3\n")
    run({"/robots.txt": polite, "/a": page(), "/b": page()}, ["/a", "/b"], check=check)
    absurd = page(b"User-agent: *\nCrawl-delay: 86400\n")
    assert code(one({"/robots.txt": absurd, "/x": page()})) == "robots"


@pytest.mark.parametrize(
    ("body", "content_type", "outcome"),
    [
        (b"\x89PNG\r\n\x1a\n" + bytes(50), "text/html", "binary"),
        (b"%PDF-1.7 ...", "text/html", "binary"),
        (b"text\x00with nul", "text/plain", "binary"),
        (b"\x89PNG\r\n\x1a\n", "image/png", "content_type"),
        (b"{}", "application/json", "content_type"),
        (b" \n ", "text/html", "empty"),
        (b"# Day 1", "text/markdown; charset=utf-8", "fetched"),
    ],
)
def test_types(body: bytes, content_type: str, outcome: str) -> None:
    assert code(one({"/x": page(body, "200 OK", f"Content-Type: {content_type}")})) == outcome


def test_a_wrongly_declared_charset_is_seen_through() -> None:
    body = PAGE.encode("gb18030")
    result = one({"/x": page(body, "200 OK", "Content-Type: text/html; charset=utf-8")})
    assert isinstance(result, FetchedDocument)
    document = parse_document(result.body, result.path, charset=result.charset)
    assert [block.text for block in document.blocks] == ["西山一日", "上午爬山，下午喝茶。"]


def test_everything_at_once_loses_nothing() -> None:
    async def slow(path: str, connection: Connection) -> None:
        await asyncio.sleep(30)

    routes = {"/ok": page(), "/slow": slow, "/busy": page(b"", "503 Away")}
    paths = ["/ok", "/slow", "/gone", "/busy", "http://10.0.0.1/", "nonsense"] * 2
    results = run(routes, paths, per_host_concurrency=4)
    kinds = [type(result).__name__ for result in results]
    assert (
        kinds == ["FetchedDocument", "Pending", "Rejected", "Pending", "Rejected", "Rejected"] * 2
    )
