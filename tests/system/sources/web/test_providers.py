"""Providers against answers written by hand in the shape of each API, served on 127.0.0.1."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from pydantic import SecretStr

from sources.web.collection import read_collection
from sources.web.providers.base import Answers, ProviderError, SearchQuery, SearchResult, fuse
from sources.web.providers.corpus import CorpusProvider, KeptCorpus
from sources.web.providers.registry import APIS, ApiProvider, make_provider
from sources.web.settings import WebSettings
from tests.support.sources.web.server import Connection, Server, serving

KEY = "k3y-that-nobody-may-see"
QUERY = SearchQuery("成都 必去景点推荐", "zh", newest_after=date(2023, 1, 1))
Reply = Callable[[dict[str, str], Any], tuple[str, Any, tuple[str, ...]]]


def wiki(asked: dict[str, str], _: Any) -> tuple[str, Any, tuple[str, ...]]:
    first = int(asked["sroffset"])
    rows = [
        {"ns": 0, "title": f"成都 {at}", "pageid": at, "size": 900, "wordcount": 80,
         "snippet": "<span class=\"searchmatch\">成都</span>的茶馆 &amp; 公园",
         "timestamp": "2024-03-05T10:00:00Z"}
        for at in range(first, first + int(asked["srlimit"]))
    ]  # fmt: skip
    answer = {"batchcomplete": True, "query": {"searchinfo": {"totalhits": 999}, "search": rows},
              "continue": {"sroffset": first + len(rows), "continue": "-||"}}  # fmt: skip
    return "200 OK", answer, ()


def searx(asked: dict[str, str], _: Any) -> tuple[str, Any, tuple[str, ...]]:
    page = int(asked["pageno"])
    rows = [
        {
            "url": f"https://guide.travel-site.net/{page}/{at}",
            "title": f"攻略 {at}",
            "content": "茶馆",
            "publishedDate": "2024-05-06T00:00:00" if at else None,
            "engine": "bing",
            "engines": ["bing"],
            "score": 1.0,
            "category": "general",
        }
        for at in range(8)
    ]
    answer = {"query": asked["q"], "number_of_results": 0, "results": rows if page < 3 else [],
              "answers": [], "corrections": [], "infoboxes": [], "suggestions": [],
              "unresponsive_engines": []}  # fmt: skip
    return "200 OK", answer, ()


def brave(asked: dict[str, str], _: Any) -> tuple[str, Any, tuple[str, ...]]:
    page = int(asked["offset"])
    rows = [
        {
            "title": "攻略",
            "url": f"https://guide.travel-site.net/{page}/{at}",
            "type": "search_result",
            "description": "<strong>成都</strong>两日",
            "page_age": "2024-02-03T04:05:06",
            "language": "zh",
        }
        for at in range(int(asked["count"]))
    ]
    answer = {
        "type": "search",
        "query": {"original": asked["q"], "more_results_available": page < 1},
        "web": {"type": "search", "results": rows},
    }
    return "200 OK", answer, ("X-RateLimit-Remaining: 0, 1999",)


def baidu(_: dict[str, str], body: Any) -> tuple[str, Any, tuple[str, ...]]:
    rows = [
        {"id": at, "title": "攻略", "url": f"https://guide.travel-site.net/{at}", "type": "web",
         "date": "2024-06-07 08:09:10", "content": "成都两日", "icon": None, "web_anchor": ""}
        for at in range(1, body["resource_type_filter"][0]["top_k"] + 1)
    ]  # fmt: skip
    return "200 OK", {"request_id": "r1", "references": rows}, ()


GOOD: dict[str, Reply] = {"mediawiki": wiki, "searxng": searx, "brave": brave, "baidu": baidu}


def brave_error(status: str, code: str, *headers: str) -> Reply:
    error = {"id": "e", "status": int(status[:3]), "code": code, "detail": "no", "meta": {}}
    return lambda *_: (status, {"type": "ErrorResponse", "error": error, "time": 1}, headers)


def plain(status: str, answer: Any, *headers: str) -> Reply:
    return lambda *_: (status, answer, headers)


ERRORS: tuple[tuple[str, Reply, str], ...] = (
    ("brave", brave_error("422 Unprocessable", "SUBSCRIPTION_TOKEN_INVALID"), "bad_key"),
    (
        "brave",
        brave_error("429 Too Many", "RATE_LIMITED", "X-RateLimit-Remaining: 0, 900"),
        "rate_limited",
    ),
    (
        "brave",
        brave_error("429 Too Many", "RATE_LIMITED", "X-RateLimit-Remaining: 1, 0"),
        "quota_spent",
    ),
    ("brave", brave_error("429 Too Many", "QUOTA_LIMITED"), "quota_spent"),
    ("brave", brave_error("422 Unprocessable", "VALIDATION"), "bad_request"),
    ("brave", plain("200 OK", None), "unreadable_answer"),
    (
        "baidu",
        plain("401 Unauthorized", {"requestId": "r", "code": "216003", "message": "no"}),
        "bad_key",
    ),
    (
        "baidu",
        plain("200 OK", {"code": 17, "message": "Open api daily request limit reached"}),
        "quota_spent",
    ),
    ("baidu", plain("429 Too Many", {"error": {"code": "rate_limit_exceeded"}}), "rate_limited"),
    ("baidu", plain("200 OK", {"code": "336000", "message": "no"}), "bad_request"),
    ("baidu", plain("500 Error", None), "server_error"),
    (
        "mediawiki",
        plain("200 OK", {"error": {"code": "maxlag", "info": "lagged"}}, "Retry-After: 0"),
        "rate_limited",
    ),
    ("mediawiki", plain("200 OK", {"error": {"code": "badvalue", "info": "no"}}), "bad_request"),
    ("searxng", plain("403 Forbidden", None), "bad_request"),
    ("searxng", plain("429 Too Many", None), "rate_limited"),
    (
        "searxng",
        plain("200 OK", {"results": [], "unresponsive_engines": [["bing", "timeout"]]}),
        "server_error",
    ),
)
EMPTY: dict[str, Reply] = {
    "mediawiki": plain("200 OK", {"batchcomplete": True, "query": {"search": []}}),
    "searxng": plain("200 OK", {"results": [], "unresponsive_engines": []}),
    "brave": plain("200 OK", {"type": "search", "query": {"more_results_available": False}}),
    "baidu": plain("200 OK", {"request_id": "r", "references": []}),
}


def settings_for(server: Server) -> WebSettings:
    base = server.url("")
    return WebSettings(
        mediawiki_url=base, searxng_url=base, brave_url=base, baidu_url=base,
        brave_key=SecretStr(KEY), baidu_key=SecretStr(KEY),
    )  # fmt: skip


def searching(
    name: str,
    reply: Reply,
    folder: Path,
    work: Callable[[Callable[..., ApiProvider], Server], Any],
) -> Any:
    async def handle(path: str, c: Connection) -> None:
        line = c.request.split(b"\r\n", 1)[0].split(b" ")[1].decode()
        asked = {k: v[0] for k, v in parse_qs(urlsplit(line).query).items()}
        length = int(dict(_headers(c.request)).get("content-length", "0"))
        body = json.loads(await c.reader.readexactly(length)) if length else None
        status, answer, headers = reply(asked, body)
        raw = b"<html>" if answer is None else json.dumps(answer).encode()
        await c.answer(raw, status, (*headers, "Content-Type: application/json"))

    class Any_(dict[str, Any]):
        def __contains__(self, key: object) -> bool:
            return True

        def __getitem__(self, key: str) -> Any:
            return handle

    async def go() -> Any:
        async with serving(Any_()) as server:

            def make(**options: Any) -> ApiProvider:
                provider = make_provider(name, settings_for(server), Answers(folder), **options)
                provider._settings = _hasty(provider._settings)
                provider._api.min_interval_s = 0.0
                return provider

            return await work(make, server)

    return asyncio.run(go())


def _headers(request: bytes) -> list[tuple[str, str]]:
    lines = request.decode("latin-1").split("\r\n")[1:]
    return [(k.lower(), v.strip()) for k, _, v in (line.partition(":") for line in lines) if v]


def _hasty(settings: Any) -> Any:
    from dataclasses import replace

    return replace(settings, backoff_s=0.01, max_tries=2, max_retry_after_s=1.0)


@pytest.mark.parametrize("name", GOOD)
def test_results_are_read_over_pages(name: str, tmp_path: Path) -> None:
    async def work(make: Callable[..., ApiProvider], server: Server) -> None:
        found = await make().search(QUERY, 12)
        assert [entry.rank for entry in found] == list(range(1, 13))
        assert len({entry.url for entry in found}) == 12
        assert "<" not in found[0].snippet
        assert found[1].published_on is not None
        assert found[1].published_on.year == 2024
        if name == "mediawiki":
            assert found[0].url == server.url("/wiki/%E6%88%90%E9%83%BD_0")
            assert found[0].snippet == "成都的茶馆 & 公园"
        head = server.requests[-1].decode().lower()
        assert (KEY in head) is (name in ("brave", "baidu"))

    searching(name, GOOD[name], tmp_path, work)
    kept = "".join(path.read_text() for path in tmp_path.rglob("*.json"))
    assert kept
    assert KEY not in kept


@pytest.mark.parametrize(("name", "reply", "code"), ERRORS)
def test_errors_mean_the_same_for_all(name: str, reply: Reply, code: str, tmp_path: Path) -> None:
    async def work(make: Callable[..., ApiProvider], server: Server) -> None:
        with pytest.raises(ProviderError) as caught:
            await make().search(QUERY, 10)
        assert caught.value.code == code
        assert KEY not in str(caught.value)
        assert len(server.requests) == (2 if code in ("rate_limited", "server_error") else 1)

    searching(name, reply, tmp_path, work)
    assert not list(tmp_path.rglob("*.json")), "an error is not an answer to keep"


@pytest.mark.parametrize("name", EMPTY)
def test_an_empty_result_is_an_answer(name: str, tmp_path: Path) -> None:
    async def work(make: Callable[..., ApiProvider], server: Server) -> None:
        assert await make().search(QUERY, 10) == []
        assert await make().search(QUERY, 10) == []
        assert len(server.requests) == 1

    searching(name, EMPTY[name], tmp_path, work)


@pytest.mark.parametrize("name", GOOD)
def test_what_is_paid_is_never_asked_twice(name: str, tmp_path: Path) -> None:
    async def work(make: Callable[..., ApiProvider], server: Server) -> None:
        first = await make().search(QUERY, 12)
        n_requests = len(server.requests)
        assert await make().search(QUERY, 12) == first
        assert await make(offline=True).search(QUERY, 12) == first
        assert len(server.requests) == n_requests
        again = await make(since=datetime.now(UTC)).search(QUERY, 12)
        assert again == first
        is_paid = name in ("brave", "baidu")
        assert len(server.requests) == (n_requests if is_paid else 2 * n_requests)
        with pytest.raises(ProviderError, match="offline"):
            await make(offline=True).search(SearchQuery("杭州"), 10)

    searching(name, GOOD[name], tmp_path, work)


def test_brave_is_asked_as_its_documentation_says(tmp_path: Path) -> None:
    async def work(make: Callable[..., ApiProvider], server: Server) -> None:
        await make().search(QUERY, 30)
        first, second = server.requests
        asked = parse_qs(urlsplit(first.split(b" ")[1].decode()).query)
        assert asked["count"] == ["20"]
        assert asked["freshness"] == ["2023-01-01to2100-01-01"]
        assert (asked["country"], asked["search_lang"]) == (["CN"], ["zh-hans"])
        assert b"offset=1" in second

    searching("brave", brave, tmp_path, work)


def test_providers_that_are_not_configured_say_what_to_set(tmp_path: Path) -> None:
    nothing = WebSettings(brave_key=None, baidu_key=None, searxng_url=None)
    for entry in APIS:
        if entry.needs:
            with pytest.raises(ProviderError, match=entry.needs):
                make_provider(entry.name, nothing, Answers(tmp_path))
    with pytest.raises(ProviderError, match="choose one of corpus"):
        make_provider("altavista", nothing, Answers(tmp_path))


def test_an_api_that_was_not_named_may_not_stand_inside(tmp_path: Path) -> None:
    settings = WebSettings(mediawiki_url="http://127.0.0.1:9")
    assert settings.asking("http://127.0.0.1:9/").allow_hosts == {"127.0.0.1"}
    assert settings.asking("http://127.0.0.77/").allow_hosts == frozenset()
    assert settings.fetching.allow_hosts == frozenset()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "docs"
    (root / "sub").mkdir(parents=True)
    (root / "a.md").write_text(
        "---\ndate: 2024-05-01\n---\n# 成都两日\n\n第一天看熊猫，第二天喝茶。"
    )
    (root / "sub" / "b.md").write_text("---\ndate: 2015-05-01\n---\n# 成都旧事\n\n看熊猫，看川剧。")
    (root / "c.md").write_text("# 杭州一日\n\n看熊猫要去别处，这里看西湖。")
    (root / "d.html").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(50))
    return root


def test_the_corpus_finds_documents_about_the_city(folder: Path, tmp_path: Path) -> None:
    corpus = CorpusProvider(read_collection([folder]))
    assert list(corpus.unreadable) == ["corpus:d.html"]
    everywhere = asyncio.run(corpus.search(SearchQuery("熊猫"), 10))
    assert {entry.url for entry in everywhere} == {"corpus:a.md", "corpus:sub/b.md", "corpus:c.md"}
    query = SearchQuery("熊猫", about=("成都", "Chengdu"), newest_after=date(2020, 1, 1))
    kept = KeptCorpus(corpus, Answers(tmp_path / "answers"))
    found = asyncio.run(kept.search(query, 10))
    assert [(entry.url, entry.published_on) for entry in found] == [
        ("corpus:a.md", date(2024, 5, 1))
    ]
    away = KeptCorpus(None, Answers(tmp_path / "answers"))
    assert asyncio.run(away.search(query, 10)) == found
    with pytest.raises(ProviderError, match="without --offline"):
        asyncio.run(away.search(SearchQuery("茶"), 10))


def test_warc_and_parquet_are_corpora_too(folder: Path, tmp_path: Path) -> None:
    import polars as pl

    from sources.web.archive import Archive
    from tests.system.sources.web.test_archive import AT

    page = "<h1>成都两日</h1><p>第一天看熊猫。</p>"
    with Archive(tmp_path / "archive") as archive:
        archive.add_file("https://a.travel-site.net/x", page.encode("gb18030"), "text/html", AT)
    warc = tmp_path / "archive" / "tripbed-000001.warc.gz"
    table = tmp_path / "pages.parquet"
    rows = {"url": ["https://b.travel-site.net/y", None], "html": [page, page]}
    pl.DataFrame(rows).write_parquet(table)
    corpus = CorpusProvider(read_collection([warc, table]))
    found = asyncio.run(corpus.search(SearchQuery("熊猫"), 10))
    assert [entry.url for entry in found] == [
        "https://a.travel-site.net/x",
        "https://b.travel-site.net/y",
    ]
    assert {entry.title for entry in found} == {"成都两日"}


def test_new_documents_come_before_old_ones_of_the_same_rank() -> None:
    old, new = date(2015, 1, 1), date(2025, 1, 1)
    searches = [
        [SearchResult("https://old.net/", 1, published_on=old), SearchResult("https://x.net/", 2)],
        [SearchResult("https://new.net/", 1, published_on=new), SearchResult("https://x.net/", 2)],
    ]
    ranked = fuse(searches, 10)
    assert [entry.url for entry in ranked] == [
        "https://x.net/",
        "https://new.net/",
        "https://old.net/",
    ]
    assert [entry.rank for entry in fuse(searches, 2)] == [1, 2]
