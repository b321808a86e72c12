"""The good snapshot: hotels, restaurants, transport, and the accounts."""

from __future__ import annotations

from itertools import pairwise

import h3

from schemas.geo import distance_m
from schemas.hours import weekly_spans
from schemas.ids import (
    quarantine_id,
)
from tests.counterexamples.town import (
    Row,
    Town,
    connection_id,
)


def tables(town: Town) -> dict[str, list[Row]]:
    origin = {"is_simulated": False, "source_file": "t.csv"}
    where = {"city_id": town.city_id, "datum_original": "wgs84"}
    rooms = [
        {"room_type": "single", "price_cents": 19_900, "stock": 4},
        {"room_type": "king", "price_cents": None, "stock": 0},
    ]
    stations = [("北门", 0.00), ("中街", 0.01), ("南湖", 0.02)]
    return {
        "hotels": [
            {
                "hotel_id": f"hotel_{town.slug}_{n}",
                "name_zh": f"{town.zh}客舍{n}",
                "name_en": None,
                "feature": "pool" if n == 1 else None,
                "lat": town.lat + n / 100,
                "lon": town.lon,
                "h3_cell": h3.latlng_to_cell(town.lat + n / 100, town.lon, 8),
                "rooms": rooms if n == 1 else rooms[:1],
                "currency": "CNY",
                **where,
                **origin,
                "source_line": n + 1,
            }
            for n in (1, 2)
        ],
        "restaurants": [
            {
                "restaurant_id": f"rest_{town.slug}_{n}",
                "name_zh": f"{town.zh}面馆{n}",
                "cuisine": "snacks",
                "lat": town.lat,
                "lon": town.lon + n / 100,
                "h3_cell": h3.latlng_to_cell(town.lat, town.lon + n / 100, 8),
                "price_cents": 3500,
                "currency": "CNY",
                "hours_osm": "10:00-02:00",
                "hours_weekly": weekly_spans("10:00-02:00"),
                "dishes": ["汤面"],
                **where,
                **origin,
                "source_line": n + 3,
            }
            for n in (1, 2)
        ],
        "metro_stations": [
            {
                "station_id": town.station(name),
                "line": "1号线",
                "sequence": n,
                "name": name,
                "lat": town.lat + north,
                "lon": town.lon,
                **where,
                "source_file": "metro.json",
                "source_line": n,
            }
            for n, (name, north) in enumerate(stations, 1)
        ],
        "metro_edges": [
            {
                "city_id": town.city_id,
                "line": "1号线",
                "from_id": town.station(a),
                "to_id": town.station(b),
                "distance_m": _metres(town, here, there),
            }
            for (a, here), (b, there) in pairwise(stations)
        ],
        "metro_fares": [
            {
                # In money that nobody pays there: plans go by the published fares.
                "fare_id": f"fare_{town.slug}",
                "city_id": town.city_id,
                "line": "1号线",
                "transfers": 1,
                "price_cents": 500,
                "currency": "HKD",
                "source_file": "metro.json",
                "source_line": 1,
            }
        ],
        "hubs": [
            {
                "name": f"{town.zh}站",
                "lat": town.lat + 0.03,
                "lon": town.lon,
                **where,
                "source_file": "hubs.json",
                "source_line": 1,
            }
        ],
        "row_sources": [
            {
                "city_id": town.city_id,
                "table": "hotels",
                "source_file": "t.csv",
                "source_line": 2,
                "source_name": "invented",
                "licence": "CC0-1.0",
            }
        ],
        "city_stats": [
            {
                "city_id": town.city_id,
                "metric": "count_hotels",
                "metric_value": 2.0,
                "unit": "rows",
                "n_rows": 2,
            }
        ],
    }


def _metres(town: Town, here: float, there: float) -> float:
    return float(distance_m(town.lat + here, town.lon, town.lat + there, town.lon))


def train(town: Town, other: Town) -> Row:
    return {
        "train_id": connection_id(town, other), "origin_city_id": town.city_id,
        "destination_city_id": other.city_id, "train_no": "G123", "train_type": "G",
        "origin_station": f"{town.zh}站", "destination_station": f"{other.zh}站",
        "departure_min": 23 * 60 + 30, "arrival_min": 40, "arrival_day_offset": 1,
        "duration_min": 70, "price_cents": 8_800, "currency": "CNY", "is_simulated": False,
        "source_file": "trains.csv", "source_line": town.number % 10 + 1,
    }  # fmt: skip


def flight(town: Town, other: Town) -> Row:
    row = train(town, other)
    del row["train_id"], row["train_no"], row["train_type"]
    return {**row, "flight_id": connection_id(town, other, "XX101"), "flight_no": "XX101"}


def quarantined(town: Town) -> Row:
    return {
        "quarantine_id": set_aside_id(town),
        "city_id": town.city_id, "stage": "tables", "table": "hotels", "row_id": "hotels.csv:9",
        "check": "limits", "message": "latitude 123 is above 90", "payload": '{"lat":"123"}',
        "source_file": "hotels.csv", "source_line": 9,
    }  # fmt: skip


def set_aside_id(town: Town, row_id: str = "hotels.csv:9", check: str = "limits") -> str:
    """Id of the hotel that was set aside, or what it would be under another row id or check."""
    said = ("latitude 123 is above 90", '{"lat":"123"}')
    return quarantine_id(town.city_id, "tables", "hotels", row_id, check, *said)


def counts(town: Town, made: dict[str, list[Row]]) -> list[Row]:
    zero = {"rows_merged": 0, "rows_quarantined": 0, "rows_pending": 0}
    rows = [
        {
            "city_id": town.city_id, "stage": "control", "table": name, "rows_in": len(part),
            "rows_kept": len(part), **zero,
        }
        for name, part in made.items()
        if name not in ("quarantine", "stage_counts")
    ]  # fmt: skip
    rows += [
        {
            "city_id": town.city_id,
            "stage": stage,
            "table": table,
            "rows_in": len(made[name]),
            "rows_kept": len(made[name]),
            **zero,
        }
        for stage, table in _HANDED_ON
        for name in ("pois" if table == "attractions" else table,)
    ]
    rows.append(
        {
            "city_id": town.city_id, "stage": "tables", "table": "hotels", "rows_in": 40,
            "rows_kept": 2, "rows_merged": 37, "rows_quarantined": 1, "rows_pending": 0,
        }
    )  # fmt: skip
    return rows


#: Stages that hand a table on to control as it is.
_HANDED_ON = (
    ("tables", "restaurants"), ("tables", "metro_stations"),
    ("tables", "metro_fares"), ("documents", "documents"),
    ("feedback", "poi_mentions"), ("trajectories", "trajectories"), ("places", "pois"),
    ("tags", "poi_facts"), ("tags", "conditional_facts"),
    ("retrieve", "sub_queries"), ("tables", "attractions"),
    ("mentions", "poi_mentions"), ("corpus", "documents"),
)  # fmt: skip
