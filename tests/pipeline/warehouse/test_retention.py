"""Old snapshots go, the last good one stays, and nobody is disturbed."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import Any

import pytest

from tests.counterexamples import good
from tests.counterexamples.good import A
from tests.support.warehouse.publishing import BAD, publish_book
from warehouse.errors import WarehouseError
from warehouse.publish import latest_snapshot
from warehouse.retention import prune


def published(store: Path, number: int, ok: bool = True) -> Path:
    """A snapshot that differs from the others, ``number`` minutes old."""
    rows = good.book()
    rows["hotels"][A.slug][0]["rooms"][0]["stock"] = number
    options: dict[str, Any] = {} if ok else {"check": lambda path: [BAD]}
    made = publish_book(store, rows, **options).path
    when = 1_800_000_000 - 60 * number
    os.utime(made / "manifest.json", (when, when))
    return made


def names(store: Path) -> set[str]:
    return {p.name for p in store.iterdir() if p.name.startswith("s") and p.is_dir()}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


def test_the_newest_stay_and_the_latest_whatever_its_age(store: Path) -> None:
    made = [published(store, number) for number in (1, 2, 3)]
    bad = [published(store, number, ok=False) for number in (11, 12)]
    assert latest_snapshot(store) == made[2]
    planned = prune(store, keep=1, dry_run=True)
    assert names(store) == {path.name for path in made}
    done = prune(store, keep=1)
    assert done == planned
    assert done.removed == (made[1].name, f"rejected/{bad[1].name}")
    assert names(store) == {made[0].name, made[2].name}
    assert bad[0].is_dir()
    assert not bad[1].exists()
    assert done.freed_bytes > 0


def test_what_is_no_snapshot_is_left_alone(store: Path) -> None:
    made = published(store, 1)
    (store / "notes").mkdir()
    (store / "link").symlink_to(made)
    prune(store, keep=1, keep_rejected=0)
    assert {"notes", "link", "latest", made.name} <= {path.name for path in store.iterdir()}


def test_not_while_someone_publishes(store: Path) -> None:
    published(store, 1)
    with (store / ".lock").open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        with pytest.raises(WarehouseError, match="another"):
            prune(store, keep=1)


def test_all_may_not_go(store: Path) -> None:
    published(store, 1)
    with pytest.raises(WarehouseError, match="at least 1"):
        prune(store, keep=0)
    with pytest.raises(WarehouseError, match="is not a store"):
        prune(store / "nowhere", keep=1)
