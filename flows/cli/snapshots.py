"""Commands that show what is in a finished snapshot."""

from __future__ import annotations

from typing import Annotated

import typer

from flows.cli.app import app
from flows.cli.options import AsJson, SnapshotPath


@app.command()
def inspect(
    path: SnapshotPath,
    documents: Annotated[
        bool,
        typer.Option("--documents", help="Show what became of every input document, and why."),
    ] = False,
    given_queries: Annotated[
        bool,
        typer.Option(
            "--given-queries", help=("Show what became of every row of a query file, and why.")
        ),
    ] = False,
    statistics: Annotated[
        str | None,
        typer.Option(
            "--statistics",
            metavar="PAPER",
            help=(
                "Show the snapshot's figures beside those of a paper: tprag, traveleval, "
                "chinatravel, tripscore, triptailor or all."
            ),
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what a snapshot holds (cities, rows, queries, places), or what became of its inputs."""
    from flows.report import contents

    if statistics is not None:
        from flows.report.statistics import inspect_statistics

        inspect_statistics(path, statistics, as_json)
        return
    if given_queries:
        from flows.report.given_queries import inspect_given_queries

        inspect_given_queries(path, as_json)
        return
    show = contents.inspect_documents if documents else contents.inspect
    show(path, as_json)


@app.command()
def report(path: SnapshotPath) -> None:
    """Write report.html, a page that works offline, and print its path."""
    from flows.report import contents

    contents.report(path)
