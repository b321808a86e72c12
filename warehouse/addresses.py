"""Reads and writes stores at an address, where other machines can also use them.

Such a store consists of folders ``ADDRESS/s0123…/`` and ``ADDRESS/rejected/…``, and of the pointer
``ADDRESS/latest``, which names the latest snapshot. The manifest is written last, so a snapshot
with a manifest is complete. The pointer is changed in one step, and only if it still names the
snapshot from which the publishing process started. Readers therefore see either the old snapshot or
the new one. Readers work on a complete copy in the scratch folder.
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
#: An incomplete snapshot that is older than this was abandoned, since no publisher takes so long.
_LEFT_SECONDS = 86_400.0
_TRIES = 3


def open_snapshot(path: str | Path) -> Path:
    """Return the folder of a snapshot; copy it completely if it is at an address.

    The address of a store stands for its latest snapshot. Raises SnapshotError if there is no
    snapshot, and StorageError if the address cannot be read.
    """
    folder = find_folder(path)
    if remote_of(folder) is None:
        return folder
    if folder.name == POINTER:
        return _latest_of(folder.parent)
    return _copy_whole(folder) if read_name(folder) is None else _latest_of(folder)


def _latest_of(store: Path) -> Path:
    found = latest_at(store)
    if found is None:
        raise SnapshotError(
            f"there is no snapshot at {show_path(store)}: build one with --out, or check the"
            " address"
        )
    return found


def read_name(store: Path) -> str | None:
    """Return the name of the latest snapshot in a store at an address, or None if there is none."""
    held = _remote(store).read(POINTER)
    return None if held is None else held.decode("utf-8", "replace").strip()


def latest_at(store: Path) -> Path | None:
    """Copy the latest snapshot in a store at an address; return None if there is none.

    Raises SnapshotError if the snapshot is incomplete, and StorageError if the address cannot be
    read.
    """
    for left in reversed(range(_TRIES)):
        name = read_name(store)
        if name is None:
            return None
        try:
            return _copy_whole(store / Path(name).name)
        except (SnapshotError, StorageError):
            # The snapshot was removed meanwhile, and the pointer already names a newer one.
            if not left or read_name(store) == name:
                raise
    raise AssertionError("the last attempt must either return a value or raise an error")


def _copy_whole(snapshot: Path) -> Path:
    """Make a complete copy of a snapshot. Raises SnapshotError if the snapshot does not exist."""
    if _remote(snapshot).read(FILE_NAME) is None:
        raise SnapshotError(
            f"{show_path(snapshot)} is not a snapshot: it has no {FILE_NAME}. Give the address that"
            " `tripbed build` printed, or the address of the store"
        )
    pull(snapshot)
    if not (snapshot / FILE_NAME).is_file():
        raise SnapshotError(f"{show_path(snapshot)} was removed while it was being read: try again")
    return snapshot


def check_writable(store: Path) -> None:
    """Write a test object and remove it again. Raises StorageError if either step fails."""
    remote = _remote(store)
    remote.write(".check", b"")
    remote.remove([".check"])


def put_snapshot(snapshot: Path) -> None:
    """Upload a snapshot's files to its folder's address, unless all files are already there."""
    there = _remote(snapshot).stamps()
    is_whole = FILE_NAME in there and all(
        entry.path in there and there[entry.path].size == entry.bytes
        for entry in read_manifest(snapshot).files()
    )
    if not is_whole:
        push(snapshot, last=FILE_NAME)


def point(store: Path, name: str, before: str | None) -> None:
    """Make a snapshot the latest. Raises WarehouseError if ``before`` is not the latest."""
    old = None if before is None else f"{before}\n".encode()
    if not _remote(store).swap(POINTER, old, f"{name}\n".encode()):
        raise WarehouseError(
            f"another build has published to {show_path(store)} in the meantime: build again; "
            f"finished shards are kept"
        )


def snapshots_at(store: Path) -> tuple[dict[str, float], dict[str, int], dict[str, list[str]]]:
    """Return each snapshot's manifest time, size in bytes and keys, for all snapshots in a store.

    Rejected snapshots are included, with names like ``rejected/…``. An incomplete snapshot has no
    time; it is left out if a process may still be writing it.
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
    """Remove a snapshot from a store, manifest first, so that nobody reads the rest."""
    remote, manifest = _remote(store), f"{name}/{FILE_NAME}"
    remote.remove([key for key in keys if key == manifest])
    remote.remove([key for key in keys if key != manifest])
    shutil.rmtree(store / name, ignore_errors=True)


def _remote(folder: Path) -> Remote:
    remote = remote_of(folder)
    assert remote is not None, f"{folder} is not a local copy of a remote store"
    return remote
