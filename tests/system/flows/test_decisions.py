"""Reviewers' decisions in a file and in databases: the same answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from flows.errors import SettingsError
from flows.review.store import (
    DECISIONS_FILE,
    list_decisions,
    put_decision,
    store_decisions,
)
from tests.support import servers


def decision(name: str, said: str = "reject") -> dict[str, Any]:
    return {"decision_id": name, "city_id": "c", "decision": said, "decided_on": "2026-03-01"}


@pytest.fixture(params=["file", "sqlite", "postgresql"])
def place(
    request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[tuple[Path, SecretStr | None]]:
    """A folder of snapshots and a database's address: decisions in each of the three places."""
    if request.param == "file":
        yield tmp_path, None
        return
    if request.param == "sqlite":
        yield tmp_path, SecretStr(f"sqlite:///{tmp_path / 'reviews.sqlite'}")
        return
    pytest.importorskip("psycopg", reason="psycopg is not installed (extra: postgres)")
    if servers.postgres_programs() is None:
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    with servers.postgres(tmp_path) as database:
        yield tmp_path, SecretStr(f"postgresql+psycopg://{database}")


def test_the_later_decision_replaces_the_earlier(place: tuple[Path, SecretStr | None]) -> None:
    assert list_decisions(*place) == []
    assert store_decisions(*place, [decision("b"), decision("a")]) == (2, 2)
    assert store_decisions(*place, [decision("b"), decision("a", "accept")]) == (1, 2)
    assert list_decisions(*place) == [decision("a", "accept"), decision("b")]
    assert put_decision(*place, "b", None) == [decision("a", "accept")]
    assert list_decisions(*place) == [decision("a", "accept")]


def test_a_file_that_is_damaged_is_named(tmp_path: Path) -> None:
    (tmp_path / DECISIONS_FILE).write_text('{"decision_id": "a"}\n{', "utf-8")
    with pytest.raises(SettingsError, match=DECISIONS_FILE):
        list_decisions(tmp_path, None)


@pytest.mark.parametrize("address", ["nowhere://user:pa55word@host/x", "no address, pa55word"])
def test_an_address_that_cannot_be_used_is_not_repeated(address: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="TRIPBED_REVIEWS") as caught:
        list_decisions(tmp_path, SecretStr(address))
    assert "pa55word" not in str(caught.value)
