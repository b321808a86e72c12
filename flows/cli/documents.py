"""Read documents, and find them on the web."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.cli.app import app, err
from flows.cli.options import (
    AsJson,
    BudgetTokens,
    BudgetUsd,
    Cities,
    Documents,
    EngineName,
    ProfileName,
    Readings,
    Tables,
    TablesFormat,
    WorkspaceDir,
    checked_settings,
    known_cities,
)


@app.command()
def extract(
    documents: Annotated[Path, typer.Option("--documents", help="Folder of documents.")],
    out: Annotated[Path, typer.Option("--out", help="File to write, one JSON object a line.")],
    city: Annotated[
        list[str] | None,
        typer.Option(
            "--city",
            callback=known_cities,
            help="City whose places are meant; several with commas.",
        ),
    ] = None,
    tables: Tables = None,
    tables_format: TablesFormat = "tripbed",
    engine: EngineName = "rules",
    readings: Readings = None,
    budget_usd: BudgetUsd = None,
    budget_tokens: BudgetTokens = None,
    as_json: AsJson = False,
) -> None:
    """Read documents into places, a route and facts, one JSON object a document."""
    settings = checked_settings(engine, "folder", tables_format, budget_usd, budget_tokens)
    from flows.documents import extract as work

    work.extract(
        documents, out, city or [], tables, tables_format, engine, settings, as_json, readings
    )


@app.command()
def retrieve(
    city: Cities,
    documents: Documents = None,
    tables: Tables = None,
    tables_format: TablesFormat = "tripbed",
    profile: ProfileName = "folder",
    engine: EngineName = "rules",
    workspace: WorkspaceDir = Path(".tripbed"),
    provider: Annotated[
        list[str] | None,
        typer.Option(
            "--provider",
            help="Who searches: corpus, mediawiki, searxng, brave, baidu; may be repeated. "
            "Without it the stage of a build runs on --documents.",
        ),
    ] = None,
    archive: Annotated[
        Path | None, typer.Option("--archive", help="Folder of the archive [WORKSPACE/archive].")
    ] = None,
    refresh: Annotated[
        bool, typer.Option("--refresh", help="Ask again, with conditional requests.")
    ] = False,
    offline: Annotated[
        bool, typer.Option("--offline", help="Only the archive and kept answers; no socket.")
    ] = False,
    inquiries: Annotated[
        bool,
        typer.Option("--inquiries", help="Ask for the hours of each query's first places too."),
    ] = False,
    export: Annotated[
        Path | None,
        typer.Option("--export", help="Folder for the documents as files, to build from."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="Folder for the rows [WORKSPACE/retrieved].")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Find the documents of every query: search, fetch, archive, and one table of documents."""
    settings = checked_settings(engine, profile, tables_format)
    from flows.pipeline.request import Request

    request = Request(city, documents or [], tables, tables_format, profile, engine, settings)
    if not provider:
        from flows.pipeline.build import stage

        stage("retrieve", request, workspace, out, as_json)
        return
    from flows.documents import retrieve as work

    options = work.WebOptions(
        tuple(provider), archive or workspace / "archive", refresh, offline, inquiries, export
    )
    last = ""

    def progress(what: str, done: int, total: int) -> None:
        nonlocal last
        line = f"{what}: {10 * (10 * done // total)} %"
        if not as_json and line != last:
            err.print(line)
        last = line

    found = work.retrieve(request, options, workspace, out or workspace / "retrieved", progress)
    work.print_retrieved(found, as_json=as_json)
