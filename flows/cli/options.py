"""Options that several commands share: one name, one help text, one meaning."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer


def known_cities(named: Any) -> Any:
    """A callback that looks up the cities of an option, before anything else is read or started.

    Raises UnknownCityError or AmbiguousCityError.
    """
    from schemas.cities import find_city

    for name in [named] if isinstance(named, str) else named or ():
        find_city(name)
    return named


Cities = Annotated[
    list[str],
    typer.Option(
        "--city", callback=known_cities,
        help='City by any name, "Porto, PT", or an id of GeoNames; may be repeated.',
    ),
]  # fmt: skip
AcceptDrift = Annotated[
    list[str] | None,
    typer.Option(
        "--accept-drift", metavar="TABLE.CHECK",
        help="Publish although this change of a source is refused; may be repeated.",
    ),
]  # fmt: skip
Because = Annotated[
    str | None,
    typer.Option("--because", help="Why a change is accepted; the manifest keeps it."),
]
Documents = Annotated[
    list[Path] | None,
    typer.Option("--documents", help="Folder of Markdown, HTML or text; may be repeated."),
]
Tables = Annotated[Path | None, typer.Option("--tables", help="Folder of structured sources.")]
TablesFormat = Annotated[
    str, typer.Option("--tables-format", help="tripbed, traveleval, overture, osm or mapped.")
]
ProfileName = Annotated[
    str,
    typer.Option("--profile", help="Bundled profile (demo, folder, tables, ...) or a YAML file."),
]
EngineName = Annotated[
    str, typer.Option("--engine", help="Who reads the documents: rules, openai, or cascade (both).")
]
Readings = Annotated[
    Path | None,
    typer.Option(
        "--readings",
        help="Readings of your own, a JSON object a line: their documents are not read by the engine.",
    ),
]  # fmt: skip
AssumeCity = Annotated[
    bool,
    typer.Option(
        "--assume-city",
        help="Trust the folder: a document is about the one city, or the city its folder is called by.",
    ),
]  # fmt: skip
BudgetUsd = Annotated[
    float | None,
    typer.Option(
        "--budget-usd", min=0,
        help="US dollars that the model may cost in this run; else TRIPBED_BUDGET_USD.",
    ),
]  # fmt: skip
BudgetTokens = Annotated[
    int | None,
    typer.Option(
        "--budget-tokens", min=0,
        help="Tokens, in and out, of this run; else TRIPBED_BUDGET_TOKENS.",
    ),
]  # fmt: skip
WorkspaceDir = Annotated[
    Path, typer.Option("--workspace", help="Folder of finished shards, reused by the next build.")
]
Out = Annotated[Path, typer.Option("--out", help="Where the result goes.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
WhenBusy = Annotated[
    Literal["wait", "refuse"],
    typer.Option("--when-busy", help="Where another build works on the city: wait, or refuse."),
]
