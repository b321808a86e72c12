"""Commands that check, compare and review published snapshots, and remove old ones."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from flows.cli.app import app, group
from flows.cli.options import AsJson, Documents, SnapshotPath, Store, read_settings, snapshot_path

review = group("review", "Serve, export and import rows for people to review.")
schema = group(
    "schema", "Export the schema of the tables, compare schema versions, and convert snapshots."
)


@app.command()
def validate(
    path: SnapshotPath,
    form: Annotated[
        Literal["text", "json", "github"],
        typer.Option("--format", help="Output format: text, JSON or GitHub annotations."),
    ] = "text",
    against: Annotated[
        Path | None,
        typer.Option(
            "--against",
            parser=snapshot_path,
            help="An earlier snapshot, against which drift is measured.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check a snapshot with every gate. Each failure names the table, column, row, check and
    value.
    """
    from flows.publishing import check

    raise typer.Exit(check.validate(path, "json" if as_json else form, against))


@app.command()
def verify(path: SnapshotPath, as_json: AsJson = False) -> None:
    """Check every file's checksum against the manifest, without reading the rows."""
    from flows.publishing import check

    raise typer.Exit(check.verify(path, as_json))


@app.command()
def diff(
    before: Annotated[Path, typer.Argument(parser=snapshot_path, help="The earlier snapshot.")],
    after: Annotated[Path, typer.Argument(parser=snapshot_path, help="The later snapshot.")],
    fail_on: Annotated[
        Literal["never", "notice", "warning", "error"],
        typer.Option(
            "--fail-on", help="Exit with code 1 if any difference has at least this severity."
        ),
    ] = "never",
    as_json: AsJson = False,
) -> None:
    """Show which rows were added, removed or changed between two snapshots, with the values."""
    from flows.publishing import compare

    raise typer.Exit(compare.diff(before, after, fail_on, as_json))


@app.command()
def prune(
    out: Store = Path("snapshots"),
    keep: Annotated[
        int, typer.Option("--keep", help="How many of the newest snapshots to keep.")
    ] = 3,
    keep_rejected: Annotated[
        int,
        typer.Option("--keep-rejected", help="How many of the newest rejected snapshots to keep."),
    ] = 1,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be removed, but remove nothing.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Remove old snapshots and rejected candidates. `latest` is never removed."""
    from flows.publishing import compare

    compare.prune(out, keep, keep_rejected, dry_run, as_json)


@schema.command("export")
def schema_export(
    out: Annotated[Path, typer.Option("--out", help="File (JSON) or folder (Arrow) to write.")],
    form: Annotated[
        Literal["json", "arrow"],
        typer.Option("--format", help="Output format: JSON Schema or Arrow IPC."),
    ] = "json",
) -> None:
    """Write the schema: one JSON file, or one Arrow schema per table."""
    from flows.publishing import schema

    schema.export(out, form)


@schema.command("check")
def schema_check(
    old: Annotated[Path, typer.Argument(help="The exported schema of an earlier version (JSON).")],
    as_json: AsJson = False,
) -> None:
    """Check whether data from an earlier schema version fits the current version.

    Exits with code 1 if the data does not fit.
    """
    from flows.publishing import schema

    raise typer.Exit(schema.check(old, as_json))


@schema.command("migrate")
def schema_migrate(
    old: Annotated[
        Path,
        typer.Argument(parser=snapshot_path, help="A snapshot of an older schema version."),
    ],
    out: Annotated[Path, typer.Option("--out", help="Where to write the new snapshot.")],
    as_json: AsJson = False,
) -> None:
    """Convert a snapshot to the current schema version, and list what could not be converted."""
    from flows.publishing.schema import migrate

    raise typer.Exit(migrate(old, out, as_json))


@review.command("export")
def review_export(
    path: SnapshotPath,
    target: Annotated[Path, typer.Option("--to", help="File to write.")],
    form: Annotated[
        Literal["csv", "labelstudio"],
        typer.Option("--format", help="Format of the file: CSV or Label Studio."),
    ] = "csv",
    sample: Annotated[
        int,
        typer.Option(
            "--sample",
            help="Number of rows to draw at random, in addition to the uncertain rows.",
        ),
    ] = 50,
    seed: Annotated[int, typer.Option("--seed", help="Seed for drawing the sample.")] = 0,
    against: Annotated[
        Path | None,
        typer.Option(
            "--against",
            parser=snapshot_path,
            help=(
                "An earlier snapshot. Rows that have drifted since this snapshot are also included."
            ),
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write uncertain rows that nobody has reviewed yet, and a random sample of the other rows."""
    from flows.review import tasks

    tasks.export_tasks(path, target, form, sample, seed, against, read_settings(), as_json)


@review.command("import")
def review_import(
    decisions: Annotated[
        Path, typer.Argument(help="The completed CSV file, or an export from Label Studio.")
    ],
    out: Store = Path("snapshots"),
    as_json: AsJson = False,
) -> None:
    """Import review decisions into a store. The next build applies the decisions to unchanged
    rows."""
    from flows.review import tasks

    tasks.import_decisions(decisions, out, read_settings(), as_json)


@review.command("sample")
def review_sample(
    path: SnapshotPath,
    table: Annotated[
        str,
        typer.Option(
            "--table",
            help=(
                "Table to draw from: poi_mentions, poi_facts, poi_tags, context_tags, "
                "poi_popularity, poi_hierarchy, poi_aliases, pois, trajectories (stops), or "
                "another table with evidence."
            ),
        ),
    ],
    out: Annotated[Path, typer.Option("--out", help="File to write, .csv or .jsonl.")],
    n: Annotated[
        int, typer.Option("--n", min=1, help="Number of rows to draw, spread evenly across cities.")
    ] = 60,
    seed: Annotated[
        str | None,
        typer.Option(
            "--seed", help="Seed for drawing the rows (default: the snapshot's own seed)."
        ),
    ] = None,
    planted: Annotated[
        float,
        typer.Option(
            "--planted",
            min=0,
            max=1,
            help=(
                "Share of rows in which an error is planted, to test the reviewers. An error is"
                " planted in at least 3 rows."
            ),
        ),
    ] = 0.1,
    documents: Documents = None,
    workspace: Annotated[
        Path | None,
        typer.Option("--workspace", help="Build workspace to take the passages from."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write rows as sentences for people to check. A few of the rows are made wrong on purpose, to
    test the reviewers."""
    from flows.review.samples import draw

    draw.sample(path, table, n, seed, planted, documents or [], workspace, out, as_json)


@review.command("score")
def review_score(
    files: Annotated[
        list[Path], typer.Argument(help="The sample files that the reviewers filled in.")
    ],
    as_json: AsJson = False,
) -> None:
    """Show the share of correct rows in each city of a sample, and how well the reviewers agree."""
    from flows.review.samples import score

    raise typer.Exit(score.score(files, as_json))


@review.command("serve")
def review_serve(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="SNAPSHOT|WORKSPACE",
            parser=snapshot_path,
            help=(
                "A snapshot, a store or the workspace of a build. If you give a store, the command "
                "uses its latest snapshot; if you give a workspace, it uses the latest snapshot in "
                "--out."
            ),
        ),
    ],
    table: Annotated[
        str,
        typer.Option(
            "--table",
            help=(
                "What to review: places, links, queries, candidates, trajectories, facts, "
                "tags or plans."
            ),
        ),
    ] = "links",
    sample: Annotated[
        int | None,
        typer.Option(
            "--sample",
            min=1,
            help=(
                "Number of rows to draw, spread evenly across cities (default: all rows, "
                "least certain first)."
            ),
        ),
    ] = None,
    seed: Annotated[
        str | None,
        typer.Option(
            "--seed", help="Seed for drawing the rows (default: the snapshot's own seed)."
        ),
    ] = None,
    reader: Annotated[
        str | None,
        typer.Option(
            "--reader",
            help="The reviewer's name (default: the reviewer enters a name on the page).",
        ),
    ] = None,
    documents: Documents = None,
    workspace: Annotated[
        Path | None,
        typer.Option(
            "--workspace",
            help="Build workspace to take the passages from (default: .tripbed, if it exists).",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", help="The store that keeps the decisions (default: the snapshot's folder)."
        ),
    ] = None,
    decisions: Annotated[
        Path | None,
        typer.Option(
            "--decisions", help="File of decisions (.jsonl) to use instead of the store's file."
        ),
    ] = None,
    port: Annotated[
        int,
        typer.Option(
            "--port", min=0, max=65535, help="Port on 127.0.0.1. Use 0 to choose a free port."
        ),
    ] = 8322,
) -> None:
    """Serve a page on this machine where people review rows by keyboard. Stop it with Ctrl-C."""
    from flows.review.desk import serve as work

    code = work.serve(
        path, table, sample, seed, reader, documents or [], workspace, out, decisions, port,
        read_settings(),
    )  # fmt: skip
    raise typer.Exit(code)
