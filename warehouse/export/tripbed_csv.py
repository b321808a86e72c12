"""Writes tripbed's own CSV layout, which ``--tables-format tripbed`` reads.

Coordinates are WGS 84, and an empty cell means unknown. The layout contains neither metro nor
stations, so the rows for these are recorded as left out.
"""

from __future__ import annotations

from pathlib import Path

from schemas.rows import PoiAliasesRow, PoiHierarchyRow
from schemas.typed_rows import read_rows
from warehouse.export.account import ExportAccount, write_csv
from warehouse.export.gather import (
    CityRows,
    Row,
    cities,
    city_names_zh,
    clock,
    connections,
    leave_fares,
    rows_of_city,
    units,
)
from warehouse.read import Snapshot

GAZETTEER = (
    "city", "id", "name_zh", "name_en", "lat", "lon", "aliases", "category", "types", "parent_id",
    "opening_hours", "price", "currency", "min_duration_min", "max_duration_min", "rating",
)  # fmt: skip
HOTELS = ("city", "id", "name_zh", "name_en", "lat", "lon", "feature", "room_type", "price",
    "currency", "stock")  # fmt: skip
RESTAURANTS = (
    "city", "id", "name_zh", "name_en", "lat", "lon", "cuisine", "price", "currency",
    "opening_hours",
    "recommended_dishes",
)  # fmt: skip
_TIMES = ("departure", "arrival", "duration_min", "price", "currency")
TRAINS = ("train_id", "train_type", "from_city", "from_station", "to_city", "to_station", *_TIMES)
FLIGHTS = ("flight_id", "from_city", "from_airport", "to_city", "to_airport", *_TIMES)


def write(snapshot: Snapshot, out: Path, account: ExportAccount) -> None:
    """Write the five files, each of which contains all cities."""
    places: list[Row] = []
    rooms: list[Row] = []
    meals: list[Row] = []
    for row in cities(snapshot):
        city = rows_of_city(snapshot, row)
        places += _places(snapshot, city, account)
        rooms += [made for hotel in city.hotels for made in _rooms(hotel, city)]
        meals += [_meal(restaurant, city) for restaurant in city.restaurants]
        account.count_written(city.slug, "hotels", len(city.hotels))
        account.count_written(city.slug, "restaurants", len(city.restaurants))
        for station in city.stations:
            account.leave_out(
                city.slug,
                "metro_stations",
                station["station_id"],
                station["name"],
                "the layout does not include the metro",
            )
        leave_fares(snapshot, city.slug, account)
        for hub in city.hubs:
            account.leave_out(
                city.slug, "hubs", hub["name"], hub["name"], "the layout does not include stations"
            )
    write_csv(out / "gazetteer.csv", GAZETTEER, places)
    write_csv(out / "hotels.csv", HOTELS, rooms)
    write_csv(out / "restaurants.csv", RESTAURANTS, meals)
    _intercity(snapshot, out, account)


def _places(snapshot: Snapshot, city: CityRows, account: ExportAccount) -> list[Row]:
    aliases: dict[str, list[str]] = {}
    others = snapshot.table("poi_aliases", city.slug).sort("poi_id", "alias")
    for other in read_rows(others, PoiAliasesRow):
        aliases.setdefault(other["poi_id"], []).append(other["alias"])
    held = {row["poi_id"] for row in city.attractions}
    parents: dict[str, str] = {}
    for part in read_rows(snapshot.table("poi_hierarchy", city.slug), PoiHierarchyRow):
        if part["parent_poi_id"] in held:
            parents.setdefault(part["poi_id"], part["parent_poi_id"])
    made = []
    for row in city.attractions:
        if not row["name"]:
            account.leave_out(city.slug, "attractions", row["poi_id"], "", "no name")
            continue
        types = [*filter(None, [row["base_type"]]), *row["trend_types"]]
        made.append(
            {
                **_common(row, city, row["poi_id"]),
                "aliases": "|".join(aliases.get(row["poi_id"], ())),
                "category": row["category"],
                "types": "|".join(types),
                "parent_id": parents.get(row["poi_id"]),
                "opening_hours": row["hours_osm"],
                "price": units(row["price_cents"]),
                "currency": row["currency"],
                "min_duration_min": row["duration_min_min"],
                "max_duration_min": row["duration_max_min"],
                "rating": row["rating"],
            }
        )
        account.count_written(city.slug, "attractions")
    return made


def _common(row: Row, city: CityRows, key: str) -> Row:
    names = {column: row[column] for column in ("name_zh", "name_en", "lat", "lon")}
    return {"city": city.slug, "id": key, **names}


def _rooms(row: Row, city: CityRows) -> list[Row]:
    hotel = {**_common(row, city, row["hotel_id"]), "feature": row["feature"]}
    none = {"room_type": None, "price_cents": None, "stock": None}
    return [
        {
            **hotel,
            "room_type": r["room_type"],
            "price": units(r["price_cents"]),
            "currency": row["currency"],
            "stock": r["stock"],
        }
        for r in row["rooms"] or [none]
    ]


def _meal(row: Row, city: CityRows) -> Row:
    return {
        **_common(row, city, row["restaurant_id"]), "cuisine": row["cuisine"],
        "price": units(row["price_cents"]), "currency": row["currency"],
        "opening_hours": row["hours_osm"],
        "recommended_dishes": "|".join(row["dishes"]),
    }  # fmt: skip


def _intercity(snapshot: Snapshot, out: Path, account: ExportAccount) -> None:
    for kind, header, stop in (("train", TRAINS, "station"), ("flight", FLIGHTS, "airport")):
        rows = connections(snapshot, f"{kind}s")
        names = city_names_zh(snapshot, rows)
        made = []
        for row in rows:
            ends = names[row["origin_city_id"]], names[row["destination_city_id"]]
            if None in ends:
                account.leave_out(
                    "intercity",
                    f"{kind}s",
                    row[f"{kind}_id"],
                    row[f"{kind}_no"],
                    "city without a name",
                )
                continue
            days = row["arrival_day_offset"]
            made.append(
                {
                    f"{kind}_id": row[f"{kind}_no"],
                    "train_type": row.get("train_type"),
                    "from_city": ends[0],
                    f"from_{stop}": row["origin_station"],
                    "to_city": ends[1],
                    f"to_{stop}": row["destination_station"],
                    "departure": clock(row["departure_min"]),
                    "arrival": clock(row["arrival_min"]) + (f"+{days}" if days else ""),
                    "duration_min": row["duration_min"],
                    "price": units(row["price_cents"]),
                    "currency": row["currency"],
                }
            )
            account.count_written("intercity", f"{kind}s")
        write_csv(out / f"{kind}s.csv", header, made)
