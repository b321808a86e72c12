"""Read trains, flights, metro lines and stations from the TravelEval layout."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

from schemas.cities import City
from schemas.money import YUAN
from sources.tables.cell_values import Price, hub_row
from sources.tables.connections import (
    check_fast_train,
    city_named,
    concerns,
    connection,
    is_named,
    merge_connections,
    timing,
)
from sources.tables.files import read_json, read_json_list, read_jsonl
from sources.tables.filler import paid_cents
from sources.tables.intake import Intake, Row, RowError, SourceRow, TableError
from sources.tables.metro import MetroLine, read_metro

TRAIN_FOLDER = "intercity_transport/train"
FLIGHT_FILE = "intercity_transport/airplane.jsonl"
METRO_FILE = "transportation/subways.json"
FLIGHT_COLUMNS = ("FlightID", "From", "To", "BeginTime", "EndTime", "Duration", "Cost")
TRAIN_COLUMNS = ("TrainID", "TrainType", *FLIGHT_COLUMNS[1:])
_TRAIN_FILE = re.compile(r"^from_(.+)_to_(.+)\.json$")


def read_trains(directory: Path, city: City) -> Intake:
    """Read the trains to and from the city; each file is named after the two cities that it
    connects.
    """
    intake = Intake(city, "trains")
    pairs = [
        pair for pair in _train_files(directory) if any(is_named(name, city) for name in pair[1:])
    ]
    if not pairs:
        intake.note("mark", "file_missing", TRAIN_FOLDER, None, "no trains from or to the city")
    for file, origin, destination in pairs:
        ends = city_named(origin), city_named(destination)
        rows = read_json_list(directory, file, TRAIN_COLUMNS)
        intake.read(rows, partial(_train, ends=ends))
    merge_connections(intake, "train")
    return intake


def _train_files(directory: Path) -> list[tuple[str, str, str]]:
    """Return each file of trains with its origin and destination."""
    folder = directory / TRAIN_FOLDER
    names = sorted(path.name for path in folder.glob("from_*_to_*.json"))
    matches = (_TRAIN_FILE.match(name) for name in names)
    return [(f"{TRAIN_FOLDER}/{m[0]}", m[1], m[2]) for m in matches if m]


def _train(row: SourceRow, ends: tuple[City | None, City | None]) -> Row:
    number = row.require("TrainID")
    times = timing(row, row.require("BeginTime"), row.require("EndTime"), _read_minutes(row))
    check_fast_train(number, times["duration_min"])
    stations = row.require("From"), row.require("To")
    built = connection(row, "train", number, _both(ends, stations), stations, times, _cost(row))
    return {**built, "train_type": row.text("TrainType")}


def _cost(row: SourceRow) -> Price:
    return paid_cents(row, row.cents("Cost"), "Cost"), YUAN


def _read_minutes(row: SourceRow) -> int | None:
    hours = row.number("Duration")
    return None if hours is None else round(hours * 60)


def _both(ends: tuple[City | None, City | None], names: tuple[str, str]) -> tuple[City, City]:
    origin, destination = ends
    if origin is None or destination is None:
        unknown = names[0] if origin is None else names[1]
        raise RowError("unknown_city", f"there is no known city for {unknown}")
    return origin, destination


def read_flights(directory: Path, city: City) -> Intake:
    """Read the flights to and from the city; the name of an airport begins with the name of its
    city.

    A line that cannot be read, or a flight between two unknown airports, is read for every city.
    """
    intake = Intake(city, "flights")
    if not (directory / FLIGHT_FILE).is_file():
        intake.note("mark", "file_missing", FLIGHT_FILE, None, "no flights")
        return intake
    rows = read_jsonl(directory, FLIGHT_FILE, FLIGHT_COLUMNS)
    cities = _cities_by_prefix(directory, city)
    ours = [
        row
        for row in rows
        if concerns(city, [_airport_city(row.cells.get(key, ""), cities) for key in ("From", "To")])
    ]
    intake.read(ours, lambda row: _flight(row, cities))
    merge_connections(intake, "flight")
    if not ours:
        intake.note("mark", "file_missing", FLIGHT_FILE, None, "no flights from or to the city")
    return intake


def _cities_by_prefix(directory: Path, city: City) -> dict[str, City]:
    """Return the cities in the source by name, with the longest name first."""
    folders = (path.name for path in sorted((directory / "attractions").iterdir()))
    stated = [name for _, *ends in _train_files(directory) for name in ends]
    found = {name: named for name in (*stated, *folders) if (named := city_named(name))}
    for named in (city, *list(found.values())):
        if named.name_zh:
            found[named.name_zh] = named
    return dict(sorted(found.items(), key=lambda entry: (-len(entry[0]), entry[0])))


def _airport_city(airport: str, cities: dict[str, City]) -> City | None:
    return next((city for name, city in cities.items() if airport.startswith(name)), None)


def _flight(row: SourceRow, cities: dict[str, City]) -> Row:
    number = row.require("FlightID")
    airports = row.require("From"), row.require("To")
    ends = _airport_city(airports[0], cities), _airport_city(airports[1], cities)
    times = timing(row, row.require("BeginTime"), row.require("EndTime"), _read_minutes(row))
    return connection(row, "flight", number, _both(ends, airports), airports, times, _cost(row))


def read_subways(directory: Path, city: City) -> tuple[Intake, list[Row]]:
    """Read the city's metro; the ``line`` of a station is its position among all stations in the
    file.
    """
    if not (directory / METRO_FILE).is_file():
        return _no_metro(city)
    networks = read_json(directory, METRO_FILE)
    if not isinstance(networks, dict):
        raise TableError(
            f"{directory / METRO_FILE}:1: the file must contain an object whose keys are city names"
        )
    number = 0
    ours = None
    for name, lines in networks.items():
        read = list(_lines(directory, name, lines, number))
        number += sum(len(line.rows) for line in read)
        if is_named(name, city):
            ours = read
    return read_metro(city, ours) if ours is not None else _no_metro(city)


def _no_metro(city: City) -> tuple[Intake, list[Row]]:
    intake = Intake(city, "metro_stations")
    intake.note("mark", "file_missing", METRO_FILE, None, "no metro of the city")
    return intake, []


def _lines(directory: Path, city: str, lines: Any, number: int) -> Iterable[MetroLine]:
    """Yield the lines of a network; ``number`` is the number of stations that precede the network
    in the file.
    """
    try:
        named = [(str(line["name"]), list(line["stations"])) for line in lines]
    except (TypeError, KeyError):
        raise TableError(
            f"{directory / METRO_FILE}: {city}: the value must be a list of lines, each with a"
            " name and stations"
        ) from None
    for name, stations in named:
        yield MetroLine(name, [_station_row(n, s) for n, s in enumerate(stations, number + 1)])
        number += len(stations)


def _station_row(number: int, station: Any) -> SourceRow:
    if not isinstance(station, dict):
        return SourceRow(METRO_FILE, number, {"station": str(station)}, "not an object with fields")
    lon, _, lat = str(station.get("position") or "").partition(",")
    cells = {"name": str(station.get("name") or ""), "lat": lat, "lon": lon}
    return SourceRow(METRO_FILE, number, cells, datum="gcj02")


def read_hubs(directory: Path, slug: str, city: City, names: set[str]) -> Intake:
    """Read from ``poi/<city>/poi.json`` the stations and airports whose names are in ``names``.

    The file also repeats the places from all other tables. The coordinates in the file are in
    GCJ-02, as shown by a comparison with metro stations of the same name. If there is no such file,
    the table is empty and a finding is recorded. Raises TableError if the file is not a list.
    """
    intake = Intake(city, "hubs")
    file = f"poi/{slug}/poi.json"
    if not (directory / file).is_file():
        intake.note("mark", "file_missing", file, None, "no coordinates of stations and airports")
        return intake
    entries = read_json(directory, file)
    if not isinstance(entries, list):
        raise TableError(
            f"{directory / file}:1: the file must contain a list of names and positions"
        )
    rows = [
        _hub_source(file, number, entry)
        for number, entry in enumerate(entries, 1)
        if isinstance(entry, dict) and entry.get("name") in names
    ]
    intake.read(rows, lambda row: hub_row(row, city))
    intake.merge(lambda row: row["name"], "hub_repeated")
    for name in sorted(names - {row["name"] for row in intake.kept}):
        intake.note("mark", "hub_without_coordinates", file, None, f"no coordinates of {name}")
    return intake


def _hub_source(file: str, number: int, entry: dict[str, Any]) -> SourceRow:
    position = entry.get("position")
    lat, lon = position if isinstance(position, list) and len(position) == 2 else ("", "")
    cells = {"name": entry["name"], "lat": str(lat), "lon": str(lon)}
    return SourceRow(file, number, cells, datum="gcj02")
