"""Snapshots at an address: a folder ``s0123…/`` each, and one object that names the latest.

A store there is ``ADDRESS/s0123…/``, ``ADDRESS/rejected/…`` and the pointer ``ADDRESS/latest``. A
snapshot counts once its manifest is there, which is written last. The pointer is changed in one
step, and only if it still names the snapshot that the publisher began from, so that readers see
either the old snapshot or the new one. They work on a complete copy in the scratch folder.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from storage.mirror import pull, push, remote_of
from storage.places import StorageError, find_folder, show_path
from storage.remote import Remote, Stamp
from warehouse.errors import SnapshotError, WarehouseError
from warehouse.manifest import FILE_NAME, read_manifest

POINTER = "latest"
REJECTED = "rejected"
#: Half-written snapshots as old as this are nobody's: no publisher takes so long.
_LEFT_SECONDS = 86_400.0
_TRIES = 3


def open_snapshot(path: str | Path) -> Path:
    """A snapshot's folder; of one at an address (or a store's latest there) a copy that is whole.

    Raises SnapshotError and StorageError.
    """
    folder = find_folder(path)
    if remote_of(folder) is None:
        return folder
    if folder.name == POINTER:
        return _latest_of(folder.parent)
    if read_name(folder) is not None:
        return _latest_of(folder)
    return _copy_whole(folder)


def _latest_of(store: Path) -> Path:
    found = latest_at(store)
    if found is None:
        raise SnapshotError(
            f"there is no snapshot at {show_path(store)}: build one with --out, or check the"
            " address"
        )
    return found


def read_name(store: Path) -> str | None:
    """The name in the pointer of a store at an address; None where nothing was published."""
    held = _remote(store).read(POINTER)
    return None if held is None else held.decode("utf-8", "replace").strip()


def latest_at(store: Path) -> Path | None:
    """A copy of the latest snapshot of a store at an address, None where there is none.

    Raises SnapshotError and StorageError.
    """
    for left in reversed(range(_TRIES)):
        name = read_name(store)
        if name is None:
            return None
        try:
            return _copy_whole(store / Path(name).name)
        except (SnapshotError, StorageError):
            # It was removed after it was named: the pointer names a newer one by now.
            if not left or read_name(store) == name:
                raise
    raise AssertionError("a loop that ends otherwise")


def _copy_whole(snapshot: Path) -> Path:
    """A whole copy of a snapshot. Raises SnapshotError where it is not, or no longer, there."""
    if _remote(snapshot).read(FILE_NAME) is None:
        raise SnapshotError(
            f"{show_path(snapshot)} is not a snapshot: it has no {FILE_NAME}. Give the address "
            "that `tripbed build` printed, or that of its store"
        )
    pull(snapshot)
    if not (snapshot / FILE_NAME).is_file():
        raise SnapshotError(f"{show_path(snapshot)} was removed while it was being read")
    return snapshot


def check_writable(store: Path) -> None:
    """Put an object and remove it again. Raises StorageError."""
    remote = _remote(store)
    remote.write(".check", b"")
    remote.remove([".check"])


def put_snapshot(snapshot: Path) -> None:
    """Put a snapshot's files at the address that its folder stands for, unless all are there."""
    there = _remote(snapshot).stamps()
    is_whole = FILE_NAME in there and all(
        entry.path in there and there[entry.path].size == entry.bytes
        for entry in read_manifest(snapshot).files()
    )
    if not is_whole:
        push(snapshot, last=FILE_NAME)


def point(store: Path, name: str, before: str | None) -> None:
    """Make a snapshot the latest one, if ``before`` still is. Raises WarehouseError otherwise."""
    old = None if before is None else f"{before}\n".encode()
    if not _remote(store).swap(POINTER, old, f"{name}\n".encode()):
        raise WarehouseError(
            f"another build published to {show_path(store)} while this one did: build again;"
            " finished shards are kept"
        )


def snapshots_at(store: Path) -> tuple[dict[str, float], dict[str, int], dict[str, list[str]]]:
    """Snapshots of a store by name (``rejected/…`` too): age of the manifest, bytes, and keys.

    A half-written one has no age, and is left out while somebody may still write it.
    """
    found: dict[str, dict[str, Stamp]] = {}
    for key, stamp in _remote(store).stamps().items():
        first, _, rest = key.partition("/")
        if first == REJECTED:
            second, _, rest = rest.partition("/")
            first = f"{REJECTED}/{second}"
        if rest:
            found.setdefault(first, {})[rest] = stamp
    newest = max((s.changed for held in found.values() for s in held.values()), default=0.0)
    ages, sizes, keys = {}, {}, {}
    for name, held in found.items():
        if FILE_NAME in held:
            ages[name] = held[FILE_NAME].changed
        elif max(s.changed for s in held.values()) > newest - _LEFT_SECONDS:
            continue
        sizes[name] = sum(stamp.size for stamp in held.values())
        keys[name] = [f"{name}/{key}" for key in held]
    return ages, sizes, keys


def remove_at(store: Path, name: str, keys: list[str]) -> None:
    """Remove a snapshot of a store: its manifest first, so that nobody takes the rest for one."""
    remote, manifest = _remote(store), f"{name}/{FILE_NAME}"
    remote.remove([key for key in keys if key == manifest])
    remote.remove([key for key in keys if key != manifest])
    shutil.rmtree(store / name, ignore_errors=True)


def _remote(folder: Path) -> Remote:
    remote = remote_of(folder)
    assert remote is not None, f"{folder} does not belong to any address"
    return remote
