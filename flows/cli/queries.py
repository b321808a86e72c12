"""Commands that build and audit queries."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.cli.build import queries
from flows.cli.options import (
    AsJson,
    BudgetTokens,
    BudgetUsd,
    EngineName,
    ProfileName,
    Tables,
    TablesFormat,
    WorkspaceDir,
    checked_settings,
    parse_cities,
)


@queries.command("build")
def build(
    city: Annotated[
        list[str] | None,
        typer.Option(
            "--city",
            callback=parse_cities,
            help=(
                "Plan only the queries for this city, as a build would (default: the queries for "
                "all cities in the profile)."
            ),
        ),
    ] = None,
    documents: Annotated[
        list[Path] | None, typer.Option("--documents", help="Folder of documents. Can be repeated.")
    ] = None,
    tables: Tables = None,
    tables_format: TablesFormat = "tripbed",
    profile: ProfileName = "demo",
    engine: EngineName = "rules",
    writer: Annotated[
        str,
        typer.Option(
            "--writer", help="Engine that writes the texts of a profile's queries: rules or openai."
        ),
    ] = "rules",
    budget_usd: BudgetUsd = None,
    budget_tokens: BudgetTokens = None,
    workspace: WorkspaceDir = Path(".tripbed"),
    out: Annotated[
        Path | None, typer.Option("--out", help="Folder to write the queries to.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Plan, write and audit queries for the profile's cities, or only for the city in --city."""
    settings = checked_settings(engine, profile, tables_format, budget_usd, budget_tokens)
    from flows.queries import commands

    if city:
        from flows.pipeline.build import stage
        from flows.pipeline.request import BuildRequest

        request = BuildRequest(
            city, documents or [], tables, tables_format, profile, engine, settings
        )
        stage("queries", request, workspace, out, as_json)
        commands.say_unplanned(profile, city)
        return
    raise typer.Exit(commands.build(profile, out, tables, tables_format, writer, settings, as_json))


@queries.command("audit")
def audit(
    file: Annotated[Path, typer.Argument(help="A query file, or a folder of query files.")],
    layout: Annotated[
        str,
        typer.Option(
            "--format", help="Format of the queries: traveleval, tprag, chinatravel or tripbed."
        ),
    ] = "tripbed",
    tables: Tables = None,
    tables_format: TablesFormat = "traveleval",
    tagset: Annotated[
        str,
        typer.Option(
            "--tagset",
            help=(
                "Which of TravelEval's tags to use: those in its prompt (prompt) or in its code"
                " (repo)."
            ),
        ),
    ] = "prompt",
    as_json: AsJson = False,
) -> None:
    """Count how often the queries in a file break each rule.

    Exits with code 1 if any rule is broken.
    """
    from flows.queries import commands

    raise typer.Exit(commands.audit(file, layout, tables, tables_format, tagset, as_json))


@queries.command("import")
def import_requests(
    file: Annotated[
        Path,
        typer.Argument(
            help="Text file with one request per line, or CSV file with a column named text."
        ),
    ],
    out: Annotated[
        Path, typer.Option("--out", help="File to write, with one JSON object per line.")
    ],
    as_json: AsJson = False,
) -> None:
    """Import real requests: reject requests that are too short, mask personal data, and assign
    splits."""
    from flows.queries import commands

    commands.import_requests(file, out, as_json)


@queries.command("standard")
def standard(
    file: Annotated[
        Path,
        typer.Argument(
            help="File of seed queries in Chinese, one per line, or a folder of such files."
        ),
    ],
    profile: ProfileName = "tprag-full",
    out: Annotated[Path | None, typer.Option("--out", help="JSON file to write.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show what seed queries ask for, and which planned queries ask for something different."""
    from flows.queries import commands

    commands.standard(file, profile, out, as_json)
