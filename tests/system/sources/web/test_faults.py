"""Every fault of a server ends in its documented outcome in the archive, and nothing is lost.

Each fault has a host of its own (127.0.0.x), so that robots.txt can be at fault too. The table
of docs/web.md states the same outcomes.
"""

from __future__ import annotations

import asyncio
import gzip
import re
import socket
import struct
import time
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from sources.web.archive import Archive
from sources.web.errors import UnreadableDocument
from sources.web.fetch import crawl
from sources.web.fetch_types import Ask, FetchSettings
from sources.web.pages import addresses_of, load_page
from tests.conftest import ROOT
from tests.support.sources.web.server import Connection, Handler, serving

TEXT = "<html><body><h1>北京一日</h1><p>上午登山，下午逛公园，晚上喝茶。</p></body></html>"
BOMB = gzip.compress(bytes(20_000_000))
HEAD = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"


async def good(path: str, c: Connection) -> None:
    await c.answer(TEXT.encode())


async def slow_headers(path: str, c: Connection) -> None:
    await asyncio.sleep(30)


async def slow_body(path: str, c: Connection) -> None:
    await c.send(f"{HEAD}Content-Length: 900\r\n\r\n".encode())
    while True:
        await c.send(b"x")
        await asyncio.sleep(0.1)


async def endless_body(path: str, c: Connection) -> None:
    await c.send(f"{HEAD}Transfer-Encoding: chunked\r\n\r\n".encode())
    while True:
        await asyncio.sleep(0)
        await c.send(b"4000\r\n" + b"x" * 0x4000 + b"\r\n")


async def wrong_length(path: str, c: Connection) -> None:
    await c.send(f"{HEAD}Content-Length: 5000\r\n\r\nshort".encode())


async def reset(path: str, c: Connection) -> None:
    await c.send(f"{HEAD}Content-Length: 5000\r\n\r\n".encode() + b"x" * 100)
    raw: socket.socket = c.writer.get_extra_info("socket")
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    c.writer.transport.abort()


async def gzip_bomb(path: str, c: Connection) -> None:
    await c.answer(BOMB, headers=("Content-Encoding: gzip",))


async def loop(path: str, c: Connection) -> None:
    await c.answer(status="301 Moved", headers=("Location: /page",))


async def to_private(path: str, c: Connection) -> None:
    await c.answer(status="302 Found", headers=("Location: http://127.0.0.99/latest/meta-data/",))


async def busy(path: str, c: Connection) -> None:
    await c.answer(status="429 Too Many Requests", headers=("Retry-After: 7200",))


async def busy_then_good(path: str, c: Connection) -> None:
    if c.count == 1:
        await c.answer(status="429 Too Many Requests", headers=("Retry-After: 1",))
    else:
        await c.answer(TEXT.encode())


async def down(path: str, c: Connection) -> None:
    await c.answer(status="503 Service Unavailable")


async def down_for_a_while(path: str, c: Connection) -> None:
    if c.count < 3:
        await c.answer(status="503 Service Unavailable")
    else:
        await c.answer(TEXT.encode())


async def forbids(path: str, c: Connection) -> None:
    await c.answer(b"User-agent: *\nDisallow: /page", headers=("Content-Type: text/plain",))


async def broken(path: str, c: Connection) -> None:
    await c.answer(status="500 Internal Server Error")


async def wrong_charset(path: str, c: Connection) -> None:
    kind = "Content-Type: text/html; charset=iso-8859-1"
    await c.answer(TEXT.encode("gb18030"), headers=(kind,))


async def big5(path: str, c: Connection) -> None:
    text = "<h1>臺北兩日</h1><p>第一天參觀故宮博物院，第二天走訪老街與夜市。</p>"
    await c.answer(text.encode("big5"), headers=("Content-Type: text/html",))


async def binary(path: str, c: Connection) -> None:
    await c.answer(b"\x89PNG\r\n\x1a\n" + bytes(500))


#: Name, handlers by path, outcome and reason.
FAULTS: tuple[tuple[str, dict[str, Handler], str, str | None], ...] = (
    ("no fault", {"/page": good}, "stored", None),
    ("slow headers", {"/page": slow_headers}, "pending", "timeout"),
    ("slow body", {"/page": slow_body}, "pending", "timeout"),
    ("endless body", {"/page": endless_body}, "quarantined", "too_large"),
    ("wrong Content-Length", {"/page": wrong_length}, "pending", "unreachable"),
    ("reset in the middle", {"/page": reset}, "pending", "unreachable"),
    ("gzip bomb", {"/page": gzip_bomb}, "quarantined", "too_large"),
    ("redirect loop", {"/page": loop}, "quarantined", "too_many_redirects"),
    ("redirect to a private address", {"/page": to_private}, "quarantined", "forbidden_address"),
    ("429 with a long Retry-After", {"/page": busy}, "pending", "rate_limited"),
    ("429 with a short Retry-After", {"/page": busy_then_good}, "stored", None),
    ("503 all the time", {"/page": down}, "pending", "server_error"),
    ("503 for a while", {"/page": down_for_a_while}, "stored", None),
    ("robots.txt forbids", {"/robots.txt": forbids, "/page": good}, "quarantined", "robots"),
    (
        "robots.txt times out",
        {"/robots.txt": slow_headers, "/page": good},
        "pending",
        "robots_unreachable",
    ),
    (
        "robots.txt answers 500",
        {"/robots.txt": broken, "/page": good},
        "pending",
        "robots_unreachable",
    ),
    ("charset declared wrongly", {"/page": wrong_charset}, "stored", None),
    ("charset undeclared", {"/page": big5}, "stored", None),
    ("binary served as HTML", {"/page": binary}, "quarantined", "binary"),
)
NAME_OUTCOME = ("quarantined", "forbidden_address")
LIMIT_S = 20.0


def test_every_fault_has_its_outcome_and_nothing_is_lost(tmp_path: Path) -> None:
    async def resolve(host: str, port: int) -> list[str]:
        return ["127.0.0.1" if host.startswith("rebound") else host]

    async def go() -> tuple[dict[str, str], list[Any], dict[str, str | None], float]:
        names: dict[str, str] = {}
        async with AsyncExitStack() as stack:
            hosts = [f"127.0.1.{at}" for at in range(1, len(FAULTS) + 1)]
            for host, (name, routes, _, _) in zip(hosts, FAULTS, strict=True):
                server = await stack.enter_async_context(serving(routes, host))
                names[server.url("/page")] = name
            names["http://rebound.travel-site.net/page"] = "name that resolves to 127.0.0.1"
            settings = FetchSettings(
                allow_hosts=frozenset(hosts), delay_s=0.0, backoff_s=0.05, timeout_s=1.5,
                total_timeout_s=2.5, max_bytes=300_000, max_tries=3,
            )  # fmt: skip
            started = time.monotonic()
            with Archive(tmp_path / "archive") as archive:
                await crawl(map(Ask, names), settings, archive.add, resolve)
                seconds = time.monotonic() - started
                rows = addresses_of(archive, names)
                titles = {names[row["url"]]: _title(archive, row) for row in rows}
            return names, rows, titles, seconds

    names, rows, titles, seconds = asyncio.run(go())
    assert seconds < LIMIT_S
    found = {names[row["url"]]: (row["outcome"], row["reason"]) for row in rows}
    wanted = {name: (outcome, reason) for name, _, outcome, reason in FAULTS}
    wanted["name that resolves to 127.0.0.1"] = NAME_OUTCOME
    assert found == wanted
    assert len(rows) == len(names)
    assert titles["charset declared wrongly"] == "北京一日"
    assert titles["charset undeclared"] == "臺北兩日"


def _title(archive: Archive, row: dict[str, Any]) -> str | None:
    if row["outcome"] != "stored":
        return None
    try:
        page = load_page(
            archive, row["url"], row["final_url"], row["content_sha256"], row["content_type"],
            row["charset"],
        )  # fmt: skip
    except UnreadableDocument:
        return None
    return page.meta.title


def test_the_page_of_the_docs_states_the_same_outcomes() -> None:
    page = (ROOT / "docs" / "web.md").read_text(encoding="utf-8")
    stated = {
        match[1].strip(): (match[2], match[3])
        for match in re.finditer(r"^\| ([^|]+) \| (\w+) \| `?(\w*)`? ?\|$", page, re.MULTILINE)
    }
    for name, _, outcome, reason in FAULTS:
        assert stated.get(name) == (outcome, reason or ""), name


@pytest.mark.parametrize("location", ["http://127.0.0.99/", "http://0x7f000063/", "//127.99/"])
def test_a_redirect_to_a_spelling_of_loopback_is_not_followed(
    location: str, tmp_path: Path
) -> None:
    async def away(path: str, c: Connection) -> None:
        await c.answer(status="301 Moved", headers=(f"Location: {location}",))

    async def go() -> None:
        async with serving({"/page": away}) as server:
            settings = FetchSettings(allow_hosts=frozenset({"127.0.0.1"}), delay_s=0.0)
            with Archive(tmp_path) as archive:
                await crawl([Ask(server.url("/page"))], settings, archive.add)
                row = archive.latest(server.url("/page"))
                assert row is not None
                assert (row.outcome, row.reason_code) in (
                    ("quarantined", "forbidden_address"),
                    ("quarantined", "forbidden_host"),
                )

    asyncio.run(go())
