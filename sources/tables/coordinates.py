"""Coordinates of a source row: checked, put in the right order, and converted to WGS 84."""

from __future__ import annotations

import math

from schemas.cities import City
from schemas.geo import Datum, distance_m, to_wgs84
from schemas.mainland import MAINLAND
from sources.tables.errors import RowError
from sources.tables.intake import Row, SourceRow

#: Beyond this a place is marked as far from its city; large municipalities have such places.
FAR_M = 100_000.0
#: Swapped coordinates must come this close to the city, and the unswapped ones must not.
SWAP_M = 300_000.0


def locate(
    row: SourceRow, lat_text: str | None, lon_text: str | None, datum: Datum, city: City
) -> Row:
    """``lat``, ``lon`` (WGS 84) and ``datum_original``; None where both cells are empty.

    Raises RowError for a half pair, no numbers, (0, 0) and what is not on the globe.
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
