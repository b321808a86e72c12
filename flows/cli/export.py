"""The command ``tripbed export``, which writes a snapshot in the layout of another sandbox."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from flows.cli.app import app
from flows.cli.options import AsJson, SnapshotPath


@app.command()
def export(
    snapshot: SnapshotPath,
    layout: Annotated[
        str,
        typer.Option(
            "--format", help="Layout to write: traveleval, chinatravel, tprag, geoparquet or csv."
        ),
    ],
    out: Annotated[Path, typer.Option("--out", help="New or empty folder to write to.")],
    plans: Annotated[
        Literal["proof", "balanced", "experience", "budget"],
        typer.Option(
            "--plans", help="Which plans to export: the proofs, or one kind of reference plan."
        ),
    ] = "proof",
    as_json: AsJson = False,
) -> None:
    """Write a snapshot in another sandbox's layout, and list what that layout cannot express."""
    from flows.publishing import export as work

    raise typer.Exit(work.export_snapshot(snapshot, layout, out, plans, as_json))
