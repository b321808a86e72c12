"""Finds GeoNames towns that are quarters of a city, such as Manhattan, Brooklyn or Coyoacán.

GeoNames lists many boroughs as separate towns, and does not show which city they belong to. The
tables of a city show which towns are its quarters: a smaller town in the same region is a quarter
if several places in the tables are close to the town. The module also finds places in the tables
that are near a town but outside it. If a text says that a place is in such a town, the text means
the place with this name near the town.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import cache

import numpy as np

from geocoding.linking.index import PlaceIndex
from geocoding.linking.world import Spot
from geocoding.names import name_key
from schemas.cities import City
from schemas.geo import distance_m
from schemas.geonames import places_by_id

#: A town is a quarter of a city if places of the city's tables are within this distance (metres).
_CLOSE_M, _LEAST = 3_000, 3
#: A quarter is within this distance (metres) of its city's point.
_REACH_M = 40_000
#: A place is within this distance (metres) of the town that a text puts it in; a town of a million
#: people is larger.
_BESIDE_M, _BESIDE_LARGE_M, _LARGE = 10_000, 20_000, 1_000_000

#: A quarter with the name of a city abroad is recognised in a table by a name of so many letters.
_LEAST_LETTERS = 4

Point = tuple[float, float]


def quarter_of(
    spot: Spot, said: str, index: PlaceIndex, likely: Collection[str]
) -> tuple[str | None, frozenset[str]]:
    """Return the city that a town is a quarter of, and the cities whose tables were searched.

    ``said`` is the town as written in the text. ``likely`` contains the cities that other names in
    the text belong to. A quarter of a likely city may share its name with a city abroad (Belém in
    Lisbon). The place names in the tables show whether the text means the quarter or the city
    abroad.
    """
    if not spot.is_city or spot.place in index.cities:
        return None, frozenset()
    key = name_key(said)
    near, holding = [], []
    # A long enough name of a city abroad may be searched among a table's names.
    abroad = likely if len(key) >= _LEAST_LETTERS else ()
    for held in index.cities.values():
        if _may_hold(held.city, spot):
            near.append(held.city)
            if _is_amid(spot, frozenset(held.opened.points.values())):
                holding.append(held.city)
        elif held.city.city_id in abroad and held.city.country_code != spot.area[0]:
            near.append(held.city)
            if held.opened.index.n_holding(key) >= _LEAST:
                holding.append(held.city)
    whole = max(holding, key=lambda city: (city.population, city.city_id), default=None)
    return (whole.city_id if whole else None), frozenset(city.city_id for city in near)


def in_quarter(spot: Spot, city: City, points: Collection[Point]) -> bool:
    """Check whether a town is a quarter of a city, given the points of the places in the city's
    tables.
    """
    return spot.is_city and _may_hold(city, spot) and _is_amid(spot, frozenset(points))


def is_beside(spot: Spot, point: Point | None) -> bool:
    """Check whether a point is near the town that a text names."""
    town = _point(spot.place)
    if town is None or point is None:
        return False
    reach = _BESIDE_LARGE_M if spot.people >= _LARGE else _BESIDE_M
    return float(distance_m(*town, *point)) <= reach


def as_part_of(spot: Spot, city_id: str) -> Spot:
    """Replace a quarter with the city that it belongs to."""
    return replace(spot, place=city_id)


def _may_hold(city: City, spot: Spot) -> bool:
    """Check whether a city is larger than a town, and whether it is in the same region and near
    the town.
    """
    town = _point(spot.place)
    is_near = spot.area == (city.country_code, city.admin1_code) and spot.people < city.population
    return is_near and town is not None and float(distance_m(*town, city.lat, city.lon)) <= _REACH_M


def _is_amid(spot: Spot, points: frozenset[Point]) -> bool:
    town = _point(spot.place)
    if town is None or not points:
        return False
    lat, lon = np.array(sorted(points)).T
    return int((distance_m(*town, lat, lon) <= _CLOSE_M).sum()) >= _LEAST


@cache
def _point(place: str) -> Point | None:
    """Return the position of a GeoNames town, given the id that linking uses for the town."""
    number = place.removeprefix("gn")
    found = places_by_id([int(number)]) if number.isdigit() else {}
    return next(((float(p["latitude"]), float(p["longitude"])) for p in found.values()), None)
