"""Publishing: written aside, gates asked, read back, verified, renamed.

A candidate that a gate rejects goes to ``rejected/`` with its report, and the last good
snapshot stays ``latest``. One publisher at a time: the lock dies with its holder.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from schemas.arrow import frame
from schemas.tables import SCHEMA_VERSION, TABLES
from warehouse import croissant
from warehouse.card import dataset_card
from warehouse.errors import SnapshotError, WarehouseError
from warehouse.geoparquet import write_places
from warehouse.manifest import (
    FILE_NAME,
    FileEntry,
    Manifest,
    Sources,
    file_fault,
    read_manifest,
    verify,
)
from warehouse.read import Snapshot, count_sources
from warehouse.splits import write_splits
from warehouse.write import Partition, table_entries, write_partition

_CANDIDATE = ".candidate-"
#: Partition of the one file that an empty table has.
_NO_PARTITION = "none"


class Gate(Protocol):
    """The verdict of one gate, as ``validators`` gives it."""

    @property
    def gate_id(self) -> str: ...

    @property
    def severity(self) -> str: ...

    @property
    def passed(self) -> bool: ...

    @property
    def message(self) -> str: ...

    def row(self) -> dict[str, Any]:
        """The verdict as a row of the table ``gates``."""
        ...


@dataclass(frozen=True)
class StoredGate:
    """A verdict read back from a snapshot's table ``gates``."""

    gate_id: str
    severity: str
    passed: bool
    message: str


@dataclass(frozen=True)
class Published:
    """Where a snapshot lies and whether it was published; ``gates`` are the verdicts."""

    path: Path
    passed: bool
    gates: tuple[Gate | StoredGate, ...]

    @classmethod
    def existing(cls, path: Path) -> Published:
        """A snapshot that was published before."""
        rows = Snapshot(path).table("gates").to_dicts()
        keep = ("gate_id", "severity", "passed", "message")
        return cls(path, True, tuple(StoredGate(**{k: row[k] for k in keep}) for row in rows))


def latest_snapshot(store: Path) -> Path | None:
    """The last good snapshot of a store, None if there is none. Raises SnapshotError."""
    link = store / "latest"
    if not link.is_symlink():
        return None
    target = link.resolve()
    if not target.is_dir():
        raise SnapshotError(f"{link} leads to nothing: remove it, or restore {target.name}")
    return target


def prepare_store(store: Path) -> None:
    """Make the store's folder, or say before any work that it can't be written.

    Raises WarehouseError.
    """
    with _translated(store), tempfile.TemporaryFile(dir=store):
        pass


def publish(
    store: Path,
    partitions: Iterable[Partition],
    *,
    settings: dict[str, Any],
    ingredients: dict[str, str],
    run: Mapping[str, Any],
    keep_from: Path | None,
    check: Callable[[Path], Sequence[Gate]],
    extras: Callable[[Path], None] = lambda candidate: None,
) -> Published:
    """Write a candidate, ask the gates, and publish it if no gate of severity error failed.

    Partitions of ``keep_from`` that the new ones do not replace are carried over. Raises
    WarehouseError when the store cannot be written; nothing half-written stays then.
    """
    with _translated(store), locked_store(store):
        _remove_stale(store)
        candidate = store / f"{_CANDIDATE}{os.getpid()}"
        candidate.mkdir()
        try:
            files = _write_data(candidate, partitions, keep_from)
            manifest = _seal(candidate, files, settings, ingredients)
            sources = count_sources(Snapshot(candidate).table)
            manifest = _seal(candidate, files, settings, ingredients, sources)
            _write(candidate / "run.json", json.dumps(run, indent=1, sort_keys=True) + "\n")
            verdicts = tuple(check(candidate))
            rows = frame("gates", [verdict.row() for verdict in verdicts])
            files["gates"] = [write_partition(candidate, "gates", None, rows)]
            manifest = _seal(candidate, files, settings, ingredients, sources)
            _write(candidate / "README.md", dataset_card(manifest, write_splits(candidate)))
            _write(candidate / croissant.FILE_NAME, croissant.croissant(manifest))
            write_places(candidate)
            passed = all(v.passed for v in verdicts if v.severity == "error")
            extras(candidate)
            faults = list(verify(candidate, manifest))
            if faults:
                raise WarehouseError(f"read back, {faults[0][0]}: {faults[0][1]}: check the disk")
            final = _rename(store, candidate, manifest.snapshot_id(), passed)
        finally:
            shutil.rmtree(candidate, ignore_errors=True)
    return Published(final, passed, verdicts)


def _write_data(
    candidate: Path, partitions: Iterable[Partition], keep_from: Path | None
) -> dict[str, list[FileEntry]]:
    files: dict[str, list[FileEntry]] = {name: [] for name in TABLES}
    for table, value, rows in partitions:
        files[table].append(write_partition(candidate, table, value, rows))
    if keep_from is not None:
        _keep(candidate, files, keep_from)
    for table, entries in files.items():
        if not entries:
            value = None if TABLES[table].partition == "none" else _NO_PARTITION
            entries.append(write_partition(candidate, table, value, frame(table, [])))
    return files


def _keep(candidate: Path, files: dict[str, list[FileEntry]], keep_from: Path) -> None:
    """Carry over what the new partitions do not replace."""
    before = read_manifest(keep_from)
    written = {entry.path for entries in files.values() for entry in entries}
    built = set(_slugs(files["cities"]))
    kept_cities = set(before.cities) - built
    for table, kept in before.tables.items():
        if table not in TABLES:
            raise WarehouseError(
                f"{keep_from.name} holds a table {table!r} of a newer tripbed: "
                "use that, or name another --out"
            )
        for entry in kept.files:
            if table == "gates" or entry.path in written or _is_place_holder(entry):
                continue
            ends = set(_partition_value(entry).split("--"))
            if TABLES[table].partition == "pair" and ends & built and not ends & kept_cities:
                continue  # a connection that the city's new tables no longer have
            if fault := file_fault(keep_from.resolve(), entry):
                raise WarehouseError(
                    f"{keep_from / entry.path} cannot be carried over: {fault}. "
                    "Build all its cities again, or name another --out"
                )
            _carry_over(keep_from / entry.path, candidate / entry.path)
            files[table].append(entry)


def _partition_value(entry: FileEntry) -> str:
    """Slug or pair of slugs of a file, empty for a table in one part."""
    return entry.path.partition("=")[2].split("/")[0]


def _slugs(cities: Iterable[FileEntry]) -> list[str]:
    """Slugs of the cities that have rows."""
    return sorted(_partition_value(entry) for entry in cities if entry.rows)


def _is_place_holder(entry: FileEntry) -> bool:
    """Whether the file only stands for an empty table."""
    return not entry.rows and f"={_NO_PARTITION}/" in entry.path


def _carry_over(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def _seal(
    candidate: Path,
    files: dict[str, list[FileEntry]],
    settings: dict[str, Any],
    ingredients: dict[str, str],
    sources: Sources | None = None,
) -> Manifest:
    """Write the manifest of what lies there."""
    manifest = Manifest(
        schema_version=SCHEMA_VERSION,
        cities=tuple(_slugs(files["cities"])),
        settings=settings,
        ingredients=ingredients,
        tables=table_entries(files),
        sources=sources,
    )
    _write(candidate / FILE_NAME, manifest.text())
    return manifest


def _rename(store: Path, candidate: Path, snapshot_id: str, passed: bool) -> Path:
    """Move the candidate to its place; the same snapshot published before stays as it is."""
    final = store / snapshot_id if passed else store / "rejected" / snapshot_id
    final.parent.mkdir(exist_ok=True)
    if final.exists() and passed and _sound(final):
        pass
    else:
        shutil.rmtree(final, ignore_errors=True)
        os.replace(candidate, final)
    if passed:
        link = store / f".latest-{os.getpid()}"
        link.unlink(missing_ok=True)
        link.symlink_to(snapshot_id)
        os.replace(link, store / "latest")
    _sync_folder(store)
    return final


def _sound(snapshot: Path) -> bool:
    try:
        return not list(verify(snapshot, read_manifest(snapshot)))
    except SnapshotError:
        return False


@contextmanager
def locked_store(store: Path) -> Iterator[None]:
    """Be the only one who changes a store. Raises WarehouseError where another one is."""
    with (store / ".lock").open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise WarehouseError(
                f"another build is publishing to {store}: wait for it, or name another --out"
            ) from None
        yield


@contextmanager
def _translated(store: Path) -> Iterator[None]:
    """Errors of the disk in words that say what to do."""
    try:
        store.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            advice = "the disk is full: free space and build again; finished shards are kept"
        elif error.errno in (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST):
            advice = f"{error.strerror}: name a folder that can be written with --out"
        else:
            advice = f"{error.strerror or error}"
        raise WarehouseError(f"cannot publish to {store}: {advice}") from error


def _remove_stale(store: Path) -> None:
    """Candidates of publishers that died: the lock is ours, so nobody writes them."""
    for left in store.glob(f"{_CANDIDATE}*"):
        shutil.rmtree(left, ignore_errors=True)
    for link in store.glob(".latest-*"):
        link.unlink(missing_ok=True)


def _write(path: Path, text: str) -> None:
    with path.open("w", encoding="utf-8") as handle:
        handle.write(text)
        handle.flush()
        os.fsync(handle.fileno())


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
