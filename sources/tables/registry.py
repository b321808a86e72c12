"""Find the reader of a table layout by the layout's name, and read ``sources.yaml``.

``sources.yaml`` gives the data set, the licence and the date for files that do not contain this
information. ``sources.yaml`` is a list of entries with the keys ``files`` (a pattern such as
``hotels.csv`` or ``*/hotels/*``), ``source``, ``licence`` and ``date``. The first entry that
matches a file applies to all rows of the file.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any

import yaml

from schemas.arrow import frame
from schemas.cities import City
from schemas.read_hash import with_read_hash
from sources.tables import mapped, osm, overture, traveleval, tripbed_csv
from sources.tables.connections import city_named
from sources.tables.imported import TABLES, Imported
from sources.tables.intake import TableError
from sources.tables.places_files import city_folders

SOURCES_FILE = "sources.yaml"
_KEYS = ("files", "source", "licence", "date")


def with_sources(imported: Imported, directory: Path, city: City) -> Imported:
    """Add the sources from ``sources.yaml`` to rows that do not name a source themselves.

    Raises TableError if ``sources.yaml`` is not a valid list of entries.
    """
    entries = _entries(directory / SOURCES_FILE)
    if not entries:
        return imported
    own = imported.row_sources
    known = set(own.select("table", "source_file", "source_line").iter_rows())
    rows = own.to_dicts()
    for table in TABLES:
        name = "pois" if table == "attractions" else table
        places = getattr(imported, table).select("source_file", "source_line").unique()
        for file, line in places.sort("source_file", "source_line").iter_rows():
            entry = next((e for e in entries if fnmatchcase(file, e["files"])), None)
            if entry is not None and (name, file, line) not in known:
                rows.append(
                    {
                        "city_id": city.city_id, "table": name, "source_file": file,
                        "source_line": line, "source_name": entry.get("source"),
                        "licence": entry.get("licence"), "source_date": entry.get("date"),
                    }
                )  # fmt: skip
    return replace(imported, row_sources=with_read_hash(frame("row_sources", rows)))


def _entries(path: Path) -> list[dict[str, Any]]:
    if not path.is_file():
        return []
    try:
        entries = yaml.safe_load(path.read_text(encoding="utf-8-sig"))
    except (yaml.YAMLError, UnicodeDecodeError, ValueError) as error:
        raise TableError(f"{path}: not YAML: {error}") from None
    if not isinstance(entries, list):
        raise TableError(
            f"{path}: the file must contain a list of entries with the keys {', '.join(_KEYS)}"
        )
    for number, entry in enumerate(entries, 1):
        if not isinstance(entry, dict) or not isinstance(entry.get("files"), str):
            raise TableError(f"{path}: entry {number}: the key 'files' is missing")
        if unknown := sorted(str(key) for key in set(entry) - set(_KEYS)):
            raise TableError(
                f"{path}: entry {number}: unknown key {unknown[0]!r}; use one of {', '.join(_KEYS)}"
            )
        if entry.get("date") is not None and type(entry["date"]) is not dt.date:
            raise TableError(
                f"{path}: entry {number}: the value of 'date' is not a date (YYYY-MM-DD)"
            )
        for key in ("source", "licence"):
            if entry.get(key) is not None and not isinstance(entry[key], str):
                raise TableError(f"{path}: entry {number}: the value of {key!r} must be text")
    return entries


@dataclass(frozen=True)
class Layout:
    """A table layout, with functions that read it and list its cities (None if no city is
    named).
    """

    read: Callable[[Path, City], Imported]
    cities: Callable[[Path], list[str] | None]


LAYOUTS: dict[str, Layout] = {
    "traveleval": Layout(traveleval.read_traveleval, traveleval.city_folders),
    "tripbed": Layout(tripbed_csv.read_tripbed, tripbed_csv.city_names),
    "overture": Layout(overture.read_overture, partial(city_folders, endings=overture.ENDINGS)),
    "osm": Layout(osm.read_osm, partial(city_folders, endings=osm.ENDINGS)),
    "mapped": Layout(mapped.read_mapped, mapped.city_names),
}


def _layout(directory: Path, name: str) -> Layout:
    """Return a layout. Raises TableError if the layout is unknown or the folder does not exist."""
    if name not in LAYOUTS:
        raise TableError(f"unknown table layout {name!r}; use one of {', '.join(LAYOUTS)}")
    if not directory.is_dir():
        raise TableError(f"{directory}: the folder does not exist")
    return LAYOUTS[name]


def read_tables(directory: Path, layout: str, city: City) -> Imported:
    """Read a city's tables from a folder.

    Raises TableError if the layout is unknown or the tables cannot be read.
    """
    return with_sources(_layout(directory, layout).read(directory, city), directory, city)


def available_cities(directory: Path, layout: str) -> list[str] | None:
    """Return the names of the cities in a folder's tables, or None if the folder names no cities.

    Raises TableError if the layout is unknown or the folder cannot be read.
    """
    return _layout(directory, layout).cities(directory)


def cities_with_tables(directory: Path, layout: str) -> tuple[City, ...]:
    """Return the cities in a folder's tables, sorted by slug; unknown names are left out.

    Raises TableError if the layout is unknown or the folder cannot be read.
    """
    named = map(city_named, available_cities(directory, layout) or ())
    found = {city.city_id: city for city in named if city is not None}
    return tuple(sorted(found.values(), key=lambda city: city.slug))
