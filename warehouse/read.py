"""A published snapshot, read-only: tables on demand, never more than asked for."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from schemas.arrow import frame
from schemas.tables import TABLES
from warehouse.errors import SnapshotError
from warehouse.manifest import Manifest, read_manifest

__all__ = ["Snapshot", "SnapshotError"]


class Snapshot:
    """A snapshot's manifest and tables. Raises SnapshotError for a folder that is none."""

    def __init__(self, path: Path):
        self.path = path.resolve()
        self.manifest: Manifest = read_manifest(self.path)

    def tables(self) -> tuple[str, ...]:
        """Names of the tables, in the order of the data dictionary."""
        return tuple(name for name in TABLES if name in self.manifest.tables)

    def table(self, name: str, city: str | None = None) -> pl.DataFrame:
        """Rows of a table, of all cities or of one by slug (or of one pair), in key order.

        Raises SnapshotError for a table that there is not and for a file that is not readable.
        """
        if name not in self.manifest.tables:
            raise SnapshotError(
                f"{self.path.name} has no table {name!r}: {', '.join(self.tables())}"
            )
        entries = self.manifest.tables[name].files
        if city is not None:
            entries = tuple(e for e in entries if f"={city}/" in e.path)
        parts = [self._read(name, self.path / entry.path) for entry in entries if entry.rows]
        if not parts:
            return frame(name, [])
        return pl.concat(parts).sort(TABLES[name].key, nulls_last=True)

    def _read(self, name: str, path: Path) -> pl.DataFrame:
        try:
            return pl.read_parquet(path, hive_partitioning=False)
        except (pl.exceptions.PolarsError, OSError) as error:
            raise SnapshotError(f"table {name}: {path} cannot be read: {error}") from None
