"""Writes the layout of TravelEval's ``environment/database``.

As in the published files, the coordinates of attractions are in BD-09, and all other coordinates
are in GCJ-02. Outside mainland China, BD-09 and GCJ-02 are equal to WGS 84. Unknown values are
empty cells. Only places that lack a name or coordinates are left out. The layout cannot express
hours that differ by day, so the hours of most days are written, and the change is recorded.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from schemas.geo import Datum, distance_m, from_wgs84, to_wgs84
from schemas.mainland import MAINLAND
from warehouse.export import traveleval_plans
from warehouse.export.account import ExportAccount, write_csv, write_json, write_jsonl
from warehouse.export.gather import (
    BASE_ZH,
    CUISINE_ZH,
    FEATURE_ZH,
    TREND_ZH,
    CityRows,
    Row,
    cities,
    city_in_yuan,
    city_names_zh,
    clock,
    connections,
    daily,
    hours,
    in_yuan,
    leave_fares,
    rows_of_city,
    tell_connection,
    units,
)
from warehouse.read import Snapshot

_ROOMS = (
    ("single", "single_room"),
    ("king", "king_room"),
    ("double", "double_bed"),
    ("family", "family_room"),
)
ATTRACTIONS = (
    "id", "name", "type", "lat", "lon", "opentime", "endtime", "price", "recommendmintime",
    "recommendmaxtime", "star",
)  # fmt: skip
HOTELS = (
    "id", "name", "hotelname_en", "featurehoteltype", "lat", "lon",
    *(f"{room}_{what}" for _, room in _ROOMS for what in ("price", "stock")),
)  # fmt: skip
RESTAURANTS = (
    "id", "name", "lat", "lon", "price", "cuisine", "opentime", "endtime", "recommendedfood",
)  # fmt: skip


def write(snapshot: Snapshot, out: Path, account: ExportAccount, plan_kind: str) -> None:
    """Write all tables: places and coordinates of every city, trains, flights, metro and plans."""
    metro: dict[str, Any] = {}
    for row in cities(snapshot):
        city = city_in_yuan(rows_of_city(snapshot, row), account)
        slug = city.slug
        leave_fares(snapshot, slug, account)
        places = [{"name": h["name"], "position": list(_round_point(h))} for h in city.hubs]
        _note_moved(city, "hubs", city.hubs, "name", account)
        account.count_written(slug, "hubs", len(city.hubs))
        for table, path, header in (
            ("attractions", f"attractions/{slug}/attractions.csv", ATTRACTIONS),
            ("hotels", f"accommodations/{slug}/accommodations.csv", HOTELS),
            ("restaurants", f"restaurants/{slug}/restaurants_{slug}.csv", RESTAURANTS),
        ):
            places += _table(out / path, header, city, table, account)
        write_json(out / "poi" / slug / "poi.json", places)
        if city.stations:
            metro[slug] = _metro(city)
            _note_moved(city, "metro_stations", city.stations, "station_id", account)
            account.count_written(slug, "metro_stations", len(city.stations))
    write_json(out / "transportation" / "subways.json", metro)
    _intercity(snapshot, out, account)
    traveleval_plans.write(snapshot, out, account, plan_kind)


def _table(
    path: Path, header: tuple[str, ...], city: CityRows, table: str, account: ExportAccount
) -> list[Row]:
    """Write one CSV file, and return the names and coordinates of its rows."""
    build, key = {
        "attractions": (_attraction, "poi_id"), "hotels": (_hotel, "hotel_id"),
        "restaurants": (_restaurant, "restaurant_id"),
    }[table]  # fmt: skip
    source: list[Row] = getattr(city, table)
    rows: list[Row] = []
    for row in source:
        if not row["name"] or row["lat"] is None:
            why = "no coordinates" if row["name"] else "no name"
            account.leave_out(city.slug, table, row[key], row["name"], why)
            continue
        if "hours_weekly" in row:
            _note_hours(row, city.slug, table, row[key], account)
        rows.append({"id": len(rows), **build(row)})
    account.count_written(city.slug, table, len(rows))
    _note_moved(city, table, source, key, account)
    write_csv(path, header, rows, bom=table != "restaurants")
    return [{"name": row["name"], "position": [row["lat"], row["lon"]]} for row in rows]


def _note_hours(row: Row, slug: str, table: str, key: str, account: ExportAccount) -> None:
    span = daily(row["hours_weekly"])
    change = partial(account.change, slug, table, key, row["name"], "hours")
    if row.get("closed_days"):
        change(f"the layout cannot express closed days ({row['closed_days']})")
    if span is None and row["hours_osm"] is not None:
        change(f"the hours depend on the date: {row['hours_osm']}")
    elif span is not None and not span.exact:
        change(f"the hours differ by day: {row['hours_osm']}")


def _round_point(row: Row, datum: Datum = "gcj02") -> tuple[float, float]:
    lat, lon = from_wgs84(row["lat"], row["lon"], datum)
    return round(lat, 8), round(lon, 8)


def _note_moved(
    city: CityRows, table: str, rows: list[Row], key: str, account: ExportAccount
) -> None:
    """Record the places whose coordinates would mislead a reader of the layout.

    The coordinates of a place mislead if the border of mainland China lies between the place and
    its city, because they could also mean a place on the city's side.
    """
    datum: Datum = "bd09" if table == "attractions" else "gcj02"
    for row in rows:
        if row["lat"] is None:
            continue
        back = to_wgs84(*_round_point(row, datum), datum, mainland=city.country_code == MAINLAND)
        away = float(distance_m(row["lat"], row["lon"], *back))
        if away > 1:
            why = (
                "the border of mainland China lies between the place and its city, so programs"
                f" that read the layout locate the place {away:.0f} m from its true position"
            )
            account.change(city.slug, table, row[key], row["name"], "coordinates", why)


def _span(row: Row, padded: bool) -> tuple[str | None, str | None]:
    span = daily(row["hours_weekly"])
    if span is None:
        return None, None
    return clock(span.open_min, padded), clock(span.close_min, padded)


def _attraction(row: Row) -> Row:
    opens, closes = _span(row, padded=False)
    tags = [BASE_ZH[row["base_type"]]] if row["base_type"] else []
    tags += [TREND_ZH[code] for code in row["trend_types"]]
    lat, lon = _round_point(row, "bd09")
    return {
        "name": row["name"], "type": f"{{{';'.join(tags)}}}", "lat": lat,
        "lon": lon, "opentime": opens, "endtime": closes, "price": units(row["price_cents"]),
        "recommendmintime": hours(row["duration_min_min"]),
        "recommendmaxtime": hours(row["duration_max_min"]), "star": row["rating"],
    }  # fmt: skip


def _hotel(row: Row) -> Row:
    lat, lon = _round_point(row)
    rooms = {room["room_type"]: room for room in row["rooms"]}
    made = {
        "name": row["name"], "hotelname_en": row["name_en"],
        "featurehoteltype": FEATURE_ZH.get(row["feature"] or ""), "lat": lat, "lon": lon,
    }  # fmt: skip
    for code, column in _ROOMS:
        room = rooms.get(code, {})
        made[f"{column}_price"] = units(room.get("price_cents"))
        made[f"{column}_stock"] = room.get("stock")
    return made


def _restaurant(row: Row) -> Row:
    opens, closes = _span(row, padded=True)
    lat, lon = _round_point(row)
    return {
        "name": row["name"], "lat": lat, "lon": lon, "price": units(row["price_cents"]),
        "cuisine": CUISINE_ZH.get(row["cuisine"] or ""), "opentime": opens, "endtime": closes,
        "recommendedfood": ",".join(row["dishes"]) or " ",
    }  # fmt: skip


def _metro(city: CityRows) -> list[Row]:
    lines: dict[str, list[Row]] = {}
    for row in sorted(city.stations, key=lambda r: (r["line"], r["sequence"])):
        lat, lon = _round_point(row)
        lines.setdefault(row["line"], []).append({"name": row["name"], "position": f"{lon},{lat}"})
    return [{"name": line, "stations": stations} for line, stations in lines.items()]


def _intercity(snapshot: Snapshot, out: Path, account: ExportAccount) -> None:
    trains, flights = (
        in_yuan(connections(snapshot, table), account, "intercity", table)
        for table in ("trains", "flights")
    )
    names = city_names_zh(snapshot, [*trains, *flights])
    files: dict[tuple[str, str], list[Row]] = {}
    for row in trains:
        ends = names[row["origin_city_id"]], names[row["destination_city_id"]]
        if ends[0] is None or ends[1] is None:
            account.leave_out(
                "intercity", "trains", row["train_id"], row["train_no"], "city without a name"
            )
            continue
        made = {"TrainID": row["train_no"], "TrainType": row["train_type"], **tell_connection(row)}
        files.setdefault((ends[0], ends[1]), []).append(made)
        account.count_written("intercity", "trains")
    for a, b in list(files):
        files.setdefault((b, a), [])  # TravelEval's loader needs both directions
    for (a, b), rows in sorted(files.items()):
        write_json(out / "intercity_transport" / "train" / f"from_{a}_to_{b}.json", rows)
    written = []
    for row in flights:
        ends = names[row["origin_city_id"]], names[row["destination_city_id"]]
        stops = row["origin_station"], row["destination_station"]
        if any(zh is None for zh in ends):
            account.leave_out(
                "intercity", "flights", row["flight_id"], row["flight_no"], "city without a name"
            )
            continue
        made = {"FlightID": row["flight_no"], **tell_connection(row)}
        for column, zh, stop in zip(("From", "To"), ends, stops, strict=True):
            if not stop.startswith(str(zh)):
                made[column] = f"{zh}{stop}"
                account.change(
                    "intercity",
                    "flights",
                    row["flight_id"],
                    stop,
                    column,
                    "the exported name of the airport begins with the name of the city",
                )
        written.append(made)
        account.count_written("intercity", "flights")
    write_jsonl(out / "intercity_transport" / "airplane.jsonl", written)
