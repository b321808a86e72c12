"""``tripbed tables``: write source templates, and check a source before building from it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.cli.app import app
from flows.cli.build import tables
from flows.cli.options import AsJson, TablesFormat, parse_cities


@app.command()
def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="New or empty folder to write to.")],
) -> None:
    """Write an example that can be built at once, with a template for every table."""
    from flows.tables import init as work

    work.init(folder)


@tables.command("audit")
def audit(
    directory: Annotated[Path, typer.Argument(help="Folder of the source.")],
    tables_format: TablesFormat = "tripbed",
    city: Annotated[
        list[str] | None,
        typer.Option(
            "--city",
            callback=parse_cities,
            help="City to check (default: all cities in the source).",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="File to write all findings to, with one JSON object per line."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List what is wrong with a source, row by row. Exits with code 1 if a finding is an error."""
    from flows.tables import commands as work

    raise typer.Exit(work.audit(directory, tables_format, city or [], out, as_json))


@tables.command("annotate")
def annotate(
    directory: Annotated[Path, typer.Argument(help="Folder of the source.")],
    tables_format: TablesFormat = "tripbed",
    city: Annotated[
        list[str] | None,
        typer.Option(
            "--city",
            callback=parse_cities,
            help="City whose attractions are labelled with a type; can be repeated.",
        ),
    ] = None,
    annotators: Annotated[
        str,
        typer.Option(
            "--annotators",
            help=(
                "The two annotators to use: two of source, rules and openai, separated by a comma."
            ),
        ),
    ] = "rules,openai",
    out: Annotated[
        Path | None,
        typer.Option("--out", help="File to write all places to, with one JSON object per line."),
    ] = None,
    review: Annotated[
        Path | None,
        typer.Option(
            "--review",
            help=("CSV file to fill in, with the rows on which the two annotators differ."),
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Annotate attractions with types, twice; show Cohen's kappa and the disagreements."""
    from flows.settings.environment import load_settings
    from flows.tables import commands as work

    who = [name.strip() for name in annotators.split(",")]
    work.annotate(directory, tables_format, city or [], who, out, review, load_settings(), as_json)
