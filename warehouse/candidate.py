"""Writes a candidate: a snapshot that has not been published yet.

A candidate consists of rows, gates, a manifest and additional files. A candidate is written to a
separate folder and then read back. The caller then renames the candidate's folder.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow.parquet as pq

from schemas.arrow import arrow_schema, frame, sort_by_key, to_arrow
from schemas.tables import SCHEMA_VERSION, TABLES
from warehouse import croissant
from warehouse.beside import write_places, write_splits
from warehouse.card import CARD, dataset_card
from warehouse.errors import WarehouseError
from warehouse.given import count_documents, write_given
from warehouse.manifest import (
    FILE_NAME,
    Acceptance,
    FileEntry,
    Manifest,
    Sources,
    TableEntry,
    verify,
)
from warehouse.read import Snapshot, count_sources
from warehouse.statistics import markdown, statistics_of
from warehouse.verdicts import GateResult

Partition = tuple[str, str | None, pl.DataFrame]

_ROW_GROUP = 100_000
_SETTINGS: dict[str, Any] = {
    "compression": "zstd",
    "compression_level": 3,
    "version": "2.6",
    "data_page_version": "1.0",
    "write_statistics": True,
    "store_schema": True,
}


def partition_path(table: str, value: str | None) -> str:
    """Return the path of a partition's file, relative to the snapshot."""
    kind = TABLES[table].partition
    if kind == "none" or value is None:
        return f"data/{table}/part-0.parquet"
    return f"data/{table}/{kind}={value}/part-0.parquet"


def write_partition(
    directory: Path, table: str, value: str | None, rows: pl.DataFrame
) -> FileEntry:
    """Write one partition, sorted by the table's key, and return its entry for the manifest."""
    relative = partition_path(table, value)
    path = directory / relative
    path.parent.mkdir(parents=True, exist_ok=True)
    with pq.ParquetWriter(path, arrow_schema(table), **_SETTINGS) as writer:
        # An empty table gets no row group, because `datasets` cannot read an empty one.
        if rows.height:
            writer.write_table(to_arrow(table, sort_by_key(table, rows)), row_group_size=_ROW_GROUP)
    with path.open("rb") as handle:
        os.fsync(handle.fileno())
    return FileEntry.of(directory, relative, rows.height)


def table_entries(files: dict[str, list[FileEntry]]) -> dict[str, TableEntry]:
    """Return the manifest entry of each table, with its files sorted by path."""
    return {
        table: TableEntry(
            rows=sum(entry.rows for entry in entries),
            files=tuple(sorted(entries, key=lambda entry: entry.path)),
        )
        for table, entries in sorted(files.items())
    }


#: Name of the partition that contains the only file of an empty table.
_NO_PARTITION = "none"
#: The files of a candidate, by table.
Files = dict[str, list[FileEntry]]


def write_rows(candidate: Path, partitions: Iterable[Partition]) -> Files:
    """Write each partition as soon as it is ready, and return the files by table."""
    files: Files = {name: [] for name in TABLES}
    for table, value, rows in partitions:
        files[table].append(write_partition(candidate, table, value, rows))
    return files


def complete(
    candidate: Path,
    files: Files,
    *,
    settings: dict[str, Any],
    ingredients: dict[str, str],
    run: Mapping[str, Any],
    check: Callable[[Path], Sequence[GateResult]],
    extras: Callable[[Path], None],
    given: Mapping[str, pl.DataFrame],
    accepted: Sequence[Acceptance] = (),
) -> tuple[Manifest, tuple[GateResult, ...]]:
    """Complete a candidate that has rows: add the manifest, the verdicts and the additional files.

    ``given`` contains the results for documents and queries (``warehouse.given``), and ``accepted``
    contains the changes that drift gates allow. Raises WarehouseError if a file was not written
    correctly.
    """
    for table, entries in files.items():
        if not entries:
            value = None if TABLES[table].partition == "none" else _NO_PARTITION
            entries.append(write_partition(candidate, table, value, frame(table, [])))

    def seal(sources: Sources | None = None, quality: tuple[FileEntry, ...] = ()) -> Manifest:
        """Write a manifest for the files written so far."""
        manifest = Manifest(
            schema_version=SCHEMA_VERSION,
            cities=tuple(slugs_of(files["cities"])),
            settings=settings,
            ingredients=ingredients,
            tables=table_entries(files),
            sources=sources,
            quality=quality,
            accepted=tuple(accepted),
        )
        _write(candidate / FILE_NAME, manifest.text())
        return manifest

    seal()
    quality = write_given(candidate, given)
    sources = count_sources(Snapshot(candidate).table, given.get("documents"))
    manifest = seal(sources=sources, quality=quality)
    splits, told = write_splits(candidate), count_documents(given)
    counts = markdown(statistics_of(Snapshot(candidate)))
    # The gates read the card, so it is written before they run, and again with their results.
    _write(candidate / CARD, dataset_card(manifest, splits, told, statistics=counts))
    _write(candidate / "run.json", json.dumps(run, indent=1, sort_keys=True) + "\n")
    verdicts = tuple(check(candidate))
    rows = frame("gates", [verdict.row() for verdict in verdicts])
    files["gates"] = [write_partition(candidate, "gates", None, rows)]
    manifest = seal(sources=sources, quality=quality)
    failed = [(v.severity, v.gate_id, v.message) for v in verdicts if not v.passed]
    _write(candidate / CARD, dataset_card(manifest, splits, told, failed, counts))
    _write(candidate / croissant.FILE_NAME, croissant.croissant(manifest))
    write_places(candidate)
    extras(candidate)
    if faults := list(verify(candidate, manifest)):
        raise WarehouseError(
            f"{faults[0][0]} was not written correctly: {faults[0][1]}; check the disk"
        )
    return manifest, verdicts


def partition_value(entry: FileEntry) -> str:
    """Return the slug or the pair of slugs in a file's path, or "" if the table is not split."""
    return entry.path.partition("=")[2].split("/")[0]


def slugs_of(cities: Iterable[FileEntry]) -> list[str]:
    """Return the slugs of those cities that have rows."""
    return sorted(partition_value(entry) for entry in cities if entry.rows)


def is_place_holder(entry: FileEntry) -> bool:
    """Check whether a file is the placeholder for an empty table."""
    return not entry.rows and f"={_NO_PARTITION}/" in entry.path


def _write(path: Path, text: str) -> None:
    with path.open("w", encoding="utf-8") as handle:
        handle.write(text)
        handle.flush()
        os.fsync(handle.fileno())
