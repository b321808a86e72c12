"""Formats rows and values for people to read: names instead of ids, and readable amounts."""

from __future__ import annotations

import math
import string
from collections.abc import Iterator, Mapping
from typing import Any, TypeGuard

import polars as pl

from warehouse.read import Snapshot

Row = Mapping[str, Any]

#: The name of a row, by table. Ids are replaced by the names of the things they identify.
_CALLED = {
    "cities": "{city_id}",
    "queries": "{query_id}",
    "sub_queries": "{text} ({query_id})",
    "documents": "{path}",
    "query_documents": "{doc_id} for {query_id}",
    "pois": "{poi_id}",
    "poi_aliases": "{alias} of {poi_id}",
    "poi_hierarchy": "{poi_id} in {parent_poi_id}",
    "poi_origins": "{poi_field} of {poi_id}",
    "place_decisions": "{name_a} and {name_b}",
    "poi_mentions": "{name} in {doc_id}",
    "links": "{name} in {doc_id}",
    "unlinked_names": "{name} in {doc_id}",
    "poi_facts": "{fact_field} of {poi_id}",
    "conditional_facts": "{fact_field} of {poi_id}",
    "contexts": "{name_en}",
    "poi_tags": "{tag} of {poi_id} ({context_id})",
    "context_tags": "{poi_id} ({context_id})",
    "poi_popularity": "{poi_id} ({context_id})",
    "query_pois": "{poi_id} for {query_id}",
    "trajectories": "journey in {doc_id}",
    "query_trajectories": "{trajectory_id} for {query_id}",
    "trajectory_scores": "{trajectory_id} for {query_id}",
    "hotels": "{hotel_id}",
    "restaurants": "{restaurant_id}",
    "trains": "{train_no}",
    "flights": "{flight_no}",
    "metro_stations": "{name} ({line})",
    "metro_fares": "{fare_id}",
    "hubs": "{name}",
    "findings": "{finding} of {table}",
    "gates": "{gate_id}",
    "stage_counts": "{stage} of {table}",
    "quarantine": "{source_file}:{source_line} ({check})",
    "witness_plans": "plan of {query_id} ({plan_kind})",
}
#: Where the names for ids are found: the table, the id's column, and the columns with names. The
#: first known name is used.
_NAMES = (
    ("cities", "city_id", ("name_en",)),
    ("pois", "poi_id", ("name_zh", "name_en")),
    ("hotels", "hotel_id", ("name_zh", "name_en")),
    ("restaurants", "restaurant_id", ("name_zh", "name_en")),
    ("documents", "doc_id", ("path",)),
    ("contexts", "context_id", ("name_en",)),
    ("queries", "query_id", ("text_en", "text_zh")),
)
_CLOCK = ("departure_min", "arrival_min")
_LONGEST = 60


class RowNames:
    """The names for the ids in one or more snapshots. Later snapshots take precedence."""

    def __init__(self, *snapshots: Snapshot):
        self._names = dict(
            pair
            for snapshot in snapshots
            for table, key, columns in _NAMES
            for pair in _list_names(snapshot, table, key, columns)
        )
        for snapshot in snapshots:
            pairs = _list_names(snapshot, "trajectories", "trajectory_id", ("doc_id",))
            for trajectory, document in pairs:
                self._names[trajectory] = f"journey in {self.name(document)}"

    def name(self, value: object) -> str:
        """Return the name for an id, or any other value as text; cut long texts."""
        text = self._names.get(value, value) if isinstance(value, str) else value
        return shorten(str(text))

    def row(self, table: str, key: list[str], row: Row) -> str:
        """Return the name of a row."""
        called = _CALLED.get(table)
        parts = [name for _, name, _, _ in string.Formatter().parse(called or "") if name]
        if called is None or any(row.get(part) is None for part in parts):
            return "/".join(self.name(row[column]) for column in key)
        return called.format(**{part: self.name(row[part]) for part in parts})

    def value(self, column: str, value: object, row: Row) -> str:
        """Format a value in a column for people to read; ``row`` gives the currency of a price."""
        if value is None:
            return "unknown"
        if isinstance(value, bool):
            return "yes" if value else "no"
        if column == "price_cents" and isinstance(value, int):
            whole = f"{value / 100:,.0f}" if value % 100 == 0 else f"{value / 100:,.2f}"
            return f"{whole} {row.get('currency') or ''}".rstrip()
        if column in _CLOCK and isinstance(value, int):
            return f"{value // 60:02d}:{value % 60:02d}"
        if column in ("lat", "lon") and isinstance(value, float):
            return f"{value:.5f}"
        if isinstance(value, int):
            return f"{value:,}"
        if isinstance(value, float):
            return f"{value:,.0f}" if value.is_integer() else f"{value:,.4g}"
        if isinstance(value, list) and all(isinstance(one, dict) for one in value):
            return shorten(", ".join(self._rooms(value, row)) or "none")
        if isinstance(value, list):
            return shorten(", ".join(self.name(one) for one in value) or "none")
        return self.name(value)

    def _rooms(self, values: list[dict[str, Any]], row: Row) -> Iterator[str]:
        """Format the elements of a list of structs; show hotel rooms with their prices."""
        for one in values:
            if "room_type" in one:
                yield f"{one['room_type']} {self.value('price_cents', one.get('price_cents'), row)}"
            else:
                yield " ".join(self.name(value) for value in one.values())


def change_size(before: object, after: object) -> float:
    """Return the size of a change: infinity for a lost value, the logarithm of the ratio for
    numbers, and 0 for any other change.
    """
    if after is None:
        return math.inf
    if not _is_number(before) or not _is_number(after):
        return 0.0
    low, high = sorted((abs(float(before)), abs(float(after))))
    return math.log(high / max(low, high / 1e6)) if high else 0.0


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _list_names(
    snapshot: Snapshot, table: str, key: str, columns: tuple[str, ...]
) -> Iterator[tuple[str, str]]:
    """Yield ids and names from a table; ignore columns that the table lacks."""
    entry = snapshot.manifest.tables.get(table)
    for file in entry.files if entry else ():
        rows = snapshot.rows_of(table, file)
        there = [column for column in columns if column in rows.columns]
        if there and key in rows.columns:
            yield from rows.select(key, pl.coalesce(there)).drop_nulls().iter_rows()


def shorten(text: str) -> str:
    """Cut a text to at most 60 characters; mark the cut with dots."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
