"""Turn source rows with tripbed's own column names into rows of the published tables.

Files in tripbed's CSV layout already have tripbed's column names; the adapters for other layouts
rename their columns to match. An empty cell means that the value is unknown. Items in a list are
separated by ``|``. Opening hours are written in OSM syntax or as two clock times. Coordinates are
in the coordinate system given in the row. A price is in the column ``price``, with its currency in
``currency`` (by default the currency of the city's country), or in the column ``price_cny``.
docs/tables.md lists the columns.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

from schemas.cities import City
from schemas.ids import digest
from schemas.taxonomy import GRADES, HOTEL_FEATURES, POI_CATEGORIES, ROOM_TYPES, codes
from sources.tables import filler, tags
from sources.tables.cell_values import (
    PRICE,
    Price,
    cell,
    hub_row,
    locate,
    money,
    read_price,
    rooms_money,
    spans,
    stable_id,
    weekly,
)
from sources.tables.connections import (
    check_fast_train,
    city_named,
    concerns,
    connection,
    is_named,
    merge_connections,
    timing,
)
from sources.tables.intake import Intake, Row, RowError, SourceRow, name_key, same_place
from sources.tables.metro import MetroLine, read_metro

_ROOM_ORDER = {code: position for position, code in enumerate(codes(ROOM_TYPES))}
_STAR_ENDINGS = ("", "S", ".0", ".5")
_ITEM = re.compile(r"Q[1-9][0-9]*")
_STOP = {"train": "station", "flight": "airport"}
_GRADES = {**{grade: grade for grade in GRADES}, **{f"{n}A": "A" * n for n in range(1, 6)}}


def of_city(rows: Iterable[SourceRow], city: City) -> Iterator[SourceRow]:
    """Return the city's rows; rows with an empty or unknown city are returned as broken rows."""
    for row in rows:
        if "city" in row.cells and (row.broken is None or city_named(row.cells["city"].strip())):
            name = row.text("city") or ""
            if city_named(name) is None:
                row.broken = f"no city is called {row.cells['city']!r}"
            elif not is_named(name, city):
                continue
        yield row


def _names(row: SourceRow) -> Row:
    name_zh, name_en = row.text("name_zh"), row.text("name_en")
    if name_zh is None and name_en is None:
        raise RowError("empty", "name_zh and name_en are both empty")
    return {"name_zh": name_zh, "name_en": name_en}


def _list(row: SourceRow, column: str) -> list[str]:
    items = (item.strip() for item in (row.text(column) or "").split("|"))
    return list(dict.fromkeys(item for item in items if item))


def _hours(row: SourceRow, *, believe_midnight: bool) -> tuple[str | None, int | None]:
    """Return the opening hours in OSM syntax and the number of minutes per day that the place is
    open.

    The row gives the hours in OSM syntax, or as ``opens`` and ``closes``. If the hours differ from
    day to day, the day with the longest hours determines the minutes.
    """
    expression = row.text("opening_hours")
    if expression is None:
        return filler.daily_hours(row, "opens", "closes", believe_midnight)
    found = spans(expression)
    if found is None:
        row.mark(
            "hours_unreadable",
            f"the opening hours are unknown, because they are not in OSM syntax: {expression}",
        )
        return None, None
    if expression == "24/7" and not believe_midnight:
        row.mark("hours_filler", f"{expression} is treated as filler; the hours are unknown")
        return None, None
    by_day: dict[int, int] = {}
    for span in found:
        minutes = span["close_min"] - span["open_min"]
        by_day[span["weekday"]] = by_day.get(span["weekday"], 0) + minutes
    return expression, max(by_day.values(), default=None)


def _read_paid_price(row: SourceRow, home: str | None) -> Price:
    """Return the price of something that is never free; a 0 may be filler, so it means unknown."""
    price, currency = read_price(row, home)
    return filler.paid_cents(row, price, PRICE) if row.has_filler else price, currency


def _grade(row: SourceRow) -> str | None:
    text = row.text("grade")
    if text is not None and text.upper() not in _GRADES:
        row.mark("grade_unknown", f"{text} is not a grade; the grade is unknown")
    return None if text is None else _GRADES.get(text.upper())


def _wikidata(row: SourceRow) -> str | None:
    """Return the id of the Wikidata item, or None if the text is not a Wikidata id."""
    text = row.text("wikidata") or ""
    return text if _ITEM.fullmatch(text) else None


def _stars(row: SourceRow) -> int | None:
    """Return the number of whole stars; ``4``, ``4.5`` and ``4S`` all count as four."""
    text = row.text("stars")
    if text is None:
        return None
    if text[:1] not in "12345" or text[1:].strip().upper() not in _STAR_ENDINGS:
        row.mark("stars_range", f"{text} is not a number of stars; the stars are unknown")
        return None
    return int(text[0])


def read_attractions(rows: Iterable[SourceRow], city: City) -> Intake:
    """Read the city's attractions; rows with the same id or for the same place are merged."""
    taken: dict[tuple[str, str], int] = {}
    intake = Intake.of(city, "attractions", of_city(rows, city), partial(_attraction, city, taken))
    intake.merge(
        lambda row: row["source_id"] or (name_key(row),), "attraction_repeated", same_place
    )
    known = {source_id for _, source_id in taken}
    for row in intake.kept:
        parent = row["parent_source_id"]
        if parent is not None and (parent not in known or parent == row["source_id"]):
            message = f"no row of the city has the id {parent}; the parent is unknown"
            intake.note("mark", "parent_unknown", row["source_file"], row["source_line"], message)
            row["parent_source_id"] = None
    return intake


def _attraction(city: City, taken: dict[tuple[str, str], int], row: SourceRow) -> Row:
    names = _names(row)
    base_type, trend_types = tags.attraction_types(row, _list(row, "types"))
    category = tags.term_code(row, "category", POI_CATEGORIES, "category")
    shortest, longest = filler.visit_minutes(row, "min_duration_min", "max_duration_min", 1)
    category = category or tags.category_of(names["name_zh"], names["name_en"], base_type)
    price, currency = read_price(row, city.currency)
    if row.has_filler:
        price = filler.ticket_cents(row, price, base_type, longest)
    open_air = filler.is_open_air(names["name_zh"] or names["name_en"], base_type, category, price)
    hours, open_min = _hours(row, believe_midnight=open_air or not row.has_filler)
    filler.compare_visit_with_hours(row, shortest, open_min)
    place = locate(row, row.text("lat"), row.text("lon"), row.datum, city)
    built = {
        "source_id": row.text("id"),
        **names,
        "aliases": _list(row, "aliases"),
        "category": category,
        "base_type": base_type,
        "trend_types": trend_types,
        **place,
        "coordinate_provider": None if place["lat"] is None else row.text("provider") or "table",
        "parent_source_id": row.text("parent_id"),
        "hours_osm": hours,
        **money(price, currency),
        "duration_min_min": shortest,
        "duration_max_min": longest,
        "rating": filler.rating(row, "rating"),
        "grade": _grade(row),
        "wikidata": _wikidata(row),
        **row.origin,
    }
    _take_id(row, taken)
    return built


def _take_id(row: SourceRow, taken: dict[tuple[str, str], int]) -> None:
    """Record the row's id. Raises RowError if an earlier row in the file has the same id."""
    source_id = row.text("id")
    if source_id is None:
        return
    first = taken.setdefault((row.file, source_id), row.line)
    if first != row.line:
        raise RowError("id_repeated", f"id {source_id} is already used in line {first}")


def read_hotels(rows: Iterable[SourceRow], city: City) -> Intake:
    """Read the city's hotels, one row per hotel.

    Source rows with the same id, or with the same name and location, are room types of one hotel.
    """
    intake = Intake.of(city, "hotels", of_city(rows, city), partial(_hotel_room, city))
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
            message = (
                "the name, location or feature of the hotel differs from line"
                f" {first['source_line']}, which is used"
            )
            intake.note("mark", "hotel_differs", *where, message)
        _join_money(intake, first, row)
        known = {room["room_type"] for room in first["rooms"]}
        for room in row["rooms"]:
            if room["room_type"] in known:
                message = f"{room['room_type']} is repeated; line {first['source_line']} is used"
                intake.note("mark", "room_repeated", *where, message)
            else:
                first["rooms"].append(room)
    for hotel in hotels.values():
        hotel.update(rooms_money(hotel["rooms"], hotel["currency"]))
        hotel["rooms"].sort(key=lambda room: _ROOM_ORDER[room["room_type"]])
    intake.kept = list(hotels.values())
    return intake


def _join_money(intake: Intake, first: Row, row: Row) -> None:
    """Give the hotel a single currency; prices in any other currency become unknown."""
    if first["currency"] is None:
        first["currency"] = row["currency"]
    elif row["currency"] not in (None, first["currency"]):
        message = (
            f"the price is in {row['currency']}, but line {first['source_line']} is in"
            f" {first['currency']}"
        )
        where = row["source_file"], row["source_line"]
        intake.note("mark", "currency_differs", *where, f"{message}; the price is unknown")
        for room in row["rooms"]:
            room["price_cents"] = None


def _hotel_room(city: City, row: SourceRow) -> Row:
    names = _names(row)
    place = locate(row, row.text("lat"), row.text("lon"), row.datum, city)
    return {
        "hotel_id": stable_id(
            "hotel", city, row.text("id"), names["name_zh"] or names["name_en"], place
        ),
        "city_id": city.city_id,
        **names,
        "feature": tags.term_code(row, "feature", HOTEL_FEATURES, "feature"),
        "stars": _stars(row),
        "rating": filler.rating(row, "rating"),
        **place,
        "h3_cell": cell(place),
        **_room(row, city.currency),
        "is_simulated": False,
        **row.origin,
    }


def _room(row: SourceRow, home: str | None) -> Row:
    (price, currency), stock = _read_paid_price(row, home), filler.stock(row, "stock")
    if row.text("room_type") is None:
        return rooms_money([], None)
    room_type = tags.term_code(row, "room_type", ROOM_TYPES, "room_type")
    if room_type is None:
        raise RowError(
            "room_type", f"{row.cells['room_type']!r} is not one of {', '.join(_ROOM_ORDER)}"
        )
    return rooms_money([{"room_type": room_type, "price_cents": price, "stock": stock}], currency)


def read_restaurants(rows: Iterable[SourceRow], city: City) -> Intake:
    """Read the city's restaurants; rows that describe the same restaurant are merged."""
    taken: dict[tuple[str, str], int] = {}
    intake = Intake.of(city, "restaurants", of_city(rows, city), partial(_restaurant, city, taken))
    intake.merge(lambda row: row["restaurant_id"], "restaurant_repeated")
    return intake


def _restaurant(city: City, taken: dict[tuple[str, str], int], row: SourceRow) -> Row:
    names = _names(row)
    place = locate(row, row.text("lat"), row.text("lon"), row.datum, city)
    hours_osm, _ = _hours(row, believe_midnight=True)
    built = {
        "restaurant_id": stable_id(
            "restaurant", city, row.text("id"), names["name_zh"] or names["name_en"], place
        ),
        "city_id": city.city_id,
        **names,
        "cuisine": tags.cuisine_code(row, "cuisine"),
        "rating": filler.rating(row, "rating"),
        **place,
        "h3_cell": cell(place),
        **money(*_read_paid_price(row, city.currency)),
        "hours_osm": hours_osm,
        "hours_weekly": weekly(hours_osm),
        "dishes": _list(row, "recommended_dishes"),
        "is_simulated": False,
        **row.origin,
    }
    _take_id(row, taken)
    return built


def read_connections(kind: str, rows: Iterable[SourceRow], city: City) -> Intake:
    """Read the trains or flights to and from the city; ``kind`` is ``train`` or ``flight``.

    If both cities in a row are unknown, the row is read for every city.
    """
    ours = (
        row
        for row in rows
        if concerns(city, [city_named(row.text(end) or "") for end in ("from_city", "to_city")])
    )
    intake = Intake.of(city, f"{kind}s", ours, partial(_connection, kind))
    merge_connections(intake, kind)
    return intake


def connection_columns(kind: str) -> tuple[str, ...]:
    """Return the columns that a file of trains or flights must have."""
    stop = _STOP[kind]
    return (
        f"{kind}_id", "from_city", f"from_{stop}", "to_city", f"to_{stop}", "departure", "arrival",
    )  # fmt: skip


def _connection(kind: str, row: SourceRow) -> Row:
    number = row.require(f"{kind}_id")
    stop = _STOP[kind]
    stations = row.require(f"from_{stop}"), row.require(f"to_{stop}")
    cities = _city(row, "from_city"), _city(row, "to_city")
    stated = row.number("duration_min")
    stated_min = None if stated is None else round(stated)
    times = timing(row, row.require("departure"), row.require("arrival"), stated_min)
    moneys = {city.currency for city in cities}
    price = _read_paid_price(row, moneys.pop() if len(moneys) == 1 else None)
    built = connection(row, kind, number, cities, stations, times, price)
    if kind == "train":
        check_fast_train(number, times["duration_min"])
        built["train_type"] = row.text("train_type")
    return built


def _city(row: SourceRow, column: str) -> City:
    named = city_named(row.require(column))
    if named is None:
        raise RowError("unknown_city", f"no city is called {row.cells[column]!r}")
    return named


def read_hubs(rows: Iterable[SourceRow], city: City) -> Intake:
    """Read the city's railway stations and airports; repeated names are merged."""
    intake = Intake.of(city, "hubs", of_city(rows, city), lambda row: hub_row(row, city))
    intake.merge(lambda row: row["name"], "hub_repeated")
    return intake


def read_fares(rows: Iterable[SourceRow], city: City) -> Intake:
    """Read the fares for the city's metro; repeated fares are merged."""
    intake = Intake.of(city, "metro_fares", of_city(rows, city), partial(_metro_fare, city))
    intake.merge(lambda row: row["fare_id"], "fare_repeated")
    return intake


def _metro_fare(city: City, row: SourceRow) -> Row:
    amount, currency = read_price(row, city.currency)
    if amount is None:
        raise RowError("price", "the fare has no price in a known currency")
    transfers = row.number("transfers")
    if transfers is not None and not (0 <= transfers <= 99 and transfers == int(transfers)):
        raise RowError("number", f"transfers is not a number of changes: {transfers:g}")
    where = {column: row.text(column) for column in ("line", "from_zone", "to_zone")}
    within = {"transfers": None if transfers is None else int(transfers)}
    key = [str(value) for value in (*where.values(), *within.values(), amount, currency)]
    return {
        "fare_id": f"fare_{digest(city.city_id, *key)}", "city_id": city.city_id, **where, **within,
        **money(amount, currency), **row.origin,
    }  # fmt: skip


_READERS: dict[str, Callable[[Iterable[SourceRow], City], Intake]] = {
    "attractions": read_attractions,
    "hotels": read_hotels,
    "restaurants": read_restaurants,
    "trains": partial(read_connections, "train"),
    "flights": partial(read_connections, "flight"),
    "hubs": read_hubs,
    "metro_fares": read_fares,
}


def read_rows(
    rows: Mapping[str, Iterable[SourceRow]], city: City
) -> tuple[list[Intake], list[Row]]:
    """Read the rows of each table; return an ``Intake`` for each table, and the metro's edges."""
    intakes = [read(rows[table], city) for table, read in _READERS.items() if table in rows]
    if "metro_stations" not in rows:
        return intakes, []
    stations, edges = _read_metro_rows(rows["metro_stations"], city)
    return [*intakes, stations], edges


def _read_metro_rows(rows: Iterable[SourceRow], city: City) -> tuple[Intake, list[Row]]:
    """Read the city's metro stations in the order of each line's rows, and the edges between
    them.
    """
    lines: dict[str, list[SourceRow]] = {}
    for row in of_city(rows, city):
        lines.setdefault(row.cells.get("line", "").strip(), []).append(row)
    return read_metro(city, [MetroLine(name, rows) for name, rows in lines.items()])
