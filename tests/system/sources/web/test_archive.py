"""The archive: read again for ever, each body once, refreshed politely, whole after a kill."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

from sources.web.archive import Archive, ArchiveError
from sources.web.archive_records import read_documents
from sources.web.errors import UnreadableDocument
from sources.web.fetch import crawl
from sources.web.fetch_types import FetchSettings
from sources.web.pages import addresses_of, load_page
from tests.support.sources.web.server import Connection, Handler, Server, serving

PAGE = "<html><body><h1>西山一日</h1><p>上午爬山，下午喝茶。</p></body></html>".encode()
AT = datetime(2026, 5, 1, 8, tzinfo=UTC)
SETTINGS = FetchSettings(
    allow_hosts=frozenset({"127.0.0.1"}), delay_s=0.0, backoff_s=0.01, max_tries=1
)


async def page(path: str, c: Connection) -> None:
    await c.answer(PAGE)


async def tagged(path: str, c: Connection) -> None:
    if b'if-none-match: "v1"' in c.request.lower():
        await c.answer(status="304 Not Modified", headers=('ETag: "v1"',))
    else:
        await c.answer(PAGE, headers=('ETag: "v1"', "Set-Cookie: session=1"))


async def changing(path: str, c: Connection) -> None:
    await c.answer(PAGE + str(c.count).encode())


async def failing_later(path: str, c: Connection) -> None:
    if c.count == 1:
        await c.answer(PAGE)
    else:
        await c.answer(status="503 Service Unavailable")


def crawled(
    folder: Path,
    routes: dict[str, Handler],
    paths: Sequence[str],
    check: Callable[[Archive, Server, list[str]], None],
    runs: Sequence[bool] = (False,),
) -> None:
    """Crawl once for each entry of ``runs``, which says whether to refresh."""

    async def go() -> None:
        async with serving(routes) as server:
            urls = [server.url(path) for path in paths]
            for refresh in runs:
                since = datetime.now(UTC) if refresh else None
                with Archive(folder) as archive:
                    await crawl(archive.due(urls, since), SETTINGS, archive.add)
            with Archive(folder, read_only=True) as archive:
                check(archive, server, urls)

    asyncio.run(go())


def test_a_second_run_reads_the_archive(tmp_path: Path) -> None:
    def check(archive: Archive, server: Server, urls: list[str]) -> None:
        assert server.asked == {"/robots.txt": 1, "/a": 1, "/gone": 1}
        row = archive.latest(urls[0])
        assert row is not None
        assert archive.body(row) == PAGE

    crawled(tmp_path, {"/a": page}, ["/a", "/gone"], check, runs=[False, False])


def test_the_same_body_is_stored_once(tmp_path: Path) -> None:
    def check(archive: Archive, server: Server, urls: list[str]) -> None:
        rows = [archive.latest(url) for url in urls]
        assert len({(row.body_file, row.body_offset) for row in rows if row}) == 1
        assert all(row and archive.body(row) == PAGE for row in rows)

    crawled(tmp_path, {"/a": page, "/b": page}, ["/a", "/b"], check)
    kinds = [record.record_type for record in _records(tmp_path)]
    assert kinds.count(WarcRecordType.response) == 2  # robots.txt and one page
    assert kinds.count(WarcRecordType.revisit) == 1
    assert kinds.count(WarcRecordType.request) == 3


def test_refresh_asks_conditionally_and_keeps_the_body(tmp_path: Path) -> None:
    def check(archive: Archive, server: Server, urls: list[str]) -> None:
        assert server.asked["/a"] == 2
        row = archive.latest(urls[0])
        assert row is not None
        assert row.checked_at is not None
        assert row.checked_at > row.fetched_at
        assert (row.outcome, row.status, archive.body(row)) == ("stored", 200, PAGE)

    crawled(tmp_path, {"/a": tagged}, ["/a"], check, runs=[False, True])


def test_refresh_takes_what_changed(tmp_path: Path) -> None:
    def check(archive: Archive, server: Server, urls: list[str]) -> None:
        row = archive.latest(urls[0])
        assert row is not None
        assert archive.body(row) == PAGE + b"2"

    crawled(tmp_path, {"/a": changing}, ["/a"], check, runs=[False, True])


def test_a_server_that_fails_later_takes_nothing_away(tmp_path: Path) -> None:
    def check(archive: Archive, server: Server, urls: list[str]) -> None:
        assert server.asked["/a"] == 2
        row = archive.latest(urls[0])
        assert row is not None
        assert (row.outcome, archive.body(row)) == ("stored", PAGE)

    crawled(tmp_path, {"/a": failing_later}, ["/a"], check, runs=[False, True])


def test_what_is_pending_is_asked_again(tmp_path: Path) -> None:
    async def later(path: str, c: Connection) -> None:
        await (c.answer(PAGE) if c.count > 1 else c.answer(status="503 Busy"))

    def check(archive: Archive, server: Server, urls: list[str]) -> None:
        row = archive.latest(urls[0])
        assert row is not None
        assert row.outcome == "stored"

    crawled(tmp_path, {"/a": later}, ["/a"], check, runs=[False, False])


def test_other_readers_understand_the_files(tmp_path: Path) -> None:
    crawled(tmp_path, {"/a": tagged}, ["/a"], lambda *_: None)
    answers = [
        record
        for record in _records(tmp_path, parse_http=True)
        if record.record_type == WarcRecordType.response
        and not record.headers["WARC-Target-URI"].endswith("/robots.txt")
    ]
    assert len(answers) == 1
    (path,) = tmp_path.glob("*.warc.gz")
    assert [raw for _, _, _, raw in read_documents(path)] == [PAGE]
    raw = b"".join(record.reader.read() for record in _records(tmp_path))
    assert b"tripbed" in raw


@pytest.mark.parametrize("loses_index", [False, True])
def test_a_piece_that_was_cut_is_dropped_and_the_rest_stands(
    tmp_path: Path, loses_index: bool
) -> None:
    with Archive(tmp_path) as archive:
        for at in range(5):
            archive.add_file(f"corpus:{at}.md", f"# Page {at}".encode(), "text/markdown", AT)
    (path,) = tmp_path.glob("*.warc.gz")
    whole = path.stat().st_size
    with Archive(tmp_path) as archive:
        archive.add_file("corpus:new.md", b"# New", "text/markdown", AT)
        cut = path.stat().st_size - 7
    if loses_index:
        shutil.rmtree(tmp_path / "index")
    else:
        (tmp_path / "index" / "000002.parquet").unlink()
    with path.open("r+b") as stream:
        stream.truncate(cut)
    with Archive(tmp_path) as archive:
        assert len(archive) == 5
        assert path.stat().st_size == whole
        assert "corpus:new.md" not in archive
        archive.add_file("corpus:new.md", b"# New", "text/markdown", AT)
    with Archive(tmp_path, read_only=True) as archive:
        assert len(archive) == 6
        assert {archive.body(row) for row in archive.rows()} >= {b"# New", b"# Page 4"}


def test_what_the_index_was_never_told_is_read_from_the_files(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    archive.add_file("corpus:a.md", b"# A", "text/markdown", AT)
    with Archive(tmp_path, read_only=True) as reader:  # the writer has not closed: as if killed
        row = reader.latest("corpus:a.md")
        assert row is not None
        assert reader.body(row) == b"# A"
    archive.close()


def test_what_a_killed_run_added_behind_a_saved_index_stands(tmp_path: Path) -> None:
    with Archive(tmp_path) as archive:
        archive.add_file("corpus:a.md", b"# A", "text/markdown", AT)
    killed = Archive(tmp_path)
    for name in ("b", "c"):
        killed.add_file(f"corpus:{name}.md", f"# {name}".encode(), "text/markdown", AT)
    assert killed._lock is not None
    killed._lock.close()  # as the end of its process does; its index is never saved
    with Archive(tmp_path) as archive:
        assert {row.url for row in archive.rows()} == {f"corpus:{name}.md" for name in "abc"}
        assert {archive.body(row) for row in archive.rows()} == {b"# A", b"# b", b"# c"}


def test_one_process_writes_and_a_missing_archive_is_named(tmp_path: Path) -> None:
    with Archive(tmp_path / "a"), pytest.raises(ArchiveError, match="another process"):
        Archive(tmp_path / "a")
    with pytest.raises(ArchiveError, match="no archive at"):
        Archive(tmp_path / "missing", read_only=True)


def test_a_damaged_body_is_noticed(tmp_path: Path) -> None:
    with Archive(tmp_path) as archive:
        row = archive.add_file("corpus:a.md", b"# A", "text/markdown", AT)
        wrong = row.model_copy(update={"content_sha256": "0" * 64})
        with pytest.raises(ArchiveError, match="damaged"):
            archive.body(wrong)


def test_every_address_has_a_row_and_every_page_its_text_or_a_reason(tmp_path: Path) -> None:
    guide = "# 西山一日游\n\n" + "上午九点从山脚出发，沿石阶登顶，在亭子里休息半小时。" * 4
    with Archive(tmp_path / "a") as archive:
        archive.add_file("corpus:1.md", guide.encode(), "text/markdown", AT)
        call = "# 客栈\n\n老板手机 13812345678，欢迎致电。".encode()
        archive.add_file("corpus:2.md", call, "text/markdown", AT)
        archive.add_file("corpus:3.html", b"\x89PNG\r\n\x1a\n" + bytes(99), "text/html", AT)
        urls = ["corpus:1.md", "corpus:2.md", "corpus:3.html", "http://never.net/"]
        rows = addresses_of(archive, reversed(urls))
    assert [row["url"] for row in rows] == urls
    assert [row["outcome"] for row in rows] == ["stored", "stored", "stored", "pending"]
    with Archive(tmp_path / "a", read_only=True) as archive:
        assert addresses_of(archive, urls) == rows
        first, second, third = (
            (r["url"], r["final_url"], r["content_sha256"], r["content_type"], None)
            for r in rows[:3]
        )
        assert load_page(archive, *first).document.path == "corpus:1.md"
        assert load_page(archive, *second).masked.total() == 1
        with pytest.raises(UnreadableDocument, match="not text"):
            load_page(archive, *third)


def test_a_page_that_is_gone_stays_and_says_since_when(tmp_path: Path) -> None:
    async def going(path: str, c: Connection) -> None:
        await c.answer(PAGE, status="200 OK" if c.count in (1, 4) else "404 Not Found")

    days = []

    def check(archive: Archive, server: Server, urls: list[str]) -> None:
        row = archive.latest(urls[0])
        assert row is not None
        assert (row.outcome, archive.body(row)) == ("stored", PAGE)
        days.append((row.gone_at, row.gone_why))

    for runs in ([False, True], [False, True, True], [False, True, True, True]):
        crawled(tmp_path / str(len(runs)), {"/a": going}, ["/a"], check, runs=runs)
    (once, why), (twice, _), back = days
    assert once is not None
    assert twice is not None
    assert why == "http_status: the server answers 404"
    assert back == (None, None), "it is there again"


def test_the_same_bytes_again_are_the_same_document(tmp_path: Path) -> None:
    def check(archive: Archive, server: Server, urls: list[str]) -> None:
        assert server.asked["/a"] == 2
        row = archive.latest(urls[0])
        assert row is not None
        assert row.checked_at is not None
        assert row.checked_at > row.fetched_at

    crawled(tmp_path, {"/a": page}, ["/a"], check, runs=[False, True])


def _records(folder: Path, parse_http: bool = False) -> list[WarcRecord]:
    (path,) = folder.glob("*.warc.gz")
    with path.open("rb") as stream:
        records = []
        for record in ArchiveIterator(stream, parse_http=parse_http):
            record.freeze()
            records.append(record)
    return records
