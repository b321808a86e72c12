"""The commands that check, compare, review and tidy up."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from flows.settings import SettingsError
from warehouse.read import Snapshot

#: Failures printed before the rest is only counted.
_SHOWN = 50


def _say(facts: Any) -> None:
    sys.stdout.write(json.dumps(facts, ensure_ascii=False, default=str) + "\n")


def validate(path: Path, form: str, against: Path | None = None) -> int:
    """Run every gate; 0 when no gate of severity error failed, 1 otherwise."""
    from validators.validate import validate as run_gates

    verdict = run_gates(path, before=against)
    rows = verdict.failures.to_dicts()
    if form == "json":
        gates = [gate.row() for gate in verdict.results]
        _say({"passed": verdict.passed, "gates": gates, "failures": rows})
        return 0 if verdict.passed else 1
    for row in rows[:_SHOWN]:
        sys.stdout.write(_annotation(path, row) if form == "github" else _line(row))
    if len(rows) > _SHOWN:
        sys.stdout.write(f"... and {len(rows) - _SHOWN} more: --format json lists all\n")
    failed = [gate for gate in verdict.results if not gate.passed]
    errors = sum(gate.severity == "error" for gate in failed)
    sys.stdout.write(
        f"{len(verdict.results)} gates: {errors} failed, {len(failed) - errors} warnings\n"
    )
    return 0 if verdict.passed else 1


def _line(row: dict[str, Any]) -> str:
    return (
        f"{row['severity']} {row['gate_id']}: table {row['table']}, column {row['column']}, "
        f"row {row['row']}: {row['message']} (value {row['value']})\n"
    )


def _annotation(path: Path, row: dict[str, Any]) -> str:
    """A workflow command of GitHub; what it quotes cannot end it or start another."""
    file = _escaped(f"{path}/data/{row['table']}", True)
    title = _escaped(f"{row['gate_id']}: {row['table']}.{row['column']}", True)
    text = _escaped(f"row {row['row']}: {row['message']} (value {row['value']})")
    return f"::{row['severity']} file={file},title={title}::{text}\n"


def _escaped(text: str, as_property: bool = False) -> str:
    made = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return made.replace(":", "%3A").replace(",", "%2C") if as_property else made


def verify(path: Path, as_json: bool) -> int:
    """Check files against the manifest: 0 where all are as it says, 1 otherwise."""
    from warehouse.manifest import read_manifest
    from warehouse.manifest import verify as check

    manifest = read_manifest(path)
    faults = list(check(path, manifest))
    files = sum(len(table.files) for table in manifest.tables.values())
    if as_json:
        listed = [{"path": where, "fault": what} for where, what in faults]
        _say({"passed": not faults, "files": files, "faults": listed})
    else:
        for where, what in faults:
            sys.stdout.write(f"{where}: {what}\n")
        sys.stdout.write(f"{files} files: {len(faults)} faults\n")
    return 1 if faults else 0


def diff(before: Path, after: Path, fail_on: str, as_json: bool) -> int:
    """Print what differs; 1 from the severity ``fail_on`` on."""
    from warehouse.diff import SEVERITIES, as_text
    from warehouse.diff import diff as compare

    found = compare(Snapshot(before), Snapshot(after))
    if as_json:
        _say(found.as_json())
    else:
        sys.stdout.write(as_text(found))
    if fail_on == "never":
        return 0
    ranks: dict[str, int] = {name: rank for rank, name in enumerate(SEVERITIES)}
    return int(ranks[found.severity] >= ranks[fail_on])


def prune(store: Path, keep: int, keep_rejected: int, dry_run: bool, as_json: bool) -> None:
    """Remove old snapshots and say which."""
    from warehouse.retention import prune as remove

    done = remove(store, keep, keep_rejected, dry_run=dry_run)
    if as_json:
        _say({**vars(done), "dry_run": dry_run})
        return
    verb = "would remove" if dry_run else "removed"
    for name in done.removed:
        sys.stdout.write(f"{verb} {name}\n")
    sys.stdout.write(
        f"{verb} {len(done.removed)}, kept {len(done.kept)}, {done.freed_bytes:,} bytes freed\n"
    )


def schema_export(out: Path, form: str) -> None:
    """Write the schema and print where."""
    from schemas.export import arrow_schemas, json_schemas

    if form == "json":
        out.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(json_schemas(), ensure_ascii=False, indent=1)
        out.write_text(f"{text}\n", encoding="utf-8")
    else:
        from pyarrow import ipc

        out.mkdir(parents=True, exist_ok=True)
        for name, made in arrow_schemas().items():
            with ipc.new_file(out / f"{name}.arrow", made):
                pass
    sys.stdout.write(f"{out}\n")


def schema_check(old: Path, as_json: bool) -> int:
    """Compare an earlier export with this version: 1 where a change breaks something."""
    from schemas.export import compare
    from schemas.tables import SCHEMA_VERSION

    try:
        export = json.loads(old.read_text(encoding="utf-8"))
        changes = compare(export if isinstance(export, dict) else {})
    except (OSError, ValueError) as error:
        raise SettingsError(f"{old}: {error}") from None
    breaking = [change for change in changes if change.breaking]
    if as_json:
        listed = [vars(change) for change in changes]
        versions = {"old": export.get("schema_version"), "new": SCHEMA_VERSION}
        _say({"compatible": not breaking, "versions": versions, "changes": listed})
    else:
        for change in changes:
            where = f"{change.table}.{change.column}" if change.column else change.table
            sys.stdout.write(f"{'breaks' if change.breaking else 'fits'} {where}: {change.what}\n")
        sys.stdout.write(
            f"{export.get('schema_version')} -> {SCHEMA_VERSION}: {len(changes)} changes, "
            f"{len(breaking)} that break\n"
        )
    return 1 if breaking else 0


def review_export(
    path: Path, target: Path, form: str, sample: int, seed: int, against: Path | None, as_json: bool
) -> None:
    """Write the tasks for reviewers and say how many of each kind."""
    from collections import Counter

    from flows import reviewing
    from flows.decisions import stored_decisions

    snapshot = Snapshot(path)
    tasks = reviewing.uncertain(snapshot, sample, seed)
    if against is not None:
        tasks = [*reviewing.drifted(Snapshot(against), snapshot), *tasks]
    decided = stored_decisions(snapshot.path.parent)
    rows = reviewing.export_rows(snapshot, tasks, decided)
    unique = list({(row["table"], row["row_id"]): row for row in reversed(rows)}.values())[::-1]
    if form == "csv":
        reviewing.write_csv(unique, target)
    else:
        reviewing.write_labelstudio(unique, target)
    counts = dict(sorted(Counter(row["table"] for row in unique).items()))
    if as_json:
        _say({"path": str(target), "tasks": len(unique), "tables": counts})
        return
    sys.stdout.write(f"{target}: {len(unique)} rows to review")
    sys.stdout.write("".join(f", {number} of {name}" for name, number in counts.items()) + "\n")


def review_import(decisions: Path, store: Path, as_json: bool) -> None:
    """Take decisions into the store; report agreement and what cannot be applied."""
    from flows import reviewing
    from flows.decisions import store_decisions, stored_decisions
    from schemas.arrow import frame
    from validators.gates.control import double_decisions, kappa

    if not store.is_dir():
        raise SettingsError(f"{store} is no store: give the folder that `tripbed build` wrote to")
    given = reviewing.read_decisions(decisions)
    new, total = store_decisions(store, given)
    pairs = double_decisions(frame("review_decisions", reviewing.dated(stored_decisions(store))))  # fmt: skip
    agreement = {
        f"{one}/{other}": {"rows": len(both), "kappa": round(kappa(both), 3)}
        for (one, other), both in pairs.items()
    }
    by_source = [
        row for row in given
        if row["decision"] == "reject"
        and row["table"] not in (*reviewing.APPLIED, *reviewing.LEFT_OUT)
    ]  # fmt: skip
    if as_json:
        _say({"read": len(given), "new": new, "held": total, "agreement": agreement, "to_mend_in_source": [row["row_id"] for row in by_source]})  # fmt: skip
        return
    sys.stdout.write(f"{len(given)} decisions read, {new} new, {total} held in {store}\n")
    for names, found in agreement.items():
        sys.stdout.write(f"{names}: kappa {found['kappa']} over {found['rows']} rows\n")
    for row in by_source:
        sys.stdout.write(f"recorded only, to mend in its source: {row['table']} {row['row_id']}\n")
