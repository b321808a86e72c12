"""Compares runs side by side for ``tripbed bench report``, as a table and as a page."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
from rich.console import Console
from rich.table import Table

from flows.bench.leaderboard import (
    EVERY,
    TITLES,
    FigureColumn,
    RunLine,
    count_figures,
    lines_of,
    notes,
    plain,
    sections,
    show_figure,
    with_ranks,
)
from flows.bench.page import page
from flows.bench.run import ABOUT, SCORES, read_results
from flows.errors import SettingsError
from flows.plans.metrics import papers_of
from validators.metrics.figures import MetricFigure, ranks


def report(
    folders: Sequence[Path], out: Path | None, as_json: bool, metrics: str | None = None
) -> int:
    """Print the leaderboard, write the page to ``out`` if it is given, and return 0.

    ``metrics`` names checks and papers; by default, the main figures of each are shown. Raises
    SettingsError if a folder contains no finished run, or if no run has the metrics.
    """
    chosen = None if metrics is None else papers_of(metrics, EVERY)
    runs = [_read(folder) for folder in folders]
    names = [about["name"] for about, _ in runs]
    if len(set(names)) < len(names):
        raise SettingsError(
            f"several runs have the same name: {', '.join(sorted(names))}; use --name with "
            "bench run"
        )
    wanted: dict[str, MetricFigure] = {}
    lines: list[RunLine] = []
    for about, rows in runs:
        own = count_figures(rows, chosen)
        wanted |= {one.key: one for one in own}
        lines += lines_of(about, rows, own)
    if not wanted:
        raise SettingsError(
            "no run has these metrics: run tripbed bench run again to rescore a finished run"
        )
    lines = with_ranks(lines)
    shown_columns = sections(lines, wanted.values())
    preferences = _preferences(runs) if chosen is None or "chinatravel" in chosen else []
    abouts = [about for about, _ in runs]
    if out is not None:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(page(abouts, lines, shown_columns, preferences), encoding="utf-8")
    if as_json:
        sys.stdout.write(json.dumps({
            "runs": abouts, "lines": [plain(line) for line in lines], "preferences": preferences,
        }, ensure_ascii=False) + "\n")  # fmt: skip
        return 0
    _print(lines, shown_columns)
    for row in preferences:
        sys.stdout.write(
            f"rank of {row['method']} by {row['preference']}: {row['rank']:.2f} ({row['queries']}"
            " queries)\n"
        )
    for about in abouts:
        sys.stdout.write(
            f"{about['name']}: {about['planner']}; snapshot {about['snapshot']}, split "
            f"{about['split']}, {about['planned']} of {about['queries']} queries\n"
        )
    sys.stdout.writelines(f"{note}\n" for note in notes(abouts))
    if out is not None:
        sys.stdout.write(f"{out}\n")
    return 0


def _read(folder: Path) -> tuple[dict[str, Any], pl.DataFrame]:
    """Return a run's description and its scores by query; raise SettingsError if there are none."""
    if not (folder / ABOUT).is_file() or not (folder / SCORES).is_file():
        raise SettingsError(
            f"{folder} holds no finished run: finish one with `tripbed bench run … --out {folder}`"
        )
    about = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
    told = pl.DataFrame(
        [(q, row["split"], row["family"], row["days"]) for q, row in read_results(folder).items()],
        {"query_id": pl.String, "split": pl.String, "family": pl.String, "days": pl.Int64},
        orient="row",
    )
    rows = told.join(pl.read_parquet(folder / SCORES), on="query_id", how="left")
    return {**about, "planned": rows.height}, rows.sort("query_id")


def _preferences(runs: Sequence[tuple[dict[str, Any], pl.DataFrame]]) -> list[dict[str, Any]]:
    """Return ChinaTravel's preference ranks of the runs that have scores for them."""
    rows = [
        rows.with_columns(method=pl.lit(about["name"]))
        for about, rows in runs
        if "goals" in rows.columns
    ]
    return ranks(pl.concat(rows, how="diagonal")) if rows else []


def _print(lines: Sequence[RunLine], shown_columns: dict[str, list[FigureColumn]]) -> None:
    whole = [line for line in lines if line.group == "all"]
    table = Table("metric", *(line.run for line in whole), title="all queries")
    table.add_row("queries", *(str(line.queries) for line in whole))
    for paper, columns in shown_columns.items():
        table.add_section()
        table.add_row(f"[bold]{TITLES[paper]}")
        for one in columns:
            table.add_row(one.label, *(show_figure(line.figures.get(one.key)) for line in whole))
    Console().print(table)
