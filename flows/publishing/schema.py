"""The ``tripbed schema`` commands: export the table definitions, compare an earlier export with the
current version, and convert a snapshot of an earlier version if the result passes the gates.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from pyarrow import ipc

from flows.console import print_json
from flows.errors import SettingsError
from flows.publishing import publish
from schemas.export import arrow_schemas, compare, json_schemas
from schemas.nouns import count_noun
from schemas.tables import SCHEMA_VERSION
from validators.control import control
from warehouse.carrying import Loss
from warehouse.migrate import Migration
from warehouse.migrate import migrate as carry_over


def export(out: Path, form: str) -> None:
    """Write the schema and print its path."""
    if form == "json":
        out.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(json_schemas(), ensure_ascii=False, indent=1)
        out.write_text(f"{text}\n", encoding="utf-8")
    else:
        out.mkdir(parents=True, exist_ok=True)
        for name, made in arrow_schemas().items():
            with ipc.new_file(out / f"{name}.arrow", made):
                pass
    sys.stdout.write(f"{out}\n")


def check(old: Path, as_json: bool) -> int:
    """Compare an earlier export with the current schema version; return 1 if there is a breaking
    change."""
    try:
        export = json.loads(old.read_text(encoding="utf-8"))
        changes = compare(export if isinstance(export, dict) else {})
    except OSError as error:
        raise SettingsError(f"{old} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise SettingsError(f"{old} was not written by `tripbed schema export`: {error}") from None
    breaking = [change for change in changes if change.breaking]
    if as_json:
        listed = [vars(change) for change in changes]
        versions = {"old": export.get("schema_version"), "new": SCHEMA_VERSION}
        print_json({"compatible": not breaking, "versions": versions, "changes": listed})
    else:
        for change in changes:
            where = f"{change.table}.{change.column}" if change.column else change.table
            sys.stdout.write(
                f"{'incompatible' if change.breaking else 'compatible'}: {where}: {change.what}\n"
            )
        sys.stdout.write(
            f"{export.get('schema_version')} -> {SCHEMA_VERSION}:"
            f" {count_noun(len(changes), 'change')}, {len(breaking)} of them incompatible\n"
        )
    return 1 if breaking else 0


def migrate(old: Path, new: Path, as_json: bool) -> int:
    """Migrate a snapshot and print the counts; return 0 if the snapshot passes the gates, and 1
    otherwise."""
    done = carry_over(
        old, new, control=control, check=publish.ask_gates, extras=publish.write_pages
    )
    if as_json:
        print_json(_facts(done))
    else:
        sys.stdout.write(_text(done))
    return 0 if done.passed else 1


def _facts(done: Migration) -> dict[str, Any]:
    accounts = done.accounts
    return {
        "snapshot": str(done.path) if done.passed else None,
        "passed": done.passed,
        "from": {"schema_version": done.before[0], "snapshot": done.before[1]},
        "schema_version": SCHEMA_VERSION,
        "is_latest": done.is_latest,
        "rows_in": accounts.rows_in.total(),
        "rows_out": accounts.rows_out.total(),
        "rows_quarantined": accounts.quarantined.total(),
        "rows_dropped": accounts.dropped.total(),
        "quarantined": dict(sorted(accounts.quarantined.items())),
        "losses": [
            {"what": loss.what, "table": loss.table, "column": loss.column, "count": count}
            for loss, count in accounts.list_losses()
        ],
        "gates_failed": [gate.gate_id for gate in done.gates if not gate.passed],
    }


def _text(done: Migration) -> str:
    facts = _facts(done)
    lines = [
        f"schema {done.before[0]} -> {facts['schema_version']}:"
        f" {count_noun(facts['rows_in'], 'row')} in, {facts['rows_out']:,} out,"
        f" {facts['rows_quarantined']:,} quarantined, {facts['rows_dropped']:,} dropped"
    ]
    lines += [_tell_loss(loss, count) for loss, count in done.accounts.list_losses()]
    lines += [
        f"quarantined: {name}, {count_noun(count, 'row')}"
        for name, count in facts["quarantined"].items()
    ]
    lines += [
        f"{gate.severity} gate {gate.gate_id}: {gate.message}"
        for gate in done.gates
        if not gate.passed
    ]
    if not done.passed:
        lines.append("nothing was written: build the cities again")
    elif done.is_latest:
        lines.append(
            f"the new snapshot is now the latest in {done.path.parent}; the old snapshot is kept"
        )
    return "\n".join([*lines, *([str(done.path)] if done.passed else [])]) + "\n"


def _tell_loss(loss: Loss, count: int) -> str:
    if loss.column is None:
        if loss.what == "unknown":
            return f"empty: the table {loss.table} (the old version does not have this table)"
        return f"dropped: the table {loss.table} ({count_noun(count, 'row')})"
    what = "known values" if loss.what == "dropped" else "rows"
    return f"{loss.what}: {loss.table}.{loss.column}, {count:,} {what}"
