"""A store at an address: published, read, pruned, and two who publish at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from storage.places import find_folder, show_path
from storage.remote import Remote
from tests.counterexamples.good import A
from tests.support.addresses import memory, other_scratch, scratch
from tests.support.warehouse.publishing import BAD, data_bytes, publish_book
from warehouse import addresses
from warehouse.addresses import open_snapshot, read_name
from warehouse.errors import SnapshotError, WarehouseError
from warehouse.manifest import read_manifest, verify
from warehouse.publish import latest_snapshot, prepare_store
from warehouse.retention import prune
from warehouse.sandbox import Sandbox

__all__ = ["memory", "scratch"]


def _published(address: str, number: int, **options: Any) -> str:
    made = publish_book(
        find_folder(address), ingredients={"control/n": f"{number:064d}"}, **options
    )
    return show_path(made.path)


def test_a_snapshot_has_the_same_bytes_as_in_a_folder(memory: str, tmp_path: Path) -> None:
    plain = publish_book(tmp_path / "store").path
    prepare_store(find_folder(memory))
    made = publish_book(find_folder(memory)).path
    assert show_path(made) == f"{memory}/{plain.name}"
    there = Remote(f"{memory}/{plain.name}")
    assert {key: there.read(key) for key in data_bytes(plain)} == data_bytes(plain)
    assert Remote(memory).read("latest") == f"{plain.name}\n".encode()
    assert not [key for key in Remote(memory).stamps() if key.startswith(".")]


def test_another_machine_reads_a_whole_copy(
    memory: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = _published(memory, 1)
    other_scratch(tmp_path / "other", monkeypatch)
    for asked in (memory, f"{memory}/latest", address):
        box = Sandbox(asked)
        assert tmp_path / "other" in box.path.parents
        assert list(verify(box.path, read_manifest(box.path))) == []
        assert box.cities
    assert latest_snapshot(find_folder(memory)) == open_snapshot(memory)


def test_what_is_no_snapshot_there(memory: str) -> None:
    assert latest_snapshot(find_folder(memory)) is None
    for asked in (memory, f"{memory}/latest", f"{memory}/s0123"):
        with pytest.raises(SnapshotError, match=memory):
            open_snapshot(asked)


def test_a_snapshot_without_its_manifest_is_not_there(memory: str) -> None:
    address = _published(memory, 1)
    Remote(address).remove(["manifest.json"])
    with pytest.raises(SnapshotError, match="no manifest"):
        open_snapshot(address)


def test_a_damaged_object_is_seen_and_mended(
    memory: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = _published(memory, 1)
    held = open_snapshot(address)
    damaged = next(key for key in Remote(address).stamps() if key.startswith("data/pois/"))
    Remote(address).write(damaged, b"PAR1")
    assert [path for path, _ in verify(open_snapshot(address), read_manifest(held))] == [damaged]
    other_scratch(tmp_path / "other", monkeypatch)
    _published(memory, 1)
    assert list(verify(open_snapshot(address), read_manifest(open_snapshot(address)))) == []


def test_a_rejected_candidate_leaves_the_pointer(memory: str) -> None:
    good = _published(memory, 1)
    bad = _published(memory, 2, check=lambda candidate: [BAD])
    assert bad.startswith(f"{memory}/rejected/s")
    assert read_name(find_folder(memory)) == good.rpartition("/")[2]
    assert Remote(bad).read("manifest.json") is not None


def test_of_two_publishers_the_second_is_refused(memory: str) -> None:
    store = find_folder(memory)
    first = open_snapshot(_published(memory, 1))

    def meanwhile(candidate: Path) -> None:
        # What a publisher of another machine does between this one's begin and end.
        assert Remote(memory).swap("latest", f"{first.name}\n".encode(), b"sffffffffffff\n")

    with pytest.raises(WarehouseError, match="another build has published"):
        publish_book(store, keep_from=first, ingredients={"control/n": "2"}, extras=meanwhile)
    assert read_name(store) == "sffffffffffff"
    with pytest.raises(WarehouseError, match="another build has published sffffffffffff"):
        publish_book(store, keep_from=first)


def test_a_city_that_is_not_built_is_carried_over(memory: str, tmp_path: Path) -> None:
    from tests.counterexamples import good
    from tests.support.warehouse.publishing import of_cities

    book = good.book()
    plain = tmp_path / "store"
    for store in (plain, find_folder(memory)):
        publish_book(store, book)
        before = latest_snapshot(store)
        publish_book(store, of_cities(book, A.slug), (A.slug,), keep_from=before)
    one, other = latest_snapshot(plain), latest_snapshot(find_folder(memory))
    assert one is not None
    assert other is not None
    assert data_bytes(one) == data_bytes(other)


def test_a_reader_that_is_overtaken_begins_anew(
    memory: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = _published(memory, 1), _published(memory, 2)
    old, new = (address.rpartition("/")[2] for address in (first, second))
    names = iter([old, new, new])
    prune(find_folder(memory), 1)
    assert Remote(first).read("manifest.json") is None
    monkeypatch.setattr(addresses, "read_name", lambda store: next(names))
    assert addresses.latest_at(find_folder(memory)) == find_folder(second)


def test_old_snapshots_and_half_written_ones_go(
    memory: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = [_published(memory, n).rpartition("/")[2] for n in range(4)]
    bad = _published(memory, 9, check=lambda candidate: [BAD]).rpartition("/")[2]
    Remote(memory).write("s000000000000/data/pois/part-0.parquet", b"1")
    store = find_folder(memory)
    # The pointer may name an old one: it stays.
    Remote(memory).write("latest", f"{made[0]}\n".encode())
    told = prune(store, 2, dry_run=True)
    assert set(told.removed) == {made[1]}
    assert set(told.kept) == {made[0], made[2], made[3], f"rejected/{bad}"}
    assert told.freed_bytes > 10_000
    monkeypatch.setattr(addresses, "_LEFT_SECONDS", -1.0)
    assert set(prune(store, 2, 0).removed) == {made[1], f"rejected/{bad}", "s000000000000"}
    left = {key.partition("/")[0] for key in Remote(memory).stamps()}
    assert left == {"latest", made[0], made[2], made[3]}
    assert Sandbox(memory).path.name == made[0]


def test_nothing_is_pruned_where_no_store_is(memory: str) -> None:
    with pytest.raises(WarehouseError, match="is not a store"):
        prune(find_folder(memory), 1)
