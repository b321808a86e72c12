"""Documents from the web, and whether what they need is there."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.cli.app import app, err
from flows.cli.options import (
    AsJson,
    Cities,
    Documents,
    EngineName,
    ProfileName,
    Tables,
    TablesFormat,
    WorkspaceDir,
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
    from flows import commands

    request = commands.Request(city, documents or [], tables, tables_format, profile, engine)
    if not provider:
        commands.stage("retrieve", request, workspace, out, as_json)
        return
    from flows import retrieval

    options = retrieval.WebOptions(
        tuple(provider), archive or workspace / "archive", refresh, offline, inquiries, export
    )
    last = ""

    def progress(what: str, done: int, total: int) -> None:
        nonlocal last
        line = f"{what}: {10 * (10 * done // total)} %"
        if not as_json and line != last:
            err.print(line)
        last = line

    found = retrieval.retrieve(
        request, options, workspace, out or workspace / "retrieved", progress
    )
    retrieval.print_retrieved(found, as_json=as_json)


@app.command()
def doctor(
    workspace: WorkspaceDir = Path(".tripbed"),
    offline: Annotated[bool, typer.Option("--offline", help="Don't try to reach anybody.")] = False,
    as_json: AsJson = False,
) -> None:
    """Say for every provider whether it is configured and reachable, and check this machine."""
    from flows import doctoring

    raise typer.Exit(doctoring.doctor(workspace, offline=offline, as_json=as_json))
