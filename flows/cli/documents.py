"""Commands that read documents or find them on the web."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.cli.app import app, fail
from flows.cli.options import (
    Archive,
    AsJson,
    BudgetTokens,
    BudgetUsd,
    Cities,
    Documents,
    EngineName,
    Offline,
    ProfileName,
    Readings,
    Refresh,
    Search,
    Tables,
    TablesFormat,
    WorkspaceDir,
    checked_settings,
    parse_cities,
    read_search,
)
from storage.places import address_of


@app.command()
def extract(
    documents: Annotated[
        Path, typer.Option("--documents", help="Folder that contains the documents.")
    ],
    out: Annotated[
        Path, typer.Option("--out", help="File to write, with one JSON object per line.")
    ],
    city: Annotated[
        list[str] | None,
        typer.Option(
            "--city",
            callback=parse_cities,
            help="City that the documents are about. Separate several cities with commas.",
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
    """Read places, a route and facts from each document. Write one JSON object per document."""
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
    search: Search = None,
    archive: Archive = None,
    refresh: Refresh = False,
    offline: Offline = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Folder to write the rows to (default: WORKSPACE/retrieved)."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Find the documents for every query, as a build does, but do not read them.

    With --search, the documents come from the web; otherwise, they come from --documents.
    """
    settings = checked_settings(engine, profile, tables_format)
    from flows.pipeline.request import BuildRequest

    web = read_search(search, archive, workspace, settings, refresh=refresh, offline=offline)
    request = BuildRequest(
        city, documents or [], tables, tables_format, profile, engine, settings, web=web
    )
    if web is None:
        from flows.pipeline.build import stage

        stage("retrieve", request, workspace, out, as_json)
        return
    from flows.documents import retrieve as work

    if out is None and address_of(workspace) is not None:
        fail("--workspace is an address: use --out to choose a folder on this machine for the rows")
    work.retrieve(request, workspace, out or workspace / "retrieved", as_json)
