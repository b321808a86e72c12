"""Runs every gate for ``tripbed validate``, and checks every checksum for ``tripbed verify``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from flows.console import print_json
from schemas.nouns import count_noun
from validators.validate import validate as run_gates
from warehouse.manifest import read_manifest
from warehouse.manifest import verify as check

#: The number of failures that are printed; further ones are only counted.
_SHOWN = 50


def validate(path: Path, form: str, against: Path | None = None) -> int:
    """Run every gate; return 0 if no gate of severity *error* failed, and 1 otherwise."""
    verdict = run_gates(path, before=against)
    rows = verdict.failures.to_dicts()
    if form == "json":
        gates = [gate.row() for gate in verdict.results]
        not_asked = [vars(gate) for gate in verdict.not_asked]
        print_json(
            {"passed": verdict.passed, "gates": gates, "not_asked": not_asked, "failures": rows}
        )
        return 0 if verdict.passed else 1
    sys.stdout.writelines(
        _annotation(path, row) if form == "github" else _line(row) for row in rows[:_SHOWN]
    )
    if len(rows) > _SHOWN:
        sys.stdout.write(f"... and {len(rows) - _SHOWN} more; --format json lists them all\n")
    sys.stdout.writelines(
        f"skipped {skipped.gate_id}: {skipped.reason}\n" for skipped in verdict.not_asked
    )
    failed = [gate for gate in verdict.results if not gate.passed]
    errors = sum(gate.severity == "error" for gate in failed)
    asked = (
        f"{count_noun(len(verdict.results), 'gate')}: {errors} failed,"
        f" {count_noun(len(failed) - errors, 'warning')}"
    )
    more = f", {len(verdict.not_asked)} skipped" if verdict.not_asked else ""
    sys.stdout.write(f"{asked}{more}\n")
    return 0 if verdict.passed else 1


def _line(row: dict[str, Any]) -> str:
    return (
        f"{row['severity']} {row['gate_id']}: table {row['table']}, column {row['column']}, "
        f"row {row['row']}: {row['message']} (value {row['value']})\n"
    )


def _annotation(path: Path, row: dict[str, Any]) -> str:
    """Return a workflow command for GitHub, with the text escaped so that it cannot add
    commands."""
    file = _escape(f"{path}/data/{row['table']}", True)
    title = _escape(f"{row['gate_id']}: {row['table']}.{row['column']}", True)
    text = _escape(f"row {row['row']}: {row['message']} (value {row['value']})")
    return f"::{row['severity']} file={file},title={title}::{text}\n"


def _escape(text: str, as_property: bool = False) -> str:
    made = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return made.replace(":", "%3A").replace(",", "%2C") if as_property else made


def verify(path: Path, as_json: bool) -> int:
    """Check the files against the manifest; return 0 if all files match, and 1 otherwise."""
    manifest = read_manifest(path, any_version=True)
    faults = list(check(path, manifest))
    files = sum(len(table.files) for table in manifest.tables.values())
    if as_json:
        listed = [{"path": where, "fault": what} for where, what in faults]
        print_json({"passed": not faults, "files": files, "faults": listed})
    else:
        sys.stdout.writelines(f"{where}: {what}\n" for where, what in faults)
        sys.stdout.write(f"{count_noun(files, 'file')}: {count_noun(len(faults), 'fault')}\n")
    return 1 if faults else 0
