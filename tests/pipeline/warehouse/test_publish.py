"""Publishing: same bytes twice, all or nothing, one publisher at a time."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tests.counterexamples import good
from tests.counterexamples.good import A, B
from tests.support.warehouse.publishing import (
    BAD,
    WARNING,
    data_bytes,
    leftovers,
    of_cities,
    publish_book,
    settings,
)
from validators.validate import validate
from warehouse.candidate import write_partition
from warehouse.errors import SnapshotError, WarehouseError
from warehouse.manifest import FileEntry, read_manifest, verify
from warehouse.publish import Published, latest_snapshot
from warehouse.read import Snapshot
from warehouse.verdicts import GateResult


def asked(candidate: Path) -> Sequence[GateResult]:
    return validate(candidate).results


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


def test_the_good_snapshot_passes_every_gate(store: Path) -> None:
    made = publish_book(store, check=asked)
    assert [gate for gate in made.gates if not gate.passed] == []
    assert made.passed
    assert latest_snapshot(store) == made.path
    stored = Published.existing(made.path)
    assert list(stored.gates) == sorted(made.gates, key=lambda gate: gate.gate_id)


@pytest.mark.parametrize(("kept", "passes"), [(2, True), (3, False)])
def test_connections_of_a_lone_city_are_accounted_for(store: Path, kept: int, passes: bool) -> None:
    """Its two flights lead out of the snapshot: nobody else's build can replace them."""
    book = of_cities(good.book(), A.slug)
    # The plan starts in the other town, which is invented: alone, nothing knows its name.
    book["witness_plans"] = {A.slug: []}
    counts = [row for row in book["stage_counts"][A.slug] if row["table"] != "witness_plans"]
    book["stage_counts"][A.slug] = counts
    account = {**book["stage_counts"][A.slug][0], "table": "flights"}
    for stage in ("tables", "control"):
        counted = {"stage": stage, "rows_in": kept, "rows_kept": kept}
        book["stage_counts"][A.slug].append({**account, **counted})
    made = publish_book(store, book, (A.slug,), check=asked)
    assert [gate.gate_id for gate in made.gates if not gate.passed] == (
        [] if passes else ["published_rows"]
    )


def test_two_stores_hold_the_same_bytes(tmp_path: Path) -> None:
    """Whatever the order of rows and the time of the run."""
    one = publish_book(tmp_path / "one")
    book = good.book()
    shuffled = {
        name: {value: rows[::-1] for value, rows in reversed(parts.items())}
        for name, parts in book.items()
    }
    two = publish_book(tmp_path / "two", shuffled, run={"seconds": 99.0})
    assert one.path.name == two.path.name
    assert data_bytes(one.path) == data_bytes(two.path)
    assert not list(verify(two.path, read_manifest(two.path)))


def test_published_again_it_stays_as_it_is(store: Path) -> None:
    first = publish_book(store)
    inode = (first.path / "manifest.json").stat().st_ino
    again = publish_book(store)
    assert again.path == first.path
    assert (first.path / "manifest.json").stat().st_ino == inode
    assert leftovers(store) == []


def test_published_again_it_mends_a_spoiled_one(store: Path) -> None:
    first = publish_book(store)
    spoiled = next((first.path / "data" / "pois").rglob("*.parquet"))
    spoiled.write_bytes(b"spoiled")
    again = publish_book(store)
    assert again.path == first.path
    assert not list(verify(again.path, read_manifest(again.path)))


class TestAllOrNothing:
    """Whatever goes wrong, the last good snapshot stays the latest and nothing lies about."""

    @pytest.fixture
    def first(self, store: Path) -> Published:
        return publish_book(store)

    def test_a_failed_gate(self, store: Path, first: Published) -> None:
        book = good.book()
        book["pois"][A.slug][0]["rating"] = 5.0
        made = publish_book(store, book, check=lambda candidate: [WARNING, BAD])
        assert not made.passed
        assert made.path.parent == store / "rejected"
        assert (made.path / "README.md").is_file()
        assert Snapshot(made.path).table("gates").filter(~pl.col("passed"))[
            "gate_id"
        ].to_list() == [
            "duplicates",
            "files",
        ]
        assert latest_snapshot(store) == first.path
        assert leftovers(store) == []

    def test_a_rejected_first_snapshot_is_no_latest(self, store: Path) -> None:
        publish_book(store, check=lambda candidate: [BAD])
        assert latest_snapshot(store) is None

    def test_a_warning_does_not_block(self, store: Path) -> None:
        assert publish_book(store, check=lambda candidate: [WARNING]).passed

    @pytest.mark.parametrize("where", ["check", "extras"])
    def test_an_error_on_the_way(self, store: Path, first: Published, where: str) -> None:
        def broken(candidate: Path) -> None:
            assert (candidate / "data").is_dir()
            raise RuntimeError("no report today")

        before = sorted(path.name for path in store.iterdir())
        with pytest.raises(RuntimeError, match="no report today"):
            publish_book(store, of_cities(good.book(), A.slug), (A.slug,), **{where: broken})
        assert sorted(path.name for path in store.iterdir()) == before
        assert latest_snapshot(store) == first.path

    def test_data_changed_while_publishing(self, store: Path, first: Published) -> None:
        def touch(candidate: Path) -> None:
            path = candidate / "data" / "hotels" / f"city={A.slug}" / "part-0.parquet"
            path.write_bytes(path.read_bytes()[:-1] + b"?")

        with pytest.raises(WarehouseError, match=r"hotels.*checksum differs; check the disk"):
            publish_book(store, extras=touch)
        assert latest_snapshot(store) == first.path
        assert leftovers(store) == []


def test_two_publishers_do_not_meet(store: Path) -> None:
    def second(candidate: Path) -> None:
        with pytest.raises(WarehouseError, match="another build is publishing"):
            publish_book(store)
        assert candidate.is_dir()

    assert publish_book(store, extras=second).passed


@pytest.mark.parametrize(
    ("number", "advice"),
    [
        (errno.ENOSPC, "the disk is full: free space"),
        (errno.EDQUOT, "the disk is full: free space"),
        (errno.EACCES, "choose a writable folder with --out"),
        (errno.EROFS, "choose a writable folder with --out"),
    ],
)
def test_a_disk_that_refuses(
    store: Path, monkeypatch: pytest.MonkeyPatch, number: int, advice: str
) -> None:
    first = publish_book(store)
    calls = []

    def refuse(*arguments: Any) -> FileEntry:
        calls.append(arguments)
        if len(calls) > 5:
            raise OSError(number, os.strerror(number))
        return write_partition(*arguments)

    monkeypatch.setattr("warehouse.candidate.write_partition", refuse)
    with pytest.raises(WarehouseError, match=advice):
        publish_book(store)
    assert latest_snapshot(store) == first.path
    assert leftovers(store) == []


def test_a_file_where_the_store_should_be(tmp_path: Path) -> None:
    (tmp_path / "store").write_text("in the way")
    with pytest.raises(WarehouseError, match="choose a writable folder"):
        publish_book(tmp_path / "store")


def test_latest_that_leads_to_nothing(store: Path) -> None:
    shutil.rmtree(publish_book(store).path)
    with pytest.raises(SnapshotError, match="points to a folder that does not exist"):
        latest_snapshot(store)


class TestOneOffRuns:
    """A run for one city beside the others of the last snapshot."""

    def test_a_second_city_keeps_the_first(self, store: Path) -> None:
        book = good.book()
        one = publish_book(store, of_cities(book, A.slug), (A.slug,))
        two = publish_book(store, of_cities(book, B.slug), keep_from=one.path, check=asked)
        assert two.passed, [gate for gate in two.gates if not gate.passed]
        assert read_manifest(two.path).cities == (A.slug, B.slug)
        before, after = data_bytes(one.path), data_bytes(two.path)
        theirs = {path for path in before if f"city={A.slug}/" in path}
        assert theirs
        assert all(before[path] == after[path] for path in theirs)
        assert data_bytes(one.path) == before
        assert not list(verify(one.path, read_manifest(one.path)))

    def test_a_city_again_replaces_only_its_own(self, store: Path) -> None:
        book = good.book()
        one = publish_book(store)
        book["pois"][B.slug][0]["rating"] = 1.5
        two = publish_book(store, of_cities(book, B.slug), keep_from=one.path)
        before, after = data_bytes(one.path), data_bytes(two.path)
        changed = {path for path in after if before.get(path) != after[path]}
        assert changed == {f"data/pois/city={B.slug}/part-0.parquet", "manifest.json"}
        assert before.keys() == after.keys()

    def test_both_at_once_or_one_after_the_other(self, tmp_path: Path) -> None:
        book = good.book()
        one = publish_book(tmp_path / "a", of_cities(book, A.slug), (A.slug,))
        two = publish_book(tmp_path / "a", of_cities(book, B.slug), keep_from=one.path)
        both = publish_book(tmp_path / "b")
        assert data_bytes(two.path) == data_bytes(both.path)

    def test_place_holders_of_empty_tables_go(self, store: Path) -> None:
        book = good.book()
        alone = of_cities(book, A.slug)
        alone["trains"], alone["flights"] = {}, {}
        one = publish_book(store, alone, (A.slug,))
        assert "data/trains/pair=none/part-0.parquet" in data_bytes(one.path)
        two = publish_book(store, of_cities(book, B.slug), keep_from=one.path)
        assert not [path for path in data_bytes(two.path) if "=none/" in path]

    def test_connections_that_a_city_no_longer_has_go(self, store: Path) -> None:
        """But those of a city that is kept stay."""
        one = publish_book(store)
        again = of_cities(good.book(), A.slug)
        again["trains"], again["flights"] = {}, {}
        two = publish_book(store, again, keep_from=one.path)
        pairs = {
            path.split("pair=")[1].split("/")[0] for path in data_bytes(two.path) if "pair" in path
        }
        assert pairs == {f"{A.slug}--{B.slug}", f"{B.slug}--{A.slug}"}

    def test_a_kept_file_that_was_edited_is_not_carried_over(self, store: Path) -> None:
        book = good.book()
        one = publish_book(store, of_cities(book, A.slug), (A.slug,))
        path = one.path / "data" / "hotels" / f"city={A.slug}" / "part-0.parquet"
        path.write_bytes(path.read_bytes()[:-1] + b"?")
        with pytest.raises(WarehouseError, match=r"hotels.*checksum differs\. Build all"):
            publish_book(store, of_cities(book, B.slug), keep_from=one.path)
        assert leftovers(store) == []
        assert publish_book(store, keep_from=one.path).passed, "built anew, nothing is kept of it"

    def test_tables_of_a_newer_version_are_not_lost(self, store: Path) -> None:
        one = publish_book(store)
        manifest = json.loads((one.path / "manifest.json").read_text())
        manifest["tables"]["ferries"] = {"rows": 0, "files": []}
        (one.path / "manifest.json").write_text(json.dumps(manifest))
        with pytest.raises(WarehouseError, match="'ferries', which a newer version"):
            publish_book(store, of_cities(good.book(), B.slug), keep_from=one.path)


def test_settings_are_what_the_manifest_says(store: Path) -> None:
    made = publish_book(store)
    manifest = read_manifest(made.path)
    assert manifest.settings == settings(A.slug, B.slug)
    assert made.path.name == manifest.snapshot_id()
    assert "seconds" not in (made.path / "manifest.json").read_text()
