"""The places of all tables: by exact name, and city by city."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from geocoding import lexicon
from geocoding.names import PlaceName, name_key
from geocoding.places import Places
from geocoding.resolve import Found, NameIndex, resolve_name
from schemas.cities import City

#: Kinds of which every city has its own: a name of one says little of the city by itself.
_COMMON_KINDS = frozenset(
    {"park", "street", "mall", "square", "temple", "gate", "bridge", "garden"}
)
#: Characters of a Chinese core, and words of a Latin name, that make a name speak for one city.
_TELLING_HAN, _TELLING_WORDS = 2, 2


@dataclass(frozen=True)
class CityPlaces:
    """The places of one city, with the index of their names."""

    city: City
    places: Places
    _found: dict[str, Found] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def index(self) -> NameIndex:
        """Names by every key under which a text may ask for them; made when first asked."""
        return NameIndex.of(self.places, self.city)

    def resolve(self, name: str) -> Found:
        """What a name is in this city; a name that texts repeat is compared once."""
        found = self._found.get(name)
        if found is None:
            found = self._found[name] = resolve_name(self.index, name)
        return found

    @cached_property
    def points(self) -> Mapping[str, tuple[float, float]]:
        """Latitude and longitude by place, where known."""
        rows = self.places.pois.select("poi_id", "lat", "lon").drop_nulls()
        return {poi_id: (lat, lon) for poi_id, lat, lon in rows.iter_rows()}

    @cached_property
    def kinds(self) -> Mapping[str, frozenset[str]]:
        """Category and base type of each place, where known."""
        rows = self.places.pois.select("poi_id", "category", "base_type")
        return {poi_id: frozenset({a, b} - {None}) for poi_id, a, b in rows.iter_rows()}


@dataclass(frozen=True)
class PlaceIndex:
    """Every place there is, by city id."""

    cities: Mapping[str, CityPlaces]
    _exact: dict[str, set[tuple[str, str]]] = field(default_factory=lambda: defaultdict(set))

    @classmethod
    def of(cls, cities: Mapping[str, CityPlaces]) -> PlaceIndex:
        """Index over the names and aliases of all cities' places."""
        index = cls(dict(cities))
        for city_id, held in cities.items():
            for row in held.places.pois.iter_rows(named=True):
                for name in (row["name_zh"], row["name_en"]):
                    index._add(name, city_id, row["poi_id"])
            for row in held.places.aliases.iter_rows(named=True):
                index._add(row["alias"], city_id, row["poi_id"])
        return index

    def _add(self, name: str | None, city_id: str, poi_id: str) -> None:
        for form in {name, _without_bracket(name)} if name else ():
            key = name_key(form or "")
            if key:
                self._exact[key].add((city_id, poi_id))

    def exact(self, name: str) -> frozenset[tuple[str, str]]:
        """(city, place) of every place that bears just this name."""
        return frozenset(self._exact.get(name_key(name), ()))

    def city_of(self, poi_id: str) -> str | None:
        """The city of a place; None for one that no table holds."""
        return next((c for c, held in self.cities.items() if poi_id in held.kinds), None)

    def city(self, city_id: str | None) -> CityPlaces | None:
        """The places of a city; None where no table is of it."""
        return self.cities.get(city_id) if city_id else None


def _without_bracket(name: str | None) -> str | None:
    for opening in "(（[【":
        if name and opening in name[2:]:
            return name[: name.index(opening, 2)].strip()
    return name


def is_telling(name: PlaceName) -> bool:
    """Whether a name is one that hardly two cities have: long enough, and not of a common kind."""
    if name.is_generic or (name.kind is not None and name.kind.code in _COMMON_KINDS):
        long_core = len(name.core) > _TELLING_HAN if name.lang == "zh" else len(name.words) > 2
        return long_core and not name.is_generic and not lexicon.is_region(name.core)
    if name.lang == "zh":
        return len(name.core) >= _TELLING_HAN and not lexicon.is_region(name.core)
    return len(name.words) >= _TELLING_WORDS
