"""Writes the output folder of ``tripbed sources fetch`` in the layout that ``--tables`` reads by
default.

Rows from several providers (such as OpenStreetMap and Overture) are merged into one row per place.
The folder also contains the origins of the data, the city's boundary and an account of every
fetched row. The new folder replaces the old one only once it is complete.
"""

from __future__ import annotations

import datetime as dt
import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl
import yaml

from flows.errors import SettingsError
from geocoding.bulk import dedupe
from schemas.cities import City
from sources.open.area import Area
from sources.open.provider import COMMON, PLACES, SourceOrigin

ACCOUNTS = "accounts.json"
#: The file of each table of places.
FILES = {"attractions": "gazetteer.csv", "hotels": "hotels.csv", "restaurants": "restaurants.csv",
         "hubs": "hubs.csv"}  # fmt: skip
#: The files of the tables that contain no places.
OTHERS = {
    "metro_stations": "metro_stations.csv",
    "metro_fares": "metro_fares.csv",
    "trains": "trains.csv",
}
_FORMULA = "^[=+\\-@\t\r\n＝＋－＠]"


def check_target(out: Path) -> None:
    """Raise SettingsError if the folder contains files that were not written by ``tripbed sources
    fetch``."""
    if out.is_dir() and any(out.iterdir()) and not (out / ACCOUNTS).is_file():
        raise SettingsError(f"{out} contains other files: choose a new or empty folder with --out")
    if out.exists() and not out.is_dir():
        raise SettingsError(f"{out} is not a folder: choose a new or empty folder with --out")


@contextmanager
def whole(out: Path) -> Iterator[Path]:
    """Yield a folder for writing, which replaces ``out`` once all files are written."""
    out.parent.mkdir(parents=True, exist_ok=True)
    aside = Path(tempfile.mkdtemp(prefix=f".{out.name}.", dir=out.parent))
    try:
        yield aside
        aside.chmod(0o755)
        if out.is_dir():
            shutil.rmtree(out)
        aside.rename(out)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def append_places(folder: Path, table: str, city: City, places: pl.DataFrame) -> None:
    """Append a city's places to the file for their table."""
    if not places.is_empty():
        columns = [
            "city",
            *(c for c in (*COMMON, *PLACES[table]) if c != "name" or table == "hubs"),
        ]
        append_rows(
            folder / FILES[table], places.with_columns(city=pl.lit(city.slug)).select(columns)
        )


def append_table(folder: Path, table: str, rows: pl.DataFrame) -> None:
    """Append rows about lines, fares, trains or stations to the file for the matching table."""
    if table == "hubs" and not rows.is_empty():
        rows = rows.select("city", *(c for c in (*COMMON, *PLACES[table])))
    append_rows(folder / {**FILES, **OTHERS}[table], rows)


def append_rows(path: Path, rows: pl.DataFrame) -> None:
    """Add rows to a file.

    Text that looks like a formula is prefixed with an apostrophe, which is removed when the table
    is read.
    """
    if rows.is_empty():
        return
    safe = rows.with_columns(
        pl.when(pl.col(name).str.contains(_FORMULA))
        .then("'" + pl.col(name))
        .otherwise(name)
        .alias(name)
        for name in [name for name, kind in rows.schema.items() if kind == pl.String]
    )
    with path.open("ab") as handle:
        safe.write_csv(handle, include_header=handle.tell() == 0, line_terminator="\n")


def write_boundary(folder: Path, area: Area) -> None:
    """Write the city's boundary as GeoJSON, if the boundary is known."""
    if area.boundary is not None:
        collection = {"type": "FeatureCollection", "features": [area.boundary.feature()]}
        text = json.dumps(collection, ensure_ascii=False, sort_keys=True)
        (folder / f"boundary-{area.city.slug}.geojson").write_text(f"{text}\n", encoding="utf-8")


def write_sources(folder: Path, origins: Sequence[SourceOrigin]) -> None:
    """Write ``sources.yaml`` with the origin of each file; each row also names its own origin."""
    told = list(dict.fromkeys((one.name, one.licence, one.date) for one in origins))
    licences = sorted({licence for _, licence, _ in told if licence})
    days = [day for _, _, text in told if (day := _day(text))]
    entry = {
        "files": "*",
        "source": "; ".join(dict.fromkeys(name for name, _, _ in told)),
        **({"licence": " AND ".join(licences)} if licences else {}),
        **({"date": max(days)} if days else {}),
    }
    notes = [
        f"# {name}: {licence or 'licence unknown'}, {_day(text) or 'date unknown'}\n"
        for name, licence, text in told
    ]
    text = yaml.safe_dump([entry], allow_unicode=True, sort_keys=False)
    (folder / "sources.yaml").write_text("".join([*notes, text]), encoding="utf-8")


def _day(text: str | None) -> dt.date | None:
    try:
        return dt.date.fromisoformat((text or "")[:10])
    except ValueError:
        return None


def write_accounts(folder: Path, accounts: Mapping[str, Any]) -> None:
    """Write a report of what happened to every row that was fetched."""
    text = json.dumps(accounts, ensure_ascii=False, sort_keys=True, indent=1)
    (folder / ACCOUNTS).write_text(f"{text}\n", encoding="utf-8")


def merge(city: City, frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Merge a table's rows into one row per place; earlier frames take precedence.

    A place's coordinates come from its first row, and every other field comes from the first row
    that has a value. The names from other rows become aliases. The merged row keeps the sources and
    licences of all rows, and the newest date.
    """
    rows = pl.concat(frames)
    if rows.is_empty():
        return rows
    found = dedupe(rows.rename({"id": "source_id"}).with_columns(city=pl.lit(city.slug)))
    places = found.places.rename({"source_id": "id"}).select("place", *rows.columns)
    together = _together(rows.with_columns(place=found.members["place"]))
    joined = places.update(together, on="place", how="left")
    if "aliases" in rows.columns:
        joined = joined.with_columns(
            aliases=_other_names(joined.join(together, on="place", how="left"))
        )
    return joined.select(rows.columns)


def _together(rows: pl.DataFrame) -> pl.DataFrame:
    """For each place with several rows, return all sources, licences and names, and the newest
    date.
    """
    several = rows.filter(pl.len().over("place") > 1).group_by("place", maintain_order=True)
    names = pl.concat_str(
        [c for c in ("name", "name_zh", "name_en", "aliases") if c in rows.columns],
        separator="|", ignore_nulls=True,
    )  # fmt: skip
    return several.agg(
        pl.col("source").drop_nulls().unique(maintain_order=True).str.join("; "),
        pl.col("licence").drop_nulls().unique().sort().str.join(" AND "),
        pl.col("source_date").max(),
        all_names=names.str.join("|"),
    ).with_columns(pl.col("source", "licence").replace("", None))


def _other_names(places: pl.DataFrame) -> pl.Series:
    """Return each place's aliases; the aliases of a merged place are all names except its Chinese
    and English names.
    """
    own = pl.concat_list("name_zh", "name_en").list.drop_nulls()
    others = pl.col("all_names").str.split("|").list.set_difference(own).list.sort().list.join("|")
    found = pl.when(pl.col("all_names").is_null()).then("aliases").otherwise(others)
    return places.select(aliases=found.replace("", None))["aliases"]
