"""Measure in milliseconds how long a sandbox takes to open, load its places and answer each call.

    python -m benchmarks.sandbox [SNAPSHOT] [--made FOLDER] [--write]

The run measures a snapshot (for example, of ten cities) and a made-up snapshot of TripTailor's
size: 5,622 attractions, 89,000 hotels, 422,000 restaurants, 28,000 trains and 15,000 flights in 40
cities. The made-up rows are drawn with seed 7. Each call is measured with 400 different questions,
each asked once. All modules are imported before the first measurement. ``--made`` keeps the made-up
snapshot for the next run.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks.report import table, write_section
from schemas.arrow import frame, polars_schema
from schemas.cities import City, large_cities
from schemas.hours import weekly_spans
from schemas.parameters import queue_parameters
from schemas.tables import SCHEMA_VERSION, TABLES
from schemas.taxonomy import BASE_TYPES, CUISINES, HOTEL_FEATURES, codes
from warehouse.candidate import table_entries, write_partition
from warehouse.manifest import FILE_NAME, FileEntry, Manifest
from warehouse.sandbox import Sandbox

SIZES = {
    "attractions": 5_622,
    "hotels": 89_000,
    "restaurants": 422_000,
    "trains": 28_000,
    "flights": 15_000,
}
N_CITIES, N_ASKED = 40, 400
_HOURS = "09:00-21:00"


def make(path: Path) -> None:
    """Write the invented snapshot."""
    draw = np.random.default_rng(7)
    towns = sorted(large_cities("CN", 2_000_000), key=lambda c: (-c.population, c.city_id))[
        :N_CITIES
    ]
    files: dict[str, list[FileEntry]] = {name: [] for name in TABLES}

    def put(name: str, part: str | None, rows: pl.DataFrame) -> None:
        files[name].append(write_partition(path, name, part, rows))

    for number, town in enumerate(towns):
        share = {k: n // N_CITIES + (number < n % N_CITIES) for k, n in SIZES.items()}
        put("cities", town.slug, frame("cities", [town.row()]))
        for name, rows in _town(town, share, draw):
            put(name, town.slug, rows)
    pairs = [(a, b) for a in towns for b in towns if a != b]
    for kind in ("trains", "flights"):
        each = np.bincount(draw.integers(0, len(pairs), SIZES[kind]), minlength=len(pairs))
        for (a, b), n in zip(pairs, each.tolist(), strict=True):
            if n:
                put(kind, f"{a.slug}--{b.slug}", _connections(kind, a, b, n, draw))
    put("queue_parameters", None, queue_parameters())
    manifest = Manifest(
        schema_version=SCHEMA_VERSION, cities=tuple(sorted(t.slug for t in towns)),
        settings={}, ingredients={}, tables=table_entries(files),
    )  # fmt: skip
    (path / FILE_NAME).write_text(manifest.text(), encoding="utf-8")


def _fill(name: str, columns: dict[str, Any], n: int) -> pl.DataFrame:
    """Return rows of a table, with null in the columns that are not given."""
    schema = polars_schema(name)
    made = {
        column: columns[column]
        if column in columns
        else pl.Series(column, [None], dtype=kind).new_from_index(0, n)
        for column, kind in schema.items()
    }
    cells = {
        c: v
        if isinstance(v, pl.Series)
        else pl.Series(c, [v] if not isinstance(v, np.ndarray) else v, dtype=schema[c])
        for c, v in made.items()
    }
    return pl.DataFrame({c: v if len(v) == n else v.new_from_index(0, n) for c, v in cells.items()})


def _names(kind: str, town: City, n: int) -> pl.Series:
    return pl.Series([f"{kind}_{town.city_id}_{number:06d}" for number in range(n)])


def _pick_terms(terms: Any, n: int, draw: np.random.Generator) -> pl.Series:
    held = codes(terms)
    return pl.Series([held[at] for at in draw.integers(0, len(held), n).tolist()])


def _town(
    town: City, share: dict[str, int], draw: np.random.Generator
) -> Iterator[tuple[str, pl.DataFrame]]:
    def common(kind: str, n: int) -> dict[str, Any]:
        names = _names(kind, town, n)
        return {
            f"{kind}_id": names,
            "city_id": town.city_id,
            "name_zh": names,
            "datum_original": "wgs84",
            "lat": town.lat + draw.normal(0, 0.12, n),
            "lon": town.lon + draw.normal(0, 0.15, n),
            "is_simulated": True,
            "source_file": "made.csv",
            "source_line": 1,
        }

    n = share["attractions"]
    yield "pois", _fill("pois", common("poi", n) | {
        "base_type": _pick_terms(BASE_TYPES, n, draw), "trend_types": [],
        "name_zh_origin": "original",
        "name_en_origin": "unknown", "geocode_status": "resolved", "rating": draw.uniform(3, 5, n),
        "poi_source": "table", "anchor": "", "n_documents": 0, "n_mentions": 0, "evidence_id": "ev",
    }, n)  # fmt: skip
    weekly = weekly_spans(_HOURS)
    facts = {
        "city_id": town.city_id,
        "poi_id": _names("poi", town, n),
        "valid_when": "always",
        "evidence_id": "ev",
    }
    yield (
        "poi_facts",
        pl.concat(
            [
                _fill(
                    "poi_facts",
                    facts
                    | {
                        "fact_id": _names("h", town, n),
                        "fact_field": "opening_hours",
                        "value": _HOURS,
                        "hours_osm": _HOURS,
                        "hours_weekly": weekly,
                    },
                    n,
                ),
                _fill(
                    "poi_facts",
                    facts
                    | {
                        "fact_id": _names("p", town, n),
                        "fact_field": "ticket_price",
                        "value": "",
                        "price_cents": draw.integers(0, 200, n) * 100,
                        "currency": "CNY",
                    },
                    n,
                ),
            ]
        ),
    )
    n = share["hotels"]
    rooms = [
        {"room_type": r, "price_cents": p, "stock": 2}
        for r, p in (("single", 20000), ("king", 30000), ("double", 32000), ("family", 50000))
    ]
    yield (
        "hotels",
        _fill(
            "hotels",
            common("hotel", n)
            | {"feature": _pick_terms(HOTEL_FEATURES, n, draw), "rooms": rooms, "currency": "CNY"},
            n,
        ),
    )
    n = share["restaurants"]
    yield (
        "restaurants",
        _fill(
            "restaurants",
            common("restaurant", n)
            | {
                "cuisine": _pick_terms(CUISINES, n, draw),
                "price_cents": draw.integers(10, 300, n) * 100,
                "currency": "CNY",
                "hours_osm": _HOURS,
                "hours_weekly": weekly,
                "dishes": ["面", "饭"],
            },
            n,
        ),
    )
    yield from _metro(town)


def _metro(town: City) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield metro lines in a grid: eight in each direction, with 16 stations each."""
    stations, edges = [], []
    for way in ("横", "纵"):
        for number in range(8):
            line = f"{way}{number}"
            stops = [((2 * number, at) if way == "横" else (at, 2 * number)) for at in range(16)]
            for at, (x, y) in enumerate(stops):
                stations.append(
                    {
                        "station_id": f"{town.city_id}:{x}-{y}",
                        "city_id": town.city_id,
                        "line": line,
                        "sequence": at + 1,
                        "name": f"站{x}-{y}",
                        "lat": town.lat + (x - 8) * 0.02,
                        "lon": town.lon + (y - 8) * 0.02,
                        "datum_original": "wgs84",
                        "source_file": "made.json",
                        "source_line": 1,
                    }
                )
                if at:
                    a, b = stops[at - 1], stops[at]
                    edges.append(
                        {
                            "city_id": town.city_id,
                            "line": line,
                            "from_id": f"{town.city_id}:{a[0]}-{a[1]}",
                            "to_id": f"{town.city_id}:{b[0]}-{b[1]}",
                            "distance_m": 2100.0,
                        }
                    )
    yield "metro_stations", frame("metro_stations", stations)
    yield "metro_edges", frame("metro_edges", edges)


def _connections(kind: str, a: City, b: City, n: int, draw: np.random.Generator) -> pl.DataFrame:
    key = kind[:-1]
    leaves, lasts = draw.integers(0, 1440, n), draw.integers(60, 400, n)
    ids = pl.Series([f"{key}_{a.city_id}_{b.city_id}_{i:04d}" for i in range(n)])
    return _fill(
        kind,
        {
            f"{key}_id": ids,
            f"{key}_no": ids,
            "origin_city_id": a.city_id,
            "destination_city_id": b.city_id,
            "origin_station": f"{a.slug}站",
            "destination_station": f"{b.slug}站",
            "departure_min": leaves,
            "arrival_min": (leaves + lasts) % 1440,
            "arrival_day_offset": (leaves + lasts) // 1440,
            "duration_min": lasts,
            "price_cents": draw.integers(50, 900, n) * 100,
            "currency": "CNY",
            "is_simulated": True,
            "source_file": "made.json",
            "source_line": 1,
        },
        n,
    )


def measure(path: Path) -> dict[str, list[float]]:
    """Measure how many milliseconds each call takes, and return the times by the call's name."""
    found: dict[str, list[float]] = {"open": [], "load one city": [], "load all places": []}
    for _ in range(5):
        start = time.perf_counter()
        box = Sandbox(path)
        found["open"].append(_since(start))
        for name, cities in (("load one city", box.cities[:1]), ("load all places", box.cities)):
            start = time.perf_counter()
            for city in cities:
                for kind in ("attractions", "restaurants", "hotels", "hubs"):
                    box.table(city, kind)
            found[name].append(_since(start))
    rng = random.Random(7)
    asked = [(city, box.select(city, "attractions", "lat", "known")) for city in box.cities]
    for city, places in asked:  # the first call builds trees, indexes and networks
        for kind in ("restaurants", "hotels"):
            box.nearby(city, kind, places[0], k=1)
            box.select(city, kind, "name", "==", "")
        box.select(city, "restaurants", "cuisine", "==", "")
        box.metro_route(city, places[0], places[1])
    questions = []
    for number in range(N_ASKED):
        city, places = asked[number % len(asked)]
        a, b = places[rng.randrange(len(places))], places[rng.randrange(len(places))]
        questions.append(
            (city, rng.choice(box.cities), a, b, rng.randrange(1440), rng.randrange(1, 300) * 100)
        )
    for name, call in _calls(box).items():
        times = found.setdefault(name, [])
        for question in questions:
            start = time.perf_counter()
            call(*question)
            times.append(_since(start))
    return found


def _since(start: float) -> float:
    return (time.perf_counter() - start) * 1000


def _calls(box: Sandbox) -> dict[str, Callable[..., Any]]:
    expression = pl.col("price_cents") < 5000
    return {
        "select, a number": lambda c, d, a, b, t, p: box.select(
            c, "restaurants", "price_cents", "<", p
        ),
        "select, a code": lambda c, d, a, b, t, p: box.select(
            c, "restaurants", "cuisine", "==", "sichuan"
        ),
        "select, a polars expression": lambda c, d, a, b, t, p: box.select(
            c, "restaurants", expression
        ),
        "nearby, 10 hotels": lambda c, d, a, b, t, p: list(box.nearby(c, "hotels", a, k=10)),
        "nearby, restaurants within 1 km": lambda c, d, a, b, t, p: box.nearby(
            c, "restaurants", a, radius_m=1000
        ),
        "is_open": lambda c, d, a, b, t, p: box.is_open(c, a, "2026-10-01", t),
        "goto by metro": lambda c, d, a, b, t, p: box.goto(c, a, b, t, "metro"),
        "metro route": lambda c, d, a, b, t, p: box.metro_route(c, a, b),
        "intercity": lambda c, d, a, b, t, p: box.intercity(c, d, "train", t),
        "queue": lambda c, d, a, b, t, p: box.queue_minutes(c, a, "2026-10-01", t),
        "distance matrix of 50": lambda c, d, a, b, t, p: box.distance_matrix(c, [a, b] * 25),
    }


def _quantiles(times: list[float]) -> str:
    return f"{np.quantile(times, 0.5):.3f} / {np.quantile(times, 0.95):.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("snapshot", type=Path, nargs="?")
    parser.add_argument("--made", type=Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        made = options.made or Path(folder)
        if not (made / FILE_NAME).exists():
            sys.stderr.write("generating a snapshot as large as TripTailor's data\n")
            made.mkdir(parents=True, exist_ok=True)
            make(made)
        columns = {"TripTailor's size": measure(made)}
        if options.snapshot:
            columns = {"the snapshot": measure(options.snapshot), **columns}
    names = next(iter(columns.values()))
    body = (
        "Each cell shows the median and the 95th percentile of a call's duration in milliseconds."
        " The last column gives the durations for a snapshot of invented data that is as large as"
        f" TripTailor's data: {SIZES['restaurants']:,} restaurants and {SIZES['hotels']:,} hotels"
        f" in {N_CITIES} cities. The load average of the machine was {os.getloadavg()[0]:.1f}.\n\n"
        + table(
            ["call", *columns], [[n, *(_quantiles(c[n]) for c in columns.values())] for n in names]
        )
    )
    sys.stdout.write(body)
    if options.write:
        write_section("Sandbox", "python -m benchmarks.sandbox SNAPSHOT --write", body)


if __name__ == "__main__":
    main()
