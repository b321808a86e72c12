"""``tripbed sources``: fetch a city's open data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.cli.app import group
from flows.cli.options import Archive, AsJson, Bbox, Cities, Offline, Refresh, Sources

sources = group("sources", "Fetch open data of a city as tables.")


@sources.command("fetch")
def fetch(
    city: Cities,
    sources: Sources,
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="New or empty folder for the tables.")
    ],
    bbox: Bbox = None,
    archive: Archive = None,
    refresh: Refresh = False,
    offline: Offline = False,
    as_json: AsJson = False,
) -> None:
    """Fetch open data and write it as tables: one row per place, with source, licence and date.

    Fetched data is kept, and reused unless --refresh is given. To build from the folder, pass it to
    --tables.
    """
    from flows.open import commands as work
    from flows.open.fetch import wish
    from flows.settings.environment import load_settings

    asked = wish(
        sources, city, bbox, archive or Path(".tripbed") / "archive", load_settings(),
        offline=offline, refresh=refresh,
    )  # fmt: skip
    work.run(asked, out, as_json=as_json)
