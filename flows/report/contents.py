"""``tripbed inspect`` and ``tripbed report``: what a finished snapshot holds."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from flows.report import write_report
from flows.report.counts import poi_counts, query_counts
from warehouse.read import Snapshot


def inspect(path: Path, as_json: bool) -> None:
    """Print cities, rows by table, queries and places."""
    snapshot = Snapshot(path)
    facts = {
        "path": str(path),
        "schema_version": snapshot.manifest.schema_version,
        "cities": list(snapshot.manifest.cities),
        "rows": {name: info.rows for name, info in snapshot.manifest.tables.items()},
        "queries": query_counts(snapshot),
        "pois": poi_counts(snapshot),
    }
    if as_json:
        sys.stdout.write(json.dumps(facts, ensure_ascii=False) + "\n")
        return
    sys.stdout.write(f"snapshot {path.name}, schema {facts['schema_version']}\n")
    for slug in snapshot.manifest.cities:
        queries, pois = query_counts(snapshot)[slug], poi_counts(snapshot)[slug]
        sys.stdout.write(
            f"  {slug}: {pois['places']} places ({pois['in_documents']} named in documents), "
            f"{pois['trajectories']} trajectories, {queries['kept']} of {queries['planned']} "
            "queries kept\n"
        )
    for name, info in snapshot.manifest.tables.items():
        sys.stdout.write(f"  {name:<20} {info.rows:>9,} rows\n")


def report(path: Path) -> None:
    """Write the report beside the data and print its path."""
    sys.stdout.write(f"{write_report(Snapshot(path).path)}\n")
