"""Structured sources: what is wrong with one, before it is built from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.cli.building import tables
from flows.cli.options import AsJson, TablesFormat


@tables.command("audit")
def audit(
    directory: Annotated[Path, typer.Argument(help="Folder of the source.")],
    tables_format: TablesFormat = "tripbed",
    city: Annotated[
        list[str] | None,
        typer.Option("--city", help="City to look at; all of the source without it."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="File for all findings, one JSON object a line.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List what is wrong with a source, row by row. Exit code 1 when a finding is an error."""
    from flows import tabling

    raise typer.Exit(tabling.audit(directory, tables_format, city or [], out, as_json))
