"""Run tripbed unattended: schedules, work pools, what runs and what is stale."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from flows.cli.app import app, group
from flows.cli.options import (
    AsJson,
    Cities,
    Documents,
    EngineName,
    Out,
    ProfileName,
    Tables,
    TablesFormat,
    WorkspaceDir,
)

config = group("config", "Settings: the profile and the environment.")

RebuildCron = Annotated[
    str, typer.Option("--cron", help="When the whole sandbox is built again, as a cron expression.")
]
MaintenanceCron = Annotated[
    str,
    typer.Option("--maintenance-cron", help="When the store is checked and old shards removed."),
]
TimeZone = Annotated[str, typer.Option("--time-zone", help="Time zone of both expressions.")]
KeepDays = Annotated[
    float, typer.Option("--keep-days", help="Days without use after which a shard is removed.")
]
KeepSnapshots = Annotated[
    int, typer.Option("--keep-snapshots", help="Newest snapshots that maintenance keeps.")
]


@app.command()
def serve(
    city: Cities,
    documents: Documents = None,
    tables: Tables = None,
    tables_format: TablesFormat = "tripbed",
    profile: ProfileName = "folder",
    engine: EngineName = "rules",
    workspace: WorkspaceDir = Path(".tripbed"),
    out: Out = Path("snapshots"),
    cron: RebuildCron = "0 3 * * *",
    maintenance_cron: MaintenanceCron = "0 6 * * 0",
    time_zone: TimeZone = "Asia/Shanghai",
    keep_days: KeepDays = 30.0,
    keep_snapshots: KeepSnapshots = 10,
    port: Annotated[int, typer.Option("--port", help="Port of the server started here.")] = 4200,
) -> None:
    """Serve the scheduled rebuild and one-off runs from this machine, until it is stopped."""
    from flows.serving import server as work

    parameters = _parameters(
        city, documents, tables, tables_format, profile, engine, workspace, out
    )
    schedules = {"rebuild": cron, "maintenance": maintenance_cron, "time_zone": time_zone}
    work.serve(port, parameters, _keeping(parameters, keep_days, keep_snapshots), schedules)


@app.command()
def deploy(
    pool: Annotated[str, typer.Option("--pool", help="Work pool whose workers run the builds.")],
    city: Cities,
    documents: Documents = None,
    tables: Tables = None,
    tables_format: TablesFormat = "tripbed",
    profile: ProfileName = "folder",
    engine: EngineName = "rules",
    workspace: WorkspaceDir = Path(".tripbed"),
    out: Out = Path("snapshots"),
    cron: RebuildCron = "0 3 * * *",
    maintenance_cron: MaintenanceCron = "0 6 * * 0",
    time_zone: TimeZone = "Asia/Shanghai",
    keep_days: KeepDays = 30.0,
    keep_snapshots: KeepSnapshots = 10,
) -> None:
    """Hand the same deployments to a work pool of a Prefect server (PREFECT_API_URL)."""
    from flows.serving import server as work

    parameters = _parameters(
        city, documents, tables, tables_format, profile, engine, workspace, out
    )
    schedules = {"rebuild": cron, "maintenance": maintenance_cron, "time_zone": time_zone}
    for name in work.deploy(
        pool, parameters, _keeping(parameters, keep_days, keep_snapshots), schedules
    ):
        typer.echo(name)


def _parameters(
    city: list[str], documents: list[Path] | None, tables: Path | None, tables_format: str,
    profile: str, engine: str, workspace: Path, out: Path,
) -> dict[str, Any]:  # fmt: skip
    """Parameters of the flow, checked now and with whole paths: a worker starts elsewhere."""
    from flows.pipeline.request import make_inputs

    make_inputs(city, documents or [], tables, tables_format, profile, engine)
    return {
        "cities": list(city),
        "documents": [str(folder.resolve()) for folder in documents or []],
        "tables": str(tables.resolve()) if tables else None,
        "tables_format": tables_format,
        "profile": str(Path(profile).resolve()) if Path(profile).is_file() else profile,
        "engine": engine,
        "workspace": str(workspace.resolve()),
        "out": str(out.resolve()),
    }


def _keeping(parameters: dict[str, Any], days: float, snapshots: int) -> dict[str, Any]:
    places = {name: parameters[name] for name in ("workspace", "out")}
    return places | {"keep_days": days, "keep_snapshots": snapshots}


@app.command()
def status(
    workspace: WorkspaceDir = Path(".tripbed"),
    out: Out = Path("snapshots"),
    runs: Annotated[int, typer.Option("--runs", help="How many of the last runs are shown.")] = 5,
    as_json: AsJson = False,
) -> None:
    """Say what runs, how the last runs ended, and the last good snapshot of every city."""
    from flows.serving import status as work

    work.show(workspace, out, runs, as_json)


@config.command("show")
def config_show(profile: ProfileName = "folder", as_json: AsJson = False) -> None:
    """Print the settings in force, secrets hidden."""
    from flows.settings import show as work

    work.show(profile, as_json)


@app.command()
def doctor(
    workspace: WorkspaceDir = Path(".tripbed"),
    offline: Annotated[bool, typer.Option("--offline", help="Don't try to reach anybody.")] = False,
    as_json: AsJson = False,
) -> None:
    """Say for every provider whether it is configured and reachable, and check this machine."""
    from flows.serving import doctor as work

    raise typer.Exit(work.doctor(workspace, offline=offline, as_json=as_json))
