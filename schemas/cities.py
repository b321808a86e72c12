"""Finds any city in the world by its Chinese, pinyin, English or local name.

Countries, populations and names come from GeoNames (``schemas/geonames.py``).
``schemas/city_names.py`` decides which city a name means.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from schemas.city_errors import (
    AmbiguousCityError,
    UnknownCityError,
    nearest_names,
    place_called,
)
from schemas.city_names import LARGE, meaning
from schemas.geonames import TIERS, Place, all_places, large_places, names_of, places_by_id
from schemas.money import country_currency
from schemas.place_names import HAN, chinese_name, slug_of, without_suffix

__all__ = [
    "AmbiguousCityError", "City", "GazetteerCity", "UnknownCityError", "chinese_place_names",
    "find_city", "gazetteer_entries", "large_cities", "most_populous", "nearest_names",
]  # fmt: skip


@dataclass(frozen=True)
class City:
    """A city from GeoNames. The coordinates are those of the city's centre, in WGS 84 degrees."""

    city_id: str
    name_zh: str | None
    name_en: str
    country_code: str
    admin1_code: str | None
    time_zone: str
    lat: float
    lon: float
    population: int
    names: tuple[str, ...] = ()

    def row(self) -> dict[str, Any]:
        """Return the city as a row of the table ``cities``."""
        from schemas.geo import h3_cell  # imports numpy, which most uses do not need

        derived = {
            "slug": self.slug, "h3_cell": h3_cell(self.lat, self.lon), "currency": self.currency,
        }  # fmt: skip
        own = {name: value for name, value in vars(self).items() if name != "names"}
        return own | derived

    @cached_property
    def slug(self) -> str:
        """Return the name in ASCII letters, followed by the id if the letters alone are ambiguous.

        The gazetteer is searched only when the slug is needed.
        """
        letters = slug_of(self.name_en)
        number = int(self.city_id.removeprefix("gn"))
        return letters if meaning(letters).means(number) else f"{letters}-{number}"

    @property
    def currency(self) -> str | None:
        """Return the currency (ISO 4217) of the city's country, or None if the country has none."""
        return country_currency(self.country_code)


@dataclass(frozen=True)
class GazetteerCity:
    """The names of a city, its country (ISO 3166-1), and its centre in WGS 84 degrees."""

    names: frozenset[str]
    country_code: str
    lat: float
    lon: float


@cache
def find_city(name: str) -> City:
    """Find the city that a name means.

    The name can be Chinese, pinyin, English or local, or it can be ``gn<id>``, an id or a slug. A
    country or region can follow the name, as in "Porto, PT" and "Springfield, Illinois". Raises
    UnknownCityError, which suggests similar names, if no city has this name. Raises
    AmbiguousCityError, which says how to name each candidate, if several cities have this name.
    """
    return _city(place_called(name))


def _city(place: Place) -> City:
    name = str(place["name"])
    return City(
        city_id=f"gn{place['geonameid']}",
        name_zh=chinese_name(name, place["alternatenames"]),
        name_en=name,
        country_code=str(place["countrycode"]),
        admin1_code=str(place["admin1code"]) or None,
        time_zone=str(place["timezone"]),
        lat=float(place["latitude"]),
        lon=float(place["longitude"]),
        population=int(place["population"]),
        names=tuple(sorted(set(names_of(place)))),
    )


def gazetteer_entries(city_ids: Iterable[str]) -> dict[str, GazetteerCity]:
    """Look up cities in GeoNames by id (``gn<id>``), and leave out ids that are not found."""
    numbers = {city_id: re.fullmatch(r"gn(\d+)", city_id) for city_id in city_ids}
    places = places_by_id(int(number[1]) for number in numbers.values() if number)
    return {
        city_id: _gazetteer_city(places[int(number[1])])
        for city_id, number in numbers.items()
        if number and int(number[1]) in places
    }


def _gazetteer_city(place: Place) -> GazetteerCity:
    names = frozenset(form for name in names_of(place) for form in (name, without_suffix(name)))
    centre = float(place["latitude"]), float(place["longitude"])
    return GazetteerCity(names, str(place["countrycode"]), *centre)


@cache
def large_cities(country_code: str, minimum_population: int) -> tuple[City, ...]:
    """Return the cities with at least this population in a country (ISO 3166-1 alpha-2).

    The cities are sorted by id. The minimum must be at least 15,000, because the search does not
    cover smaller places.
    """
    places = large_places() if minimum_population >= LARGE else all_places(TIERS[0])
    found = [
        _city(place)
        for place in places
        if place["countrycode"] == country_code and int(place["population"]) >= minimum_population
    ]
    return tuple(sorted(found, key=lambda city: city.city_id))


def most_populous(count: int) -> tuple[City, ...]:
    """Return the world's most populous cities, the largest first.

    A city is left out if it has no Chinese name, or if a more populous city has the same Chinese or
    English name. Only places with at least 15,000 people are searched.
    """
    places = sorted(all_places(TIERS[0]), key=lambda p: (-int(p["population"]), p["geonameid"]))
    found: list[City] = []
    seen: set[str] = set()
    for city in map(_city, places):
        if len(found) == count:
            break
        names = {city.name_zh, city.name_en, city.slug}
        if city.name_zh and seen.isdisjoint(names):
            found.append(city)
            seen |= {name for name in names if name}
    return tuple(found)


@cache
def chinese_place_names() -> frozenset[str]:
    """Return the Chinese names of towns, districts and cities in China, without suffixes."""
    names = {
        without_suffix(name)
        for place in all_places(TIERS[0])
        if place["countrycode"] == "CN"
        for name in place["alternatenames"]
        if HAN.match(name)
    }
    return frozenset(name for name in names if len(name) >= 2)
