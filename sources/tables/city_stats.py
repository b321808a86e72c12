"""Compute statistics for a city's tables, such as typical prices.

TourPlanner derives its price ranges for hotel classes, meals and transport from such statistics.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from schemas.arrow import frame
from schemas.cities import City
from schemas.money import amount_unit
from schemas.taxonomy import HOTEL_CLASSES, ROOM_TYPES, codes
from sources.tables.imported import Imported

QUANTILES = (("p10", 0.1), ("p50", 0.5), ("p90", 0.9))

Row = dict[str, Any]


def city_stats(imported: Imported, city: City) -> pl.DataFrame:
    """Return the table ``city_stats`` with the numbers of rows and statistics on the known prices.

    Prices of rooms (by room type and by hotel class), meals and tickets are given as 10 %, 50 % and
    90 % quantiles. For a hotel class, the table also gives the prices of the cheapest and the most
    expensive hotel. For trains and flights, the table gives the lowest and the median price. Each
    currency has its own figures. Simulated prices do not count. A statistic without data has no
    row.
    """
    real = imported.hotels.filter(~pl.col("is_simulated"))
    rooms = real.select("rooms", "currency").explode("rooms").unnest("rooms")
    rows = _counts(imported)
    for room_type in codes(ROOM_TYPES):
        of_type = rooms.filter(pl.col("room_type") == room_type)
        for unit, prices in _by_currency(of_type):
            rows += _quantiles(f"hotel_price_{room_type}", prices, unit)
    rows += _by_class(imported.hotels)
    priced = (("meal_price", imported.restaurants), ("ticket_price", imported.attractions))
    for name, table in priced:
        for unit, prices in _by_currency(table):
            rows += _quantiles(name, prices, unit)
    rows += _quantiles("visit_max", imported.attractions["duration_max_min"], "minute")
    for name, table in (("train", imported.trains), ("flight", imported.flights)):
        for unit, prices in _by_currency(table):
            rows += _least_and_median(f"{name}_price", prices, unit)
    return frame("city_stats", [{"city_id": city.city_id, **row} for row in rows])


def _by_currency(rows: pl.DataFrame) -> list[tuple[str, pl.Series]]:
    """Return the unit and the known prices, separately for each currency."""
    known = rows.drop_nulls(["price_cents", "currency"])
    return [
        (amount_unit(code), known.filter(pl.col("currency") == code)["price_cents"])
        for code in sorted(known["currency"].unique())
    ]


def _by_class(hotels: pl.DataFrame) -> list[Row]:
    """Return statistics on the cheapest room in each hotel, by hotel class and currency."""
    cheapest = pl.col("rooms").list.eval(pl.element().struct.field("price_cents")).list.min()
    known = hotels.filter(~pl.col("is_simulated")).select(
        "hotel_class", "currency", price_cents=cheapest
    )
    rows = []
    for name in HOTEL_CLASSES:
        metric = f"hotel_class_{name}_price"
        for unit, prices in _by_currency(known.filter(pl.col("hotel_class") == name)):
            rows += _quantiles(metric, prices, unit)
            for end, value in (("min", prices.min()), ("max", prices.max())):
                rows.append(_row(f"{metric}_{end}", float(value), unit, prices.len()))  # type: ignore[arg-type]  # a price is a number
    return rows


def _counts(imported: Imported) -> list[Row]:
    attractions = imported.attractions
    known = {
        "attractions": attractions.height,
        "attractions_with_hours": attractions["hours_osm"].count(),
        "attractions_with_price": attractions["price_cents"].count(),
        "attractions_free": int((attractions["price_cents"] == 0).sum()),
        "hotels": imported.hotels.height,
        "restaurants": imported.restaurants.height,
        "trains": imported.trains.height,
        "flights": imported.flights.height,
        "metro_stations": imported.metro_stations["station_id"].n_unique(),
    }
    types = attractions.drop_nulls("base_type").group_by("base_type").len()
    for base_type, number in sorted(types.iter_rows()):
        known[f"attractions_{base_type}"] = number
    return [_row(f"count_{name}", float(n), "rows", n) for name, n in known.items()]


def _quantiles(metric: str, values: pl.Series, unit: str) -> list[Row]:
    """Return a row for each quantile of the known values, using linear interpolation."""
    values = values.drop_nulls()
    found = [(name, values.quantile(share, "linear")) for name, share in QUANTILES]
    return [_row(f"{metric}_{name}", v, unit, values.len()) for name, v in found if v is not None]


def _least_and_median(metric: str, values: pl.Series, unit: str) -> list[Row]:
    least, median = values.min(), values.quantile(0.5, "linear")
    return [
        _row(f"{metric}_{name}", float(value), unit, values.len())  # type: ignore[arg-type]  # a price is a number
        for name, value in (("min", least), ("median", median))
    ]


def _row(metric: str, value: float, unit: str, n_rows: int) -> Row:
    return {"metric": metric, "metric_value": value, "unit": unit, "n_rows": n_rows}
