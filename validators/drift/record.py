"""Computes statistics on a source table for comparisons, and formats its values for people to
read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from validators.drift.sources import Source

#: Ranks of the quantiles that are computed.
RANKS = np.linspace(0, 1, 41)
#: A pattern of UTF-8 text that was decoded as Latin-1 or Windows-1252, and of the replacement
#: character.
GARBLED = r"\x{FFFD}|[\x{C2}-\x{F4}](?:[\x{80}-\x{BF}]|[ŒœŠšŸŽžƒˆ˜–—‘’‚“”„†‡•…‰‹›€™])"
_SCRIPTS = (("garbled", GARBLED), ("Chinese", r"\p{Han}"), ("Latin", r"\p{Latin}"))
#: The interquartile range of a normal distribution, in standard deviations.
QUARTILES_PER_SIGMA = 1.349
_METRES_PER_DEGREE = 111_195.0

Share = tuple[int, int]
Quantiles = NDArray[np.float64]


@dataclass(frozen=True)
class Centre:
    """The median coordinates of a table, and their robust standard deviation in metres."""

    lat: float
    lon: float
    spread_m: float
    rows: int


@dataclass(frozen=True)
class Statistics:
    """The statistics on a source table. A share is a pair: a count and the total."""

    rows: int
    known: Mapping[str, Share]
    quantiles: Mapping[str, Quantiles]
    codes: Mapping[str, Mapping[str, int]]
    shares: Mapping[str, Share]
    centre: Centre | None = None


def make_record(source: Source) -> Statistics:
    """Compute the statistics on a source table."""
    rows = source.rows
    asked = [*source.numbers, *source.codes, *source.texts, *source.only_known]
    counted = rows.select(pl.col(asked).count()).row(0, named=True) if asked else {}
    numbers = {c: rows[c].drop_nulls().cast(pl.Float64).to_numpy() for c in source.numbers}
    coded = rows.select(*source.codes, *(_script(text) for text in source.texts))
    return Statistics(
        rows=rows.height,
        known={column: (int(n), rows.height) for column, n in counted.items()},
        quantiles={
            c: np.quantile(v, RANKS, method="inverted_cdf") for c, v in numbers.items() if len(v)
        },
        codes={
            column: dict(coded[column].drop_nulls().value_counts().sort(column).iter_rows())
            for column in coded.columns
        },
        shares=source.shares,
        centre=_centre(rows) if source.located else None,
    )


def _script(column: str) -> pl.Expr:
    """Return an expression that determines the script in which a text is written."""
    made: Any = pl.when(pl.col(column).is_null()).then(None)
    for name, pattern in _SCRIPTS:
        made = made.when(pl.col(column).str.contains(pattern)).then(pl.lit(name))
    script: pl.Expr = made.otherwise(pl.lit("another")).alias(column)
    return script


def _centre(rows: pl.DataFrame) -> Centre | None:
    places = rows.drop_nulls(["lat", "lon"])
    if places.is_empty():
        return None
    lat, lon = places["lat"].to_numpy(), places["lon"].to_numpy()
    middle = float(np.median(lat))
    spreads = [np.subtract(*np.quantile(axis, (0.75, 0.25))) for axis in (lat, lon)]
    east = float(spreads[1]) * np.cos(np.radians(middle))
    spread = float(np.hypot(spreads[0], east)) / QUARTILES_PER_SIGMA * _METRES_PER_DEGREE
    return Centre(middle, float(np.median(lon)), spread, places.height)


#: The names of published columns in a user's files, if they differ.
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
    """Return the name that a column has in tripbed's own layout of source tables."""
    return _IN_SOURCE.get(column, column)


def show_value(column: str, value: object) -> str:
    """Format a value in a column for people to read; amounts are in units of the currency."""
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
    """Return the currency of a price, preceded by a space, or an empty string for other columns."""
    return f" {row['currency']}" if column in _AMOUNTS and row.get("currency") else ""
