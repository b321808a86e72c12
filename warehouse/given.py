"""Reads and writes the files in ``quality/``, which list the user's documents and queries.

The files have one row for each document (used or not), each refused part of a reading, and each row
of a query file. The manifest lists the files. The files are not assigned to any city. Each row
names the cities for which its document was given. A row remains until all of its cities have been
built again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from schemas.arrow import polars_schema_of
from schemas.frames import GIVEN_DOCUMENTS, GIVEN_QUERIES, READING_PROBLEMS
from schemas.tables import Table
from warehouse.errors import WarehouseError
from warehouse.manifest import FileEntry, file_fault, read_manifest

#: The definitions of the files, by name.
GIVEN: Mapping[str, Table] = {t.name: t for t in (GIVEN_DOCUMENTS, READING_PROBLEMS, GIVEN_QUERIES)}
#: The status of a document that no city of the snapshot uses any more.
NO_CITY = {"status": "waiting", "reason": "no_city", "why": "of no city of this build"}
Row = dict[str, Any]


def make_path(name: str) -> str:
    """Return the path of a file, relative to the snapshot."""
    return f"quality/{name}.parquet"


def make_frame(name: str, rows: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
    """Make a frame of rows, sorted by the key of the file; nulls come first."""
    table = GIVEN[name]
    made = pl.DataFrame(list(rows), schema=polars_schema_of(table), orient="row")
    return made.sort(list(table.key), nulls_last=False, maintain_order=True)


def write_given(snapshot: Path, frames: Mapping[str, pl.DataFrame]) -> tuple[FileEntry, ...]:
    """Write the files and return their manifest entries. Equal rows result in equal bytes."""
    entries = []
    for name, rows in sorted(frames.items()):
        path = snapshot / make_path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        rows.write_parquet(path, compression="zstd", statistics=False)
        entries.append(FileEntry.of(snapshot, make_path(name), rows.height))
    return tuple(entries)


def count_documents(frames: Mapping[str, pl.DataFrame]) -> dict[str, int]:
    """Count the documents by status: ``used``, ``waiting`` or ``set_aside``."""
    if "documents" not in frames:
        return {}
    return dict(frames["documents"]["status"].value_counts().sort("status").iter_rows())


def read_given(snapshot: Path, *, any_version: bool = False) -> dict[str, pl.DataFrame]:
    """Read the files of a snapshot by name; older snapshots have none.

    Raises SnapshotError if the folder is not a snapshot, and WarehouseError if a file was changed.
    """
    found = {}
    root = snapshot.resolve()
    for entry in read_manifest(snapshot, any_version=any_version).quality:
        if fault := file_fault(root, entry):
            raise WarehouseError(
                f"{snapshot / entry.path} cannot be read: {fault}. Build all cities of the snapshot"
                " again, or choose a different --out"
            )
        found[Path(entry.path).stem] = pl.read_parquet(root / entry.path)
    return found


def join_files(
    before: Mapping[str, pl.DataFrame], now: Mapping[str, pl.DataFrame], built: Collection[str]
) -> dict[str, pl.DataFrame]:
    """Combine the files of the previous snapshot with those of a build of the cities ``built``.

    If a document is in the previous snapshot and in the build, those of its cities that were not
    built again are kept. If all cities of a document or query were built again without it, it is
    dropped.
    """
    tells_documents = not {*before, *now}.isdisjoint({"documents", "reading_problems"})
    found = _join_documents(before, now, built) if tells_documents else {}
    queries = _all_queries(
        _find_left(before.get("given_queries"), built), _rows(now.get("given_queries"))
    )
    return found | ({"given_queries": make_frame("given_queries", queries)} if queries else {})


def _all_queries(before: list[Row], now: list[Row]) -> list[Row]:
    """Combine the results for query files; the later result for a row counts for all cities."""
    found = {(row["given_file"], row["given_line"], row["query_id"]): row for row in before}
    for row in now:
        key = (row["given_file"], row["given_line"], row["query_id"])
        older = found.get(key)
        found[key] = {**row, "built_for": sorted({*row["built_for"], *(older or row)["built_for"]})}
    return list(found.values())


def _join_documents(
    before: Mapping[str, pl.DataFrame], now: Mapping[str, pl.DataFrame], built: Collection[str]
) -> dict[str, pl.DataFrame]:
    documents = _documents(_find_left(before.get("documents"), built), _rows(now.get("documents")))
    told = {_problem(row): row for row in _rows(now.get("reading_problems"))}
    for row in _find_left(before.get("reading_problems"), built):
        same = told.setdefault(_problem(row), row)
        same["built_for"] = sorted({*same["built_for"], *row["built_for"]})
    return {
        "documents": make_frame("documents", documents),
        "reading_problems": make_frame("reading_problems", told.values()),
    }


def _rows(frame: pl.DataFrame | None) -> list[Row]:
    return [] if frame is None else frame.to_dicts()


def _find_left(frame: pl.DataFrame | None, built: Collection[str]) -> list[Row]:
    """Return the rows of cities that were not built again; drop the other cities from the rows."""
    found = []
    for row in _rows(frame):
        row["built_for"] = [slug for slug in row["built_for"] if slug not in built]
        if not row["built_for"]:
            continue
        if "cities" in row:
            row["cities"] = [slug for slug in row["cities"] if slug not in built]
            if row["status"] == "used" and not row["cities"]:
                row.update(NO_CITY)
        found.append(row)
    return found


def _documents(before: list[Row], now: list[Row]) -> list[Row]:
    waiting: dict[tuple[str, str | None], list[Row]] = defaultdict(list)
    for row in before:
        waiting[row["path"], row["doc_id"]].append(row)
    found = []
    for row in now:
        same = waiting[row["path"], row["doc_id"]]
        found.append(_together(same.pop(0), row) if same else row)
    return found + [row for rest in waiting.values() for row in rest]


def _together(before: Row, now: Row) -> Row:
    """Combine a document's rows from two builds; a row with the status ``used`` takes
    precedence.
    """
    holds = before if before["status"] == "used" and now["status"] != "used" else now
    return {
        **holds,
        "cities": sorted({*before["cities"], *now["cities"]}),
        "built_for": sorted({*before["built_for"], *now["built_for"]}),
    }


def _problem(row: Row) -> tuple[Any, ...]:
    return tuple(value for name, value in row.items() if name != "built_for")
