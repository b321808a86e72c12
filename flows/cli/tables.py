"""Structured sources: templates of them, and what is wrong with one before it is built from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.cli.app import app
from flows.cli.build import tables
from flows.cli.options import AsJson, TablesFormat, known_cities


@app.command()
def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="New or empty folder to write to.")],
) -> None:
    """Write an example that builds at once, with a template of every table."""
    from flows.tables import init as work

    work.init(folder)


@tables.command("audit")
def audit(
    directory: Annotated[Path, typer.Argument(help="Folder of the source.")],
    tables_format: TablesFormat = "tripbed",
    city: Annotated[
        list[str] | None,
        typer.Option(
            "--city", callback=known_cities, help="City to look at; all of the source without it."
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="File for all findings, one JSON object a line.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List what is wrong with a source, row by row. Exit code 1 when a finding is an error."""
    from flows.tables import commands as work

    raise typer.Exit(work.audit(directory, tables_format, city or [], out, as_json))


@tables.command("annotate")
def annotate(
    directory: Annotated[Path, typer.Argument(help="Folder of the source.")],
    tables_format: TablesFormat = "tripbed",
    city: Annotated[
        list[str] | None, typer.Option("--city", callback=known_cities, help="May be repeated.")
    ] = None,
    annotators: Annotated[
        str, typer.Option("--annotators", help="Two of source, rules and openai, with a comma.")
    ] = "rules,openai",
    out: Annotated[
        Path | None, typer.Option("--out", help="File for all places, one JSON object a line.")
    ] = None,
    review: Annotated[
        Path | None,
        typer.Option("--review", help="CSV for what the two differ on, to be filled in."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Type attractions by two annotators: Cohen's kappa per type, and what needs a review."""
    from flows.settings.environment import load_settings
    from flows.tables import commands as work

    who = [name.strip() for name in annotators.split(",")]
    work.annotate(directory, tables_format, city or [], who, out, review, load_settings(), as_json)
