"""Measure plans by the rule metrics of several papers, for ``plans score --metrics``."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from flows.errors import SettingsError
from flows.plans.desk import PlanDesk
from flows.plans.files import Record, read_records, ready
from flows.plans.measured import measure_plans
from schemas.nouns import count_noun
from validators.metrics.catalogue import PAPERS
from validators.metrics.figures import ranks, tables
from validators.metrics.tprag_ranks import rank_metrics
from warehouse.read import Snapshot

Row = dict[str, Any]


def papers_of(text: str, known: Sequence[str] = PAPERS) -> tuple[str, ...]:
    """What ``--metrics`` names of the known, in their order; ``all`` are all.
    Raises SettingsError.
    """
    named = {word.strip() for word in text.split(",") if word.strip()}
    if named == {"all"}:
        return tuple(known)
    if not named or named - set(known):
        wrong = ", ".join(sorted(named - set(known))) or "nothing"
        raise SettingsError(f"--metrics: {wrong} is not one of {', '.join(known)}, all")
    return tuple(name for name in known if name in named)


def score(
    snapshot: Path, files: Sequence[Path], out: Path, query_id: str | None,
    papers: Sequence[str], as_json: bool,
) -> int:  # fmt: skip
    """Measure every plan into one Parquet file, a row a plan, and print the papers' tables.

    Returns 0, or 1 if any plan has a problem. Raises SettingsError for files and queries that
    there are not.
    """
    snapshot, records = plans_in(snapshot, files, out, query_id)
    scored = measure_plans(snapshot, records, papers, query_id)
    scored.write_parquet(out)
    tell(summary_of(scored, papers, out), as_json)
    return tell_problems(scored)


def plans_in(
    snapshot: Path, files: Sequence[Path], out: Path, query_id: str | None
) -> tuple[Path, list[Record]]:
    """The snapshot's own folder, which no link moves from, and the plans of files.

    Raises SettingsError for files and queries that there are not, and where ``out`` is no Parquet
    file.
    """
    ready(out)
    snapshot = snapshot.resolve()
    if query_id is not None:
        PlanDesk(Snapshot(snapshot)).query(query_id)
    return snapshot, read_records(files)


def summary_of(scored: pl.DataFrame, papers: Sequence[str], out: Path) -> Row:
    """What is printed of scored plans: the papers' tables, of all and by method, and ranks."""
    methods = _by_method(scored, papers)
    stands = rank_metrics({name: told.get("tprag", {}) for name, told in methods.items()})
    return {
        "plans": scored.height, "problems": scored["problem"].is_not_null().sum(), "out": str(out),
        "tables": tables(scored, papers), "ranks": ranks(scored), "methods": methods,
        "tprag_ranks": stands if "tprag" in papers else {},
    }  # fmt: skip


def tell(summary: Row, as_json: bool) -> None:
    """Print a summary, as words or as JSON."""
    sys.stdout.write(
        json.dumps(summary, ensure_ascii=False) + "\n" if as_json else in_words(summary)
    )


def tell_problems(scored: pl.DataFrame) -> int:
    """Name each plan that could not be read; the exit code."""
    bad = scored.filter(pl.col("problem").is_not_null())
    for row in bad.iter_rows(named=True):
        sys.stderr.write(f"{row['plan_id']}: {row['problem'][:500]}\n")
    return 1 if bad.height else 0


def _by_method(scored: pl.DataFrame, papers: Sequence[str]) -> dict[str, Any]:
    """The tables of each method, where there are several."""
    names = scored["method"].unique().sort().to_list()
    if len(names) < 2:
        return {}
    return {name: tables(scored.filter(pl.col("method") == name), papers) for name in names}


def in_words(summary: Row) -> str:
    """A summary as lines."""
    lines = [
        f"{count_noun(summary['plans'], 'plan')}, {summary['problems']} with a problem:"
        f" {summary['out']}"
    ]
    for paper, table in summary["tables"].items():
        lines.append(paper)
        lines += [
            f"  {label}: {figure(value)}"
            for label, value in table.items()
            if not isinstance(value, dict)
        ]
    for row in summary["ranks"]:
        lines.append(
            f"rank of {row['method']} by {row['preference']}: {row['rank']:.2f}"
            f" ({count_noun(row['queries'], 'query')})"
        )
    lines += rank_lines(summary["tprag_ranks"])
    return "\n".join(lines) + "\n"


def rank_lines(stands: Mapping[str, Mapping[str, float | None]]) -> list[str]:
    """TP-RAG's ranks, a line a method."""
    return [
        f"ranks of {name}: " + ", ".join(f"{rank} {figure(value)}" for rank, value in ranks.items())
        for name, ranks in stands.items()
    ]


def figure(value: Any) -> str:
    """A figure as text."""
    return "unknown" if value is None else str(value) if isinstance(value, int) else f"{value:.4f}"
