"""``retrieve`` and ``doctor`` as a user runs them."""

from __future__ import annotations

import asyncio
import json
import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import polars as pl
import pytest

from flows.cli import main
from tests.support.sources.web.server import Connection, Server, serving

KEY = "k3y-that-nobody-may-see"
PAGE = "<html><body><h1>杭州茶山</h1><p>上午爬山，下午喝茶，电话 13812345678。</p></body></html>"
TABLES = ("documents", "query_documents", "searches", "sub_queries", "waiting_searches")


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["tripbed", *arguments])
    try:
        main()
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def contents(folder: Path) -> dict[str, bytes]:
    return {name: (folder / f"{name}.parquet").read_bytes() for name in TABLES}


def refuse_sockets(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **kwargs: object) -> None:
        raise AssertionError("a socket was opened")

    for name in ("socket", "socketpair", "create_connection", "getaddrinfo"):
        monkeypatch.setattr(socket, name, refuse)


def test_offline_gives_the_same_tables_without_a_socket_or_the_documents(
    tmp_path: Path,
    sample: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    profile = tmp_path / "few.yaml"
    profile.write_text("name: few\nqueries: {days: [3], constraint_kinds: [season]}\n")
    base = ["retrieve", "--city", "杭州", "--profile", str(profile), "--search", "corpus"]
    base += ["--workspace", str(tmp_path / "w"), "--json"]
    assert run(monkeypatch, *base, "--documents", str(sample / "documents")) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert row["documents"] == row["stored"] + row["quarantined"] + row["pending"]
    assert row["stored"] > 10
    first = contents(tmp_path / "w" / "retrieved" / "hangzhou")
    with monkeypatch.context() as patch:
        refuse_sockets(patch)
        at = base.index("--workspace")
        other = [
            *base[:at],
            "--workspace",
            str(tmp_path / "v"),
            "--archive",
            str(tmp_path / "w" / "archive"),
            "--json",
        ]
        assert run(patch, *other, "--offline") == 0
    assert contents(tmp_path / "v" / "retrieved" / "hangzhou") == first
    assert run(monkeypatch, *base, "--documents", str(sample / "documents")) == 0
    assert contents(tmp_path / "w" / "retrieved" / "hangzhou") == first


@pytest.fixture
def web() -> Iterator[Server]:
    """A SearXNG instance whose results stand on the same server."""
    ready: list[Server] = []
    started, stop = threading.Event(), asyncio.Event()
    loop = asyncio.new_event_loop()

    async def answer(path: str, c: Connection) -> None:
        url = urlsplit(c.request.split(b" ", 2)[1].decode())
        server = ready[0]
        if url.path == "/search":
            page = parse_qs(url.query)["pageno"][0]
            rows = [
                {"url": server.url(f"/p/{at}"), "title": f"t{at}", "content": "",
                 "publishedDate": f"20{10 + at}-01-01"}
                for at in range(4)
            ]  # fmt: skip
            rows.append({"url": "http://10.1.2.3/inside", "title": "inside", "content": ""})
            answer = {"results": rows if page == "1" else [], "unresponsive_engines": []}
            await c.answer(json.dumps(answer).encode(), headers=("Content-Type: application/json",))
        elif url.path == "/robots.txt":
            rules = b"User-agent: *\nDisallow: /p/3"
            await c.answer(rules, headers=("Content-Type: text/plain",))
        elif url.path == "/p/2":
            await c.answer(status="404 Not Found")
        else:
            await c.answer(PAGE.encode() + url.path.encode())

    class All(dict[str, Any]):
        def __contains__(self, key: object) -> bool:
            return True

        def __getitem__(self, key: str) -> Any:
            return answer

    async def serve() -> None:
        async with serving(All()) as server:
            ready.append(server)
            started.set()
            await stop.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()))
    thread.start()
    started.wait(10)
    yield ready[0]
    loop.call_soon_threadsafe(stop.set)
    thread.join(10)
    loop.close()


def test_a_search_is_fetched_archived_and_read_again(
    tmp_path: Path, web: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TRIPBED_SEARXNG_URL", web.url(""))
    monkeypatch.setenv("TRIPBED_ALLOW_HOSTS", "127.0.0.1")
    monkeypatch.setenv("TRIPBED_DELAY_S", "0")
    monkeypatch.setattr("sources.web.providers.searxng.SearXNG.min_interval_s", 0.0)
    profile = tmp_path / "few.yaml"
    profile.write_text(
        "name: few\nqueries: {days: [3], constraint_kinds: [generic]}\n"
        "documents: {newest_after: 2011-01-01}\n"
    )
    base = ["retrieve", "--city", "杭州", "--profile", str(profile), "--search", "searxng"]
    base += ["--workspace", str(tmp_path / "w"), "--json"]
    assert run(monkeypatch, *base) == 0
    (row,) = json.loads(capsys.readouterr().out)
    wanted = {"documents": 4, "stored": 1, "quarantined": 3, "pending": 0}
    assert {name: row[name] for name in wanted} == wanted
    table = pl.read_parquet(tmp_path / "w" / "retrieved" / "hangzhou" / "documents.parquet")
    reasons = dict(table.select("url", "reason").iter_rows())
    assert reasons == {
        "http://10.1.2.3/inside": "forbidden_address",
        web.url("/p/1"): None,
        web.url("/p/2"): "http_status",
        web.url("/p/3"): "robots",
    }
    stored = table.filter(pl.col("outcome") == "stored").to_dicts()[0]
    assert (stored["robots"], stored["status"], stored["title"]) == ("allowed", 200, "杭州茶山")
    first, n_asked = contents(tmp_path / "w" / "retrieved" / "hangzhou"), web.asked.total()
    assert run(monkeypatch, *base) == 0
    assert run(monkeypatch, *base, "--offline") == 0
    assert contents(tmp_path / "w" / "retrieved" / "hangzhou") == first
    assert web.asked.total() == n_asked
    assert run(monkeypatch, *base, "--refresh") == 0
    assert web.asked["/p/1"] == 2


def test_wrong_options_say_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    base = ["retrieve", "--city", "杭州", "--profile", "demo", "--workspace", str(tmp_path)]
    for arguments, message in (
        (["--search", "corpus"], "--documents"),
        (["--search", "corpus", "--documents", str(tmp_path / "none")], "no such file or folder"),
        (["--search", "altavista"], "choose one of corpus"),
        (["--search", "brave"], "TRIPBED_BRAVE_KEY"),
        (["--search", "corpus", "--offline"], "no archive at"),
        (["--search", "corpus", "--offline", "--refresh"], "forbids its use: give only one"),
        (["--refresh"], "choose a search engine with --search"),
    ):
        assert run(monkeypatch, *base, *arguments) == 2, arguments
        assert message in capsys.readouterr().err.replace("\n", " "), arguments


def test_a_wrong_variable_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TRIPBED_DELAY_S", "soon")
    assert run(monkeypatch, "doctor", "--workspace", str(tmp_path), "--offline") == 2
    assert "TRIPBED_DELAY_S" in capsys.readouterr().err


def test_doctor_tells_of_every_provider_and_prints_no_key(
    tmp_path: Path, web: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TRIPBED_SEARXNG_URL", web.url(""))
    monkeypatch.setenv("TRIPBED_BRAVE_KEY", KEY)
    monkeypatch.setenv("TRIPBED_BRAVE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("OPENAI_BASE_URL", web.url(""))
    monkeypatch.setenv("OPENAI_MODEL", "a-model")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("TRIPBED_PRICE_IN", "0")
    monkeypatch.setenv("TRIPBED_PRICE_OUT", "0")
    monkeypatch.setenv("TRIPBED_CONTACT", "me@example.org")
    monkeypatch.setenv("TRIPBED_NOMINATIM_URL", "http://127.0.0.1:9")
    monkeypatch.delenv("TRIPBED_AMAP_KEY", raising=False)
    monkeypatch.setenv("TRIPBED_MEDIAWIKI_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("TRIPBED_OVERPASS_URL", web.url("/api"))
    monkeypatch.setenv("TRIPBED_OVERTURE_URL", "http://127.0.0.1:9")
    monkeypatch.delenv("TRIPBED_BAIDU_KEY", raising=False)
    assert run(monkeypatch, "doctor", "--workspace", str(tmp_path), "--json") == 0
    out = capsys.readouterr().out
    found = {row["name"]: (row["is_configured"], row["is_reachable"]) for row in json.loads(out)}
    assert found["provider corpus"] == (True, True)
    assert found["provider searxng"] == (True, True)
    assert found["provider brave"] == (True, False)
    assert found["provider mediawiki"] == (True, False)
    assert found["provider baidu"] == (False, None)
    assert found["open data osm"] == (True, True)
    assert found["open data overture"] == (True, False)
    assert found["disk"] == (None, None)
    assert found["model"] == (True, True)
    assert found["geocoder gazetteer"] == (True, True)
    assert found["geocoder nominatim"] == (True, False)
    assert found["geocoder amap"] == (False, None)
    assert run(monkeypatch, "doctor", "--workspace", str(tmp_path), "--offline") == 0
    out += capsys.readouterr().out
    assert KEY not in out
    assert "TRIPBED_BAIDU_KEY" in out
