"""tripbed's own layout: a folder of CSV files in WGS 84 and UTF-8.

Empty cells are unknown, lists are separated by ``|``, prices are CNY, hours are in OSM syntax,
clock times are local and an arrival may carry ``+1``. Every file is optional, one must be there:

- ``gazetteer.csv``: ``name_zh`` or ``name_en``, ``lat``, ``lon``; optional ``id``, ``aliases``,
  ``category``, ``types``, ``parent_id``, ``opening_hours``, ``price_cny``, ``min_duration_min``,
  ``max_duration_min``, ``rating``
- ``hotels.csv``: ``name_zh`` or ``name_en``, ``lat``, ``lon``, ``room_type``; optional ``id``,
  ``feature``, ``price_cny``, ``stock``. One row a hotel and room type
- ``restaurants.csv``: ``name_zh`` or ``name_en``, ``lat``, ``lon``; optional ``id``, ``cuisine``,
  ``price_cny``, ``opening_hours``, ``recommended_dishes``
- ``trains.csv`` and ``flights.csv``, see ``tripbed_transport``

A column ``city`` in the first three makes a file serve several cities.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from schemas.cities import City
from schemas.taxonomy import CUISINES, HOTEL_FEATURES, POI_CATEGORIES, ROOM_TYPES, codes
from sources.tables import filler, tags
from sources.tables.connections import city_named, is_named
from sources.tables.coordinates import locate
from sources.tables.errors import RowError
from sources.tables.files import read_csv
from sources.tables.imported import Imported, TableError, assemble
from sources.tables.intake import Intake, Row, SourceRow, name_key, same_place
from sources.tables.places import cell, spans, stable_id, weekly
from sources.tables.tripbed_transport import FLIGHTS, TRAINS, read_connections

GAZETTEER, HOTELS, RESTAURANTS = "gazetteer.csv", "hotels.csv", "restaurants.csv"
FILES = (GAZETTEER, HOTELS, RESTAURANTS, TRAINS, FLIGHTS)
_ROOM_ORDER = {code: position for position, code in enumerate(codes(ROOM_TYPES))}


def check_folder(directory: Path) -> None:
    """Raises TableError when the folder has no file of the layout."""
    if not any((directory / file).is_file() for file in FILES):
        raise TableError(f"{directory}: no tables; one of {', '.join(FILES)} is expected")


def city_names(directory: Path) -> list[str] | None:
    """Cities of the files' ``city`` columns; None without such a column. Raises TableError."""
    check_folder(directory)
    names: set[str] = set()
    stated = False
    for file in (GAZETTEER, HOTELS, RESTAURANTS):
        rows = read_csv(directory, file, ()) if (directory / file).is_file() else []
        stated = stated or any("city" in row.cells for row in rows)
        names |= {name for row in rows if (name := row.text("city"))}
    return sorted(names) if stated else None


def read_tripbed(directory: Path, city: City) -> Imported:
    """The city's tables. Raises TableError for a folder without files and for a wrong file."""
    check_folder(directory)
    intakes = []
    if (directory / GAZETTEER).is_file():
        intakes.append(_gazetteer(directory, city))
    if (directory / HOTELS).is_file():
        intakes.append(_hotels(directory, city))
    if (directory / RESTAURANTS).is_file():
        intakes.append(_restaurants(directory, city))
    for kind, file in (("train", TRAINS), ("flight", FLIGHTS)):
        if (directory / file).is_file():
            intakes.append(read_connections(directory, kind, city))
    return assemble(intakes)


def _city_rows(
    directory: Path, file: str, city: City, required: tuple[str, ...] = ()
) -> Iterator[SourceRow]:
    """Rows of the city; a row whose city is empty or unknown is broken."""
    rows = read_csv(directory, file, ("lat", "lon", *required), ("name_zh", "name_en"))
    for row in rows:
        if row.broken is None and "city" in row.cells:
            name = row.text("city") or ""
            if city_named(name) is None:
                row.broken = f"no city is called {row.cells['city']!r}"
            elif not is_named(name, city):
                continue
        yield row


def _names(row: SourceRow) -> Row:
    name_zh, name_en = row.text("name_zh"), row.text("name_en")
    if name_zh is None and name_en is None:
        raise RowError("empty", "neither name_zh nor name_en")
    return {"name_zh": name_zh, "name_en": name_en}


def _list(row: SourceRow, column: str) -> list[str]:
    items = (item.strip() for item in (row.text(column) or "").split("|"))
    return list(dict.fromkeys(item for item in items if item))


def _hours(row: SourceRow) -> str | None:
    expression = row.text("opening_hours")
    if expression is not None and spans(expression) is None:
        row.mark("hours_unreadable", f"not OSM syntax, hours unknown: {expression}")
        return None
    return expression


def _gazetteer(directory: Path, city: City) -> Intake:
    intake = Intake(city, "attractions")
    taken: dict[str, int] = {}
    intake.read(_city_rows(directory, GAZETTEER, city), partial(_attraction, city, taken))
    intake.merge(
        lambda row: row["source_id"] or (name_key(row),), "attraction_repeated", same_place
    )
    for row in intake.kept:
        parent = row["parent_source_id"]
        if parent is not None and (parent not in taken or parent == row["source_id"]):
            message = f"no row of the city has the id {parent}, parent unknown"
            intake.note("mark", "parent_unknown", row["source_file"], row["source_line"], message)
            row["parent_source_id"] = None
    return intake


def _attraction(city: City, taken: dict[str, int], row: SourceRow) -> Row:
    names = _names(row)
    base_type, trend_types = tags.attraction_types(row, _list(row, "types"))
    category = tags.term_code(row, "category", POI_CATEGORIES, "category")
    shortest, longest = filler.visit_minutes(row, "min_duration_min", "max_duration_min", 1)
    place = locate(row, row.text("lat"), row.text("lon"), "wgs84", city)
    built = {
        "source_id": row.text("id"),
        **names,
        "aliases": _list(row, "aliases"),
        "category": category or tags.category_of(names["name_zh"], names["name_en"], base_type),
        "base_type": base_type,
        "trend_types": trend_types,
        **place,
        "coordinate_provider": None if place["lat"] is None else "table",
        "parent_source_id": row.text("parent_id"),
        "hours_osm": _hours(row),
        "price_cents": row.cents("price_cny"),
        "duration_min_min": shortest,
        "duration_max_min": longest,
        "rating": filler.rating(row, "rating"),
        **row.origin,
    }
    _take_id(row, taken)
    return built


def _take_id(row: SourceRow, taken: dict[str, int]) -> None:
    """Raises RowError where an earlier row that was kept has the same id."""
    source_id = row.text("id")
    if source_id is None:
        return
    if source_id in taken:
        raise RowError("id_repeated", f"id {source_id} already stands in line {taken[source_id]}")
    taken[source_id] = row.line


def _hotels(directory: Path, city: City) -> Intake:
    """One row a hotel: rows of one id, or of one name and place, are its room types."""
    intake = Intake(city, "hotels")
    intake.read(_city_rows(directory, HOTELS, city, ("room_type",)), partial(_hotel_room, city))
    hotels: dict[str, Row] = {}
    for row in intake.kept:
        first = hotels.setdefault(row["hotel_id"], row)
        if first is row:
            continue
        intake.merged += 1
        where = row["source_file"], row["source_line"]
        if any(
            first[column] != row[column]
            for column in ("name_zh", "name_en", "lat", "lon", "feature")
        ):
            message = f"differs from line {first['source_line']} of the same hotel, which holds"
            intake.note("mark", "hotel_differs", *where, message)
        known = {room["room_type"] for room in first["rooms"]}
        for room in row["rooms"]:
            if room["room_type"] in known:
                message = f"{room['room_type']} stands again, line {first['source_line']} holds"
                intake.note("mark", "room_repeated", *where, message)
            else:
                first["rooms"].append(room)
    for hotel in hotels.values():
        hotel["rooms"].sort(key=lambda room: _ROOM_ORDER[room["room_type"]])
    intake.kept = list(hotels.values())
    return intake


def _hotel_room(city: City, row: SourceRow) -> Row:
    names = _names(row)
    place = locate(row, row.text("lat"), row.text("lon"), "wgs84", city)
    return {
        "hotel_id": stable_id(
            "hotel", city, row.text("id"), names["name_zh"] or names["name_en"], place
        ),
        "city_id": city.city_id,
        **names,
        "feature": tags.term_code(row, "feature", HOTEL_FEATURES, "feature"),
        **place,
        "h3_cell": cell(place),
        "rooms": _room(row),
        "is_simulated": False,
        **row.origin,
    }


def _room(row: SourceRow) -> list[Row]:
    price, stock = row.cents("price_cny"), filler.stock(row, "stock")
    if row.text("room_type") is None:
        return []
    room_type = tags.term_code(row, "room_type", ROOM_TYPES, "room_type")
    if room_type is None:
        raise RowError(
            "room_type", f"{row.cells['room_type']!r} is none of {', '.join(_ROOM_ORDER)}"
        )
    return [{"room_type": room_type, "price_cents": price, "stock": stock}]


def _restaurants(directory: Path, city: City) -> Intake:
    intake = Intake(city, "restaurants")
    taken: dict[str, int] = {}
    intake.read(_city_rows(directory, RESTAURANTS, city), partial(_restaurant, city, taken))
    intake.merge(lambda row: row["restaurant_id"], "restaurant_repeated")
    return intake


def _restaurant(city: City, taken: dict[str, int], row: SourceRow) -> Row:
    names = _names(row)
    place = locate(row, row.text("lat"), row.text("lon"), "wgs84", city)
    hours_osm = _hours(row)
    built = {
        "restaurant_id": stable_id(
            "restaurant", city, row.text("id"), names["name_zh"] or names["name_en"], place
        ),
        "city_id": city.city_id,
        **names,
        "cuisine": tags.term_code(row, "cuisine", CUISINES, "cuisine"),
        **place,
        "h3_cell": cell(place),
        "price_cents": row.cents("price_cny"),
        "hours_osm": hours_osm,
        "hours_weekly": weekly(hours_osm),
        "dishes": _list(row, "recommended_dishes"),
        "is_simulated": False,
        **row.origin,
    }
    _take_id(row, taken)
    return built
