"""Opens and validates published snapshots."""

from __future__ import annotations

from pathlib import Path

from validators.validate import Verdict
from validators.validate import validate as run_gates
from warehouse.addresses import open_snapshot
from warehouse.read import Snapshot


def read_snapshot(path: str | Path) -> Snapshot:
    """Open a snapshot in a folder or at an address such as ``s3://bucket/snapshots/latest``.

    ``snapshot.tables()`` lists the tables. ``snapshot.table("pois")`` is a polars frame, and
    ``snapshot.table("pois", city="hangzhou")`` contains the rows of one city. Raises SnapshotError
    if the folder is not a snapshot, and StorageError if the address cannot be read.

    >>> pois = read_snapshot("snapshots/latest").table("pois")
    """
    return Snapshot(open_snapshot(path))


def validate(path: str | Path, against: str | Path | None = None) -> Verdict:
    """Run all gates on a snapshot, as ``tripbed validate`` does.

    Drift gates compare the snapshot with ``against``.

    ``verdict.passed`` is True unless a gate of severity error failed. ``verdict.failures`` is a
    polars frame with the gate, table, column, row and value of each failure. Raises SnapshotError
    if the folder is not a snapshot, and StorageError if an address cannot be read.

    >>> verdict = validate("snapshots/latest")
    >>> verdict.failures.select("gate_id", "table", "message")
    """
    return run_gates(
        open_snapshot(path), before=open_snapshot(against) if against is not None else None
    )
