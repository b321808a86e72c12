"""Publish a snapshot: write it aside, ask the gates, read it back, verify and rename it.

A candidate that a gate rejects goes to ``rejected/`` with its report, and the last good snapshot
stays ``latest``. Only one process publishes at a time; its lock ends with it. For a store at an
address all this happens in the scratch folder first (``warehouse.addresses``).
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
    """Where a snapshot lies and whether it was published; ``gates`` are the verdicts."""

    path: Path
    passed: bool
    gates: tuple[GateResult, ...]

    @classmethod
    def existing(cls, path: Path) -> Published:
        """A snapshot that was published before."""
        held = [field.name for field in fields(GateResult)]
        rows = Snapshot(path).table("gates").select(held).to_dicts()
        return cls(path, True, tuple(GateResult(**row) for row in rows))


def latest_snapshot(store: Path) -> Path | None:
    """The last good snapshot of a store, None if there is none. Raises SnapshotError.

    Of a store at an address a copy is brought; raises StorageError where it cannot be.
    """
    if remote_of(store) is not None:
        return latest_at(store)
    link = store / "latest"
    if not link.is_symlink():
        return None
    target = link.resolve()
    if not target.is_dir():
        raise SnapshotError(f"{link} points to nothing: remove it, or restore {target.name}")
    return target


def prepare_store(store: Path) -> None:
    """Make the store's folder, or say before any work that it can't be written.

    Raises WarehouseError and StorageError.
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
    """Write a candidate, ask the gates, and publish it if no gate of severity error failed.

    Partitions of ``keep_from`` that the new ones do not replace are carried over, and so are rows
    of ``given`` (``warehouse.given``). The manifest keeps what was ``accepted``. Raises
    WarehouseError when the store cannot be written; nothing half-written stays then. A store at an
    address may keep files of a snapshot that nobody sees: the next build completes or prunes them.
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
    """Carry over what the new partitions do not replace."""
    before = read_manifest(keep_from)
    written = {entry.path for entries in files.values() for entry in entries}
    built = set(slugs_of(files["cities"]))
    kept_cities = set(before.cities) - built
    for table, kept in before.tables.items():
        if table not in TABLES:
            raise WarehouseError(
                f"{keep_from.name} holds a table {table!r} from a newer tripbed: "
                "use that, or choose another --out"
            )
        for entry in kept.files:
            if table == "gates" or entry.path in written or is_place_holder(entry):
                continue
            ends = set(partition_value(entry).split("--"))
            if TABLES[table].partition == "pair" and ends & built and not ends & kept_cities:
                continue  # a connection that the city's new tables no longer have
            if fault := file_fault(keep_from.resolve(), entry):
                raise WarehouseError(
                    f"{keep_from / entry.path} cannot be carried over: {fault}. "
                    "Build all its cities again, or choose another --out"
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
    """Move the candidate to its place; the same snapshot published before stays as it is."""
    final = store / snapshot_id if passed else store / REJECTED / snapshot_id
    final.parent.mkdir(exist_ok=True)
    if not (passed and final.exists() and _sound(final)):
        shutil.rmtree(final, ignore_errors=True)
        os.replace(candidate, final)
    sync_folder(store)
    return final


def _find_base(store: Path, keep_from: Path | None) -> str | None:
    """The latest snapshot at the store's address, which must be the one that is carried over."""
    if remote_of(store) is None:
        return None
    name = read_name(store)
    if keep_from is not None and keep_from.name != name:
        raise WarehouseError(
            f"another build published {name} meanwhile: build again; finished shards are kept"
        )
    return name


def _point(store: Path, name: str, before: str | None) -> None:
    """Make a snapshot the latest one, at the store's address or in its folder."""
    if remote_of(store) is not None:
        point(store, name, before)
    else:
        point_latest(store, name)
        sync_folder(store)


def point_latest(store: Path, name: str) -> None:
    """Make a snapshot of a store its latest one; the lock of the store is the caller's."""
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
    """Be the only one who changes a store. Raises WarehouseError where another one is."""
    with (store / ".lock").open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise WarehouseError(
                f"another build is publishing to {show_path(store)}: wait for it, or choose another"
                " --out"
            ) from None
        yield


@contextmanager
def _translate_errors(store: Path) -> Iterator[None]:
    """Errors of the disk in words that say what to do."""
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
    """Candidates of publishers that died: the lock is ours, so nobody writes them."""
    for left in store.glob(f"{_CANDIDATE}*"):
        shutil.rmtree(left, ignore_errors=True)
    for link in store.glob(".latest-*"):
        link.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Let a renamed entry of a folder outlive a loss of power."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
