"""Writes the layout that ChinaTravel's environment reads (public tools, ``environment/database``).

ChinaTravel's loaders determine the form of the files:

- There are ten fixed cities, and each of their tables needs at least one row. If the snapshot lacks
  one of the cities, each of this city's tables gets a row that is marked as a placeholder, and a
  note says so. All rows of other cities are left out.
- The loader drops hotels with an empty cell, so an unknown English name or feature is written as
  未知. A hotel has one room, either king (``numbed`` 1) or double (2). The exporter chooses the
  type of room that the exported plans use for more nights. If the plans use both types for
  equally many nights, the exporter chooses the type with more free rooms. If there is still a tie,
  the id decides, so that both types occur.
- Dishes are used as patterns, in which a bracket or a plus sign would make the call fail.
  Characters with a special meaning in patterns are therefore written full-width.
- Opening times are split at the colon and must not be empty. **Unknown hours are written as 0:00 to
  0:00**, which ChinaTravel's ``is_open`` and checks treat as open all day. A place that is known to
  be open all day has the hours 0:00 to 24:00. If the hours differ by day, the hours of most days
  are written, and the change is listed.
- Prices are compared as numbers. A place with an unknown price cannot be compared and is left out.
- Each city has one table of positions by name, so names are unique across all tables of a city.
- All 90 train files are written. A file without trains is ``[]``, as in ChinaTravel's own data,
  although ChinaTravel's ``select`` fails on such a file.
- Flights are found by the Chinese name of the city in the airport's name. If the airport's name
  does not contain the city's name, the exporter puts the city's name in front.
- A journey is looked up by its number and its two ends. If several journeys have the same number
  and ends, all except the first get a suffix: ``D1810(2)``. For example, a train needs such a
  suffix if its times differ by day.

All coordinates are WGS 84, since ChinaTravel needs them only for distances. ChinaTravel's ``goto``
measures distances on the ellipsoid, like ``warehouse.ways``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import permutations
from pathlib import Path
from typing import Any

from schemas.cities import find_city
from schemas.ids import digest
from schemas.plans import ROOM_NUMBERS
from schemas.taxonomy import ROOM_TYPES, codes
from warehouse.export import chinatravel_plans
from warehouse.export.account import ExportAccount, write_csv, write_json, write_jsonl
from warehouse.export.chinatravel_plans import Written, count_wanted_rooms, journey_key
from warehouse.export.gather import (
    BASE_ZH,
    CONNECTIONS,
    CUISINE_ZH,
    FEATURE_ZH,
    NO_VALUES,
    CityRows,
    Row,
    cities,
    city_in_yuan,
    clock,
    connections,
    daily,
    hours,
    in_yuan,
    leave_fares,
    rows_of_city,
    tell_connection,
    unique_names,
    units,
)
from warehouse.read import Snapshot

#: The ten cities that ChinaTravel's loaders read, as pairs of folder and name.
CITIES = (
    ("beijing", "北京"), ("shanghai", "上海"), ("nanjing", "南京"), ("suzhou", "苏州"),
    ("hangzhou", "杭州"), ("shenzhen", "深圳"), ("chengdu", "成都"), ("wuhan", "武汉"),
    ("guangzhou", "广州"), ("chongqing", "重庆"),
)  # fmt: skip
UNKNOWN = "未知"
#: The opening and closing time that is written if the hours are unknown.
UNKNOWN_HOURS = ("0:00", "0:00")
ATTRACTIONS = (
    "id", "name", "type", "lat", "lon", "opentime", "endtime", "price", "recommendmintime",
    "recommendmaxtime",
)  # fmt: skip
HOTELS = ("id", "name", "hotelname_en", "featurehoteltype", "lat", "lon", "price", "numbed")
RESTAURANTS = (
    "id", "name", "lat", "lon", "price", "cuisine", "opentime", "endtime", "recommendedfood",
)  # fmt: skip
_BEDS = {"king": 1, "double": 2}
_ROOM_ORDER = codes(ROOM_TYPES)
#: Replaces characters with a meaning in patterns by their full-width forms.
_NO_PATTERN = {ord(char): ord(char) + 0xFEE0 for char in r"\^$.|?*+()[]{}"}


def write(snapshot: Snapshot, out: Path, account: ExportAccount, plan_kind: str) -> None:
    """Write all files that the environment reads."""
    held = {row["city_id"]: row for row in cities(snapshot)}
    metro: dict[str, list[Row]] = {}
    ends: dict[str, tuple[str, str]] = {}
    positions: dict[str, dict[str, list[float]]] = {}
    written, votes = Written(), count_wanted_rooms(snapshot, plan_kind)
    for slug, zh in CITIES:
        row = held.pop(find_city(zh).city_id, None)
        if row is None:
            positions[slug], metro[slug] = _placeholders(out, slug, zh, account), []
            continue
        ends[row["city_id"]] = (slug, zh)
        written.cities |= {
            name: zh
            for name in (row["slug"], row["city_id"], row["name_zh"], row["name_en"])
            if name
        }
        city = unique_names(city_in_yuan(rows_of_city(snapshot, row), account), account)
        for hotel in city.hotels:
            hotel["votes"] = votes.get((row["city_id"], hotel["own_name"]), {})
        positions[slug] = _write_city(out, slug, city, written, account)
        metro[slug] = _metro(city, account)
        leave_fares(snapshot, row["slug"], account)
    for row in held.values():
        _leave_out(rows_of_city(snapshot, row), account)
        leave_fares(snapshot, row["slug"], account)
    write_json(out / "transportation" / "subways.json", metro)
    stops = _trains(snapshot, out, ends, written, account)
    stops |= _flights(snapshot, out, ends, written, account)
    for slug, own, name in sorted(stops):
        if own not in positions[slug]:
            account.notes.append(
                f"{slug}: {name} has no coordinates, so ChinaTravel's function `goto` cannot "
                "find it"
            )
        else:
            positions[slug].setdefault(name, positions[slug][own])
    for slug, places in positions.items():
        rows = [{"name": name, "position": position} for name, position in places.items()]
        write_json(out / "poi" / slug / "poi.json", rows)
    slugs = {city_id: slug for city_id, (slug, _) in ends.items()}
    chinatravel_plans.write(snapshot, out, slugs, written, account, plan_kind)


def _leave_out(city: CityRows, account: ExportAccount) -> None:
    """List every row of a city that the layout cannot contain."""
    why = "the layout has only ten cities, and this city is not one of them"
    account.cities_left_out[city.slug] = f"{why} ({', '.join(slug for slug, _ in CITIES)})"
    for table, key in (
        ("attractions", "poi_id"), ("hotels", "hotel_id"), ("restaurants", "restaurant_id"),
        ("hubs", "name"), ("metro_stations", "station_id"),
    ):  # fmt: skip
        rows: list[Row] = getattr(city, "stations" if table == "metro_stations" else table)
        for row in rows:
            account.leave_out(city.slug, table, row[key], row["name"], f"the city is {why}")


def _write_city(
    out: Path, slug: str, city: CityRows, held: Written, account: ExportAccount
) -> dict[str, list[float]]:
    """Write the three tables of a city, and return the coordinates of its places by name."""
    tables = (
        (
            "attractions",
            f"attractions/{slug}/attractions.csv",
            ATTRACTIONS,
            city.attractions,
            _attraction,
            "poi_id",
        ),
        (
            "hotels",
            f"accommodations/{slug}/accommodations.csv",
            HOTELS,
            city.hotels,
            _hotel,
            "hotel_id",
        ),
        (
            "restaurants",
            f"restaurants/{slug}/restaurants_{slug}.csv",
            RESTAURANTS,
            city.restaurants,
            _restaurant,
            "restaurant_id",
        ),
    )
    positions = {row["name"]: [row["lat"], row["lon"]] for row in city.hubs}
    account.count_written(slug, "hubs", len(city.hubs))
    for table, file, header, rows, build, key in tables:
        written: list[Row] = []
        for row in rows:
            if missing := _missing(row, table):
                account.leave_out(slug, table, row[key], row["name"], missing)
                continue
            made = build(row, partial(account.change, slug, table, row[key], row["name"]))
            written.append({"id": len(written), **made})
            held.add(slug, table, row["own_name"], made)
            positions[row["name"]] = [row["lat"], row["lon"]]
        account.count_written(slug, table, len(written))
        if not written:
            written.append(_placeholder(table, slug, city.name_zh, account))
            positions[written[0]["name"]] = [written[0]["lat"], written[0]["lon"]]
        write_csv(out / file, header, written)
    return positions


def _missing(row: Row, table: str) -> str | None:
    """Return the reason why the layout cannot express a row, or None if it can."""
    if not row["name"]:
        return "no name"
    if row["lat"] is None:
        return "no coordinates"
    if table == "hotels":
        return "the hotel has no room with a known price" if _room(row) is None else None
    return "price unknown" if row["price_cents"] is None else None


def _span(row: Row, change: Any, padded: bool) -> tuple[str, str]:
    span = daily(row["hours_weekly"])
    if row.get("closed_days"):
        change("hours", f"the layout cannot express closed days ({row['closed_days']})")
    if span is None:
        change("hours", "the hours are unknown, so the exported hours are 0:00 to 0:00")
        return UNKNOWN_HOURS
    if not span.exact:
        change(
            "hours",
            (
                f"the hours differ by day ({row['hours_osm']}), so the exported hours are those "
                "of most days"
            ),
        )
    if row["hours_osm"] and any(word in row["hours_osm"] for word in ("PH", "SH")):
        change("hours", f"the layout cannot express holidays ({row['hours_osm']})")
    return clock(span.open_min, padded), clock(span.close_min, padded)


def _attraction(row: Row, change: Any) -> Row:
    opens, closes = _span(row, change, padded=False)
    if row["base_type"] is None:
        change("type", f"type unknown: {UNKNOWN}")
    return {
        "name": row["name"], "type": BASE_ZH.get(row["base_type"] or "", UNKNOWN),
        "lat": row["lat"], "lon": row["lon"], "opentime": opens, "endtime": closes,
        "price": units(row["price_cents"]), "recommendmintime": hours(row["duration_min_min"]),
        "recommendmaxtime": hours(row["duration_max_min"]),
    }  # fmt: skip


def _room(row: Row) -> tuple[str, int, int | None] | None:
    """Choose the room that represents a hotel; return its type, price in cents and free rooms."""
    rooms = {room["room_type"]: room for room in row["rooms"] if room["price_cents"] is not None}
    known = [kind for kind in _BEDS if kind in rooms] or sorted(rooms, key=_ROOM_ORDER.index)[:1]
    if not known:
        return None
    odd = int(digest(row["hotel_id"])[:8], 16) % 2
    best = max(
        known,
        key=lambda kind: (
            row["votes"].get(ROOM_NUMBERS[kind], 0),
            rooms[kind]["stock"] or 0,
            (kind == "double") == bool(odd),
        ),
    )
    return best, rooms[best]["price_cents"], rooms[best]["stock"]


def _hotel(row: Row, change: Any) -> Row:
    room = _room(row)
    assert room is not None  # a row without such a room was left out
    kind, price, _stock = room
    english = row["name_en"] if row["name_en"] and row["name_en"] not in NO_VALUES else UNKNOWN
    feature = FEATURE_ZH.get(row["feature"] or "", UNKNOWN)
    if english == UNKNOWN:
        change("hotelname_en", f"English name unknown: {UNKNOWN}")
    if feature == UNKNOWN:
        change("featurehoteltype", f"feature unknown: {UNKNOWN}")
    if kind not in _BEDS:
        change("numbed", f"the only room with a known price is of type {kind}")
    return {
        "name": row["name"], "hotelname_en": english, "featurehoteltype": feature,
        "lat": row["lat"], "lon": row["lon"], "price": units(price),
        "numbed": _BEDS.get(kind, 2 if kind == "family" else 1),
    }  # fmt: skip


def _restaurant(row: Row, change: Any) -> Row:
    opens, closes = _span(row, change, padded=True)
    if row["cuisine"] is None:
        change("cuisine", f"cuisine unknown: {UNKNOWN}")
    dishes = ",".join(row["dishes"])
    if dishes != (plain := dishes.translate(_NO_PATTERN)):
        change(
            "recommendedfood",
            "characters that have a special meaning in regular expressions are written as "
            "full-width characters",
        )
    return {
        "name": row["name"],
        "lat": row["lat"],
        "lon": row["lon"],
        "price": units(row["price_cents"]),
        "cuisine": CUISINE_ZH.get(row["cuisine"] or "", UNKNOWN),
        "opentime": opens,
        "endtime": closes,
        "recommendedfood": plain or " ",
    }


def _placeholders(out: Path, slug: str, zh: str, account: ExportAccount) -> dict[str, list[float]]:
    """Write tables of one row each for a city that the snapshot lacks."""
    files = (
        ("attractions", f"attractions/{slug}/attractions.csv", ATTRACTIONS),
        ("hotels", f"accommodations/{slug}/accommodations.csv", HOTELS),
        ("restaurants", f"restaurants/{slug}/restaurants_{slug}.csv", RESTAURANTS),
    )
    positions = {}
    for table, file, header in files:
        row = _placeholder(table, slug, zh, account)
        write_csv(out / file, header, [row])
        positions[row["name"]] = [row["lat"], row["lon"]]
    return positions


def _placeholder(table: str, slug: str, zh: str, account: ExportAccount) -> Row:
    """Make a row that satisfies ChinaTravel's loader and is marked as a placeholder."""
    city = find_city(zh)
    kind = {"attractions": "景点", "hotels": "酒店", "restaurants": "餐厅"}[table]
    account.notes.append(
        f"{slug}: there are no {table}, but ChinaTravel's loader needs at least one row, so a "
        "placeholder row is written"
    )
    return {
        "id": 0, "name": f"(无{zh}{kind}数据)", "type": UNKNOWN, "hotelname_en": UNKNOWN,
        "featurehoteltype": UNKNOWN, "cuisine": UNKNOWN, "recommendedfood": " ", "lat": city.lat,
        "lon": city.lon, "opentime": "0:00", "endtime": "0:01", "price": 999999, "numbed": 1,
        "recommendmintime": None, "recommendmaxtime": None,
    }  # fmt: skip


def _metro(city: CityRows, account: ExportAccount) -> list[Row]:
    """Return lines with their stations in order; a station has the same point on all lines."""
    points: dict[str, str] = {}
    lines: dict[str, list[Row]] = {}
    for row in sorted(city.stations, key=lambda r: (r["line"], r["sequence"])):
        point = points.setdefault(row["station_id"], f"{row['lon']},{row['lat']}")
        lines.setdefault(row["line"], []).append({"name": row["name"], "position": point})
    account.count_written(city.slug, "metro_stations", len(city.stations))
    return [{"name": line, "stations": stations} for line, stations in lines.items()]


Ends = dict[str, tuple[str, str]]
#: A city, the name of a station or airport in the snapshot, and the name that is written.
Stop = tuple[str, str, str]


def _trains(
    snapshot: Snapshot, out: Path, ends: Ends, written: Written, account: ExportAccount
) -> set[Stop]:
    """Write a file for each of the 90 ordered pairs of cities, and return the stations used."""
    files: dict[tuple[str, str], list[Row]] = {
        (a, b): [] for (_, a), (_, b) in permutations(CITIES, 2)
    }
    stops: set[Stop] = set()
    for row, start, end in _between(snapshot, "trains", ends, account):
        kind = {"TrainID": row["number"], "TrainType": row["train_type"] or UNKNOWN}
        made = {**kind, **_connection(row)}
        files[start[1], end[1]].append(made)
        first, last = row["origin_station"], row["destination_station"]
        written.journeys[journey_key("train", row["train_no"], row)] = (row["number"], made)
        stops |= {(start[0], first, first), (end[0], last, last)}
    for (a, b), rows in files.items():
        write_json(out / "intercity_transport" / "train" / f"from_{a}_to_{b}.json", rows)
        if not rows:
            account.notes.append(
                f"there are no trains from {a} to {b}, so the list of trains is empty"
            )
    return stops


def _flights(
    snapshot: Snapshot, out: Path, ends: Ends, written: Written, account: ExportAccount
) -> set[Stop]:
    rows: list[Row] = []
    stops: set[Stop] = set()
    for row, start, end in _between(snapshot, "flights", ends, account):
        made = {"FlightID": row["number"], **_connection(row)}
        for key, (slug, zh), stop in (
            ("From", start, row["origin_station"]), ("To", end, row["destination_station"])
        ):  # fmt: skip
            if zh not in stop:
                made[key] = zh + stop
                account.change(
                    slug,
                    "flights",
                    row["flight_id"],
                    stop,
                    key,
                    f"the layout requires {zh} in the name, so the exported name is {made[key]}",
                )
            stops.add((slug, stop, made[key]))
        rows.append(made)
        written.journeys[journey_key("airplane", row["flight_no"], row)] = (row["number"], made)
    write_jsonl(out / "intercity_transport" / "airplane.jsonl", rows)
    return stops


def _between(
    snapshot: Snapshot, table: str, ends: Ends, account: ExportAccount
) -> Iterator[tuple[Row, tuple[str, str], tuple[str, str]]]:
    """Yield the connections with a price between two of the ten cities; leave out the others.

    The value ``number`` is the connection's number in the layout, which is unique between two
    stations.
    """
    key, number = CONNECTIONS[table]
    seen: Counter[tuple[str, str, str]] = Counter()
    for row in in_yuan(connections(snapshot, table), account, "intercity", table):
        start, end = ends.get(row["origin_city_id"]), ends.get(row["destination_city_id"])
        it = "intercity", table, row[key], row[number]
        if start is None or end is None:
            account.leave_out(*it, "one of the connection's cities is not exported")
        elif row["price_cents"] is None:
            account.leave_out(*it, "price unknown")
        else:
            account.count_written("intercity", table)
            one = row[number], row["origin_station"], row["destination_station"]
            seen[one] += 1
            row["number"] = row[number]
            if seen[one] > 1:
                row["number"] += f"({seen[one]})"
                account.change(
                    *it,
                    "number",
                    (
                        "the layout requires unique numbers, so the exported number is "
                        f"{row['number']}"
                    ),
                )
            yield row, start, end


def _connection(row: Row) -> Row:
    return {**tell_connection(row), "Cost": row["price_cents"] / 100}
