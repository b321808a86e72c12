"""Show the progress of commands on standard error, and print their results on standard output."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

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
from rich.table import Column, Table


@contextmanager
def build_progress(total: int | None, *, quiet: bool) -> Iterator[Callable[[Any], None]]:
    """Show a progress bar, and yield a function that counts one finished step."""
    columns = (
        SpinnerColumn(), TextColumn("{task.description:<14}"), BarColumn(), MofNCompleteColumn(),
        TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn(),
    )  # fmt: skip
    with Progress(*columns, console=Console(stderr=True), disable=quiet) as bar:
        task = bar.add_task("starting", total=total)

        def move_on(step: Any) -> None:
            bar.update(task, advance=1, description=str(getattr(step, "stage", step))[:14])

        yield move_on


def print_rows(stage: str, rows: Mapping[str, Mapping[str, int]], *, as_json: bool) -> None:
    """Print how many rows a stage produced, by city and table."""
    if as_json:
        print_json({"stage": stage, "rows": rows})
        return
    table = Table("city", "table", Column("rows", justify="right"), title=stage)
    for slug, tables in rows.items():
        for name, count in tables.items():
            table.add_row(slug, name, f"{count:,}")
    Console(file=sys.stdout, highlight=False).print(table)


def print_json(facts: Any) -> None:
    """Print a value as one line of JSON on standard output."""
    print(json.dumps(facts, ensure_ascii=False, default=str))


def write_json_lines(rows: Iterable[Any], target: Path) -> int:
    """Write rows to a file, with one JSON object per line. Returns the number of rows."""
    count = 0
    with target.open("w", encoding="utf-8") as lines:
        for row in rows:
            lines.write(json.dumps(row, ensure_ascii=False) + "\n")
            count += 1
    return count
