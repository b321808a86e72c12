"""Commands that explain, geocode, deduplicate and match places, and find coordinate systems."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.app import app
from flows.cli.options import AsJson, BudgetTokens, BudgetUsd, Out, read_settings, snapshot_path

if TYPE_CHECKING:
    from schemas.tasks import Engine

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
                "What to explain: a name; FILE:LINE; or the id of a place, fact, mention, query, "
                "journey, document or quarantined row."
            ),
        ),
    ],
    snapshot: Annotated[
        Path | None,
        typer.Option(
            "--snapshot", parser=snapshot_path, help="Snapshot that contains the name or id."
        ),
    ] = None,
    workspace: Annotated[
        Path | None,
        typer.Option("--workspace", help="Workspace of the build that contains the name or id."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Explain what a name or an id refers to, with the evidence and any check that removed it."""
    from flows.places import explain as work

    work.explain(asked, work.open_tables(snapshot, workspace), as_json)


@app.command()
def geocode(
    names: Annotated[
        Path,
        typer.Option(
            "--names", help="CSV file with the columns name and city, or lat and lon (WGS 84)."
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out", help="CSV file to write, with each input row and the geocoder's answer."
        ),
    ],
    geocoder: Annotated[
        str,
        typer.Option("--geocoder", help="Geocoder to use: gazetteer, amap, baidu or nominatim."),
    ] = "gazetteer",
    gazetteer: Annotated[
        list[Path] | None,
        typer.Option(
            "--gazetteer", help="Parquet, CSV or GeoJSON file of places. Can be repeated."
        ),
    ] = None,
    datum: DatumName = "wgs84",
    cache: Annotated[
        Path | None,
        typer.Option("--cache", help="File that keeps the geocoder's answers for later runs."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Find the coordinates of named places, or the place at a point, without guessing."""
    from flows.pipeline.geocoders import check_datum, make_geocoder
    from flows.places import geocode as work

    made = make_geocoder(geocoder, gazetteer or [], check_datum(datum), read_settings())
    work.geocode(names, out, made, cache, as_json)


@app.command()
def dedupe(
    places: Annotated[
        Path, typer.Option("--places", help="Parquet, CSV or GeoJSON file of places.")
    ],
    out: Out,
    datum: DatumName = "wgs84",
    as_json: AsJson = False,
) -> None:
    """Find and merge duplicates in a file of places.

    Writes four tables: places, members (the merged rows), pairs and hierarchy.
    """
    from flows.pipeline.geocoders import check_datum
    from flows.places import geocode as work

    work.dedupe(places, out, check_datum(datum), as_json)


@app.command()
def datum(
    unknown: Annotated[
        Path, typer.Option("--file", help="File of places in an unknown coordinate system.")
    ],
    known: Annotated[
        Path, typer.Option("--known", help="File of places in a known coordinate system.")
    ],
    known_datum: Annotated[
        str, typer.Option("--known-datum", help="Coordinate system of the --known file.")
    ],
    as_json: AsJson = False,
) -> None:
    """Find a file's coordinate system by comparing its places with those of another file."""
    from flows.pipeline.geocoders import check_datum
    from flows.places import geocode as work

    work.datum(unknown, known, check_datum(known_datum), as_json)


@app.command()
def match(
    pairs: Annotated[
        Path,
        typer.Option(
            "--pairs",
            help="CSV file with the columns city, name_a, name_b, lat_a, lon_a, lat_b and lon_b.",
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            help=(
                "CSV file to write, with each pair, its label, its score, the reason, and the "
                "source of the decision (rules, model or answers)."
            ),
        ),
    ],
    alone: Annotated[
        bool,
        typer.Option("--alone", help="Decide each pair independently of the other pairs."),
    ] = False,
    engine: Annotated[
        str,
        typer.Option(
            "--engine",
            help=(
                "Engine that decides the pairs: rules, openai or cascade. Both openai and "
                "cascade ask a model about doubtful pairs."
            ),
        ),
    ] = "rules",
    requests: Annotated[
        Path | None,
        typer.Option(
            "--requests", help="Folder for text files with questions about doubtful pairs."
        ),
    ] = None,
    answers: Annotated[
        list[Path] | None,
        typer.Option(
            "--answers",
            help=(
                "File of answers to the questions from --requests, with one JSON object per line. "
                "Can be repeated."
            ),
        ),
    ] = None,
    budget_usd: BudgetUsd = None,
    budget_tokens: BudgetTokens = None,
    as_json: AsJson = False,
) -> None:
    """Check whether paired names mean the same place, different places, or a part and its whole."""
    model = _pair_model(engine, budget_usd, budget_tokens)
    from flows.places import match as work

    work.match(pairs, out, alone, as_json, work.PairHelp(model, tuple(answers or ()), requests))


def _pair_model(engine: str, usd: float | None, tokens: int | None) -> Engine | None:
    """Return the model that decides doubtful pairs for an engine; return None if the engine uses no
    model.

    Raises SettingsError if the engine is unknown or the model is not configured.
    """
    from flows.settings.checks import check_engine, check_model

    check_engine(engine)
    if engine == "rules":
        return None
    settings = read_settings(usd, tokens)
    check_model(settings)
    from flows.models.engines import engine_named

    return engine_named("openai", settings)
