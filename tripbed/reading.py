"""Read and validate what was published."""

from __future__ import annotations

from pathlib import Path

from validators.validate import Verdict
from validators.validate import validate as run_gates
from warehouse.addresses import open_snapshot
from warehouse.read import Snapshot


def read_snapshot(path: str | Path) -> Snapshot:
    """Open a snapshot's tables: a folder, or an address such as ``s3://bucket/snapshots/latest``.

    ``snapshot.table("pois")`` is a polars frame, ``snapshot.table("pois", city="hangzhou")`` the
    rows of one city; ``snapshot.tables()`` names what there is. Raises
    SnapshotError for a folder that is not a snapshot, and StorageError for an address that cannot
    be read.

    >>> pois = read_snapshot("snapshots/latest").table("pois")
    """
    return Snapshot(open_snapshot(path))


def validate(path: str | Path, against: str | Path | None = None) -> Verdict:
    """Run every gate, as ``tripbed validate`` does; drift gates compare with ``against``.

    ``verdict.passed`` is true unless a gate of severity error failed; ``verdict.failures`` is a
    polars frame that names gate, table, column, row and value. Raises SnapshotError and
    StorageError.

    >>> verdict = validate("snapshots/latest")
    >>> verdict.failures.select("gate_id", "table", "message")
    """
    return run_gates(
        open_snapshot(path), before=open_snapshot(against) if against is not None else None
    )
