"""Find cities by name, and map the names of cities to slugs."""

from __future__ import annotations

from collections.abc import Iterable

from queries.audit.reading import CityNames
from schemas.cities import City, UnknownCityError, find_city


def names_of(cities: Iterable[City]) -> CityNames:
    """Map the Chinese name, the English name and the slug of each city to the slug."""
    names: dict[str, str] = {}
    for city in cities:
        for form in (city.slug, city.name_en, city.name_zh):
            if form:
                names.setdefault(form, city.slug)
    return CityNames(names)


def cities_named(names: Iterable[str]) -> list[City]:
    """Return the registry's cities with these names, sorted by name and without duplicates.

    Unknown names are skipped.
    """
    found: dict[str, City] = {}
    for name in sorted(set(names)):
        try:
            city = find_city(name)
        except UnknownCityError:
            continue
        found.setdefault(city.city_id, city)
    return list(found.values())
