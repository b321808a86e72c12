"""A snapshot before it gets its name: rows, gates, manifest and the files beside the data.

It is written to its own folder and read back; the caller renames it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import polars as pl

from schemas.arrow import frame
from schemas.tables import SCHEMA_VERSION, TABLES
from warehouse import croissant
from warehouse.card import CARD, dataset_card
from warehouse.errors import WarehouseError
from warehouse.geoparquet import write_places
from warehouse.given import count_documents, write_given
from warehouse.manifest import FILE_NAME, Acceptance, FileEntry, Manifest, Sources, verify
from warehouse.read import Snapshot, count_sources
from warehouse.splits import write_splits
from warehouse.statistics import markdown, statistics_of
from warehouse.write import Partition, table_entries, write_partition

#: Partition of the one file that an empty table has.
_NO_PARTITION = "none"
#: Files of a candidate, by table.
Files = dict[str, list[FileEntry]]


class GateVerdict(Protocol):
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


def no_error(verdicts: Iterable[GateVerdict]) -> bool:
    """Whether no gate of severity error failed."""
    return all(verdict.passed for verdict in verdicts if verdict.severity == "error")


def write_rows(candidate: Path, partitions: Iterable[Partition]) -> Files:
    """Write partitions, each when it comes."""
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
    check: Callable[[Path], Sequence[GateVerdict]],
    extras: Callable[[Path], None],
    given: Mapping[str, pl.DataFrame] | None = None,
    accepted: Sequence[Acceptance] = (),
) -> tuple[Manifest, tuple[GateVerdict, ...]]:
    """Make a snapshot of a folder with rows: manifest, verdicts, and what stands beside the data.

    ``given`` is what became of the documents (``warehouse.given``), ``accepted`` what the gates of
    drift let pass.

    Raises WarehouseError where a file that is read back is not what was written.
    """
    _fill(candidate, files)
    seal = partial(
        _seal, candidate, files, settings=settings, ingredients=ingredients,
        accepted=tuple(accepted),
    )  # fmt: skip
    seal()
    quality = write_given(candidate, given or {})
    sources = count_sources(Snapshot(candidate).table, (given or {}).get("documents"))
    manifest = seal(sources=sources, quality=quality)
    splits, told = write_splits(candidate), count_documents(given or {})
    counts = markdown(statistics_of(Snapshot(candidate)))
    # The gates read the card: it is written before they are asked, and again with what they said.
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
        raise WarehouseError(f"read back, {faults[0][0]}: {faults[0][1]}: check the disk")
    return manifest, verdicts


def partition_value(entry: FileEntry) -> str:
    """Slug or pair of slugs of a file, empty for a table in one part."""
    return entry.path.partition("=")[2].split("/")[0]


def slugs_of(cities: Iterable[FileEntry]) -> list[str]:
    """Slugs of the cities that have rows."""
    return sorted(partition_value(entry) for entry in cities if entry.rows)


def is_place_holder(entry: FileEntry) -> bool:
    """Whether the file only stands for an empty table."""
    return not entry.rows and f"={_NO_PARTITION}/" in entry.path


def _fill(candidate: Path, files: Files) -> None:
    """Write a file without rows for each table that has none."""
    for table, entries in files.items():
        if not entries:
            value = None if TABLES[table].partition == "none" else _NO_PARTITION
            entries.append(write_partition(candidate, table, value, frame(table, [])))


def _seal(
    candidate: Path,
    files: Files,
    *,
    settings: dict[str, Any],
    ingredients: dict[str, str],
    accepted: tuple[Acceptance, ...],
    sources: Sources | None = None,
    quality: tuple[FileEntry, ...] = (),
) -> Manifest:
    """Write the manifest of what lies there."""
    manifest = Manifest(
        schema_version=SCHEMA_VERSION,
        cities=tuple(slugs_of(files["cities"])),
        settings=settings,
        ingredients=ingredients,
        tables=table_entries(files),
        sources=sources,
        quality=quality,
        accepted=accepted,
    )
    _write(candidate / FILE_NAME, manifest.text())
    return manifest


def _write(path: Path, text: str) -> None:
    with path.open("w", encoding="utf-8") as handle:
        handle.write(text)
        handle.flush()
        os.fsync(handle.fileno())
