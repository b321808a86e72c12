"""What the commands show: progress on standard error, results on standard output."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table

if TYPE_CHECKING:
    from flows.run import BuildResult

#: Steps by which the summary counts queries, most trajectories first.
_STEPS = (8, 4, 1, 0)


@contextmanager
def build_progress(total: int | None, *, quiet: bool) -> Iterator[Callable[[Any], None]]:
    """A progress bar with counts and time left; the yielded function counts one step."""
    columns = (
        SpinnerColumn(), TextColumn("{task.description:<14}"), BarColumn(), MofNCompleteColumn(),
        TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn(),
    )  # fmt: skip
    with Progress(*columns, console=Console(stderr=True), disable=quiet) as bar:
        task = bar.add_task("starting", total=total)

        def done(step: Any) -> None:
            bar.update(task, advance=1, description=str(getattr(step, "stage", step))[:14])

        yield done


def print_summary(result: BuildResult, seconds: float, *, as_json: bool) -> None:
    """What a build came to: tables, queries, gates, then the snapshot's path on its own line."""
    from warehouse.read import Snapshot

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
        steps = ", ".join(f"{counts[f'with_{step}']} have {_step_text(step)}" for step in _STEPS)
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


def query_counts(snapshot: Any) -> dict[str, dict[str, int]]:
    """For each city: queries planned, kept, pending, and by number of trajectories."""
    counts: dict[str, dict[str, int]] = {}
    for slug in snapshot.manifest.cities:
        queries = snapshot.table("queries", slug)
        found = queries["n_trajectories"].to_list()
        bounds = zip(_STEPS, (10**9, *_STEPS), strict=False)
        counts[slug] = {
            "planned": queries.height,
            "kept": queries["status"].to_list().count("kept"),
            "pending": queries["status"].to_list().count("pending_documents"),
            **{f"with_{low}": sum(low <= n < high for n in found) for low, high in bounds},
        }
    return counts


def poi_counts(snapshot: Any) -> dict[str, dict[str, int]]:
    """For each city: places, those that documents name, and the trajectories."""
    counts: dict[str, dict[str, int]] = {}
    for slug in snapshot.manifest.cities:
        pois = snapshot.table("pois", slug)
        counts[slug] = {
            "places": pois.height,
            "in_documents": int((pois["n_documents"] > 0).sum()),
            "documents_only": int((pois["poi_source"] == "document").sum()),
            "trajectories": snapshot.table("trajectories", slug).height,
        }
    return counts


def _rows_table(rows: Mapping[str, int]) -> Table:
    table = Table("table", "rows", title="Snapshot")
    table.columns[1].justify = "right"
    for name, count in rows.items():
        if count:
            table.add_row(name, f"{count:,}")
    return table


def print_rows(stage: str, rows: Mapping[str, Mapping[str, int]], *, as_json: bool) -> None:
    """Rows of one stage, by city and table."""
    if as_json:
        sys.stdout.write(json.dumps({"stage": stage, "rows": rows}) + "\n")
        return
    table = Table("city", "table", "rows", title=stage)
    table.columns[2].justify = "right"
    for slug, tables in rows.items():
        for name, count in tables.items():
            table.add_row(slug, name, f"{count:,}")
    Console(file=sys.stdout, highlight=False).print(table)
