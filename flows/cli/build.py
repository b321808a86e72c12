"""Commands that build and publish a snapshot, or run only one stage."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from flows.cli.app import app, group
from flows.cli.options import (
    AcceptDrift,
    Archive,
    AsJson,
    AssumeCity,
    Bbox,
    Because,
    BudgetTokens,
    BudgetUsd,
    Cities,
    Documents,
    EngineName,
    Offline,
    ProfileName,
    QueryFiles,
    Readings,
    Refresh,
    Search,
    SomeSources,
    Store,
    Tables,
    TablesFormat,
    WhenBusy,
    Workers,
    WorkspaceDir,
    checked_settings,
    open_tables,
    read_search,
)

Direct = Annotated[bool, typer.Option("--direct", help="Run without Prefect.")]

queries = group("queries", "Build, audit and import queries.")
tables = group("tables", "Import tables, and check them for errors.")


@app.command()
def build(
    city: Cities,
    documents: Documents = None,
    tables: Tables = None,
    tables_format: TablesFormat = "tripbed",
    sources: SomeSources = None,
    bbox: Bbox = None,
    profile: ProfileName = "folder",
    engine: EngineName = "rules",
    workspace: WorkspaceDir = Path(".tripbed"),
    out: Store = Path("snapshots"),
    direct: Direct = False,
    workers: Workers = None,
    when_busy: WhenBusy = "wait",
    readings: Readings = None,
    query_files: QueryFiles = None,
    assume_city: AssumeCity = False,
    budget_usd: BudgetUsd = None,
    budget_tokens: BudgetTokens = None,
    accept_drift: AcceptDrift = None,
    because: Because = None,
    search: Search = None,
    archive: Archive = None,
    refresh: Refresh = False,
    offline: Offline = False,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain", help="Show which shards would run and why, without building anything."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Build and publish a snapshot. The last line of standard output is the snapshot's path."""
    settings = checked_settings(
        engine, profile, tables_format, budget_usd, budget_tokens,
        uses_server=not (direct or explain),
    )  # fmt: skip
    from flows.pipeline import build as work
    from flows.pipeline.request import BuildRequest

    # If there is no search, --refresh and --offline apply only to open data.
    asks_web = bool(search) or not sources
    web = read_search(
        search, archive, workspace, settings, refresh=refresh and asks_web,
        offline=offline and asks_web,
    )  # fmt: skip
    if sources or bbox:
        tables = open_tables(
            sources or [], city, bbox, tables, tables_format, archive, workspace, settings,
            refresh=refresh, offline=offline, quiet=as_json,
        )  # fmt: skip
    request = BuildRequest(
        city, documents or [], tables, tables_format, profile, engine, settings,
        readings, assume_city, tuple(accept_drift or ()), because, web, workers, query_files or (),
    )  # fmt: skip
    if explain:
        work.explain(request, workspace, out, as_json)
        return
    raise typer.Exit(
        work.build(request, workspace, out, direct=direct, as_json=as_json, when_busy=when_busy)
    )


@app.command()
def demo(
    workspace: WorkspaceDir = Path(".tripbed"),
    out: Store = Path("snapshots"),
    direct: Direct = False,
    workers: Workers = None,
    as_json: AsJson = False,
) -> None:
    """Build the sample city that ships with tripbed: Hangzhou, from documents and tables."""
    settings = checked_settings("rules", "demo", "tripbed", uses_server=not direct)
    from flows.pipeline import build as work
    from flows.pipeline.request import BuildRequest
    from sources import bundled

    request = BuildRequest(
        [bundled.CITY], [bundled.DOCUMENTS], bundled.TABLES, "tripbed", "demo", "rules", settings,
        workers=workers,
    )  # fmt: skip
    raise typer.Exit(work.build(request, workspace, out, direct=direct, as_json=as_json))


@app.command()
def publish(
    city: Cities,
    documents: Documents = None,
    tables: Tables = None,
    tables_format: TablesFormat = "tripbed",
    profile: ProfileName = "folder",
    engine: EngineName = "rules",
    workspace: WorkspaceDir = Path(".tripbed"),
    out: Store = Path("snapshots"),
    readings: Readings = None,
    query_files: QueryFiles = None,
    assume_city: AssumeCity = False,
    accept_drift: AcceptDrift = None,
    because: Because = None,
    as_json: AsJson = False,
) -> None:
    """Finish the incomplete shards in the workspace, and publish a snapshot without Prefect."""
    settings = checked_settings(engine, profile, tables_format)
    from flows.pipeline import build as work
    from flows.pipeline.request import BuildRequest

    request = BuildRequest(
        city, documents or [], tables, tables_format, profile, engine, settings,
        readings, assume_city, tuple(accept_drift or ()), because, queries=query_files or (),
    )  # fmt: skip
    raise typer.Exit(work.build(request, workspace, out, direct=True, as_json=as_json))


def _stage_command(stage: str, text: str) -> Any:
    """Make a command that runs all stages up to a given stage, and writes the rows of that
    stage."""

    def command(
        city: Cities,
        documents: Documents = None,
        tables: Tables = None,
        tables_format: TablesFormat = "tripbed",
        profile: ProfileName = "folder",
        engine: EngineName = "rules",
        workspace: WorkspaceDir = Path(".tripbed"),
        out: Annotated[
            Path | None,
            typer.Option("--out", help="Folder to write the stage's rows to, as Parquet files."),
        ] = None,
        readings: Readings = None,
        assume_city: AssumeCity = False,
        as_json: AsJson = False,
    ) -> None:
        settings = checked_settings(engine, profile, tables_format)
        from flows.pipeline import build as work
        from flows.pipeline.request import BuildRequest

        request = BuildRequest(
            city, documents or [], tables, tables_format, profile, engine, settings,
            readings, assume_city,
        )  # fmt: skip
        work.stage(stage, request, workspace, out, as_json)

    command.__doc__ = text
    return command


app.command("resolve")(
    _stage_command("feedback", "Find the places that the names in documents refer to.")
)
app.command("trajectories")(
    _stage_command(
        "trajectories",
        (
            "Make trajectories in two forms: as the documents describe them (noisy), and as "
            "sequences of places (clean)."
        ),
    )
)
app.command("tag")(_stage_command("tags", "Gather the facts, tags and popularity of places."))

tables.command("import")(_stage_command("tables", "Import the tables for a city."))
