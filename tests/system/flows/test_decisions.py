"""Reviewers' decisions in a file and in databases: the same answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from flows.errors import SettingsError
from flows.review.store import ADDRESS, DECISIONS_FILE, store_decisions, stored_decisions
from tests.support import servers


def decision(name: str, said: str = "reject") -> dict[str, Any]:
    return {"decision_id": name, "city_id": "c", "decision": said, "decided_on": "2026-03-01"}


@pytest.fixture(params=["file", "sqlite", "postgresql"])
def store(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """A folder of snapshots, whose decisions are kept in each of the three places."""
    monkeypatch.delenv(ADDRESS, raising=False)
    if request.param == "sqlite":
        monkeypatch.setenv(ADDRESS, f"sqlite:///{tmp_path / 'reviews.sqlite'}")
    if request.param != "postgresql":
        yield tmp_path
        return
    pytest.importorskip("psycopg", reason="psycopg is not installed (extra: postgres)")
    if servers.postgres_programs() is None:
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    with servers.postgres(tmp_path) as database:
        monkeypatch.setenv(ADDRESS, f"postgresql+psycopg://{database}")
        yield tmp_path


def test_the_later_decision_replaces_the_earlier(store: Path) -> None:
    assert stored_decisions(store) == []
    assert store_decisions(store, [decision("b"), decision("a")]) == (2, 2)
    assert store_decisions(store, [decision("b"), decision("a", "accept")]) == (1, 2)
    assert stored_decisions(store) == [decision("a", "accept"), decision("b")]


def test_a_file_that_is_damaged_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(ADDRESS, raising=False)
    (tmp_path / DECISIONS_FILE).write_text('{"decision_id": "a"}\n{', "utf-8")
    with pytest.raises(SettingsError, match=DECISIONS_FILE):
        stored_decisions(tmp_path)


@pytest.mark.parametrize("address", ["nowhere://user:pa55word@host/x", "no address, pa55word"])
def test_an_address_that_cannot_be_used_is_not_repeated(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(ADDRESS, address)
    with pytest.raises(SettingsError, match=ADDRESS) as caught:
        stored_decisions(tmp_path)
    assert "pa55word" not in str(caught.value)
