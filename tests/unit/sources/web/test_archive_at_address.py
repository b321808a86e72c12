"""An archive at an address: every visit there at once, read on any machine, one writer."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sources.web.archive import Archive, ArchiveError
from sources.web.providers.base import Answers, ApiAnswer, ApiRequest
from sources.web.rounds import end_round, enter_round
from storage.places import find_folder
from storage.remote import Remote
from tests.support.addresses import memory, other_scratch, scratch

__all__ = ["memory", "scratch"]

AT = datetime(2026, 5, 1, 8, tzinfo=UTC)


def _add(archive: Archive, name: str, text: str, day: int = 0) -> None:
    at = AT + timedelta(days=day)
    archive.add_file(f"corpus:{name}", text.encode(), "text/plain", at)


def _held(folder: Path) -> dict[str, bytes]:
    with Archive(folder, read_only=True) as archive:
        return {row.url: archive.body(row) for row in archive.rows()}


def test_a_visit_is_there_before_it_counts(memory: str) -> None:
    with Archive(find_folder(memory)) as archive:
        _add(archive, "a", "one")
        _add(archive, "b", "one")  # the same body: kept once
        assert sorted(Remote(memory).stamps()) == [
            "tripbed-000001.warc.gz",
            "tripbed-000002.warc.gz",
        ]
        _add(archive, "a", "two", 1)
    assert _held(find_folder(memory)) == {"corpus:a": b"two", "corpus:b": b"one"}


def test_another_machine_goes_on(
    memory: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Archive(find_folder(memory)) as archive:
        _add(archive, "a", "one")
        first = archive.folder
    other_scratch(tmp_path / "other", monkeypatch)
    with Archive(find_folder(memory)) as archive:
        assert archive.folder != first
        assert "corpus:a" in archive
        _add(archive, "a", "two", 1)
        _add(archive, "b", "three")
    wanted = {"corpus:a": b"two", "corpus:b": b"three"}
    assert _held(find_folder(memory)) == wanted
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "scratch"))
    assert _held(find_folder(memory)) == wanted  # the first one catches up


def test_a_second_writer_is_refused_and_nothing_is_lost(
    memory: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Archive(find_folder(memory)) as archive:
        other_scratch(tmp_path / "other", monkeypatch)
        with Archive(find_folder(memory)) as other:
            _add(other, "b", "theirs")
        with pytest.raises(ArchiveError, match="another machine is writing"):
            _add(archive, "a", "ours")
    assert _held(find_folder(memory)) == {"corpus:b": b"theirs"}


def test_what_a_kill_left_of_a_copy_is_brought_again(memory: str) -> None:
    with Archive(find_folder(memory)) as archive:
        _add(archive, "a", "one")
        _add(archive, "b", "two")
    last = find_folder(memory) / "tripbed-000002.warc.gz"
    last.write_bytes(last.read_bytes()[:20])
    for part in (find_folder(memory) / "index").iterdir():
        part.unlink()
    assert _held(find_folder(memory)) == {"corpus:a": b"one", "corpus:b": b"two"}


def test_an_archive_that_was_replaced_is_copied_anew(memory: str) -> None:
    for names in (("a", "b", "c"), ("d",)):
        Remote(memory).remove(list(Remote(memory).stamps()))
        with Archive(find_folder(memory)) as archive:
            for name in names:
                _add(archive, name, name)
    assert _held(find_folder(memory)) == {"corpus:d": b"d"}


def test_readers_write_the_index_of_a_copy_once(memory: str) -> None:
    with Archive(find_folder(memory)) as archive:
        _add(archive, "a", "one")
        _held(find_folder(memory))  # a reader saves an index while the writer is at work
        _add(archive, "a", "two", 1)
        _held(find_folder(memory))
    assert _held(find_folder(memory)) == {"corpus:a": b"two"}


def test_rounds_and_answers_are_objects(memory: str) -> None:
    folder = find_folder(memory)
    held = enter_round(folder, "suzhou")
    end_round(folder, "suzhou", held)
    assert enter_round(folder, "suzhou", refresh=True).number == 2
    answers = Answers(folder / "answers")
    request = ApiRequest("GET", "https://api.example/search", {"q": "西湖"})
    assert answers.get("brave", request) is None
    answers.put("brave", request, ApiAnswer(200, {}, {"results": []}))
    kept = answers.get("brave", request)
    assert kept is not None
    assert kept.data == {"results": []}
    keys = sorted(Remote(memory).stamps())
    assert [key.split("/")[0] for key in keys] == ["answers", "rounds.json"]
    assert not folder.exists() or not list(folder.glob("answers/**/*.json"))
