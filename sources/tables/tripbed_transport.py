"""Trains and flights of tripbed's own layout.

``trains.csv``: ``train_id, train_type, from_city, from_station, to_city, to_station, departure,
arrival, duration_min, price_cny``; ``flights.csv``: ``flight_id, from_city, from_airport,
to_city, to_airport`` and the same four at the end. ``train_type``, ``duration_min`` and
``price_cny`` may be missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from schemas.cities import City
from sources.tables.connections import (
    check_fast_train,
    city_named,
    concerns,
    connection,
    group_code_shares,
    mark_other_times,
    merge_connections,
    timing,
)
from sources.tables.errors import RowError
from sources.tables.files import read_csv
from sources.tables.intake import Intake, Row, SourceRow

TRAINS, FLIGHTS = "trains.csv", "flights.csv"
_STOP = {"train": "station", "flight": "airport"}


def read_connections(directory: Path, kind: str, city: City) -> Intake:
    """Trains or flights (``kind`` train or flight) from and to the city."""
    intake = Intake(city, f"{kind}s")
    intake.read(_rows(directory, kind, city), partial(_connection, kind))
    merge_connections(intake, kind)
    mark_other_times(intake, kind)
    if kind == "flight":
        group_code_shares(intake)
    return intake


def _rows(directory: Path, kind: str, city: City) -> Iterator[SourceRow]:
    """Rows from and to the city, and those whose cities are both unknown."""
    stop = _STOP[kind]
    required = (
        f"{kind}_id", "from_city", f"from_{stop}", "to_city", f"to_{stop}", "departure", "arrival",
    )  # fmt: skip
    for row in read_csv(directory, f"{kind}s.csv", required):
        ends = [city_named(row.text(column) or "") for column in ("from_city", "to_city")]
        if concerns(city, ends):
            yield row


def _connection(kind: str, row: SourceRow) -> Row:
    number = row.required(f"{kind}_id")
    stop = _STOP[kind]
    stations = row.required(f"from_{stop}"), row.required(f"to_{stop}")
    cities = _city(row, "from_city"), _city(row, "to_city")
    stated = row.number("duration_min")
    stated_min = None if stated is None else round(stated)
    times = timing(row, row.required("departure"), row.required("arrival"), stated_min)
    built = connection(row, kind, number, cities, stations, times, row.cents("price_cny"))
    if kind == "train":
        check_fast_train(number, times["duration_min"])
        built["train_type"] = row.text("train_type")
    return built


def _city(row: SourceRow, column: str) -> City:
    named = city_named(row.required(column))
    if named is None:
        raise RowError("unknown_city", f"no city is called {row.cells[column]!r}")
    return named
