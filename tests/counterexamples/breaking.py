"""What a counterexample is: one change of the good snapshot, and every failure it must raise."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from schemas.arrow import frame, sort_by_key, to_arrow
from schemas.tables import TABLES
from tests.counterexamples import good
from tests.counterexamples.good import A, Book, Row
from warehouse.candidate import partition_path, write_partition
from warehouse.manifest import FileEntry, file_sha256, read_manifest

#: Gate, table, column and row of a failure.
Failure = tuple[str, str, str, str]
#: What it gives is of no interest.
Change = Callable[[Book], object]
OnFiles = Callable[[Path], None]


@dataclass(frozen=True)
class Case:
    """One change of rows, or of files, or of settings. No failures: a near miss, which passes."""

    name: str
    change: Change | None = None
    fails: frozenset[Failure] = frozenset()
    on_files: OnFiles | None = None
    settings: Row | None = field(default=None, hash=False)
    #: What the last good snapshot was, as a change of the good one; None: there was none.
    before: Change | None = None
    #: Whether readers read what the rows say now; else rows were changed behind their back.
    as_read: bool = True

    def __str__(self) -> str:
        return self.name


def write_case(case: Case, base: Path, target: Path) -> Path:
    """The good snapshot at ``base`` with the case's change at ``target``; checksums are true."""
    shutil.copytree(base, target, copy_function=os.link)
    rows, before = good.book(), good.unchanged()
    if case.change is not None:
        case.change(rows)
        if case.as_read:
            good.as_read(rows, before, keys=not case.fails)
        if not case.fails:
            good.as_ranked(rows)
    for table, parts in rows.items():
        for value, part in parts.items():
            if part != before[table].get(value):
                (target / partition_path(table, value)).unlink(missing_ok=True)
                write_partition(target, table, value, frame(table, part))
        for value in before[table].keys() - parts.keys():
            (target / partition_path(table, value)).unlink()
    seal(target, case.settings, base)
    if case.on_files is not None:
        case.on_files(target)
    return target


def seal(snapshot: Path, settings: Row | None = None, base: Path | None = None) -> None:
    """Write a manifest that is true of the files that lie there; those of ``base`` are known."""
    settings = settings or read_manifest(snapshot).settings
    (snapshot / "manifest.json").unlink()
    files: dict[str, list[FileEntry]] = {name: [] for name in TABLES}
    known = _entries(base) if base else {}
    for path in sorted((snapshot / "data").rglob("*.parquet")):
        entry = known.get(path.relative_to(snapshot).as_posix())
        if entry is not None and base is not None and path.samefile(base / entry.path):
            files[entry.path.split("/")[1]].append(entry)
            continue
        entry = FileEntry(
            path=path.relative_to(snapshot).as_posix(), sha256=file_sha256(path),
            bytes=path.stat().st_size, rows=pq.read_metadata(path).num_rows,
        )  # fmt: skip
        files[entry.path.split("/")[1]].append(entry)
    good.seal(snapshot, files, settings)


@cache
def _entries(base: Path) -> dict[str, FileEntry]:
    tables = read_manifest(base).tables.values()
    return {entry.path: entry for table in tables for entry in table.files}


def find(book: Book, table: str, where: str | None = A.slug, /, **match: Any) -> Row:
    """The first row of a partition with these values."""
    rows = book[table][where]
    return next(row for row in rows if all(row.get(k) == v for k, v in match.items()))


def put(table: str, match: Row, where: str | None = A.slug, /, **values: Any) -> Change:
    """A change that gives one row other values."""

    def change(book: Book) -> None:
        find(book, table, where, **match).update(values)

    return change


def add(table: str, match: Row, where: str | None = A.slug, /, **values: Any) -> Change:
    """A change that adds a copy of a row with other values, and counts it."""

    def change(book: Book) -> None:
        book[table][where].append({**find(book, table, where, **match), **values})
        recount(book, table, where)

    return change


def every(table: str, make: Callable[[Row], Row], where: str | None = A.slug) -> Change:
    """A change of every row of a partition."""

    def change(book: Book) -> None:
        for row in book[table][where]:
            row.update(make(row))

    return change


def drop(table: str, match: Row, where: str | None = A.slug) -> Change:
    """A change that takes a row away, and counts the others."""

    def change(book: Book) -> None:
        book[table][where].remove(find(book, table, where, **match))
        recount(book, table, where)

    return change


def recount(book: Book, table: str, where: str | None) -> None:
    """Make the accounts of control, and of the stage before it, true of the table."""
    names = (table, "attractions") if table == "pois" else (table,)
    accounts = [row for row in book["stage_counts"].get(where, []) if row["table"] in names]
    control = next((row for row in accounts if row["stage"] == "control"), None)
    more = len(book[table][where]) - (control["rows_kept"] if control else 0)
    for row in accounts:
        row["rows_in"] += more
        row["rows_kept"] += more


def both(*changes: Change) -> Change:
    """Several changes, one after the other."""

    def change(book: Book) -> None:
        for each in changes:
            each(book)

    return change


def rewritten(
    table: str, make: Callable[[pa.Table], pa.Table], where: str | None = A.slug
) -> OnFiles:
    """A file written again by other hands, with a manifest that is true of it."""

    def on_files(snapshot: Path) -> None:
        path = snapshot / partition_path(table, where)
        rows = to_arrow(table, sort_by_key(table, frame(table, good.book()[table][where])))
        path.unlink()
        pq.write_table(make(rows), path)
        seal(snapshot)

    return on_files


def edited(path: str, make: Callable[[bytes], bytes]) -> OnFiles:
    """A file whose bytes were changed behind the manifest's back."""

    def on_files(snapshot: Path) -> None:
        file = snapshot / path
        content = file.read_bytes()
        file.unlink()
        file.write_bytes(make(content))

    return on_files
