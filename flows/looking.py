"""The commands that look at a finished snapshot."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from flows.display import poi_counts, query_counts
from warehouse.read import Snapshot

#: Failures printed before the rest is only counted.
_SHOWN = 50


def validate(path: Path, as_json: bool) -> int:
    """Run every gate; 0 when no gate of severity error failed, 1 otherwise."""
    from validators.validate import validate as run_gates

    verdict = run_gates(path)
    failures = verdict.failures
    if as_json:
        facts = {
            "passed": verdict.passed,
            "gates": [gate.row() for gate in verdict.results],
            "failures": failures.to_dicts(),
        }
        sys.stdout.write(json.dumps(facts, ensure_ascii=False, default=str) + "\n")
        return 0 if verdict.passed else 1
    for row in failures.head(_SHOWN).to_dicts():
        sys.stdout.write(
            f"{row['severity']} {row['gate_id']}: table {row['table']}, column {row['column']}, "
            f"row {row['row']}: {row['message']} (value {row['value']})\n"
        )
    if failures.height > _SHOWN:
        sys.stdout.write(f"... and {failures.height - _SHOWN} more: --json lists all\n")
    failed = [gate for gate in verdict.results if not gate.passed]
    errors = sum(gate.severity == "error" for gate in failed)
    sys.stdout.write(
        f"{len(verdict.results)} gates: {errors} failed, {len(failed) - errors} warnings\n"
    )
    return 0 if verdict.passed else 1


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
    from flows.report import write_report

    sys.stdout.write(f"{write_report(Snapshot(path).path)}\n")
