"""Snapshots of older schema versions, made of those of this one by their frozen tables."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow.parquet as pq
import pytest

from schemas import versions
from schemas.arrow import arrow_schema_of
from schemas.tables import TABLES
from schemas.versions.freeze import freeze
from tests.counterexamples.good_texts import SAID_AT
from warehouse.candidate import table_entries
from warehouse.manifest import FileEntry, file_sha256, read_manifest

#: What the old version had of a table's rows, from those of this one.
Back = Callable[[str, pl.DataFrame], pl.DataFrame]


def before_tags(name: str, rows: pl.DataFrame) -> pl.DataFrame:
    """Rows as versions before 2.2 had them: without the evidence that only tags in context have,
    and without the place for remarks on visits.
    """
    if name == "evidence":
        return rows.filter((pl.col("start") != SAID_AT).fill_null(True))
    if name == "stage_counts":
        fewer = pl.col("rows_in", "rows_kept") - (pl.col("table") == "evidence").cast(pl.Int64)
        return rows.with_columns(fewer)
    if name == "trajectories":
        visit = pl.element().struct
        told = [visit.field(part) for part in ("day", "order", "name", "evidence_id")]
        return rows.with_columns(pl.col("noisy_visits").list.eval(pl.struct(told)))
    return rows


def stamp(snapshot: Path, version: str, back: Back = lambda name, rows: rows) -> None:
    """Make a snapshot of this version one of an older version, by the older tables' definitions.

    A table that the older version does not have goes; one that it alone has comes, by city, with
    the rows that ``back`` gives for none. Checksums are true.
    """
    held, tables = read_manifest(snapshot), versions.tables_of(version)
    files: dict[str, list[FileEntry]] = {name: [] for name in tables}
    for name, entry in held.tables.items():
        for file in entry.files:
            path = snapshot / file.path
            rows = pl.read_parquet(path, hive_partitioning=False)
            path.unlink()
            if name in tables:
                if "context_tags" not in tables:
                    rows = before_tags(name, rows)
                if name == "stage_counts":  # no account of a table that is not there
                    rows = rows.filter(~pl.col("table").is_in(list(TABLES.keys() - tables.keys())))
                files[name].append(_written(path, file.path, version, name, back(name, rows)))
    for name in tables.keys() - held.tables.keys():
        for slug in held.cities:
            place = f"data/{name}/city={slug}/part-0.parquet"
            (snapshot / place).parent.mkdir(parents=True)
            rows = back(name, pl.DataFrame({"slug": [slug]}))
            files[name].append(_written(snapshot / place, place, version, name, rows))
    told = held.model_copy(update={"schema_version": version, "tables": table_entries(files)})
    (snapshot / "manifest.json").unlink()
    (snapshot / "manifest.json").write_text(told.text(), encoding="utf-8")


def _written(path: Path, place: str, version: str, name: str, rows: pl.DataFrame) -> FileEntry:
    schema = arrow_schema_of(versions.tables_of(version)[name])
    schema = schema.with_metadata({**schema.metadata, b"schema_version": version.encode()})
    with pq.ParquetWriter(path, schema, compression="zstd", version="2.6") as writer:
        if rows.height:
            writer.write_table(rows.select(schema.names).to_arrow().cast(schema))
    return FileEntry(
        path=place, sha256=file_sha256(path), bytes=path.stat().st_size, rows=rows.height
    )


@contextmanager
def made_up(version: str, folder: Path, change: Callable[[Any], None]) -> Iterator[None]:
    """While it lasts, a version is known whose tables are those of this one with a change."""
    held = json.loads(json.dumps(freeze(TABLES)))
    change(held)
    (folder / f"{version}.json").write_text(json.dumps(held), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(versions, "FOLDER", folder)
        _forget()
        try:
            yield
        finally:
            _forget()


def _forget() -> None:
    versions.list_released.cache_clear()
    versions.tables_of.cache_clear()
