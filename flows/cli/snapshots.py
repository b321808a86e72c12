"""Commands that show a finished snapshot, or serve it to agents as tools over MCP and HTTP."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Literal

import typer

from flows.cli.app import app, group
from flows.cli.options import AsJson, SnapshotPath

sandbox = group(
    "sandbox", "Serve a snapshot to agents as tools over MCP and HTTP, or try the tools by hand."
)


@sandbox.command()
def serve(
    snapshot: SnapshotPath,
    port: Annotated[
        int,
        typer.Option(
            "--port", min=0, max=65535, help="Port on 127.0.0.1. Use 0 to choose a free port."
        ),
    ] = 8321,
    stdio: Annotated[
        bool,
        typer.Option("--stdio", help="Use MCP on standard input and output instead of a port."),
    ] = False,
    log: Annotated[
        Path, typer.Option("--log", help="Log file, with one line of JSON for every call.")
    ] = Path(".tripbed/calls.jsonl"),
) -> None:
    """Serve a snapshot to agents on this machine, read-only, until Ctrl-C is pressed."""
    from flows.agents import http as work

    raise typer.Exit(work.serve(snapshot, port, log, stdio=stdio))


@sandbox.command()
def tools(
    form: Annotated[
        Literal["openai", "mcp", "openapi"], typer.Option("--format", help="Format of the schemas.")
    ] = "openai",
) -> None:
    """Show the tools' schemas as JSON, for function calling, MCP or OpenAPI."""
    from flows.agents import openapi as work

    print(json.dumps(work.describe_tools(form), ensure_ascii=False, indent=2))


@app.command()
def inspect(
    path: SnapshotPath,
    documents: Annotated[
        bool,
        typer.Option("--documents", help="Show what happened to every input document, and why."),
    ] = False,
    given_queries: Annotated[
        bool,
        typer.Option(
            "--given-queries", help=("Show what happened to every row of a query file, and why.")
        ),
    ] = False,
    statistics: Annotated[
        str | None,
        typer.Option(
            "--statistics",
            metavar="PAPER",
            help=(
                "Show the snapshot's figures next to the figures from a paper: tprag, traveleval, "
                "chinatravel, tripscore, triptailor or all."
            ),
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show a snapshot's cities, rows, queries and places, or what happened to its inputs."""
    from flows.report import contents

    if statistics is not None:
        contents.inspect_statistics(path, statistics, as_json)
        return
    if given_queries:
        from flows.report.given import inspect_given_queries

        inspect_given_queries(path, as_json)
        return
    (contents.inspect_documents if documents else contents.inspect)(path, as_json)


@app.command()
def report(path: SnapshotPath) -> None:
    """Write report.html, a page that works offline, and print its path."""
    from flows.report.render import write_report

    print(write_report(path.resolve()))
