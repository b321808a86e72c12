"""Look at a finished snapshot."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.cli.app import app
from flows.cli.options import AsJson


@app.command()
def inspect(
    path: Annotated[Path, typer.Argument(help="A snapshot.")],
    documents: Annotated[
        bool,
        typer.Option("--documents", help="What became of every document that was given, and why."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Say what a snapshot holds."""
    from flows.report import contents

    show = contents.inspect_documents if documents else contents.inspect
    show(path, as_json)


@app.command()
def report(path: Annotated[Path, typer.Argument(help="A snapshot.")]) -> None:
    """Write report.html, a page that works offline, and print its path."""
    from flows.report import contents

    contents.report(path)
