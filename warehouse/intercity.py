"""Finds direct trains and flights between two cities by departure time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from warehouse.columns import Rows
from warehouse.records import Connection

#: The table for each kind of connection.
TABLE_OF = {"train": "trains", "airplane": "flights"}
KINDS = tuple(TABLE_OF)
_KEYS = {"train": ("train_id", "train_no"), "airplane": ("flight_id", "flight_no")}


class Timetable:
    """All connections of one kind from one city to another, sorted by departure."""

    def __init__(self, table: pa.Table, kind: str, slugs: dict[str, str]):  # fmt: skip
        key, self._number = _KEYS[kind]
        self._key, self._kind, self._slugs = key, kind, slugs
        order = ["departure_min", "duration_min", self._number, key]
        self._rows = table.sort_by([(column, "ascending") for column in order])
        self._departures = np.array(self._rows.column("departure_min").to_pylist(), dtype=np.int64)
        self._made: dict[int, Connection] = {}

    def after(self, minute: int) -> Rows[Connection]:
        """Return the connections that leave at or after a minute of the day, earliest first."""
        first = int(np.searchsorted(self._departures, minute, side="left"))
        return Rows(range(first, len(self._departures)), self._connection)

    def _connection(self, number: int) -> Connection:
        if number not in self._made:
            row: dict[str, Any] = self._rows.slice(number, 1).to_pylist()[0]
            self._made[number] = Connection(
                self._kind,
                row[self._key],
                row[self._number],
                row.get("train_type"),
                self._slugs.get(row["origin_city_id"], row["origin_city_id"]),
                self._slugs.get(row["destination_city_id"], row["destination_city_id"]),
                row["origin_station"],
                row["destination_station"],
                row["departure_min"],
                row["arrival_min"],
                row["arrival_day_offset"],
                row["duration_min"],
                row["price_cents"],
                row["currency"],
                row["is_simulated"],
            )
        return self._made[number]
