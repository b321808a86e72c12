"""Indexes the places in all tables, both by exact name and by city.

Memory use does not grow with the size of the tables. Across all cities, only the names that occur
in the given documents are kept. The indexes from ``geocoding.name_index`` are kept in memory only
for the most recently opened cities.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock

import polars as pl

from geocoding import lexicon
from geocoding.name_index import IndexRows, NameIndex, index_rows
from geocoding.names import PlaceName, name_key
from geocoding.places import TablePlaces
from geocoding.resolve import Resolution, resolve_name
from schemas.cities import City

#: Every city has places of these kinds, so such a name alone says little about the city.
_COMMON_KINDS = frozenset(
    {"park", "street", "mall", "square", "temple", "gate", "bridge", "garden"}
)
#: A Chinese core of so many characters, or a Latin name of so many words, shows the city.
_TELLING_HAN, _TELLING_WORDS = 2, 2
#: So many names of open cities are kept in memory, about 2 KB each.
_MOST_OPEN = 200_000
#: Reads a frame of a city's index (``names``, ``keys`` or ``spots``), all columns or some.
ReadRows = Callable[[str, Sequence[str] | None], pl.DataFrame]


class OpenCity:
    """The index of one city in memory, and the names already resolved in that city."""

    def __init__(self, city: City, read: ReadRows) -> None:
        rows = IndexRows(read("names", None), read("keys", None), read("spots", None))
        self.index = NameIndex(rows, city)
        self.n_names = rows.names.height
        self._spots = rows.spots
        self._found: dict[str, Resolution] = {}
        self._holding: dict[str, bool] = {}

    def resolve(self, name: str) -> Resolution:
        """Return the place in this city that a name means; results are cached."""
        if name not in self._found:
            self._found[name] = resolve_name(self.index, name)
        return self._found[name]

    def holds(self, key: str) -> bool:
        """Check whether any name in the city contains these letters (``name_key``)."""
        if key not in self._holding:
            self._holding[key] = self.index.holds(key)
        return self._holding[key]

    @cached_property
    def points(self) -> Mapping[str, tuple[float, float]]:
        """Return the latitude and longitude of each place with a known position."""
        rows = self._spots.select("poi_id", "lat", "lon").drop_nulls()
        return {poi_id: (lat, lon) for poi_id, lat, lon in rows.iter_rows()}

    @cached_property
    def kinds(self) -> Mapping[str, frozenset[str]]:
        """Return the category and base type of each place, if they are known."""
        rows = self._spots.select("poi_id", "category", "base_type")
        return {poi_id: frozenset({a, b} - {None}) for poi_id, a, b in rows.iter_rows()}


class CityShelf:
    """Keeps the most recently opened cities in memory, up to a total number of names, but always at
    least one city.
    """

    def __init__(self, most: int = _MOST_OPEN) -> None:
        self._most, self._lock = most, Lock()
        self._open: OrderedDict[tuple[str, str], OpenCity] = OrderedDict()

    def open(self, city: City, version: str, read: ReadRows) -> OpenCity:
        """Return the index of a city; ``version`` identifies the rows in its tables."""
        key = city.city_id, version
        with self._lock:
            if key not in self._open:
                self._open[key] = OpenCity(city, read)
                while (
                    len(self._open) > 1 and sum(c.n_names for c in self._open.values()) > self._most
                ):
                    self._open.popitem(last=False)
            self._open.move_to_end(key)
            return self._open[key]


@dataclass(frozen=True)
class CityPlaces:
    """The places in one city.

    The index of these places is loaded when needed and may later be dropped from memory.
    """

    city: City
    read: ReadRows
    #: Identifies the rows that ``read`` returns.
    version: str = ""
    shelf: CityShelf = field(default_factory=CityShelf, compare=False, repr=False)

    @classmethod
    def of(cls, places: TablePlaces, city: City) -> CityPlaces:
        """Create a ``CityPlaces`` from a city's tables."""
        rows = index_rows(places, city)

        def read(name: str, columns: Sequence[str] | None) -> pl.DataFrame:
            frame: pl.DataFrame = getattr(rows, name)
            return frame.select(columns or frame.columns)

        return cls(city, read)

    @property
    def opened(self) -> OpenCity:
        """Return the city's index in memory."""
        return self.shelf.open(self.city, self.version, self.read)

    def has(self, poi_id: str) -> bool:
        """Check whether a place is in the city."""
        return poi_id in self.read("spots", ["poi_id"])["poi_id"]

    def bearing(self, keys: pl.DataFrame | None) -> Iterator[tuple[str, str]]:
        """Yield the key and the place for every name, both with and without its brackets.

        ``keys`` is a frame whose column ``key`` contains the requested keys; if it is None, all
        keys are returned.
        """
        rows = self.read("names", ["poi_id", "name_key", "short_key"])
        for column in ("name_key", "short_key"):
            found = rows.select("poi_id", key=column).filter(pl.col("key") != "")
            if keys is not None:
                found = found.join(keys, on="key", how="semi")
            yield from found.select("key", "poi_id").iter_rows()


@dataclass(frozen=True)
class PlaceIndex:
    """An index of all places by city id, and of the requested places by exact name."""

    cities: Mapping[str, CityPlaces]
    _exact: Mapping[str, Set[tuple[str, str]]]

    @classmethod
    def of(cls, cities: Mapping[str, CityPlaces], names: Iterable[str] | None = None) -> PlaceIndex:
        """Return an index for texts that contain these names, or an index for all names if
        ``names`` is None.
        """
        asked = None
        if names is not None:
            keys = sorted({name_key(name) for name in names})
            asked = pl.DataFrame({"key": keys}, schema={"key": pl.String})
        exact: dict[str, set[tuple[str, str]]] = defaultdict(set)
        for city_id, held in cities.items():
            for key, poi_id in held.bearing(asked):
                exact[key].add((city_id, poi_id))
        return cls(dict(cities), dict(exact))

    def exact(self, name: str) -> frozenset[tuple[str, str]]:
        """Return (city, place) for every place with exactly this name."""
        return frozenset(self._exact.get(name_key(name), ()))

    def city_of(self, poi_id: str) -> str | None:
        """Return the city of a place, or None if no table contains the place."""
        return next((city for city, held in self.cities.items() if held.has(poi_id)), None)

    def city(self, city_id: str | None) -> CityPlaces | None:
        """Return the places in a city, or None if no table is about this city."""
        return self.cities.get(city_id) if city_id else None


def is_telling(name: PlaceName) -> bool:
    """Check whether a name is so long, or of such a rare kind, that two cities are unlikely to
    share it.
    """
    if name.is_generic or (name.kind is not None and name.kind.code in _COMMON_KINDS):
        long_core = len(name.core) > _TELLING_HAN if name.lang == "zh" else len(name.words) > 2
        return long_core and not name.is_generic and not lexicon.is_region(name.core)
    if name.lang == "zh":
        return len(name.core) >= _TELLING_HAN and not lexicon.is_region(name.core)
    return len(name.words) >= _TELLING_WORDS
