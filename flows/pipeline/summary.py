"""What a build came to, printed: tables, queries, gates, then the snapshot's path."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping

from rich.console import Console
from rich.table import Table

from flows.pipeline.run import BuildResult
from flows.report.counts import STEPS, poi_counts, query_counts
from warehouse.read import Snapshot


def print_summary(result: BuildResult, seconds: float, *, as_json: bool) -> None:
    """What a build came to: tables, queries, gates, then the snapshot's path on its own line."""
    published = result.published
    snapshot = Snapshot(published.path)
    facts = {
        "snapshot": str(published.path),
        "passed": published.passed,
        "seconds": round(seconds, 2),
        "rows": {name: info.rows for name, info in snapshot.manifest.tables.items()},
        "queries": query_counts(snapshot),
        "pois": poi_counts(snapshot),
        "gates_failed": [gate.gate_id for gate in published.gates if not gate.passed],
        "stages": result.costs["stages"],
    }
    if as_json:
        sys.stdout.write(json.dumps(facts, ensure_ascii=False) + "\n")
        return
    out = Console(file=sys.stdout, highlight=False)
    out.print(_rows_table(facts["rows"]))
    for slug, counts in facts["queries"].items():
        steps = ", ".join(f"{counts[f'with_{step}']} have {_step_text(step)}" for step in STEPS)
        out.print(
            f"{slug}: {counts['planned']} queries planned, {counts['kept']} kept, "
            f"{counts['pending']} pending; trajectories: {steps}",
            soft_wrap=True,
        )
    for slug, counts in facts["pois"].items():
        out.print(
            f"{slug}: {counts['places']} places, {counts['in_documents']} named in documents "
            f"({counts['documents_only']} of them in no table), "
            f"{counts['trajectories']} document trajectories",
            soft_wrap=True,
        )
    for gate in published.gates:
        if not gate.passed:
            out.print(
                f"gate {gate.gate_id} failed ({gate.severity}): {gate.message}", soft_wrap=True
            )
    verdict = "published" if published.passed else "rejected: no snapshot was published"
    out.print(f"{len(published.gates)} gates, {verdict}, {seconds:.1f} s")
    out.print(str(published.path), soft_wrap=True)


def _step_text(step: int) -> str:
    return {8: "8 or more", 4: "4 to 7", 1: "1 to 3", 0: "none"}[step]


def _rows_table(rows: Mapping[str, int]) -> Table:
    table = Table("table", "rows", title="Snapshot")
    table.columns[1].justify = "right"
    for name, count in rows.items():
        if count:
            table.add_row(name, f"{count:,}")
    return table
