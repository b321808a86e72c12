"""``tripbed bench report``: runs beside each other, as a table and as a page."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
from rich.console import Console
from rich.table import Table

from flows.bench.leaderboard import Line, columns, lines_of, notes, plain, shown
from flows.bench.page import page
from flows.bench.run import ABOUT, SCORES, read_results
from flows.errors import SettingsError


def report(folders: Sequence[Path], out: Path | None, as_json: bool) -> int:
    """Print the leaderboard, and write the page where ``out`` names one. Returns 0.

    Raises SettingsError for a folder that holds no finished run.
    """
    runs = [_read(folder) for folder in folders]
    names = [about["name"] for about, _ in runs]
    if len(set(names)) < len(names):
        raise SettingsError(f"runs of one name: {', '.join(sorted(names))}; give --name to bench run")  # fmt: skip
    lines = [line for about, rows in runs for line in lines_of(about, rows)]
    abouts = [about for about, _ in runs]
    if out is not None:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(page(abouts, lines), encoding="utf-8")
    if as_json:
        sys.stdout.write(json.dumps({"runs": abouts, "lines": [plain(x) for x in lines]}, ensure_ascii=False) + "\n")  # fmt: skip
        return 0
    _print(lines)
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
    """What a run is, and its queries with their scores. Raises SettingsError."""
    if not (folder / ABOUT).is_file() or not (folder / SCORES).is_file():
        raise SettingsError(f"{folder} holds no finished run: tripbed bench run … --out {folder}")
    about = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
    results = read_results(folder)
    told = pl.DataFrame(
        [(q, row["split"], row["family"], row["days"]) for q, row in results.items()],
        {"query_id": pl.String, "split": pl.String, "family": pl.String, "days": pl.Int64},
        orient="row",
    )
    rows = told.join(pl.read_parquet(folder / SCORES), on="query_id", how="left")
    return {**about, "planned": rows.height}, rows.sort("query_id")


def _print(lines: Sequence[Line]) -> None:
    whole = [line for line in lines if line.group == "all"]
    runs = [line.run for line in whole]
    table = Table("metric", *runs, title="all queries")
    table.add_row("queries", *(str(line.queries) for line in whole))
    for metric in columns(whole):
        table.add_row(metric, *(shown(line.figures.get(metric)) for line in whole))
    Console().print(table)
