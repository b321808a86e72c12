"""Read tripbed's own layout: a folder of CSV files in UTF-8, with coordinates in WGS 84.

An empty cell means that the value is unknown. The items in a list are separated by ``|``. Opening
hours are in OSM syntax. Clock times are local, and an arrival on the next day ends in ``+1``. A
price is in ``price``, with its ISO 4217 code in ``currency`` (by default the currency of the city's
country), or it is in yuan in ``price_cny``. Each file is optional, but there must be at least one:

- ``gazetteer.csv``: ``name_zh`` or ``name_en``, ``lat``, ``lon``; optional ``id``, ``aliases``,
  ``category``, ``types``, ``parent_id``, ``opening_hours``, ``price``, ``min_duration_min``,
  ``max_duration_min``, ``rating``
- ``hotels.csv``: ``name_zh`` or ``name_en``, ``lat``, ``lon``, ``room_type``; optional ``id``,
  ``feature``, ``price``, ``stock``. Each room type of a hotel has a row of its own
- ``restaurants.csv``: ``name_zh`` or ``name_en``, ``lat``, ``lon``; optional ``id``, ``cuisine``,
  ``price``, ``opening_hours``, ``recommended_dishes``
- ``trains.csv``: ``train_id, from_city, from_station, to_city, to_station, departure, arrival``;
  optional ``train_type``, ``duration_min``, ``price``; ``flights.csv`` likewise with
  ``flight_id`` and ``..._airport``
- ``hubs.csv``, with stations and airports: ``name``, ``lat``, ``lon``
- ``metro_stations.csv``: ``line``, ``name``, ``lat``, ``lon``, in the order of the line; optional
  ``ride_s`` (seconds from the station before), ``wait_s``, ``change_s``, ``zones``
- ``metro_fares.csv``: ``price``; optional ``currency``, ``line``, ``from_zone``, ``to_zone``,
  ``transfers``

With a column ``city``, one file can describe several cities; files of trains and flights do not
need this column. The columns ``source``, ``licence`` and ``source_date`` state where a row comes
from.
"""

from __future__ import annotations

import datetime as dt
from pathlib import Path

from schemas.cities import City
from sources.tables import canonical
from sources.tables.files import read_csv
from sources.tables.imported import Imported, assemble
from sources.tables.intake import Provenance, SourceRow, TableError

GAZETTEER, HOTELS, RESTAURANTS = "gazetteer.csv", "hotels.csv", "restaurants.csv"
TRAINS, FLIGHTS = "trains.csv", "flights.csv"
HUBS, METRO, FARES = "hubs.csv", "metro_stations.csv", "metro_fares.csv"
FILES = (GAZETTEER, HOTELS, RESTAURANTS, TRAINS, FLIGHTS, HUBS, METRO, FARES)
_OF_A_CITY = (GAZETTEER, HOTELS, RESTAURANTS, HUBS, METRO, FARES)
_PLACE, _NAMES = ("lat", "lon"), ("name_zh", "name_en")
#: The table of each file, the columns that it must have, and columns of which it must have one.
_TABLES: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    GAZETTEER: ("attractions", _PLACE, _NAMES),
    HOTELS: ("hotels", (*_PLACE, "room_type"), _NAMES),
    RESTAURANTS: ("restaurants", _PLACE, _NAMES),
    TRAINS: ("trains", canonical.connection_columns("train"), ()),
    FLIGHTS: ("flights", canonical.connection_columns("flight"), ()),
    HUBS: ("hubs", ("name", *_PLACE), ()),
    METRO: ("metro_stations", ("line", "name", *_PLACE), ()),
    FARES: ("metro_fares", ("price",), ()),
}


def check_folder(directory: Path) -> None:
    """Check a folder. Raises TableError if the folder contains none of the layout's files."""
    if not any((directory / file).is_file() for file in FILES):
        raise TableError(
            f"{directory}: the folder contains no tables; it needs at least one of "
            f"{', '.join(FILES)}"
        )


def city_names(directory: Path) -> list[str] | None:
    """Return the cities in the columns ``city``, or None if no file has such a column.

    Raises TableError if the folder has no tables or a table cannot be read.
    """
    check_folder(directory)
    names: set[str] = set()
    stated = False
    for file in _OF_A_CITY:
        rows = read_csv(directory, file, ()) if (directory / file).is_file() else []
        stated = stated or any("city" in row.cells for row in rows)
        names |= {name for row in rows if (name := row.text("city"))}
    return sorted(names) if stated else None


def read_tripbed(directory: Path, city: City) -> Imported:
    """Read the city's tables. Raises TableError if there are no files or a file cannot be read."""
    check_folder(directory)
    rows = {
        table: list(map(_with_provenance, read_csv(directory, file, required, one_of)))
        for file, (table, required, one_of) in _TABLES.items()
        if (directory / file).is_file()
    }
    return assemble(*canonical.read_rows(rows, city))


def _with_provenance(row: SourceRow) -> SourceRow:
    """Return the row with its provenance, taken from ``source``, ``licence`` and
    ``source_date``.
    """
    stated = row.text("source"), row.text("licence"), row.text("source_date")
    if any(stated):
        name, licence, day = stated
        row.provenance = Provenance(name, licence, _day(row, day))
    return row


def _day(row: SourceRow, text: str | None) -> dt.date | None:
    try:
        return dt.date.fromisoformat(text) if text else None
    except ValueError:
        row.broken = row.broken or f"source_date is not a date (YYYY-MM-DD): {text!r}"
        return None
