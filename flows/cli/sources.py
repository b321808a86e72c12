"""Commands that fetch open data, write templates for tables, and check a source."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.cli.app import app, group
from flows.cli.build import tables
from flows.cli.options import (
    Archive,
    AsJson,
    Bbox,
    Cities,
    Offline,
    Refresh,
    Sources,
    TablesFormat,
    parse_cities,
    read_settings,
)

sources = group("sources", "Fetch open data about a city as tables.")


@sources.command("fetch")
def fetch(
    city: Cities,
    sources: Sources,
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="New or empty folder for the tables.")
    ],
    bbox: Bbox = None,
    archive: Archive = None,
    refresh: Refresh = False,
    offline: Offline = False,
    as_json: AsJson = False,
) -> None:
    """Fetch open data and write it as tables, with the source, licence and date of each place.

    Fetched data is kept and reused, unless --refresh is given. To build from the folder, pass
    it to `tripbed build` with --tables.
    """
    from flows.open import fetch as work
    from flows.open.fetch import wish

    asked = wish(
        sources, city, bbox, archive or Path(".tripbed") / "archive", read_settings(),
        offline=offline, refresh=refresh,
    )  # fmt: skip
    work.run(asked, out, as_json=as_json)


@app.command()
def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="New or empty folder to write to.")],
) -> None:
    """Write an example that is ready to build, with a template for every table."""
    from flows.tables import commands as work

    work.init(folder)


@tables.command("audit")
def audit(
    directory: Annotated[Path, typer.Argument(help="Folder of the tables to check.")],
    tables_format: TablesFormat = "tripbed",
    city: Annotated[
        list[str] | None,
        typer.Option(
            "--city",
            callback=parse_cities,
            help="City to check (default: all cities in the tables).",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="File to write all findings to, with one JSON object per line."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List what is wrong with a source, row by row.

    Exits with code 1 if a finding is an error.
    """
    from flows.tables import commands as work

    raise typer.Exit(work.audit(directory, tables_format, city or [], out, as_json))


@tables.command("annotate")
def annotate(
    directory: Annotated[Path, typer.Argument(help="Folder of the tables to read.")],
    tables_format: TablesFormat = "tripbed",
    city: Annotated[
        list[str] | None,
        typer.Option(
            "--city",
            callback=parse_cities,
            help="City in which to assign types to the attractions. Can be repeated.",
        ),
    ] = None,
    annotators: Annotated[
        str,
        typer.Option(
            "--annotators",
            help="Two annotators, separated by a comma. The choices are source, rules and openai.",
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
            help="CSV file for reviewers, with the rows on which the annotators disagree.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Let two annotators assign types to attractions, and compare their answers.

    Shows Cohen's kappa for each type, and which attractions need a review.
    """
    from flows.tables import commands as work

    who = [name.strip() for name in annotators.split(",")]
    work.annotate(directory, tables_format, city or [], who, out, review, read_settings(), as_json)
