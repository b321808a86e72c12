"""Rows for the tests of places: an invented city and invented sights."""

from __future__ import annotations

from typing import Any

import polars as pl

from geocoding.discover import FOUND_NAMES
from schemas.cities import City
from schemas.places import ATTRACTIONS

CITY = City(
    city_id="gn900001",
    name_zh="云州",
    name_en="Yunzhou",
    country_code="CN",
    admin1_code="00",
    time_zone="Asia/Shanghai",
    lat=30.0,
    lon=110.0,
    population=1_000_000,
    names=("云州", "云州市", "Yunzhou", "Yunchow"),
)
#: One metre of latitude, in degrees.
METRE = 1 / 111_195


def attraction(
    line: int, name_zh: str | None, north_m: float | None = 0.0, **more: Any
) -> dict[str, Any]:
    """An attraction row, so many metres north of the city's centre; None: no coordinates."""
    located = north_m is not None
    return {
        "name_zh": name_zh,
        "lat": 30.0 + north_m * METRE if north_m is not None else None,
        "lon": 110.0 if located else None,
        "datum_original": "wgs84" if located else None,
        "coordinate_provider": "test" if located else None,
        "source_file": "attractions.csv",
        "source_line": line,
        **more,
    }


def attractions(*rows: dict[str, Any]) -> pl.DataFrame:
    """Rows as the hand-over frame; missing columns are null."""
    return pl.DataFrame(list(rows), schema=ATTRACTIONS, orient="row")


def found(doc: int, name: str, *, start: int = 0) -> dict[str, Any]:
    """A name of a document that becomes a place."""
    return {"doc_id": f"d{doc:020x}", "name": name, "start": start, "end": start + len(name)}


def founds(*rows: dict[str, Any]) -> pl.DataFrame:
    """Such names as the frame of them."""
    return pl.DataFrame(list(rows), schema=FOUND_NAMES, orient="row")
