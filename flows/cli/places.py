"""Commands on places: explain, geocode, detect a coordinate system, deduplicate, match."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.cli.app import app
from flows.cli.options import AsJson, BudgetTokens, BudgetUsd, Out, snapshot_path

DatumName = Annotated[
    str, typer.Option("--datum", help="Coordinate system of the file: wgs84, gcj02 or bd09.")
]


@app.command()
def explain(
    asked: Annotated[
        str,
        typer.Argument(
            metavar="NAME|ID",
            help=(
                "A name; the id of a place, fact, mention, query, journey, document or row set"
                " aside; or FILE:LINE."
            ),
        ),
    ],
    snapshot: Annotated[
        Path | None,
        typer.Option("--snapshot", parser=snapshot_path, help="Snapshot that holds it."),
    ] = None,
    workspace: Annotated[
        Path | None, typer.Option("--workspace", help="Workspace of a build that holds it.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Explain a name or an id: what it is, what it rests on, and which check dropped it."""
    from flows.places import explain as work

    work.explain(asked, work.open_tables(snapshot, workspace), as_json)


@app.command()
def geocode(
    names: Annotated[
        Path, typer.Option("--names", help="CSV with name and city, or with lat and lon (WGS 84).")
    ],
    out: Annotated[Path, typer.Option("--out", help="CSV to write: the rows with their answers.")],
    geocoder: Annotated[
        str, typer.Option("--geocoder", help="gazetteer, amap, baidu or nominatim.")
    ] = "gazetteer",
    gazetteer: Annotated[
        list[Path] | None,
        typer.Option("--gazetteer", help="Parquet, CSV or GeoJSON of places; may be repeated."),
    ] = None,
    datum: DatumName = "wgs84",
    cache: Annotated[
        Path | None, typer.Option("--cache", help="File that keeps the answers for later runs.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Find the coordinates of names, or what stands at a point; nothing is guessed."""
    from flows.pipeline.geocoders import check_datum, make_geocoder
    from flows.places import geocode as work
    from flows.settings.environment import load_settings

    made = make_geocoder(geocoder, gazetteer or [], check_datum(datum), load_settings())
    work.geocode(names, out, made, cache, as_json)


@app.command()
def dedupe(
    places: Annotated[Path, typer.Option("--places", help="Parquet, CSV or GeoJSON of places.")],
    out: Out,
    datum: DatumName = "wgs84",
    as_json: AsJson = False,
) -> None:
    """Find and merge duplicates in a file of any size; write places, members, pairs, hierarchy."""
    from flows.pipeline.geocoders import check_datum
    from flows.places import geocode as work

    work.dedupe(places, out, check_datum(datum), as_json)


@app.command()
def datum(
    unknown: Annotated[Path, typer.Option("--file", help="File of places in an unknown system.")],
    known: Annotated[Path, typer.Option("--known", help="File of places in a known system.")],
    known_datum: Annotated[
        str, typer.Option("--known-datum", help=("Coordinate system of that file."))
    ],
    as_json: AsJson = False,
) -> None:
    """Find which coordinate system a file uses, from the places that it shares with another."""
    from flows.pipeline.geocoders import check_datum
    from flows.places import geocode as work

    work.datum(unknown, known, check_datum(known_datum), as_json)


@app.command()
def match(
    pairs: Annotated[
        Path,
        typer.Option("--pairs", help="CSV with city, name_a, name_b, lat_a, lon_a, lat_b, lon_b."),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out", help="CSV to write: the pairs with a label, a score, the reason, who decided."
        ),
    ],
    alone: Annotated[
        bool, typer.Option("--alone", help="Judge every pair by itself, ignoring the others.")
    ] = False,
    engine: Annotated[
        str,
        typer.Option(
            "--engine", help="rules, or openai or cascade: a model is asked about doubtful pairs."
        ),
    ] = "rules",
    requests: Annotated[
        Path | None,
        typer.Option("--requests", help="Folder for doubtful pairs as questions in text files."),
    ] = None,
    answers: Annotated[
        list[Path] | None,
        typer.Option(
            "--answers",
            help="Answers to such questions, one JSON object per line; may be repeated.",
        ),
    ] = None,
    budget_usd: BudgetUsd = None,
    budget_tokens: BudgetTokens = None,
    as_json: AsJson = False,
) -> None:
    """Judge pairs of names: the same place, different places, or a part and its whole."""
    from flows.settings.checks import check_engine, check_model
    from flows.settings.environment import load_settings

    check_engine(engine)
    model = None
    if engine != "rules":
        settings = load_settings().with_budget(budget_usd, budget_tokens)
        check_model(settings)
        from flows.models.engines import engine_named

        model = engine_named("openai", settings)
    from flows.places import match as work
    from flows.places.doubtful_pairs import PairHelp

    work.match(pairs, out, alone, as_json, PairHelp(model, tuple(answers or ()), requests))
