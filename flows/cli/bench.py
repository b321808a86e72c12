"""The ``tripbed bench`` commands, which run planners on queries and compare the results."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.cli.app import group
from flows.cli.options import AsJson, BudgetTokens, BudgetUsd, SnapshotPath, read_settings

bench = group("bench", "Run planners on a snapshot's queries, and compare the results.")


@bench.command()
def run(
    snapshot: SnapshotPath,
    planner: Annotated[
        str,
        typer.Option(
            "--planner",
            help=(
                "Planner to run: solver, nearest, direct or react; or a command that reads a "
                "line of JSON and prints a plan."
            ),
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            help=(
                "Folder for the run. If the folder contains an unfinished run, the command "
                "continues this run."
            ),
        ),
    ],
    queries: Annotated[
        str,
        typer.Option(
            "--queries", help="Which split of the queries to use: train, validation, test, or all."
        ),
    ] = "all",
    family: Annotated[
        list[str] | None,
        typer.Option("--family", help="Use only queries from this family. Can be repeated."),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit",
            min=1,
            help="Use at most this many queries. Every run with this limit uses the same queries.",
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(
            "--name", help="Name to show on the leaderboard (default: the folder's name)."
        ),
    ] = None,
    time_limit: Annotated[
        float,
        typer.Option(
            "--time-limit",
            help="Maximum number of seconds per query, for the solver and for commands.",
        ),
    ] = 10.0,
    budget_usd: BudgetUsd = None,
    budget_tokens: BudgetTokens = None,
    as_json: AsJson = False,
) -> None:
    """Plan every query of a split and score the plans. Exits with code 1 if the budget runs out."""
    from flows.bench import run as work

    order = work.Order(
        snapshot, queries, planner, out, name, tuple(family or ()), limit, time_limit
    )
    settings = read_settings(budget_usd, budget_tokens)
    raise typer.Exit(work.run(order, settings, as_json=as_json))


@bench.command()
def report(
    runs: Annotated[list[Path], typer.Argument(help="Folders of the runs to compare.")],
    out: Annotated[
        Path | None, typer.Option("--out", help="HTML file to write the leaderboard to.")
    ] = None,
    metrics: Annotated[
        str | None,
        typer.Option(
            "--metrics",
            help=(
                "Groups of metrics to show in full, separated by commas: checks, tprag, "
                "traveleval, chinatravel, tripscore, triptailor; or all (default: only the "
                "main figures of each group)."
            ),
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compare runs side by side for each split, family and number of days.

    Each figure on the leaderboard has a confidence interval.
    """
    from flows.bench import compare as work

    raise typer.Exit(work.report(runs, out, as_json, metrics))
