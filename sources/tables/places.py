"""Rows of hotels and restaurants, built in the same way for every layout."""

from __future__ import annotations

from functools import cache

from schemas.cities import City
from schemas.geo import h3_cell
from schemas.hours import WeeklySpan, weekly_spans
from schemas.ids import digest
from sources.tables.intake import Row, normalise_name


@cache
def spans(hours_osm: str) -> tuple[WeeklySpan, ...] | None:
    """Weekly spans of an expression, None if it is not OSM syntax; each expression read once."""
    found = weekly_spans(hours_osm)
    return None if found is None else tuple(found)


def weekly(hours_osm: str | None) -> list[WeeklySpan] | None:
    """Weekly spans of known hours."""
    found = spans(hours_osm) if hours_osm is not None else None
    return None if found is None else list(found)


def cell(place: Row) -> str | None:
    """H3 cell of known coordinates."""
    return None if place["lat"] is None else h3_cell(place["lat"], place["lon"])


def stable_id(kind: str, city: City, source_id: str | None, name: str, place: Row) -> str:
    """Id of a hotel or restaurant: from the source's own id, else from name and place.

    The place counts with four decimals, about 10 m.
    """
    if source_id is not None:
        return f"{kind}_{digest(kind, city.city_id, 'id', source_id)}"
    cell = "" if place["lat"] is None else f"{place['lat']:.4f},{place['lon']:.4f}"
    return f"{kind}_{digest(kind, city.city_id, 'name', normalise_name(name), cell)}"
