"""Publishes a snapshot: writes a candidate, runs the gates on it, reads it back and renames it.

If a gate rejects a candidate, it is moved to ``rejected/`` with its report, and ``latest`` does not
change. Only one process at a time can publish; the lock is released when the process ends. If the
store is at an address, all these steps are first carried out in the scratch folder
(``warehouse.addresses``).
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import polars as pl

from schemas.tables import TABLES
from storage.mirror import remote_of
from storage.places import show_path
from warehouse.addresses import REJECTED, check_writable, latest_at, point, put_snapshot, read_name
from warehouse.candidate import (
    Files,
    Partition,
    complete,
    is_place_holder,
    partition_value,
    slugs_of,
    write_rows,
)
from warehouse.errors import SnapshotError, WarehouseError
from warehouse.given import join_files, read_given
from warehouse.manifest import Acceptance, file_fault, read_manifest, verify
from warehouse.read import Snapshot
from warehouse.verdicts import GateResult, no_error

_CANDIDATE = ".candidate-"


@dataclass(frozen=True)
class Published:
    """The path of a snapshot, whether it was published, and the verdicts of the gates."""

    path: Path
    passed: bool
    gates: tuple[GateResult, ...]

    @classmethod
    def existing(cls, path: Path) -> Published:
        """Return the result for a snapshot that had already been published."""
        held = [field.name for field in fields(GateResult)]
        rows = Snapshot(path).table("gates").select(held).to_dicts()
        return cls(path, True, tuple(GateResult(**row) for row in rows))


def latest_snapshot(store: Path) -> Path | None:
    """Return the folder of a store's latest snapshot, or None if there is none.

    If the store is at an address, the snapshot is copied first. Raises SnapshotError if the
    snapshot that ``latest`` names does not exist, and StorageError if the address cannot be read.
    """
    if remote_of(store) is not None:
        return latest_at(store)
    link = store / "latest"
    if not link.is_symlink():
        return None
    target = link.resolve()
    if not target.is_dir():
        raise SnapshotError(
            f"{link} points to a folder that does not exist: remove the link, or "
            f"restore {target.name}"
        )
    return target


def prepare_store(store: Path) -> None:
    """Create the store's folder and check that it can be written, before any work starts.

    Raises WarehouseError if the folder cannot be written, and StorageError if the address cannot be
    written.
    """
    with _translate_errors(store), tempfile.TemporaryFile(dir=store):
        pass
    if remote_of(store) is not None:
        check_writable(store)


def publish(
    store: Path,
    partitions: Iterable[Partition],
    *,
    settings: dict[str, Any],
    ingredients: dict[str, str],
    run: Mapping[str, Any],
    keep_from: Path | None,
    check: Callable[[Path], Sequence[GateResult]],
    extras: Callable[[Path], None] = lambda candidate: None,
    given: Mapping[str, pl.DataFrame] | None = None,
    accepted: Sequence[Acceptance] = (),
) -> Published:
    """Write a candidate, run the gates, and publish it if no gate of severity error fails.

    Partitions and rows of ``warehouse.given`` from the snapshot ``keep_from`` are kept, unless new
    ones replace them. The changes in ``accepted`` are listed in the manifest. Raises
    WarehouseError if the store cannot be written; even then, a store in a folder contains no
    incomplete files. A store at an address may still contain files of an incomplete
    snapshot, which the next build completes or removes.
    """
    with _translate_errors(store), lock_store(store):
        _remove_stale(store)
        before_name = _find_base(store, keep_from)
        candidate = store / f"{_CANDIDATE}{os.getpid()}"
        candidate.mkdir()
        try:
            files = write_rows(candidate, partitions)
            before = read_given(keep_from) if keep_from is not None else {}
            told = join_files(before, given or {}, slugs_of(files["cities"]))
            if keep_from is not None:
                _keep(candidate, files, keep_from)
            manifest, verdicts = complete(
                candidate, files, settings=settings, ingredients=ingredients, run=run,
                check=check, extras=extras, given=told, accepted=accepted,
            )  # fmt: skip
            passed = no_error(verdicts)
            final = _rename(store, candidate, manifest.snapshot_id(), passed)
            if remote_of(store) is not None:
                put_snapshot(final)
            if passed:
                _point(store, final.name, before_name)
        finally:
            shutil.rmtree(candidate, ignore_errors=True)
    return Published(final, passed, verdicts)


def _keep(candidate: Path, files: Files, keep_from: Path) -> None:
    """Keep the partitions of the old snapshot that the new partitions do not replace."""
    before = read_manifest(keep_from)
    written = {entry.path for entries in files.values() for entry in entries}
    built = set(slugs_of(files["cities"]))
    kept_cities = set(before.cities) - built
    for table, kept in before.tables.items():
        if table not in TABLES:
            raise WarehouseError(
                f"{keep_from.name} contains the table {table!r}, which a newer version of tripbed"
                " wrote: use that version, or choose a different --out"
            )
        for entry in kept.files:
            if table == "gates" or entry.path in written or is_place_holder(entry):
                continue
            ends = set(partition_value(entry).split("--"))
            if TABLES[table].partition == "pair" and ends & built and not ends & kept_cities:
                continue  # the new tables no longer contain these connections
            if fault := file_fault(keep_from.resolve(), entry):
                raise WarehouseError(
                    f"{keep_from / entry.path} cannot be carried over: {fault}. Build all cities of"
                    " the snapshot again, or choose a different --out"
                )
            _carry_over(keep_from / entry.path, candidate / entry.path)
            files[table].append(entry)


def _carry_over(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def _rename(store: Path, candidate: Path, snapshot_id: str, passed: bool) -> Path:
    """Move the candidate to its final folder, unless that folder already contains this snapshot."""
    final = store / snapshot_id if passed else store / REJECTED / snapshot_id
    final.parent.mkdir(exist_ok=True)
    if not (passed and final.exists() and _sound(final)):
        shutil.rmtree(final, ignore_errors=True)
        os.replace(candidate, final)
    sync_folder(store)
    return final


def _find_base(store: Path, keep_from: Path | None) -> str | None:
    """Return the name of the latest snapshot at an address.

    Raises WarehouseError if the latest snapshot is not the one whose partitions are to be kept.
    """
    if remote_of(store) is None:
        return None
    name = read_name(store)
    if keep_from is not None and keep_from.name != name:
        raise WarehouseError(
            f"another build has published {name} in the meantime: build again; finished shards "
            f"are kept"
        )
    return name


def _point(store: Path, name: str, before: str | None) -> None:
    """Make a snapshot the latest one, at the address or in the folder of a store."""
    if remote_of(store) is not None:
        point(store, name, before)
    else:
        point_latest(store, name)
        sync_folder(store)


def point_latest(store: Path, name: str) -> None:
    """Make a snapshot the latest one in the folder of a store that the caller has locked."""
    link = store / f".latest-{os.getpid()}"
    link.unlink(missing_ok=True)
    link.symlink_to(name)
    os.replace(link, store / "latest")


def _sound(snapshot: Path) -> bool:
    try:
        return not list(verify(snapshot, read_manifest(snapshot)))
    except SnapshotError:
        return False


@contextmanager
def lock_store(store: Path) -> Iterator[None]:
    """Lock a store against other processes.

    Raises WarehouseError if the store is already locked.
    """
    with (store / ".lock").open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise WarehouseError(
                f"another build is publishing to {show_path(store)}: wait until it has "
                f"finished, or choose a different --out"
            ) from None
        yield


@contextmanager
def _translate_errors(store: Path) -> Iterator[None]:
    """Turn disk errors into a WarehouseError that says what to do."""
    try:
        store.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            advice = "the disk is full: free space and build again; finished shards are kept"
        elif error.errno in (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST):
            advice = f"{error.strerror}: choose a writable folder with --out"
        else:
            advice = f"{error.strerror or error}"
        raise WarehouseError(f"cannot publish to {show_path(store)}: {advice}") from error


def _remove_stale(store: Path) -> None:
    """Remove files left behind by killed publishers; the lock ensures that nobody uses them."""
    for left in store.glob(f"{_CANDIDATE}*"):
        shutil.rmtree(left, ignore_errors=True)
    for link in store.glob(".latest-*"):
        link.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Flush a folder to disk, so that renamed entries survive a power failure."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
