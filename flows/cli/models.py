"""Commands that show the ledger of requests to models and estimate the cost of a build."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Annotated, Literal

import typer

from flows.cli.app import app, group
from flows.cli.options import (
    AsJson,
    AssumeCity,
    Documents,
    EngineName,
    ProfileName,
    QueryFiles,
    Readings,
    Tables,
    TablesFormat,
    parse_cities,
    read_settings,
)

ledger = group("ledger", "List, summarise, export and remove recorded requests to models.")

_Place = Annotated[
    str | None,
    typer.Option(
        "--ledger",
        help="Ledger to use: a file or an SQLAlchemy address (default: TRIPBED_LEDGER).",
    ),
]
_Task = Annotated[
    str | None, typer.Option("--task", help="Select only the requests for this task.")
]
_Model = Annotated[
    str | None, typer.Option("--model", help="Select only the requests to this model.")
]
_Status = Annotated[
    Literal["good", "failed"] | None,
    typer.Option(
        "--status",
        help="Select only the requests that succeeded (good), or only those that failed.",
    ),
]


def _find_ledger(place: str | None) -> str:
    """Return the ledger's path or address from the option or, if the option is not given, from the
    settings.
    """
    from flows.models.engines import ledger_place

    return place or ledger_place(read_settings())


@ledger.command("list")
def list_(
    place: _Place = None,
    task: _Task = None,
    model: _Model = None,
    status: _Status = None,
    limit: Annotated[
        int, typer.Option("--limit", min=1, help="Maximum number of rows to show.")
    ] = 50,
    as_json: AsJson = False,
) -> None:
    """List recorded requests, without their answers."""
    from flows.models import ledger as work

    work.list_entries(_find_ledger(place), task, model, status, limit, as_json)


@ledger.command("sum")
def sum_(place: _Place = None, as_json: AsJson = False) -> None:
    """Add up requests, tokens and costs by task and model, and count requests without an answer."""
    from flows.models import ledger as work

    work.summary(_find_ledger(place), as_json)


@ledger.command()
def export(
    out: Annotated[
        Path, typer.Option("--out", help="File to write, with one JSON object per line.")
    ],
    place: _Place = None,
    task: _Task = None,
    model: _Model = None,
    status: _Status = None,
    with_answers: Annotated[
        bool,
        typer.Option(
            "--with-answers", help="Include the models' raw answers, which quote documents."
        ),
    ] = False,
) -> None:
    """Write recorded requests to a file."""
    from flows.models import ledger as work

    work.export(_find_ledger(place), out, task, model, status, with_answers)


@ledger.command()
def prune(
    place: _Place = None,
    task: _Task = None,
    model: _Model = None,
    status: _Status = None,
    below_version: Annotated[
        int | None,
        typer.Option(
            "--below-version",
            help="Select only requests from versions of the task that are older than this version.",
        ),
    ] = None,
    yes: Annotated[
        bool,
        typer.Option(
            "--yes",
            help="Remove the requests. Without this option, the command only counts the requests.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Remove recorded requests. A build that needs a removed request has to pay for it again."""
    from flows.models import ledger as work

    work.prune(_find_ledger(place), task, model, status, below_version, yes, as_json)


@app.command()
def estimate(
    city: Annotated[
        list[str] | None,
        typer.Option(
            "--city", callback=parse_cities, help="City to build. Can be repeated.",
        ),
    ] = None,
    documents: Documents = None,
    tables: Tables = None,
    tables_format: TablesFormat = "tripbed",
    profile: ProfileName = "tprag-full",
    engine: EngineName = "openai",
    readings: Readings = None,
    query_files: QueryFiles = None,
    assume_city: AssumeCity = False,
    search: Annotated[
        bool,
        typer.Option(
            "--searched", help="Include the requests that a build with --search makes."
        ),
    ] = False,
    price_in: Annotated[
        Decimal | None, typer.Option("--price-in", help="US dollars per million input tokens.")
    ] = None,
    price_out: Annotated[
        Decimal | None, typer.Option("--price-out", help="US dollars per million output tokens.")
    ] = None,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Show how many requests a build would send to a model, and what they would cost.

    Give the same options as for the build. The build runs in a temporary folder with an engine
    that counts requests but sends none. Answers that are already in the ledger cost nothing.
    Without --city, --documents and --tables, the estimate is for the bundled sample.
    """
    from flows.pipeline import estimate as work
    from flows.pipeline.request import BuildRequest
    from flows.settings.checks import check_engine, check_layout
    from sources import bundled

    check_engine(engine)
    check_layout(tables_format)
    if not (city or documents or tables):
        city, documents, tables = [bundled.CITY], [bundled.DOCUMENTS], bundled.TABLES
    request = BuildRequest(
        city or [], documents or [], tables, tables_format, profile, engine, read_settings(),
        readings, assume_city, queries=query_files or (),
    )  # fmt: skip
    work.estimate(request, price_in, price_out, as_json, searches=search)
