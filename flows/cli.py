"""The command line ``tripbed``. Exit codes: 0 good, 1 a gate failed, 2 wrong input or settings."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console

app = typer.Typer(
    name="tripbed",
    help="Build travel-planning sandboxes: validated, reproducible Parquet snapshots of a city.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    add_completion=False,
)
queries_app = typer.Typer(help="Plan queries and look at them.", no_args_is_help=True)
tables_app = typer.Typer(help="Structured sources: import and look.", no_args_is_help=True)
app.add_typer(queries_app, name="queries")
app.add_typer(tables_app, name="tables")

GOOD, GATE_FAILED, WRONG_INPUT = 0, 1, 2
err = Console(stderr=True)

Cities = Annotated[
    list[str],
    typer.Option("--city", help="City by Chinese, pinyin or English name; may be repeated."),
]
Documents = Annotated[
    list[Path] | None,
    typer.Option("--documents", help="Folder of Markdown, HTML or text; may be repeated."),
]
Tables = Annotated[Path | None, typer.Option("--tables", help="Folder of structured sources.")]
TablesFormat = Annotated[
    str, typer.Option("--tables-format", help="Layout of the tables: tripbed or traveleval.")
]
ProfileName = Annotated[
    str,
    typer.Option("--profile", help="Bundled profile (demo, folder, tables, ...) or a YAML file."),
]
EngineName = Annotated[
    str, typer.Option("--engine", help="Who reads the documents: rules, or openai.")
]
WorkspaceDir = Annotated[
    Path, typer.Option("--workspace", help="Folder of finished shards, reused by the next build.")
]
Out = Annotated[Path, typer.Option("--out", help="Where the result goes.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]


def fail(message: str) -> NoReturn:
    """Say what is wrong and what to do, and leave with exit code 2."""
    err.print(f"[bold red]error:[/] {message}", highlight=False, markup=True, soft_wrap=True)
    raise typer.Exit(WRONG_INPUT)


@app.command()
def build(
    city: Cities,
    documents: Documents = None,
    tables: Tables = None,
    tables_format: TablesFormat = "tripbed",
    profile: ProfileName = "folder",
    engine: EngineName = "rules",
    workspace: WorkspaceDir = Path(".tripbed"),
    out: Out = Path("snapshots"),
    direct: Annotated[
        bool, typer.Option("--direct", help="Run without Prefect, in this process.")
    ] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say why each shard would run; build nothing.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Build and publish a snapshot. The last line of standard output is its path."""
    from flows import commands

    request = commands.Request(city, documents or [], tables, tables_format, profile, engine)
    if explain:
        commands.explain(request, workspace, as_json)
        return
    raise typer.Exit(commands.build(request, workspace, out, direct=direct, as_json=as_json))


@app.command()
def extract(
    documents: Annotated[Path, typer.Option("--documents", help="Folder of documents.")],
    out: Annotated[Path, typer.Option("--out", help="File to write, one JSON object a line.")],
    city: Annotated[str | None, typer.Option("--city", help="City whose places are meant.")] = None,
    tables: Tables = None,
    tables_format: TablesFormat = "tripbed",
    engine: EngineName = "rules",
    as_json: AsJson = False,
) -> None:
    """Read documents into places, a route and facts, one JSON object a document."""
    from flows import commands

    commands.extract(documents, out, city, tables, tables_format, engine, as_json)


@app.command()
def validate(
    path: Annotated[Path, typer.Argument(help="A snapshot.")], as_json: AsJson = False
) -> None:
    """Check a snapshot against every gate; names table, column, row, check and value."""
    from flows import looking

    raise typer.Exit(looking.validate(path, as_json))


@app.command()
def inspect(
    path: Annotated[Path, typer.Argument(help="A snapshot.")], as_json: AsJson = False
) -> None:
    """Say what a snapshot holds."""
    from flows import looking

    looking.inspect(path, as_json)


@app.command()
def report(path: Annotated[Path, typer.Argument(help="A snapshot.")]) -> None:
    """Write report.html, a page that works offline, and print its path."""
    from flows import looking

    looking.report(path)


@app.command()
def match(
    pairs: Annotated[
        Path,
        typer.Option("--pairs", help="CSV with city, name_a, name_b, lat_a, lon_a, lat_b, lon_b."),
    ],
    out: Annotated[Path, typer.Option("--out", help="CSV to write: label, score, why added.")],
    as_json: AsJson = False,
) -> None:
    """Say of pairs of names whether they are the same place, different, or part and whole."""
    from flows import matching

    matching.match(pairs, out, as_json)


def _stage_command(stage: str, text: str) -> Any:
    """A command that runs one stage, and what it stands on, and exports its rows."""

    def command(
        city: Cities,
        documents: Documents = None,
        tables: Tables = None,
        tables_format: TablesFormat = "tripbed",
        profile: ProfileName = "folder",
        engine: EngineName = "rules",
        workspace: WorkspaceDir = Path(".tripbed"),
        out: Annotated[
            Path | None, typer.Option("--out", help="Folder for the stage's rows as Parquet.")
        ] = None,
        as_json: AsJson = False,
    ) -> None:
        from flows import commands

        request = commands.Request(city, documents or [], tables, tables_format, profile, engine)
        commands.stage(stage, request, workspace, out, as_json)

    command.__doc__ = text
    return command


app.command("retrieve")(_stage_command("retrieve", "Find the documents of every query."))
app.command("resolve")(_stage_command("feedback", "Resolve the names of documents to places."))
app.command("trajectories")(_stage_command("trajectories", "Read trajectories, noisy and clean."))
app.command("tag")(_stage_command("tags", "Gather facts, tags and popularity of places."))
queries_app.command("build")(_stage_command("queries", "Plan and audit the queries of a city."))
tables_app.command("import")(_stage_command("tables", "Import the tables of a city."))


@app.command()
def publish(
    city: Cities,
    documents: Documents = None,
    tables: Tables = None,
    tables_format: TablesFormat = "tripbed",
    profile: ProfileName = "folder",
    engine: EngineName = "rules",
    workspace: WorkspaceDir = Path(".tripbed"),
    out: Out = Path("snapshots"),
    as_json: AsJson = False,
) -> None:
    """Publish what the workspace holds, in this process; unfinished shards run first."""
    from flows import commands

    request = commands.Request(city, documents or [], tables, tables_format, profile, engine)
    raise typer.Exit(commands.build(request, workspace, out, direct=True, as_json=as_json))


def main() -> None:
    """Entry point: errors of input become one clear line and exit code 2."""
    from flows.errors import explain_error

    try:
        app(prog_name="tripbed")
    except Exception as error:
        message = explain_error(error)
        if message is None:
            raise
        if "--json" in sys.argv:
            sys.stdout.write(json.dumps({"error": message}, ensure_ascii=False) + "\n")
        err.print("[bold red]error:[/]", end=" ")
        err.print(message, highlight=False, markup=False, soft_wrap=True)
        sys.exit(WRONG_INPUT)


if __name__ == "__main__":
    main()
