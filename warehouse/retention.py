"""Removes old snapshots and rejected candidates from a store, but keeps the latest snapshot."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from storage.mirror import remote_of
from storage.places import show_path
from warehouse.addresses import REJECTED, read_name, remove_at, snapshots_at
from warehouse.errors import WarehouseError
from warehouse.manifest import FILE_NAME
from warehouse.publish import latest_snapshot, lock_store


@dataclass(frozen=True)
class Pruned:
    """The names of the snapshots that were removed or kept or, in a dry run, would have been."""

    removed: tuple[str, ...]
    kept: tuple[str, ...]
    freed_bytes: int


def prune(store: Path, keep: int, keep_rejected: int = 1, *, dry_run: bool = False) -> Pruned:
    """Keep the newest ``keep`` snapshots and ``keep_rejected`` rejected ones; remove the others.

    The latest snapshot is never removed. The age of a snapshot is that of its manifest. At an
    address, an incomplete snapshot is also removed if nothing has been added to it for a day.
    Raises WarehouseError if another process is publishing or the store does not exist.
    """
    if keep < 1 or keep_rejected < 0:
        raise WarehouseError(
            "the number of snapshots to keep must be at least 1, and the number of rejected "
            "snapshots to keep must not be negative"
        )
    if remote_of(store) is not None:
        return _prune_at(store, keep, keep_rejected, dry_run=dry_run)
    if not store.is_dir():
        raise WarehouseError(f"{store} is not a store: give the folder that you passed to --out")
    with lock_store(store):
        latest = latest_snapshot(store)
        good, bad = _by_age(store), _by_age(store / REJECTED)
        staying = {*good[:keep], *bad[:keep_rejected], *([latest.resolve()] if latest else [])}
        going = [path for path in (*good, *bad) if path not in staying]
        freed = sum(_size(path) for path in going)
        if not dry_run:
            for path in going:
                shutil.rmtree(path)
    kept = [path for path in (*good, *bad) if path in staying]
    removed, held = (
        tuple(path.relative_to(store.resolve()).as_posix() for path in part)
        for part in (going, kept)
    )
    return Pruned(removed, held, freed)


def _prune_at(store: Path, keep: int, keep_rejected: int, *, dry_run: bool) -> Pruned:
    """Prune a store at an address. Raises WarehouseError if the address has no snapshots."""
    latest, (ages, sizes, keys) = read_name(store), snapshots_at(store)
    if latest is None and not ages:
        raise WarehouseError(
            f"{show_path(store)} is not a store: give the address that you passed to --out"
        )
    newest = sorted(ages, key=lambda name: (ages[name], name), reverse=True)
    bad = [name for name in newest if name.startswith(f"{REJECTED}/")]
    good = [name for name in newest if name not in bad]
    staying = {*good[:keep], *bad[:keep_rejected], latest}
    going = [name for name in (*good, *bad, *sorted(keys.keys() - ages)) if name not in staying]
    for name in () if dry_run else going:
        remove_at(store, name, keys[name])
    kept = tuple(name for name in (*good, *bad) if name in staying)
    return Pruned(tuple(going), kept, sum(sizes[name] for name in going))


def _by_age(folder: Path) -> list[Path]:
    """Return the snapshots in a folder, newest first; ignore links and other folders."""
    found = [
        path.resolve()
        for path in (folder.iterdir() if folder.is_dir() else ())
        if path.is_dir() and not path.is_symlink() and (path / FILE_NAME).is_file()
    ]
    return sorted(
        found, key=lambda path: ((path / FILE_NAME).stat().st_mtime_ns, path.name), reverse=True
    )


def _size(folder: Path) -> int:
    """Return how many bytes are freed if a folder is removed, not counting files that other folders
    share.
    """
    sizes = (path.lstat() for path in folder.rglob("*") if path.is_file() or path.is_symlink())
    return sum(stat.st_size for stat in sizes if stat.st_nlink == 1)
