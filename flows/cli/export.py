"""Write a snapshot in the layout of another sandbox."""

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
        typer.Option("--format", help="Layout: traveleval, chinatravel, tprag, geoparquet or csv."),
    ],
    out: Annotated[Path, typer.Option("--out", help="New or empty folder to write to.")],
    plans: Annotated[
        Literal["proof", "balanced", "experience", "budget"],
        typer.Option("--plans", help="Which plans: the proofs, or reference plans of a kind."),
    ] = "proof",
    as_json: AsJson = False,
) -> None:
    """Write a snapshot as other sandboxes read it; list what they cannot say."""
    from flows.publishing import export as work

    raise typer.Exit(work.export_snapshot(snapshot, layout, out, plans, as_json))
