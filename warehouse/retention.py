"""Retention: old snapshots and rejected candidates of a store go, the last good one stays."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from warehouse.errors import WarehouseError
from warehouse.manifest import FILE_NAME
from warehouse.publish import latest_snapshot, locked_store

REJECTED = "rejected"


@dataclass(frozen=True)
class Pruned:
    """What was, or would be, removed and kept; names below the store."""

    removed: tuple[str, ...]
    kept: tuple[str, ...]
    freed_bytes: int


def prune(store: Path, keep: int, keep_rejected: int = 1, *, dry_run: bool = False) -> Pruned:
    """Keep the newest ``keep`` snapshots and ``keep_rejected`` rejected ones, remove the others.

    The snapshot that ``latest`` names always stays. Age is the time of the manifest. Waits for
    nobody: raises WarehouseError while someone publishes, or where the store is no folder.
    """
    if keep < 1 or keep_rejected < 0:
        raise WarehouseError("keep at least 1 snapshot, and 0 or more rejected ones")
    if not store.is_dir():
        raise WarehouseError(f"{store} is no store: give the folder that --out named")
    with locked_store(store):
        latest = latest_snapshot(store)
        good, bad = _by_age(store), _by_age(store / REJECTED)
        staying = {*good[:keep], *bad[:keep_rejected], *([latest.resolve()] if latest else [])}
        going = [path for path in (*good, *bad) if path not in staying]
        freed = sum(_size(path) for path in going)
        if not dry_run:
            for path in going:
                shutil.rmtree(path)
    names = [
        tuple(path.relative_to(store.resolve()).as_posix() for path in part)
        for part in (going, [path for path in (*good, *bad) if path in staying])
    ]
    return Pruned(names[0], names[1], freed)


def _by_age(folder: Path) -> list[Path]:
    """Snapshots of a folder, the newest first; links and other folders are left alone."""
    found = [
        path.resolve()
        for path in (folder.iterdir() if folder.is_dir() else ())
        if path.is_dir() and not path.is_symlink() and (path / FILE_NAME).is_file()
    ]
    return sorted(
        found, key=lambda path: ((path / FILE_NAME).stat().st_mtime_ns, path.name), reverse=True
    )


def _size(folder: Path) -> int:
    """Bytes that go with a folder: files that other snapshots share are not counted."""
    sizes = (path.lstat() for path in folder.rglob("*") if path.is_file() or path.is_symlink())
    return sum(stat.st_size for stat in sizes if stat.st_nlink == 1)
