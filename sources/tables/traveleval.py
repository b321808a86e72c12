"""Read the CSV, JSON and JSONL files in TravelEval's and ChinaTravel's ``environment/database``.

The coordinates of attractions are in BD-09, and all other coordinates are in GCJ-02. All prices are
in yuan. The ids in the CSV files are row numbers, so they are not stable. Table A4 of TravelEval
lists the columns.
"""

from __future__ import annotations

from pathlib import Path

from schemas.cities import City
from schemas.money import YUAN
from schemas.taxonomy import HOTEL_FEATURES
from sources.tables import filler, tags
from sources.tables.cell_values import cell, locate, money, rooms_money, stable_id, weekly
from sources.tables.connections import is_named
from sources.tables.files import read_csv
from sources.tables.imported import Imported, assemble
from sources.tables.intake import HAN, Intake, Row, SourceRow, TableError, name_key, same_place
from sources.tables.traveleval_transport import read_flights, read_hubs, read_subways, read_trains

#: Each room type with its column for the price and its column for the stock.
ROOMS = (
    ("single", "single_room_price", "single_room_stock"),
    ("king", "king_room_price", "king_room_stock"),
    ("double", "double_bed_price", "double_bed_stock"),
    ("family", "family_room_price", "family_room_stock"),
)
#: In this layout, each room type of a hotel has 0 to 8 free rooms.
MOST_STOCK = 8
ATTRACTION_COLUMNS = (
    "name", "type", "lat", "lon", "opentime", "endtime", "price", "recommendmintime",
    "recommendmaxtime", "star",
)  # fmt: skip
HOTEL_COLUMNS = (
    "name", "hotelname_en", "featurehoteltype", "lat", "lon",
    *(column for _, price, stock in ROOMS for column in (price, stock)),
)  # fmt: skip
RESTAURANT_COLUMNS = (
    "name", "lat", "lon", "price", "cuisine", "opentime", "endtime", "recommendedfood",
)  # fmt: skip


def city_folders(directory: Path) -> list[str]:
    """Return the names of the cities that have a folder in ``attractions``.

    Raises TableError if there is no folder ``attractions``.
    """
    attractions = directory / "attractions"
    if not attractions.is_dir():
        inner = directory / "environment" / "database"
        hint = f"; choose {inner}" if (inner / "attractions").is_dir() else ""
        raise TableError(
            f"{directory}: this is not the traveleval layout, which has"
            f" attractions/<city>/attractions.csv{hint}"
        )
    return sorted(path.name for path in attractions.iterdir() if path.is_dir())


def read_traveleval(directory: Path, city: City) -> Imported:
    """Read the city's tables; only the files that concern the city are opened.

    Only trains and flights to and from the city are read. If there are no trains, flights or metro,
    the corresponding tables are empty and a finding is recorded. Raises TableError if the city or
    one of its files is missing, or if a file cannot be read.
    """
    folders = city_folders(directory)
    slug = next((folder for folder in folders if is_named(folder, city)), None)
    if slug is None:
        raise TableError(
            f"{directory}: the folder has no tables for {city.name_en}; it has tables for "
            f"{', '.join(folders)}"
        )
    file = f"attractions/{slug}/attractions.csv"
    rows = _number_rows(read_csv(directory, file, ATTRACTION_COLUMNS))
    attractions = Intake.of(city, "attractions", rows, lambda row: _attraction(row, city))
    attractions.merge(name_key, "attraction_repeated", same_place)
    stations, edges = read_subways(directory, city)
    trains, flights = read_trains(directory, city), read_flights(directory, city)
    return assemble(
        [
            attractions,
            _hotels(directory, slug, city),
            _restaurants(directory, slug, city),
            trains,
            flights,
            stations,
            read_hubs(directory, slug, city, _stations(city, trains, flights)),
        ],
        edges,
    )


def _stations(city: City, *intakes: Intake) -> set[str]:
    """Return the names of the city's stations and airports that occur in the connections."""
    return {
        row[f"{end}_station"]
        for intake in intakes
        for row in intake.kept
        for end in ("origin", "destination")
        if row[f"{end}_city_id"] == city.city_id
    }


def _number_rows(rows: list[SourceRow]) -> list[SourceRow]:
    """Return the rows; mark each row that has the same number in ``id`` as an earlier row."""
    taken: dict[str, int] = {}
    for row in rows:
        number = row.text("id")
        if number is not None and taken.setdefault(number, row.line) != row.line:
            row.mark("row_number_repeated", f"id {number} is already used in line {taken[number]}")
    return rows


def _names(name: str, name_en: str | None = None) -> Row:
    """Return both names of a place; a name without Chinese characters is also the English name."""
    latin = name if name_en is None and not HAN.search(name) else None
    return {"name_zh": name, "name_en": name_en or latin}


def _attraction(row: SourceRow, city: City) -> Row:
    name = row.require("name")
    base_type, trend_types = tags.attraction_types(row, tags.brace_list(row, "type"))
    category = tags.category_of(name, None, base_type)
    shortest, longest = filler.visit_minutes(row, "recommendmintime", "recommendmaxtime", 60)
    price = filler.ticket_cents(row, row.cents("price"), base_type, longest)
    open_air = filler.is_open_air(name, base_type, category, price)
    hours_osm, open_min = filler.daily_hours(row, "opentime", "endtime", open_air)
    filler.compare_visit_with_hours(row, shortest, open_min)
    place = locate(row, row.text("lat"), row.text("lon"), "bd09", city)
    return {
        "source_id": None,
        **_names(name),
        "aliases": [],
        "category": category,
        "base_type": base_type,
        "trend_types": trend_types,
        **place,
        "coordinate_provider": None if place["lat"] is None else "baidu",
        "parent_source_id": None,
        "hours_osm": hours_osm,
        **money(price, YUAN),
        "duration_min_min": shortest,
        "duration_max_min": longest,
        "rating": filler.rating(row, "star"),
        **row.origin,
    }


def _hotels(directory: Path, slug: str, city: City) -> Intake:
    file = f"accommodations/{slug}/accommodations.csv"
    rows = _number_rows(read_csv(directory, file, HOTEL_COLUMNS))
    intake = Intake.of(city, "hotels", rows, lambda row: _hotel(row, city))
    intake.merge(
        name_key, "hotel_repeated", same_place, lambda h: [r["price_cents"] for r in h["rooms"]]
    )
    return intake


def _hotel(row: SourceRow, city: City) -> Row:
    name = row.require("name")
    place = locate(row, row.text("lat"), row.text("lon"), "gcj02", city)
    rooms = [
        {
            "room_type": room_type,
            "price_cents": filler.paid_cents(row, row.cents(price), price),
            "stock": filler.stock(row, stock, MOST_STOCK),
        }
        for room_type, price, stock in ROOMS
    ]
    return {
        "hotel_id": stable_id("hotel", city, None, name, place),
        "city_id": city.city_id,
        **_names(name, row.text("hotelname_en")),
        "feature": tags.term_code(row, "featurehoteltype", HOTEL_FEATURES, "feature"),
        **place,
        "h3_cell": cell(place),
        **rooms_money(rooms, YUAN),
        "is_simulated": False,
        **row.origin,
    }


def _restaurants(directory: Path, slug: str, city: City) -> Intake:
    file = f"restaurants/{slug}/restaurants_{slug}.csv"
    rows = _number_rows(read_csv(directory, file, RESTAURANT_COLUMNS))
    intake = Intake.of(city, "restaurants", rows, lambda row: _restaurant(row, city))
    intake.merge(lambda row: row["restaurant_id"], "restaurant_repeated")
    return intake


def _restaurant(row: SourceRow, city: City) -> Row:
    name = row.require("name")
    place = locate(row, row.text("lat"), row.text("lon"), "gcj02", city)
    hours_osm, _ = filler.daily_hours(row, "opentime", "endtime", believe_midnight=True)
    dishes = (row.text("recommendedfood") or "").split(",")
    return {
        "restaurant_id": stable_id("restaurant", city, None, name, place),
        "city_id": city.city_id,
        **_names(name),
        "cuisine": tags.cuisine_code(row, "cuisine"),
        **place,
        "h3_cell": cell(place),
        **money(filler.paid_cents(row, row.cents("price"), "price"), YUAN),
        "hours_osm": hours_osm,
        "hours_weekly": weekly(hours_osm),
        "dishes": [dish.strip() for dish in dishes if dish.strip()],
        "is_simulated": False,
        **row.origin,
    }
