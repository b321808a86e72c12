"""Read documents and compare names, without building."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.cli.app import app
from flows.cli.options import AsJson, BudgetTokens, BudgetUsd, EngineName, Tables, TablesFormat


@app.command()
def extract(
    documents: Annotated[Path, typer.Option("--documents", help="Folder of documents.")],
    out: Annotated[Path, typer.Option("--out", help="File to write, one JSON object a line.")],
    city: Annotated[str | None, typer.Option("--city", help="City whose places are meant.")] = None,
    tables: Tables = None,
    tables_format: TablesFormat = "tripbed",
    engine: EngineName = "rules",
    budget_usd: BudgetUsd = None,
    budget_tokens: BudgetTokens = None,
    as_json: AsJson = False,
) -> None:
    """Read documents into places, a route and facts, one JSON object a document."""
    from flows import commands

    commands.extract(documents, out, city, tables, tables_format, engine, as_json)


@app.command()
def match(
    pairs: Annotated[
        Path,
        typer.Option("--pairs", help="CSV with city, name_a, name_b, lat_a, lon_a, lat_b, lon_b."),
    ],
    out: Annotated[Path, typer.Option("--out", help="CSV to write: label, score, why added.")],
    alone: Annotated[
        bool, typer.Option("--alone", help="Judge every pair by itself, whatever the others are.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Say of pairs of names whether they are the same place, different, or part and whole."""
    from flows import matching

    matching.match(pairs, out, alone, as_json)
