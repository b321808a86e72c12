"""The place tables of a city as the sandbox holds them: columns to select by, records to answer with."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from warehouse.columns import PlaceTable
from warehouse.facts import CLOSED_DAYS, FACT_COLUMNS, closed_weekdays
from warehouse.opening import Hours
from warehouse.read import Snapshot
from warehouse.records import Attraction, Hotel, Hub, Place, Restaurant, Room

TABLES = ("attractions", "restaurants", "hotels", "hubs")
_ID = {"attractions": "poi_id", "restaurants": "restaurant_id", "hotels": "hotel_id"}


def read_places(snapshot: Snapshot, kind: str, slug: str) -> PlaceTable:
    """A table of ``TABLES`` for a city; fields that the record names stand as columns."""
    if kind == "attractions":
        table = _attractions(snapshot, slug)
    elif kind == "hubs":
        table = snapshot.arrow("hubs", slug) if "hubs" in snapshot.tables() else None
        table = _hubs(table)
    else:
        table = snapshot.arrow(kind, slug)
        if kind == "hotels":
            table = table.append_column("price_cents", _cheapest(table.column("rooms")))
        table = _named(table, _ID[kind])
    build = {"attractions": _attraction, "restaurants": _restaurant, "hotels": _hotel, "hubs": _hub}
    make = build[kind]
    return PlaceTable(table, lambda rows, number: make(rows, number, slug))


def _named(table: pa.Table, key: str) -> pa.Table:
    name = pc.coalesce(table.column("name_zh"), table.column("name_en"))
    table = table.append_column("name", name)
    return table.append_column("place_id", table.column(key)).combine_chunks()


def _hubs(table: pa.Table | None) -> pa.Table:
    if table is None:
        names = pa.array([], pa.string())
        numbers = pa.array([], pa.float64())
        table = pa.table({"name": names, "lat": numbers, "lon": numbers})
    return table.append_column("place_id", table.column("name"))


def _cheapest(rooms: pa.ChunkedArray) -> pa.Array:
    """Cents of the cheapest room of known price of each hotel."""
    whole = rooms.combine_chunks()
    prices = whole.flatten().field("price_cents").to_numpy(zero_copy_only=False).astype(float)
    hotels = pc.list_parent_indices(whole).to_numpy(zero_copy_only=False)
    least = np.full(len(whole), np.inf)
    known = ~np.isnan(prices)
    np.minimum.at(least, hotels[known], prices[known])
    return pa.array([None if np.isinf(one) else int(one) for one in least], pa.int64())


def _attractions(snapshot: Snapshot, slug: str) -> pa.Table:
    """Places that hold, with the facts that always hold of them."""
    table = snapshot.arrow("pois", slug)
    table = table.filter(pc.is_null(table.column("superseded_by")))
    facts = snapshot.arrow("poi_facts", slug)
    found = _newest(facts)
    ids = table.column("poi_id").to_pylist()
    for column in FACT_COLUMNS:
        numbers = pa.array([found[column].get(one) for one in ids], pa.int64())
        table = table.append_column(column, facts.column(column).combine_chunks().take(numbers))
    values = facts.column("value").combine_chunks()
    numbers = pa.array([found[CLOSED_DAYS].get(one) for one in ids], pa.int64())
    table = table.append_column(CLOSED_DAYS, values.take(numbers))
    bases, trends = table.column("base_type").to_pylist(), table.column("trend_types").to_pylist()
    types = [[*([base] if base else []), *more] for base, more in zip(bases, trends, strict=True)]
    table = table.append_column("types", pa.array(types, pa.list_(pa.string())))
    return _named(table, "poi_id")


def _newest(facts: pa.Table) -> dict[str, dict[str, int]]:
    """Row numbers of the newest statement that always holds, by column and place.

    The same rule as ``facts.known_facts``, without making rows.
    """
    always = np.flatnonzero(pc.equal(facts.column("valid_when"), "always").to_numpy()).tolist()
    dates, ids = facts.column("source_date").to_pylist(), facts.column("fact_id").to_pylist()
    always.sort(key=lambda n: (dates[n] is not None, dates[n] or 0, ids[n]))
    places = facts.column("poi_id").to_pylist()
    found: dict[str, dict[str, int]] = {}
    for column in FACT_COLUMNS:
        known = pc.is_valid(facts.column(column)).to_numpy()
        found[column] = {places[n]: n for n in always if known[n]}
    closed = pc.equal(facts.column("fact_field"), CLOSED_DAYS).to_numpy()
    found[CLOSED_DAYS] = {places[n]: n for n in always if closed[n]}
    return found


def _row(table: pa.Table, number: int) -> dict[str, Any]:
    return dict(table.slice(number, 1).to_pylist()[0])


_LOCATED = ("place_id", "name", "name_zh", "name_en", "lat", "lon")


def _located(row: dict[str, Any], slug: str) -> dict[str, Any]:
    return {"city": slug, **{column: row.get(column) for column in _LOCATED}}


def _attraction(table: pa.Table, number: int, slug: str) -> Place:
    row = _row(table, number)
    return Attraction(
        **_located(row, slug),
        category=row["category"],
        base_type=row["base_type"],
        trend_types=tuple(row["trend_types"]),
        rating=row["rating"],
        grade=row.get("grade"),
        price_cents=row["price_cents"],
        duration_min_min=row["duration_min_min"],
        duration_max_min=row["duration_max_min"],
        hours_osm=row["hours_osm"],
        closed_weekdays=closed_weekdays(row[CLOSED_DAYS]),
        hours=Hours.of(row["hours_osm"], row["hours_weekly"]),
    )


def _restaurant(table: pa.Table, number: int, slug: str) -> Place:
    row = _row(table, number)
    return Restaurant(
        **_located(row, slug),
        cuisine=row["cuisine"],
        price_cents=row["price_cents"],
        dishes=tuple(row["dishes"]),
        hours_osm=row["hours_osm"],
        is_simulated=row["is_simulated"],
        hours=Hours.of(row["hours_osm"], row["hours_weekly"]),
    )


def _hotel(table: pa.Table, number: int, slug: str) -> Place:
    row = _row(table, number)
    rooms = tuple(Room(r["room_type"], r["price_cents"], r["stock"]) for r in row["rooms"])
    return Hotel(
        **_located(row, slug),
        feature=row["feature"],
        price_cents=row["price_cents"],
        rooms=rooms,
        is_simulated=row["is_simulated"],
    )


def _hub(table: pa.Table, number: int, slug: str) -> Place:
    row = _row(table, number)
    return Hub(**{**_located(row, slug), "name_zh": row["name"]})
