"""Objects at an address, and folders that are copies of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from storage.mirror import brought, pull, push, remote_of
from storage.places import StorageError, find_folder
from storage.remote import Remote
from storage.shelf import shelf


def test_an_object_is_made_once(memory: str) -> None:
    remote = Remote(memory)
    assert remote.read("a") is None
    assert remote.create("a", b"1")
    assert not remote.create("a", b"2")
    assert remote.create("a", b"1")  # the answer to our own put was lost
    assert remote.read("a") == b"1"


def test_a_pointer_is_put_in_the_place_of_what_was_read(memory: str) -> None:
    remote = Remote(memory)
    assert remote.swap("latest", None, b"1")
    assert not remote.swap("latest", None, b"2")
    assert not remote.swap("latest", b"0", b"2")
    assert remote.swap("latest", b"1", b"2")
    assert remote.read("latest") == b"2"


def test_a_copy_follows_what_lies_at_the_address(memory: str) -> None:
    remote = Remote(memory)
    remote.write("a/x.md", b"1")
    remote.write("b.md", b"1")
    folder = brought(memory)
    assert {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*.md")} == {
        "a/x.md": b"1", "b.md": b"1",
    }  # fmt: skip
    remote.write("b.md", b"23")
    remote.remove(["a/x.md"])
    (folder / "b.md").unlink()
    assert pull(folder) == 1
    assert [p.read_bytes() for p in folder.rglob("*.md")] == [b"23"]


def test_nothing_is_no_folder(memory: str) -> None:
    with pytest.raises(StorageError, match=f"nothing at {memory}"):
        brought(memory)


def test_the_last_file_is_sent_when_the_others_are_there(
    memory: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = find_folder(memory)
    folder.mkdir(parents=True)
    for name in ("a", "manifest.json", "z"):
        (folder / name).write_text(name)
    sent: list[list[str]] = []
    send = Remote.send

    def noted(remote: Remote, files: Mapping[str, Path]) -> None:
        sent.append(list(files))
        send(remote, files)

    monkeypatch.setattr(Remote, "send", noted)
    push(folder, last="manifest.json")
    assert sent == [["a", "z"], ["manifest.json"]]
    push(folder, last="manifest.json")
    assert sent[2:] == [[]]


def test_a_name_that_leads_elsewhere_is_refused(
    memory: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    remote = remote_of(find_folder(memory))
    assert remote is not None
    remote.write("a", b"1")
    stamps = remote.stamps()
    monkeypatch.setattr(Remote, "stamps", lambda s, below="": {"../../a": stamps["a"]})
    with pytest.raises(StorageError, match="is not a valid file name"):
        pull(find_folder(memory))


@pytest.mark.parametrize("address", ["nosuch://bucket/x", "memory-not-there://x"])
def test_an_address_of_an_unknown_kind(address: str, scratch: Path) -> None:
    with pytest.raises(StorageError, match="no installed package supports"):
        Remote(address).read("a")


def test_what_a_library_says_is_never_quoted(memory: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*given: object) -> None:
        raise ConnectionError("no route for AKIDOFATEST:secret-of-a-test")

    monkeypatch.setattr("fsspec.implementations.memory.MemoryFileSystem.cat_file", fail)
    with pytest.raises(StorageError, match="the server did not answer") as told:
        Remote(memory).read("a")
    assert "secret" not in str(told.value)
    assert told.value.__cause__ is None
    assert told.value.__suppress_context__


@pytest.mark.parametrize("kind", ["folder", "address"])
def test_a_shelf_keeps_files(kind: str, memory: str, tmp_path: Path) -> None:
    kept = shelf(find_folder(memory) if kind == "address" else tmp_path / "kept")
    assert kept.read("a/b.json") is None
    kept.write("a/b.json", b"1")
    kept.write("a/b.json", b"2")
    assert kept.read("a/b.json") == b"2"
    if kind == "folder":
        assert [p.name for p in (tmp_path / "kept").rglob("*") if p.is_file()] == ["b.json"]
