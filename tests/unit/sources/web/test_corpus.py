"""Folders of documents: what is listed, what is rejected, and that nothing is lost."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from sources.web import corpus as corpus_module
from sources.web.corpus import read_folder
from sources.web.errors import CorpusError, UnreadableDocument
from sources.web.metadata import DocumentMeta


def write(root: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def test_files_are_listed_in_order_and_other_types_counted(tmp_path: Path) -> None:
    write(
        tmp_path,
        {"b/2.html": "<p>b</p>", "a.md": "# a", "b/1.TXT": "b1", "c.MDX": "c", "x.png": b"\x89PNG",
         "data.csv": "1", ".hidden.md": "no", ".git/x.md": "no", "é.markdown": "e", "t.text": "t"},
    )  # fmt: skip
    corpus = read_folder([tmp_path])
    names = [file.path_rel for file in corpus.files]
    assert (
        names == sorted(names) == ["a.md", "b/1.TXT", "b/2.html", "c.MDX", "t.text", "é.markdown"]
    )
    assert corpus.n_ignored == 2
    first = corpus.files[0]
    assert first.sha256 == hashlib.sha256(b"# a").hexdigest()
    assert first.doc_id == f"d{first.sha256[:20]}"
    assert (first.size_bytes, first.root_index) == (3, 0)
    assert corpus.load(first).doc_id == first.doc_id
    assert corpus.load(first).path == "a.md"


def test_several_roots_and_the_same_bytes_twice(tmp_path: Path) -> None:
    one = write(tmp_path / "one", {"z.md": "same text", "y.md": "other text"})
    two = write(tmp_path / "two", {"a.md": "same text", "y.md": "third text"})
    corpus = read_folder([one, two])
    assert [(file.path_rel, file.root_index) for file in corpus.files] == [
        ("a.md", 1), ("y.md", 0), ("y.md", 1),
    ]  # fmt: skip
    (duplicate,) = corpus.duplicates
    assert (duplicate.path_rel, duplicate.root_index) == ("z.md", 0)
    assert duplicate.original_path_rel == "a.md"
    assert duplicate.doc_id == corpus.files[0].doc_id
    assert [corpus.load(file).text for file in corpus.files] == [
        "same text", "other text", "third text",
    ]  # fmt: skip


def test_a_huge_file_is_rejected_unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"good.md": "text"})
    with (tmp_path / "huge.md").open("wb") as stream:
        stream.truncate(50_000_000)
    opened: list[str] = []
    original = Path.open

    def spy(path: Path, *args: Any, **kwargs: Any) -> object:
        opened.append(path.name)
        return original(path, *args, **kwargs)

    monkeypatch.setattr(Path, "open", spy)
    corpus = read_folder([tmp_path])
    assert opened == ["good.md"]
    (rejected,) = corpus.rejected
    assert (rejected.path_rel, rejected.reason_code) == ("huge.md", "too_large")
    assert rejected.size_bytes == 50_000_000
    assert "50.0 MB" in rejected.message


def test_bad_documents_raise_one_by_one(tmp_path: Path) -> None:
    write(
        tmp_path, {"a.md": b"\x89PNG\r\n\x1a\n", "b.md": " ", "c.md": b"\x00\x01", "d.md": "good"}
    )
    corpus = read_folder([tmp_path])
    codes = []
    for file in corpus.files:
        try:
            codes.append(corpus.load(file).text)
        except UnreadableDocument as error:
            codes.append(error.reason_code)
    assert codes == ["binary", "empty", "binary", "good"]


def test_links_that_leave_the_root_are_not_followed(tmp_path: Path) -> None:
    outside = write(tmp_path / "outside", {"secret.md": "secret", "sub/s.md": "secret too"})
    root = write(tmp_path / "root", {"a.md": "a", "sub/b.md": "b"})
    (root / "out.md").symlink_to(outside / "secret.md")
    (root / "outdir").symlink_to(outside / "sub")
    (root / "in.md").symlink_to(root / "sub" / "b.md")
    (root / "loop").symlink_to(root)
    (root / "dangling.md").symlink_to(root / "nothing.md")
    corpus = read_folder([root])
    assert [file.path_rel for file in corpus.files] == ["a.md", "in.md"]
    assert [file.path_rel for file in corpus.duplicates] == ["sub/b.md"]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda root: root / "missing", "does not exist"),
        (lambda root: write(root, {"f.md": "x"}) / "f.md", "is a file"),
        (lambda root: root, "no documents"),
        (lambda root: write(root, {"x.png": b"x", "y.csv": "y"}), "2 files of other types"),
    ],
)
def test_folders_that_do_not_serve(
    make: Callable[[Path], Path], words: str, tmp_path: Path
) -> None:
    with pytest.raises(CorpusError, match=words):
        read_folder([make(tmp_path)])
    with pytest.raises(CorpusError, match="give at least one"):
        read_folder([])


def test_a_file_that_changes_after_listing_is_noticed(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "first"})
    corpus = read_folder([tmp_path])
    write(tmp_path, {"a.md": "second"})
    with pytest.raises(UnreadableDocument) as caught:
        corpus.load(corpus.files[0])
    assert caught.value.reason_code == "unreadable"
    (tmp_path / "a.md").unlink()
    with pytest.raises(UnreadableDocument):
        corpus.load(corpus.files[0])


def test_listing_reads_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus_module, "_CHUNK_BYTES", 7)
    write(tmp_path, {"a.md": "0123456789" * 5})
    assert read_folder([tmp_path]).files[0].sha256 == hashlib.sha256(b"0123456789" * 5).hexdigest()


def meta(tmp_path: Path, name: str, content: str) -> DocumentMeta:
    write(tmp_path, {name: content})
    corpus = read_folder([tmp_path])
    return corpus.load_with_meta(corpus.files[0]).meta


@pytest.mark.parametrize(
    ("name", "content", "published"),
    [
        ("a.md", "---\ndate: 2023-05-01 10:00:00 +0800\n---\ntext", date(2023, 5, 1)),
        ("a.md", "---\ndate: 2023/5/1\n---\ntext", date(2023, 5, 1)),
        ("a.md", "---\nDate: '2023年5月1日'\n---\ntext", date(2023, 5, 1)),
        ("a.md", "---\npublished-on: '2023-02-16T15:14:02.382Z'\n---\ntext", date(2023, 2, 16)),
        ("a.md", "---\nupdated: 2023-05-01\n---\ntext", None),
        ("a.md", "---\ndate: 2023-13-41\n---\ntext", None),
        ("2022-07-08-sea.md", "text of 2021-01-01", date(2022, 7, 8)),
        ("content__posts__2022__07__08__sea.md", "text", date(2022, 7, 8)),
        ("a.md", "written on 2021-01-01", None),
        ("20230501.md", "text", None),
        (
            "a.html",
            '<head><meta property="article:published_time" content="2019-01-28T12:15:59Z"></head>a',
            date(2019, 1, 28),
        ),
        (
            "a.html",
            '<p>a</p><script type="application/ld+json">{"@graph":[{"datePublished":"2020-02-03"}]}'
            "</script>",
            date(2020, 2, 3),
        ),
        (
            "a.html",
            '<p>a <time itemprop="datePublished" datetime="2018-09-10">x</time></p>',
            date(2018, 9, 10),
        ),
        ("a.html", '<p>a <time datetime="2018-09-10">x</time></p>', None),
        ("a.html", '<p>a</p><script type="application/ld+json">{"broken</script>', None),
    ],
)
def test_dates_are_those_that_are_stated(
    name: str, content: str, published: date | None, tmp_path: Path
) -> None:
    assert meta(tmp_path, name, content).published_on == published


@pytest.mark.parametrize(
    ("name", "content", "licence"),
    [
        ("a.md", "---\nlicense: CC BY 4.0\n---\ntext", "CC BY 4.0"),
        ("a.md", "text\n\n本文采用 CC BY-NC-SA 4.0 许可", "CC BY-NC-SA 4.0"),
        ("a.md", "text", None),
        (
            "a.html",
            '<p>a</p><footer><a rel="license" href="https://creativecommons.org/licenses/by/4.0/">x</a></footer>',
            "https://creativecommons.org/licenses/by/4.0/",
        ),
    ],
)
def test_licences_are_those_that_are_stated(
    name: str, content: str, licence: str | None, tmp_path: Path
) -> None:
    assert meta(tmp_path, name, content).licence_hint == licence


def test_loaded_text_is_masked_and_counted(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "# 找我 a.b@mail.cn\n\n灯塔电话 13812345678，开到五点。"})
    corpus = read_folder([tmp_path])
    loaded = corpus.load_with_meta(corpus.files[0])
    assert "13812345678" not in loaded.document.text + loaded.document.title
    assert "mail.cn" not in loaded.document.text + loaded.document.title + loaded.meta.title
    assert loaded.masked == {"mobile": 1, "email": 1}
    block = loaded.document.blocks[-1]
    assert loaded.document.text[block.start :].endswith("，开到五点。")
