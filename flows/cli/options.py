"""Options that several commands share, and the functions that read their values."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from flows.errors import SettingsError
from storage.mirror import brought
from storage.places import StorageError, address_of, find_folder

if TYPE_CHECKING:
    from flows.pipeline.stages.base import Web
    from flows.settings.environment import Settings


def parse_cities(named: Sequence[str] | None) -> list[str] | None:
    """Split lists of city names, and check that each name is a known city.

    Raises UnknownCityError if no city has a given name, AmbiguousCityError if several cities have
    the same name, and SettingsError if the option names no city.
    """
    from schemas.cities import find_city
    from schemas.city_names import split_names

    if not named:
        return None if named is None else []
    names = [name for text in named for name in split_names(text)]
    if not names:
        raise SettingsError(
            "--city names no city: give one city, or several cities separated by commas"
        )
    for name in names:
        find_city(name)
    return names


def read_settings(usd: float | None = None, tokens: int | None = None) -> Settings:
    """Read the settings for a command, with the budget from the command's options.

    Raises SettingsError if a setting is wrong.
    """
    from flows.settings.environment import load_settings

    return load_settings().with_budget(usd, tokens)


def checked_settings(
    engine: str, profile: str, tables_format: str, usd: float | None = None,
    tokens: int | None = None, *, uses_server: bool = False,
) -> Settings:  # fmt: skip
    """Read the settings for a build command before slow modules are imported or slow work starts.

    Raises SettingsError if the settings or the command's options are wrong, or if the command needs
    a Prefect server that does not answer.
    """
    from flows.settings import checks

    settings = checks.check_settings(engine, profile, tables_format, usd, tokens)
    if uses_server and settings.prefect_api_url:
        checks.check_api(settings.prefect_api_url)
    return settings


def read_search(
    search: Sequence[str] | None, archive: Path | None, workspace: Path, settings: Settings,
    *, refresh: bool, offline: bool,
) -> Web | None:  # fmt: skip
    """Return the settings for the web search of a command, or None if ``--search`` is not given.

    Raises SettingsError if the options contradict each other, and ProviderError if a provider is
    unknown or a setting that it needs is missing.
    """
    from flows.pipeline.request import make_web

    return make_web(
        search or (), archive or workspace / "archive", refresh=refresh, offline=offline,
        settings=settings,
    )  # fmt: skip


def open_tables(
    sources: Sequence[str], city: Sequence[str], bbox: str | None, tables: Path | None,
    tables_format: str, archive: Path | None, workspace: Path, settings: Settings,
    *, refresh: bool, offline: bool, quiet: bool,
) -> Path:  # fmt: skip
    """Fetch tables from the providers in ``--from`` into the workspace, and return their folder.

    Raises OpenDataError if the tables cannot be fetched, and SettingsError if the options
    contradict each other.
    """
    from flows.open.fetch import fetch_quietly, wish

    if tables is not None or tables_format != "tripbed":
        raise SettingsError(
            "--from fetches the tables itself: leave out --tables and --tables-format"
        )
    if address_of(workspace) is not None:
        raise SettingsError(
            "--from needs a --workspace on this machine, not an address: fetch the tables into a "
            "folder with tripbed sources fetch, and pass this folder with --tables"
        )
    asked = wish(
        sources, city, bbox, archive or workspace / "archive", settings,
        offline=offline, refresh=refresh,
    )  # fmt: skip
    name = "-".join(one.slug for one in asked.cities)[:100]
    return fetch_quietly(asked, workspace / "open" / name, quiet=quiet).folder


def parse_cron(expression: str) -> str:
    """Return the cron expression. Raises SettingsError if the cron expression is invalid."""
    from flows.settings.checks import check_cron

    return check_cron(expression)


def parse_time_zone(name: str) -> str:
    """Return the name of the time zone. Raises SettingsError if the time zone is unknown."""
    from flows.settings.checks import check_time_zone

    return check_time_zone(name)


def snapshot_path(text: str | Path) -> Path:
    """Return the folder of a snapshot or, for a store, of its latest snapshot.

    A snapshot at a remote address is downloaded first. Raises StorageError if the snapshot cannot
    be found or read.
    """
    path = find_folder(text)
    if address_of(path) is not None:
        # Imported only for addresses, so that --help stays fast.
        from warehouse.addresses import open_snapshot
        from warehouse.errors import SnapshotError

        try:
            return open_snapshot(path)
        except SnapshotError as error:  # Typer would hide the message, as this is a ValueError
            raise StorageError(str(error)) from None
    if (path / "manifest.json").exists() or not (path / "latest").is_symlink():
        return path
    return path / (path / "latest").readlink()


SnapshotPath = Annotated[
    Path,
    typer.Argument(
        metavar="SNAPSHOT", parser=snapshot_path,
        help=(
            "A snapshot, or a store (the folder that builds write to). If you give a store, the"
            " command uses its latest snapshot. You can give a folder or an address, such as"
            " s3://bucket/snapshots."
        ),
    ),
]  # fmt: skip
Cities = Annotated[
    list[str],
    typer.Option(
        "--city",
        callback=parse_cities,
        help=(
            'A city: any of its names (such as "Porto, PT") or its GeoNames id. '
            "Separate several cities with commas, or repeat the option."
        ),
    ),
]
AcceptDrift = Annotated[
    list[str] | None,
    typer.Option(
        "--accept-drift", metavar="TABLE.CHECK",
        help="Publish despite this change in a source. Can be repeated.",
    ),
]  # fmt: skip
Because = Annotated[
    str | None,
    typer.Option("--because", help="The reason for accepting the change. The manifest records it."),
]
Documents = Annotated[
    list[Path] | None,
    typer.Option(
        "--documents", parser=brought, metavar="PATH",
        help="Folder or address of Markdown, HTML or text files. Can be repeated.",
    ),
]  # fmt: skip
Tables = Annotated[
    Path | None,
    typer.Option(
        "--tables", parser=brought, metavar="PATH",
        help="Folder or address of tables about the city.",
    ),
]  # fmt: skip
TablesFormat = Annotated[
    str,
    typer.Option(
        "--tables-format",
        help="Format of the tables: tripbed, traveleval, overture, osm or mapped.",
    ),
]
ProfileName = Annotated[
    str,
    typer.Option("--profile", help="Bundled profile (demo, folder, tables, ...) or a YAML file."),
]
EngineName = Annotated[
    str,
    typer.Option(
        "--engine", help="Engine that reads the documents: rules, openai, or cascade (both)."
    ),
]
QueryFiles = Annotated[
    list[Path] | None,
    typer.Option(
        "--queries", parser=brought, metavar="FILE",
        help=(
            "File, folder or address of your own queries: plain texts, or queries in the "
            "format of TP-RAG, TravelEval, ChinaTravel or TripScore. Can be repeated."
        ),
    ),
]  # fmt: skip
Readings = Annotated[
    Path | None,
    typer.Option(
        "--readings",
        help=(
            "File of your own readings, with one JSON object per line. The engine skips the "
            "documents that have a reading in this file."
        ),
    ),
]
AssumeCity = Annotated[
    bool,
    typer.Option(
        "--assume-city",
        help=(
            "Assume that each document is about the city that its folder is named after. "
            "In a build of only one city, assume that all documents are about this city."
        ),
    ),
]
BudgetUsd = Annotated[
    float | None,
    typer.Option(
        "--budget-usd", min=0,
        help=(
            "Maximum amount to spend on the model in this run, in US dollars (default: "
            "TRIPBED_BUDGET_USD)."
        ),
    ),
]  # fmt: skip
BudgetTokens = Annotated[
    int | None,
    typer.Option(
        "--budget-tokens", min=0,
        help=(
            "Maximum number of input and output tokens that the model may use in this run "
            "(default: TRIPBED_BUDGET_TOKENS)."
        ),
    ),
]  # fmt: skip
Search = Annotated[
    list[str] | None,
    typer.Option(
        "--search",
        metavar="PROVIDER",
        help=(
            "Search for documents with this provider: corpus, mediawiki, searxng, brave "
            "or baidu. Can be repeated."
        ),
    ),
]
Archive = Annotated[
    Path | None,
    typer.Option(
        "--archive", parser=find_folder, metavar="PATH",
        help=(
            "Folder or address where pages and data from the web are kept (default: "
            "WORKSPACE/archive)."
        ),
    ),
]  # fmt: skip
Refresh = Annotated[
    bool,
    typer.Option("--refresh", help="Search again, and fetch pages again if they have changed."),
]
Offline = Annotated[bool, typer.Option("--offline", help="Use only the archive, not the network.")]
_FROM = typer.Option(
    "--from", metavar="PROVIDERS",
    help=(
            "Providers of open data (overture, osm, gtfs), separated by commas, with the most "
            "trusted first. Use osm=FILE for an OpenStreetMap extract, and "
            "gtfs=FILE or gtfs=URL for a GTFS feed."
        ),
)  # fmt: skip
Sources = Annotated[list[str], _FROM]
SomeSources = Annotated[list[str] | None, _FROM]
Bbox = Annotated[
    str | None,
    typer.Option(
        "--bbox", metavar="W,S,E,N",
        help=(
            "Bounding box of the city in degrees. The box is used if no provider has the city's "
            "boundary."
        ),
    ),
]  # fmt: skip
WorkspaceDir = Annotated[
    Path,
    typer.Option(
        "--workspace", parser=find_folder, metavar="PATH",
        help="Folder or address where finished work is kept, so that the next build can reuse it.",
    ),
]  # fmt: skip
Store = Annotated[
    Path,
    typer.Option(
        "--out", parser=find_folder, metavar="PATH",
        help="The store, i.e. the folder or address that contains the snapshots and `latest`.",
    ),
]  # fmt: skip
Out = Annotated[Path, typer.Option("--out", help="File to write the result to.")]
AsJson = Annotated[
    bool, typer.Option("--json", help="Print the result as JSON, so that programs can read it.")
]
Workers = Annotated[
    int | None,
    typer.Option(
        "--workers", min=1, metavar="N", show_default="one per core, if the build is large enough",
        help=(
            "Maximum number of processes that compute shards. If N is 1, the main process computes"
            " all shards itself."
        ),
    ),
]  # fmt: skip
WhenBusy = Annotated[
    Literal["wait", "refuse"],
    typer.Option(
        "--when-busy", help="What to do if another build is working on the city: wait or refuse."
    ),
]
