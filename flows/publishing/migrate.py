"""``tripbed schema migrate``: converts a snapshot to this schema version and reports losses."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from flows.console import print_json
from flows.publishing import publish
from schemas.nouns import count_noun
from schemas.tables import SCHEMA_VERSION
from validators.control import control
from warehouse.carrying import Loss
from warehouse.migrate import Migration
from warehouse.migrate import migrate as carry_over


def migrate(old: Path, new: Path, as_json: bool) -> int:
    """Migrate and print the account; 0 where the gates let it through, 1 otherwise."""
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
    for gate in done.gates:
        if not gate.passed:
            lines.append(f"{gate.severity} gate {gate.gate_id}: {gate.message}")
    if not done.passed:
        lines.append("nothing was written: build its cities again")
    elif done.is_latest:
        lines.append(f"the latest snapshot of {done.path.parent} from now on; the old one stays")
    return "\n".join([*lines, *([str(done.path)] if done.passed else [])]) + "\n"


def _tell_loss(loss: Loss, count: int) -> str:
    if loss.column is None:
        if loss.what == "unknown":
            return f"empty: the table {loss.table}, which the old version does not have"
        return f"dropped: the table {loss.table}, {count_noun(count, 'row')}"
    what = "known values" if loss.what == "dropped" else "rows"
    return f"{loss.what}: {loss.table}.{loss.column}, {count:,} {what}"
