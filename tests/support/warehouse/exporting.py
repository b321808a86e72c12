"""A small snapshot of Hangzhou and Shanghai with every case that an export must settle."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from schemas.arrow import frame
from schemas.cities import City, find_city
from schemas.hours import weekly_spans
from schemas.parameters import density_baseline, queue_parameters
from schemas.tables import SCHEMA_VERSION, TABLES
from warehouse.candidate import table_entries, write_partition
from warehouse.manifest import FILE_NAME, FileEntry, Manifest

Row = dict[str, Any]
HANGZHOU, SHANGHAI = find_city("hangzhou"), find_city("shanghai")
_SOURCE: Row = {"source_file": "made.csv", "datum_original": "wgs84"}

#: Name, type, north and east of (30.25, 120.15), price in yuan, hours, least and most minutes.
_SIGHTS: tuple[
    tuple[str, str, float | None, float, int | None, str | None, int | None, int | None], ...
] = (
    ("月湖公园", "park", 0.00, 0.00, 0, "24/7", 30, 90),
    ("古塔", "historic_site", 0.02, 0.01, 40, "08:00-18:30", 60, 120),
    ("夜市街", "commercial_district", 0.03, 0.05, 0, "17:00-02:00", None, 120),
    ("周一闭馆博物馆", "museum_memorial", 0.05, 0.02, 0, "09:00-17:00", 60, 180),
    ("不知时间公园", "park", 0.06, 0.06, 0, None, None, None),
    ("沁园", "garden", 0.07, 0.01, 35, "08:00-17:00", 60, 150),
    ("无票价乐园", "amusement_sports", 0.08, 0.02, None, "09:00-21:00", 120, 300),
    ("未定位景点", "park", None, 0.0, 10, "08:00-17:00", 30, 60),
)
#: Name, cuisine, north, east, yuan, hours, dishes.
_MEALS: tuple[
    tuple[str, str | None, float, float, float | None, str | None, tuple[str, ...]], ...
] = (
    ("面馆", "snacks", 0.001, 0.001, 21.5, "06:00-14:00", ("片儿川", "虾爆鳝面")),
    ("沁园", "jiangzhe", 0.011, 0.001, 88, "10:30-21:00", ()),
    ("沁园", "sichuan", 0.031, 0.001, 60, "10:30-22:00", ("回锅肉",)),
    ("NULL", None, 0.021, 0.011, 45, "00:00-24:00", ()),
    ("杭州东站", "fast_food", 0.022, 0.012, 30, "18:00-03:00", ("盖饭(大)",)),
    ("不标价酒家", "cantonese", 0.023, 0.013, None, "11:00-21:00", ()),
)
#: Name, English name, feature, north, east, rooms as type, yuan and free ones.
_HOTELS: tuple[
    tuple[
        str, str | None, str | None, float, float, tuple[tuple[str, int | None, int | None], ...]
    ],
    ...,
] = (
    (
        "湖滨酒店",
        "Lakeside Hotel",
        "pool",
        0.002,
        0.002,
        (("single", 200, 1), ("king", 300, 0), ("double", 320, 4), ("family", 500, 1)),
    ),
    (
        "沁园",
        None,
        "gym",
        0.003,
        0.012,
        (("single", None, None), ("king", 410, 3), ("double", 430, 1), ("family", None, None)),
    ),
    (
        "无特色酒店",
        "NA",
        None,
        0.004,
        0.022,
        (("single", 150, 2), ("king", 180, 2), ("double", 190, 2), ("family", 260, 2)),
    ),
    (
        "单间客栈",
        "Inn",
        "inn",
        0.005,
        0.023,
        (
            ("single", 99, None),
            ("king", None, None),
            ("double", None, None),
            ("family", None, None),
        ),
    ),
    (
        "无价酒店",
        "No Price",
        "spa",
        0.006,
        0.024,
        (("single", None, 1), ("king", None, 1), ("double", None, 1), ("family", None, 1)),
    ),
)
_STOPS = ("湖心", "古塔", "东站", "北郊")


def _at(north: float | None, east: float) -> Row:
    if north is None:
        return {"lat": None, "lon": None, "h3_cell": None}
    return {"lat": 30.25 + north, "lon": 120.15 + east, "h3_cell": "884118b601fffff"}


def _sights() -> tuple[list[Row], list[Row], list[Row]]:
    places, facts, evidence = [], [], []
    for number, (name, kind, north, east, yuan, hours, least, most) in enumerate(_SIGHTS, 2):
        key, proof = f"poi_{number:016x}", f"ev_{number:020x}"
        evidence.append(
            {
                "evidence_id": proof,
                "city_id": HANGZHOU.city_id,
                "evidence_kind": "table",
                "source_file": "made.csv",
                "source_line": number,
            }
        )
        places.append(
            {
                "poi_id": key,
                "city_id": HANGZHOU.city_id,
                "name_zh": name,
                "name_zh_origin": "original",
                "name_en_origin": "unknown",
                "base_type": kind,
                "trend_types": ["internet_famous"] if number % 2 else [],
                **_at(north, east),
                "geocode_status": "unresolved" if north is None else "resolved",
                "rating": 4.5,
                "poi_source": "table",
                "anchor": name,
                "n_documents": 0,
                "n_mentions": 0,
                "evidence_id": proof,
            }
        )
        told: list[Row] = [
            {
                "fact_field": "opening_hours",
                "value": hours,
                "hours_osm": hours,
                "hours_weekly": weekly_spans(hours),
            }
            if hours
            else {},
            {
                "fact_field": "ticket_price",
                "value": str(yuan),
                "price_cents": yuan * 100,
                "currency": "CNY",
            }
            if yuan is not None
            else {},
            {
                "fact_field": "duration_hours",
                "value": "x",
                "duration_min_min": least,
                "duration_max_min": most,
            }
            if least or most
            else {},
            {"fact_field": "closed_days", "value": "Mon"} if "周一" in name else {},
        ]
        facts += [
            {
                "fact_id": f"f_{number:08x}{at:08x}",
                "city_id": HANGZHOU.city_id,
                "poi_id": key,
                "valid_when": "always",
                "evidence_id": proof,
                **fact,
            }
            for at, fact in enumerate(told)
            if fact
        ]
    return places, facts, evidence


def _meal(
    number: int,
    name: str,
    cuisine: str | None,
    north: float,
    east: float,
    yuan: float | None,
    hours: str | None,
    dishes: tuple[str, ...],
) -> Row:
    osm = "24/7" if hours == "00:00-24:00" else hours
    return {
        "restaurant_id": f"restaurant_{number:016x}",
        "city_id": HANGZHOU.city_id,
        "name_zh": name,
        "cuisine": cuisine,
        **_at(north, east),
        "price_cents": None if yuan is None else round(yuan * 100),
        "currency": None if yuan is None else "CNY",
        "hours_osm": osm,
        "hours_weekly": weekly_spans(osm) if osm else None,
        "dishes": list(dishes),
        "is_simulated": False,
        **_SOURCE,
        "source_line": number,
    }


def _hotel(
    number: int,
    name: str,
    english: str | None,
    feature: str | None,
    north: float,
    east: float,
    rooms: tuple[tuple[str, int | None, int | None], ...],
) -> Row:
    return {
        "hotel_id": f"hotel_{number:016x}",
        "city_id": HANGZHOU.city_id,
        "name_zh": name,
        "name_en": english,
        "feature": feature,
        **_at(north, east),
        "is_simulated": False,
        **_SOURCE,
        "source_line": number,
        "currency": "CNY" if any(yuan is not None for _, yuan, _ in rooms) else None,
        "rooms": [
            {"room_type": kind, "price_cents": None if yuan is None else yuan * 100, "stock": free}
            for kind, yuan, free in rooms
        ],
    }


def connection(
    kind: str, number: str, departure: int, duration: int, yuan: float, ends: tuple[str, str],
    cities: tuple[City, City] = (HANGZHOU, SHANGHAI), version: str = "",
) -> Row:  # fmt: skip
    """A train or flight; ``version`` tells rows of one number apart."""
    days, arrival = divmod(departure + duration, 1440)
    made = {
        f"{kind}_id": f"{kind}_{number.lower() + version:0>16}",
        f"{kind}_no": number,
        "origin_city_id": cities[0].city_id,
        "destination_city_id": cities[1].city_id,
        "origin_station": ends[0],
        "destination_station": ends[1],
        "departure_min": departure,
        "arrival_min": arrival,
        "arrival_day_offset": days,
        "duration_min": duration,
        "price_cents": round(yuan * 100),
        "currency": "CNY",
        "is_simulated": False,
        "source_file": "made.json",
        "source_line": 1,
    }
    return {**made, "train_type": "高铁"} if kind == "train" else made


def _rows() -> dict[str, dict[str | None, list[Row]]]:
    places, facts, evidence = _sights()
    stations = [
        {
            "station_id": f"{HANGZHOU.city_id}:{name}",
            "city_id": HANGZHOU.city_id,
            "line": line,
            "sequence": at,
            "name": name,
            "lat": 30.25 + 0.03 * _STOPS.index(name),
            "lon": 120.15 + 0.01 * _STOPS.index(name),
            **_SOURCE,
            "source_line": 1,
        }
        for line, names in (("1号线", _STOPS[:3]), ("2号线", _STOPS[2:]))
        for at, name in enumerate(names, 1)
    ]
    edges = [
        {
            "city_id": HANGZHOU.city_id,
            "line": line,
            "from_id": f"{HANGZHOU.city_id}:{a}",
            "to_id": f"{HANGZHOU.city_id}:{b}",
            "distance_m": 3500.0,
        }
        for line, a, b in (
            ("1号线", "湖心", "古塔"),
            ("1号线", "古塔", "东站"),
            ("2号线", "东站", "北郊"),
        )
    ]
    trains = [
        connection("train", "G1", 450, 61, 73.0, ("杭州东站", "上海虹桥站")),
        connection("train", "K2", 1410, 150, 28.5, ("杭州东站", "上海站")),
        connection("train", "G3", 480, 65, 87.0, ("杭州东站", "上海虹桥站")),
    ]
    flight = connection("flight", "MU1", 600, 70, 400.0, ("杭州萧山国际机场", "上海虹桥国际机场"))
    hub = {
        "city_id": HANGZHOU.city_id,
        "name": "杭州东站",
        "lat": 30.29,
        "lon": 120.21,
        **_SOURCE,
        "source_line": 1,
    }
    return {
        "cities": {c.slug: [c.row()] for c in (HANGZHOU, SHANGHAI)},
        "pois": {HANGZHOU.slug: places},
        "poi_facts": {HANGZHOU.slug: facts},
        "evidence": {HANGZHOU.slug: evidence},
        "restaurants": {HANGZHOU.slug: [_meal(n, *row) for n, row in enumerate(_MEALS, 2)]},
        "hotels": {HANGZHOU.slug: [_hotel(n, *row) for n, row in enumerate(_HOTELS, 2)]},
        "metro_stations": {HANGZHOU.slug: stations},
        "metro_edges": {HANGZHOU.slug: edges},
        "hubs": {HANGZHOU.slug: [hub]},
        "trains": {"hangzhou--shanghai": trains},
        "flights": {"hangzhou--shanghai": [flight]},
        "queue_parameters": {None: queue_parameters().to_dicts()},
        "density_baseline": {None: density_baseline().to_dicts()},
        "city_stats": {
            HANGZHOU.slug: [
                {
                    "city_id": HANGZHOU.city_id,
                    "metric": "meal_price_p50",
                    "metric_value": 4500.0,
                    "unit": "cent of CNY",
                    "n_rows": 5,
                }
            ]
        },
    }


ROWS = _rows()


def write_snapshot(path: Path, more: dict[str, dict[str | None, list[Row]]] | None = None) -> Path:
    """Write the snapshot, with more partitions of tables;
    tables without rows are there and empty.
    """
    held = {name: {**ROWS.get(name, {}), **(more or {}).get(name, {})} for name in TABLES}
    files: dict[str, list[FileEntry]] = {
        name: [
            write_partition(path, name, part, frame(name, rows))
            for part, rows in held[name].items()
        ]
        for name in TABLES
    }
    manifest = Manifest(
        schema_version=SCHEMA_VERSION, cities=("hangzhou", "shanghai"), tables=table_entries(files),
        settings={}, ingredients={},
    )  # fmt: skip
    (path / FILE_NAME).write_text(manifest.text(), encoding="utf-8")
    return path
