"""Commands for unattended builds: schedules, work pools, status, settings and checks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.cli.app import app, group
from flows.cli.options import (
    Archive,
    AsJson,
    Cities,
    Documents,
    EngineName,
    ProfileName,
    QueryFiles,
    Refresh,
    Search,
    Store,
    Tables,
    TablesFormat,
    WorkspaceDir,
    checked_settings,
    parse_cron,
    parse_time_zone,
    read_search,
    read_settings,
)

config = group("config", "Show the settings in the profile and the environment.")

RebuildCron = Annotated[
    str,
    typer.Option(
        "--cron", callback=parse_cron, help="When to rebuild the sandbox (cron expression)."
    ),
]
MaintenanceCron = Annotated[
    str,
    typer.Option(
        "--maintenance-cron",
        callback=parse_cron,
        help="When to check the store and remove old shards (cron expression).",
    ),
]
TimeZone = Annotated[
    str,
    typer.Option(
        "--time-zone", callback=parse_time_zone, help="Time zone for both cron expressions."
    ),
]
KeepDays = Annotated[
    float,
    typer.Option(
        "--keep-days", min=0, help="Remove shards that have not been used for this many days."
    ),
]
KeepSnapshots = Annotated[
    int,
    typer.Option(
        "--keep-snapshots",
        min=1,
        help="How many of the newest snapshots to keep during maintenance.",
    ),
]


@app.command()
def serve(
    city: Cities,
    documents: Documents = None,
    tables: Tables = None,
    tables_format: TablesFormat = "tripbed",
    profile: ProfileName = "folder",
    engine: EngineName = "rules",
    query_files: QueryFiles = None,
    search: Search = None,
    archive: Archive = None,
    refresh: Refresh = False,
    workspace: WorkspaceDir = Path(".tripbed"),
    out: Store = Path("snapshots"),
    cron: RebuildCron = "0 3 * * *",
    maintenance_cron: MaintenanceCron = "0 6 * * 0",
    time_zone: TimeZone = "Asia/Shanghai",
    keep_days: KeepDays = 30.0,
    keep_snapshots: KeepSnapshots = 10,
    port: Annotated[
        int,
        typer.Option(
            "--port", min=1, max=65535, help="Port for the server that this command starts."
        ),
    ] = 4200,
) -> None:
    """Run scheduled and one-off builds on this machine until the command is stopped."""
    settings = checked_settings(engine, profile, tables_format, uses_server=True)
    from flows.pipeline.request import BuildRequest
    from flows.serving import server as work

    web = read_search(search, archive, workspace, settings, refresh=refresh, offline=False)
    request = BuildRequest(
        city, documents or [], tables, tables_format, profile, engine, settings, web=web,
        queries=query_files or (),
    )  # fmt: skip
    unattended = work.Unattended(
        request, workspace, out, cron, maintenance_cron, time_zone, keep_days, keep_snapshots
    )
    raise typer.Exit(work.serve(port, unattended))


@app.command()
def deploy(
    pool: Annotated[str, typer.Option("--pool", help="Work pool whose workers run the builds.")],
    city: Cities,
    documents: Documents = None,
    tables: Tables = None,
    tables_format: TablesFormat = "tripbed",
    profile: ProfileName = "folder",
    engine: EngineName = "rules",
    query_files: QueryFiles = None,
    search: Search = None,
    archive: Archive = None,
    refresh: Refresh = False,
    workspace: WorkspaceDir = Path(".tripbed"),
    out: Store = Path("snapshots"),
    cron: RebuildCron = "0 3 * * *",
    maintenance_cron: MaintenanceCron = "0 6 * * 0",
    time_zone: TimeZone = "Asia/Shanghai",
    keep_days: KeepDays = 30.0,
    keep_snapshots: KeepSnapshots = 10,
) -> None:
    """Make the same deployments as `serve`, but in a work pool on a Prefect server.

    PREFECT_API_URL gives the address of the Prefect server.
    """
    settings = checked_settings(engine, profile, tables_format, uses_server=True)
    from flows.pipeline.request import BuildRequest
    from flows.serving import server as work

    web = read_search(search, archive, workspace, settings, refresh=refresh, offline=False)
    request = BuildRequest(
        city, documents or [], tables, tables_format, profile, engine, settings, web=web,
        queries=query_files or (),
    )  # fmt: skip
    unattended = work.Unattended(
        request, workspace, out, cron, maintenance_cron, time_zone, keep_days, keep_snapshots
    )
    for name in work.deploy(pool, unattended):
        typer.echo(name)


@app.command()
def status(
    workspace: WorkspaceDir = Path(".tripbed"),
    out: Store = Path("snapshots"),
    runs: Annotated[int, typer.Option("--runs", help="How many recent runs to show.")] = 5,
    as_json: AsJson = False,
) -> None:
    """Show which builds are running, how recent runs ended, and each city's last good snapshot."""
    from flows.serving import status as work

    work.show(workspace, out, runs, as_json)


@config.command("show")
def config_show(profile: ProfileName = "folder", as_json: AsJson = False) -> None:
    """Show the settings that are in effect. Secrets are hidden."""
    from flows.settings import page as work

    work.show(profile, read_settings(), as_json)


@app.command()
def doctor(
    workspace: WorkspaceDir = Path(".tripbed"),
    offline: Annotated[bool, typer.Option("--offline", help="Do not contact any server.")] = False,
    as_json: AsJson = False,
) -> None:
    """Check that this machine and the services that tripbed uses are configured and reachable.

    The services are the search providers, the model and the geocoders.
    """
    from flows.serving import doctor as work

    raise typer.Exit(work.doctor(workspace, read_settings(), offline=offline, as_json=as_json))
