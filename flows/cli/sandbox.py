"""``tripbed sandbox``: offer a snapshot to agents as tools, over MCP and HTTP."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from flows.cli.app import group
from flows.cli.options import SnapshotPath

sandbox = group(
    "sandbox", "Serve a snapshot to agents as tools over MCP and HTTP, or try the tools by hand."
)


@sandbox.command()
def serve(
    snapshot: SnapshotPath,
    port: Annotated[
        int,
        typer.Option(
            "--port", min=0, max=65535, help="Port on 127.0.0.1; with 0, a free one is chosen."
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
    from flows.agents import serve as work

    raise typer.Exit(work.serve(snapshot, port, log, stdio=stdio))


@sandbox.command()
def tools(
    form: Annotated[
        Literal["openai", "mcp", "openapi"], typer.Option("--format", help="Format of the schemas.")
    ] = "openai",
) -> None:
    """Show the tools' schemas as JSON: for function calling, for MCP, or as OpenAPI."""
    from flows.agents import openapi as work

    sys.stdout.write(json.dumps(work.describe_tools(form), ensure_ascii=False, indent=2) + "\n")
