"""Find the cities named in a user's query, and check whether the build includes them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from queries.audit.reading import CityNames, ReadRequest, read_request
from queries.given.forms import RefusedEntry
from schemas.cities import AmbiguousCityError, City, UnknownCityError, find_city, large_cities
from schemas.taxonomy import TPRAG_CITIES

#: Chinese cities with at least this many people are recognised by name in any text.
_LARGE = 500_000
_HAN = re.compile(r"^[\u4e00-\u9fff]{2,6}$")
#: Words such as "to" that are followed by the name of a city; they help to find smaller cities.
_CUE_ZH = re.compile(r"(?:前往|飞往|去往|目的地是|目的地|去|到|游)([\u4e00-\u9fff]{2,6})")
_CUE_EN = re.compile(
    r"\b(?:to|in|visit(?:ing)?|explor(?:e|ing)|around)\s+([A-Z][\w'’-]+(?:\s[A-Z][\w'’-]+){0,2})"
)
_SURE = 100_000
#: A text longer than this is not the name of a city.
_LONGEST = 24


@dataclass(frozen=True)
class KnownCities:
    """The cities in a build, with methods to find these and other cities in queries."""

    built: tuple[City, ...]

    @cached_property
    def names(self) -> CityNames:
        """Return the names of the build's cities, TP-RAG's cities and China's large cities."""
        others = [find_city(slug) for slug, _ in TPRAG_CITIES]
        return names_of_all((*self.built, *others, *large_cities("CN", _LARGE)))

    @cached_property
    def by_slug(self) -> dict[str, City]:
        """Return the cities in the build by slug."""
        return {city.slug: city for city in self.built}

    def find_stated(self, value: object) -> City:
        """Return the city given in a field.

        Raises RefusedEntry if the name is unknown or ambiguous.
        """
        try:
            return find_city(str(value).strip())
        except AmbiguousCityError as error:
            raise RefusedEntry("ambiguous_city", str(error)) from None
        except UnknownCityError as error:
            raise RefusedEntry("unknown_city", str(error)) from None

    def find_by_name(self, name: str) -> City | None:
        """Return the city with this name, or None if no city or more than one city has the name."""
        slug = self.names.keys.get(name.lower())
        try:
            return find_city(slug or name) if slug or len(name) <= _LONGEST else None
        except (UnknownCityError, AmbiguousCityError):
            return None

    def of_build(self, city: City) -> City:
        """Return this city if the build includes it; otherwise, raise RefusedEntry."""
        if city.slug not in self.by_slug:
            raise RefusedEntry(
                "city_not_built", f"{city.name_en} is not part of this build: add it with --city"
            )
        return city

    def read(self, text: str) -> ReadRequest:
        """Read a text in the same way as the audit, but also look up the destination in the
        registry.
        """
        found = read_request(text, self.names)
        if found.targets and (found.targets[0] != found.start or len(found.targets) > 1):
            return found
        other = look_up_town(text, found.start)
        return found if other is None else ReadRequest(**{**vars(found), "targets": (other.slug,)})


def names_of_all(cities: Iterable[City]) -> CityNames:
    """Map cities' Chinese and English names to slugs; if cities share a name, it is mapped to the
    first of them.
    """
    names: dict[str, str] = {}
    for city in cities:
        han = [name.removesuffix("市") for name in city.names if _HAN.match(name)]
        for form in (city.slug, city.name_en, city.name_zh, *han):
            if form and len(form) >= 2:
                names.setdefault(form, city.slug)
    return CityNames(names)


def look_up_town(text: str, start: str | None) -> City | None:
    """Return the registry's town whose name follows a word such as "to", or None if there is no
    such town.

    Small towns are ignored because their names are often ordinary words.
    """
    tried: Sequence[str] = [
        match[1][:length]
        for match in _CUE_ZH.finditer(text)
        for length in range(len(match[1]), 1, -1)
    ] + [name for match in _CUE_EN.finditer(text) for name in _shorter(match[1])]
    for name in tried:
        try:
            city = find_city(name)
        except (UnknownCityError, AmbiguousCityError):
            continue
        if city.population >= _SURE and city.slug != start:
            return city
    return None


def _shorter(name: str) -> list[str]:
    words = name.split()
    return [" ".join(words[:n]) for n in range(len(words), 0, -1)]
