"""Reads the places in a city for the sandbox, both as columns to select from and as records."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from schemas.arrow import arrow_schema
from warehouse.columns import PlaceTable
from warehouse.facts import CLOSED_DAYS, FACT_COLUMNS, read_closed_weekdays
from warehouse.opening import Hours
from warehouse.read import Snapshot
from warehouse.records import Attraction, Hotel, Hub, Place, Restaurant, RoomRecord

TABLES = ("attractions", "restaurants", "hotels", "hubs")
_ID = {"attractions": "poi_id", "restaurants": "restaurant_id", "hotels": "hotel_id"}


#: The columns that are read from each table.
_COLUMNS = {
    "pois": (
        "poi_id name_zh name_en category base_type trend_types lat lon rating grade superseded_by"
    ),
    "poi_facts": (
        "fact_id poi_id fact_field valid_when value source_date hours_osm hours_weekly "
        "price_cents currency duration_min_min duration_max_min"
    ),
    "restaurants": (
        "restaurant_id name_zh name_en cuisine rating lat lon price_cents currency hours_osm "
        "hours_weekly dishes is_simulated"
    ),
    "hotels": (
        "hotel_id name_zh name_en feature hotel_class stars rating lat lon rooms currency"
        " is_simulated"
    ),
    "hubs": "name lat lon",
}


def read_places(
    snapshot: Snapshot, kind: str, slug: str, home: str | None, country: str
) -> PlaceTable:
    """Read a table of ``TABLES`` for a city; the fields of the records are columns.

    ``home`` is the local currency, and ``country`` is the city's country code.
    """
    if kind == "attractions":
        return _attractions(snapshot, slug, home, country)
    if kind == "hubs":
        held = _read(snapshot, "hubs", slug) if "hubs" in snapshot.tables() else None
        held = held if held is not None else arrow_schema("hubs").empty_table()
        names = held.column("name").to_pylist()
        return PlaceTable(held, {"place_id": names, "name_zh": names}, partial(_hub, slug))
    held = _read(snapshot, kind, slug)
    derived = _group_names(held, _ID[kind])
    if kind == "hotels":
        derived["price_cents"] = _cheapest(held.column("rooms").combine_chunks())
        return PlaceTable(held, derived, partial(_hotel, slug))
    return PlaceTable(held, derived, partial(_restaurant, slug, country))


def _read(snapshot: Snapshot, table: str, slug: str) -> pa.Table:
    return snapshot.arrow(table, slug, _COLUMNS[table].split())


def _group_names(table: pa.Table, key: str) -> dict[str, list[Any]]:
    pairs = zip(
        table.column("name_zh").to_pylist(), table.column("name_en").to_pylist(), strict=True
    )
    return {"name": [zh or en for zh, en in pairs], "place_id": table.column(key).to_pylist()}


def _cheapest(rooms: pa.ListArray) -> list[int | None]:
    """Return the price in cents of each hotel's cheapest room, or None if no price is known."""
    least: list[int | None] = [None] * len(rooms)
    prices = rooms.flatten().field("price_cents").to_pylist()
    for hotel, price in zip(pc.list_parent_indices(rooms).to_pylist(), prices, strict=True):
        known = least[hotel]
        if price is not None and (known is None or price < known):
            least[hotel] = price
    return least


def _attractions(snapshot: Snapshot, slug: str, home: str | None, country: str) -> PlaceTable:
    """Read the POIs that were not merged into others, with the facts that always apply."""
    table = _read(snapshot, "pois", slug)
    table = table.filter(table.column("superseded_by").is_null()).combine_chunks()
    facts = snapshot.arrow("poi_facts", slug, _COLUMNS["poi_facts"].split())
    found = _newest(facts, home)
    derived = _group_names(table, "poi_id")
    ids = derived["place_id"]
    for column in (*FACT_COLUMNS, CLOSED_DAYS):
        rows = [found[column].get(one) for one in ids]
        if column == "hours_weekly":
            derived["hours_row"] = rows
            continue
        values = facts.column("value" if column == CLOSED_DAYS else column).to_pylist()
        derived[column] = [None if row is None else values[row] for row in rows]
    pairs = zip(
        table.column("base_type").to_pylist(), table.column("trend_types").to_pylist(), strict=True
    )
    derived["types"] = [[*([base] if base else []), *trends] for base, trends in pairs]
    return PlaceTable(
        table, derived, partial(_attraction, slug, country, facts.column("hours_weekly"))
    )


def _newest(facts: pa.Table, home: str | None) -> dict[str, dict[str, int]]:
    """Find the row of the newest fact that always applies, by column and place.

    The rule is the same as in ``facts.collect_facts``, but this function does not create Python
    rows.
    """
    columns = ("valid_when", "source_date", "fact_id", "currency", "poi_id", "fact_field")
    when, dates, ids, money, places, kinds = (facts.column(c).to_pylist() for c in columns)
    always = sorted(
        (n for n in range(len(when)) if when[n] == "always"),
        key=lambda n: (money[n] in (None, home), dates[n] is not None, dates[n] or 0, ids[n]),
    )
    known = {column: facts.column(column).is_valid().to_pylist() for column in FACT_COLUMNS}
    known[CLOSED_DAYS] = [kind == CLOSED_DAYS for kind in kinds]
    return {column: {places[n]: n for n in always if holds[n]} for column, holds in known.items()}


_LOCATED = ("place_id", "name", "name_zh", "name_en", "lat", "lon")
Row = Mapping[str, Any]


def _locate(row: Row, slug: str) -> dict[str, Any]:
    return {"city": slug, **{column: row.get(column) for column in _LOCATED}}


def _attraction(slug: str, country: str, weekly: pa.ChunkedArray, row: Row) -> Place:
    at = row["hours_row"]
    told = None if at is None else weekly[at].as_py()
    hours = Hours.of(row["hours_osm"], told, country=country)
    return Attraction(
        **_locate(row, slug),
        category=row["category"],
        base_type=row["base_type"],
        trend_types=tuple(row["trend_types"]),
        rating=row["rating"],
        grade=row["grade"],
        price_cents=row["price_cents"],
        currency=row["currency"],
        duration_min_min=row["duration_min_min"],
        duration_max_min=row["duration_max_min"],
        hours_osm=row["hours_osm"],
        closed_weekdays=read_closed_weekdays(row[CLOSED_DAYS]),
        hours=hours,
    )


def _restaurant(slug: str, country: str, row: Row) -> Place:
    return Restaurant(
        **_locate(row, slug),
        cuisine=row["cuisine"],
        rating=row["rating"],
        price_cents=row["price_cents"],
        currency=row["currency"],
        dishes=tuple(row["dishes"]),
        hours_osm=row["hours_osm"],
        is_simulated=row["is_simulated"],
        hours=Hours.of(row["hours_osm"], row["hours_weekly"], country=country),
    )


def _hotel(slug: str, row: Row) -> Place:
    rooms = tuple(RoomRecord(r["room_type"], r["price_cents"], r["stock"]) for r in row["rooms"])
    return Hotel(
        **_locate(row, slug),
        feature=row["feature"],
        hotel_class=row["hotel_class"],
        stars=row["stars"],
        rating=row["rating"],
        price_cents=row["price_cents"],
        currency=row["currency"],
        rooms=rooms,
        is_simulated=row["is_simulated"],
    )


def _hub(slug: str, row: Row) -> Place:
    return Hub(**_locate(row, slug))
