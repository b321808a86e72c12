"""The command ``tripbed plans score --metrics``, which uses the rule metrics of several papers."""

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
    """Return the papers that ``--metrics`` names, in the order of ``known``.

    Raises SettingsError if a paper is unknown or none is named.
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
    """Measure every plan, write one Parquet file with a row per plan, and print a summary.

    Returns 0, or 1 if a plan has a problem. Raises SettingsError if a file or query does not exist.
    """
    snapshot, records = plans_in(snapshot, files, out, query_id)
    scored = measure_plans(snapshot, records, papers, query_id)
    scored.write_parquet(out)
    tell(summary_of(scored, papers, out), as_json)
    return tell_problems(scored)


def plans_in(
    snapshot: Path, files: Sequence[Path], out: Path, query_id: str | None
) -> tuple[Path, list[Record]]:
    """Return the snapshot's own folder, with links resolved, and the plans in the files.

    Raises SettingsError if a file or query does not exist, or ``out`` does not end in .parquet.
    """
    ready(out)
    snapshot = snapshot.resolve()
    if query_id is not None:
        PlanDesk(Snapshot(snapshot)).query(query_id)
    return snapshot, read_records(files)


def summary_of(scored: pl.DataFrame, papers: Sequence[str], out: Path) -> Row:
    """Return the papers' tables for all plans and for each method, with the ranks of methods."""
    methods = _by_method(scored, papers)
    stands = rank_metrics({name: told.get("tprag", {}) for name, told in methods.items()})
    return {
        "plans": scored.height, "problems": scored["problem"].is_not_null().sum(), "out": str(out),
        "tables": tables(scored, papers), "ranks": ranks(scored), "methods": methods,
        "tprag_ranks": stands if "tprag" in papers else {},
    }  # fmt: skip


def tell(summary: Row, as_json: bool) -> None:
    """Print a summary as text or as JSON."""
    sys.stdout.write(
        json.dumps(summary, ensure_ascii=False) + "\n" if as_json else in_words(summary)
    )


def tell_problems(scored: pl.DataFrame) -> int:
    """Print the problem of each plan that has one. Returns 1 if there are any, and otherwise 0."""
    bad = scored.filter(pl.col("problem").is_not_null())
    for row in bad.iter_rows(named=True):
        sys.stderr.write(f"{row['plan_id']}: {row['problem'][:500]}\n")
    return 1 if bad.height else 0


def _by_method(scored: pl.DataFrame, papers: Sequence[str]) -> dict[str, Any]:
    """Return the papers' tables for each method; empty if there is only one method."""
    names = scored["method"].unique().sort().to_list()
    if len(names) < 2:
        return {}
    return {name: tables(scored.filter(pl.col("method") == name), papers) for name in names}


def in_words(summary: Row) -> str:
    """Write a summary as lines of text."""
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
    """Write TP-RAG's ranks as lines of text, one for each method."""
    return [
        f"ranks of {name}: " + ", ".join(f"{rank} {figure(value)}" for rank, value in ranks.items())
        for name, ranks in stands.items()
    ]


def figure(value: Any) -> str:
    """Write a figure as text, with four decimals unless it is a whole number."""
    return "unknown" if value is None else str(value) if isinstance(value, int) else f"{value:.4f}"
