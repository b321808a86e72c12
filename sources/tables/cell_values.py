"""Read prices, coordinates and opening hours from source rows, and compute ids from these rows.

The currency of a price is in a separate column or next to the amount; otherwise, it is the currency
of the country. Coordinates are checked, swapped if latitude and longitude are in the wrong order,
and converted to WGS 84.
"""

from __future__ import annotations

import math
from decimal import Decimal
from functools import cache

from schemas.cities import City
from schemas.geo import Datum, distance_m, h3_cell, to_wgs84
from schemas.hours import WeeklySpan, weekly_spans
from schemas.ids import digest
from schemas.mainland import MAINLAND
from schemas.money import YUAN, currencies, money_of
from schemas.values import cents
from sources.tables.intake import LARGEST_NUMBER, Row, RowError, SourceRow, normalise_name

#: Columns of tripbed's own layout for prices: an amount in ``currency``, and an amount in yuan.
PRICE, PRICE_CNY, CURRENCY = "price", "price_cny", "currency"
Price = tuple[int | None, str | None]
#: A place farther from its city's centre is marked; large municipalities do have such places.
FAR_M = 100_000.0
#: Coordinates are swapped if that brings the place closer to its city than this.
SWAP_M = 300_000.0
#: No station lies farther from the centre of its city: the widest city reaches 250 km.
FARTHEST_M = 300_000


def read_price(row: SourceRow, home: str | None) -> Price:
    """Return the price in a row in hundredths, and its currency; both are None if the price is
    unknown.

    The amount is read from ``price``, or from ``price_cny`` if ``price`` is empty. The currency
    comes from the column ``currency`` or from the text next to the amount; if neither contains a
    currency, ``home`` is used. The price is unknown if its currency is not valid, or if the text
    next to the amount contradicts the column. Raises RowError if the price is negative or is not a
    number.
    """
    text = row.text(PRICE)
    if text is None:
        amount = row.cents(PRICE_CNY)
        return amount, None if amount is None else YUAN
    stated = (row.text(CURRENCY) or "").upper() or None
    written = money_of(text, stated or home)
    if written is None:
        amount, code = row.cents(PRICE), stated or home
    else:
        amount, code = _hundredths(text, written[0]), written[1]
    if code not in currencies() or (stated is not None and code != stated):
        shown = f"{text} {stated or ''}".strip()
        row.mark("currency_unknown", f"{shown}: the currency is uncertain; the price is unknown")
        return None, None
    return amount, code


def _hundredths(text: str, amount: Decimal) -> int:
    if amount > LARGEST_NUMBER:
        raise RowError("number", f"{PRICE} is not a number: {text!r}")
    return cents(str(amount))


def money(amount: int | None, currency: str | None) -> Row:
    """Return the columns for an amount and its currency; if the amount is null, the currency is
    null too.
    """
    return {"price_cents": amount, "currency": None if amount is None else currency}


def rooms_money(rooms: list[Row], currency: str | None) -> Row:
    """Return a hotel's ``rooms`` and ``currency``; if there is no price, the currency is None."""
    known = any(room["price_cents"] is not None for room in rooms)
    return {"rooms": rooms, "currency": currency if known else None}


def locate(
    row: SourceRow, lat_text: str | None, lon_text: str | None, datum: Datum, city: City
) -> Row:
    """Return ``lat`` and ``lon`` in WGS 84, and ``datum_original``.

    ``lat`` and ``lon`` are None if both cells are empty. Raises RowError if only one cell is
    filled, or if the coordinates are not numbers, are (0, 0) or are not on the globe.
    """
    if lat_text is None and lon_text is None:
        row.mark("coordinates_missing", "no coordinates")
        return {"lat": None, "lon": None, "datum_original": datum}
    try:
        lat, lon = float(lat_text or ""), float(lon_text or "")
    except ValueError:
        raise RowError(
            "coordinates", f"lat, lon: no coordinates: {lat_text!r}, {lon_text!r}"
        ) from None
    if _are_swapped(lat, lon, city):
        row.fix(
            "coordinates_swapped",
            f"latitude and longitude were swapped: {lat}, {lon}",
        )
        lat, lon = lon, lat
    if not _on_globe(lat, lon) or (lat, lon) == (0.0, 0.0):
        raise RowError("coordinates", f"lat, lon: not a place on the globe: {lat}, {lon}")
    lat, lon = to_wgs84(lat, lon, datum, mainland=city.country_code == MAINLAND)
    away_m = _distance_to(city, lat, lon)
    if away_m > FAR_M:
        row.mark("far_from_city", f"{away_m / 1000:.0f} km from the centre of {city.name_en}")
    return {"lat": lat, "lon": lon, "datum_original": datum}


def _on_globe(lat: float, lon: float) -> bool:
    return math.isfinite(lat) and math.isfinite(lon) and abs(lat) <= 90 and abs(lon) <= 180


def _distance_to(city: City, lat: float, lon: float) -> float:
    return float(distance_m(city.lat, city.lon, lat, lon))


def _are_swapped(lat: float, lon: float, city: City) -> bool:
    if not _on_globe(lon, lat) or _distance_to(city, lon, lat) > SWAP_M:
        return False
    return not _on_globe(lat, lon) or _distance_to(city, lat, lon) > SWAP_M


@cache
def spans(hours_osm: str) -> tuple[WeeklySpan, ...] | None:
    """Return the weekly spans of opening hours, or None if they are not written in OSM syntax."""
    found = weekly_spans(hours_osm)
    return None if found is None else tuple(found)


def weekly(hours_osm: str | None) -> list[WeeklySpan] | None:
    """Return the weekly spans of opening hours as a list, or None if the hours are unknown."""
    found = spans(hours_osm) if hours_osm is not None else None
    return None if found is None else list(found)


def cell(place: Row) -> str | None:
    """Return the H3 cell of a place, or None if the place has no coordinates."""
    return None if place["lat"] is None else h3_cell(place["lat"], place["lon"])


def stable_id(kind: str, city: City, source_id: str | None, name: str, place: Row) -> str:
    """Return an id for a hotel or restaurant, computed from the source's id or from the name and
    location.

    The coordinates are rounded to four decimal places, about 10 m.
    """
    if source_id is not None:
        return f"{kind}_{digest(kind, city.city_id, 'id', source_id)}"
    cell = "" if place["lat"] is None else f"{place['lat']:.4f},{place['lon']:.4f}"
    return f"{kind}_{digest(kind, city.city_id, 'name', normalise_name(name), cell)}"


def hub_row(row: SourceRow, city: City) -> Row:
    """Return a row for ``hubs``.

    Raises RowError if the station or airport has no name, has no coordinates, or is too far from
    the city.
    """
    name = row.require("name")
    place = locate(row, row.text("lat"), row.text("lon"), row.datum, city)
    if place["lat"] is None:
        raise RowError("coordinates", f"{name} has no coordinates")
    away_m = float(distance_m(place["lat"], place["lon"], city.lat, city.lon))
    if away_m > FARTHEST_M:
        raise RowError("hub_of_another_city", f"{name} lies {away_m / 1000:.0f} km away")
    return {"city_id": city.city_id, "name": name, **place, **row.origin}
