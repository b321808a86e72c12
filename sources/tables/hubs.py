"""Stations and airports that the city's connections name, with their coordinates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from schemas.cities import City
from schemas.geo import distance_m
from sources.tables.coordinates import locate
from sources.tables.errors import RowError, TableError
from sources.tables.files import read_json
from sources.tables.intake import Intake, Row, SourceRow

#: No station of a city lies farther from its centre; the widest city reaches 250 km.
FARTHEST_M = 300_000


def read_hubs(directory: Path, slug: str, city: City, names: set[str]) -> Intake:
    """Rows of ``hubs``: the entries of ``poi/<city>/poi.json`` that ``names`` lists.

    The file repeats the places of all other tables; only stations and airports are taken. Its
    coordinates are GCJ-02 (measured against metro stations of the same name). A source without
    the file gives an empty table and a finding. Raises TableError for a file that is no list.
    """
    intake = Intake(city, "hubs")
    file = f"poi/{slug}/poi.json"
    if not (directory / file).is_file():
        intake.note("mark", "file_missing", file, None, "no coordinates of stations and airports")
        return intake
    entries = read_json(directory, file)
    if not isinstance(entries, list):
        raise TableError(f"{directory / file}:1: a list of names and positions is expected")
    rows = [
        _source_row(file, number, entry)
        for number, entry in enumerate(entries, 1)
        if isinstance(entry, dict) and entry.get("name") in names
    ]
    intake.read(rows, lambda row: hub_row(row, city))
    intake.merge(lambda row: row["name"], "hub_repeated")
    for name in sorted(names - {row["name"] for row in intake.kept}):
        intake.note("mark", "hub_without_coordinates", file, None, f"no coordinates of {name}")
    return intake


def _source_row(file: str, number: int, entry: dict[str, Any]) -> SourceRow:
    position = entry.get("position")
    lat, lon = position if isinstance(position, list) and len(position) == 2 else ("", "")
    cells = {"name": entry["name"], "lat": str(lat), "lon": str(lon)}
    return SourceRow(file, number, cells, datum="gcj02")


def hub_row(row: SourceRow, city: City) -> Row:
    """A row of ``hubs``. Raises RowError without a name or a place near the city."""
    name = row.require("name")
    place = locate(row, row.text("lat"), row.text("lon"), row.datum, city)
    if place["lat"] is None:
        raise RowError("coordinates", f"{name} has no coordinates")
    away_m = float(distance_m(place["lat"], place["lon"], city.lat, city.lon))
    if away_m > FARTHEST_M:
        raise RowError("hub_of_another_city", f"{name} lies {away_m / 1000:.0f} km away")
    return {"city_id": city.city_id, "name": name, **place, **row.origin}
