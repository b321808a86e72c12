"""Source values in words: column names of the source, amounts with currency, clock times."""

from __future__ import annotations

from collections.abc import Mapping

#: What a user's file calls a published column of another name.
_IN_SOURCE = {
    "price_cents": "price", "price_low_cents": "lowest price", "price_high_cents": "highest price",
    "hours_osm": "opening_hours", "duration_max_min": "max_duration_min",
    "origin_station": "from_station", "destination_station": "to_station",
    "departure_min": "departure", "poi_id": "id", "hotel_id": "id", "restaurant_id": "id",
    "parent": "parent_id", "parent_poi_id": "parent_id", "n_aliases": "aliases",
    "base_type": "types", "dishes": "recommended_dishes", "room_types": "room_type",
}  # fmt: skip


_AMOUNTS = ("price_cents", "price_low_cents", "price_high_cents")


def source_column(column: str) -> str:
    """The name of a column in tripbed's own layout of sources."""
    return _IN_SOURCE.get(column, column)


def show_value(column: str, value: object) -> str:
    """A value of a column as a person writes it: whole cents as units of money."""
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if not isinstance(value, int | float):
        return str(value)
    if column in _AMOUNTS:
        return f"{value / 100:,.0f}" if value % 100 == 0 else f"{value / 100:,.2f}"
    if column == "departure_min":
        return f"{int(value) // 60:02d}:{int(value) % 60:02d}"
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.2f}"


def money(row: Mapping[str, object], column: str) -> str:
    """The money of a price, with a space before it; nothing for other columns."""
    return f" {row['currency']}" if column in _AMOUNTS and row.get("currency") else ""
