"""The ledger of model requests, and what a profile would cost."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Annotated, Literal

import typer

from flows.cli.app import app, group
from flows.cli.options import AsJson, Documents, ProfileName, snapshot_path

ledger = group("ledger", "List, sum, export and prune the answers of models that were paid.")

_Place = Annotated[
    str | None,
    typer.Option("--ledger", help="File or SQLAlchemy address; else TRIPBED_LEDGER."),
]
_Task = Annotated[str | None, typer.Option("--task", help="Only this task.")]
_Model = Annotated[str | None, typer.Option("--model", help="Only this model.")]
_Status = Annotated[
    Literal["good", "failed"] | None, typer.Option("--status", help="Only good or failed ones.")
]


def _held(place: str | None) -> str:
    """Where the ledger is: the option, else the settings'."""
    from flows.models.engines import ledger_place
    from flows.settings.environment import load_settings

    return place or ledger_place(load_settings())


@ledger.command("list")
def list_(
    place: _Place = None,
    task: _Task = None,
    model: _Model = None,
    status: _Status = None,
    limit: Annotated[int, typer.Option("--limit", min=1, help="Most rows.")] = 50,
    as_json: AsJson = False,
) -> None:
    """List recorded requests, without their answers."""
    from flows.models import ledger as work

    work.list_entries(_held(place), task, model, status, limit, as_json)


@ledger.command("sum")
def sum_(place: _Place = None, as_json: AsJson = False) -> None:
    """Sum requests, tokens and cost by task and model, and requests lost in flight."""
    from flows.models import ledger as work

    work.summary(_held(place), as_json)


@ledger.command()
def export(
    out: Annotated[Path, typer.Option("--out", help="File to write, one JSON object a line.")],
    place: _Place = None,
    task: _Task = None,
    model: _Model = None,
    status: _Status = None,
    with_answers: Annotated[
        bool, typer.Option("--with-answers", help="With raw answers, which quote documents.")
    ] = False,
) -> None:
    """Write recorded requests to a file."""
    from flows.models import ledger as work

    work.export(_held(place), out, task, model, status, with_answers)


@ledger.command()
def prune(
    place: _Place = None,
    task: _Task = None,
    model: _Model = None,
    status: _Status = None,
    below_version: Annotated[
        int | None, typer.Option("--below-version", help="Only of older versions of a task.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Remove; without it only count.")] = False,
    as_json: AsJson = False,
) -> None:
    """Remove recorded requests. What is removed is paid again when it is asked again."""
    from flows.models import ledger as work

    work.prune(_held(place), task, model, status, below_version, yes, as_json)


@app.command()
def estimate(
    profile: ProfileName = "tprag-full",
    documents: Documents = None,
    snapshot: Annotated[
        Path | None,
        typer.Option(
            "--snapshot",
            parser=snapshot_path,
            help="Snapshot whose sharing is used instead of the recorded.",
        ),
    ] = None,
    price_in: Annotated[
        Decimal | None, typer.Option("--price-in", help="US dollars for a million tokens in.")
    ] = None,
    price_out: Annotated[
        Decimal | None, typer.Option("--price-out", help="US dollars for a million tokens out.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what models would be asked and what it would cost, before anything is sent.

    Tokens are counted on real documents: name those that will be read with --documents; without,
    the figures recorded on public guides stand, with the margin that another set may be off.
    """
    from flows.models import estimate as work
    from flows.settings.environment import load_settings

    work.estimate(profile, documents or [], snapshot, price_in, price_out, load_settings(), as_json)
