"""The places of all tables: by exact name, and city by city.

Memory does not grow with the tables: only names that are in the given documents are kept of all
cities, and what ``geocoding.name_index`` keeps of the last few cities.
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

#: Kinds of which every city has its own: a name of one says little of the city by itself.
_COMMON_KINDS = frozenset(
    {"park", "street", "mall", "square", "temple", "gate", "bridge", "garden"}
)
#: Characters of a Chinese core, and words of a Latin name, that make a name speak for one city.
_TELLING_HAN, _TELLING_WORDS = 2, 2
#: Names of the cities that are held open at once: about 2 KB of memory each.
_MOST_OPEN = 200_000
#: Reads a frame of a city's index: ``names``, ``keys`` or ``spots``; all columns, or some.
ReadRows = Callable[[str, Sequence[str] | None], pl.DataFrame]


class OpenCity:
    """The index of one city in memory, and what names were found to be there."""

    def __init__(self, city: City, read: ReadRows) -> None:
        rows = IndexRows(read("names", None), read("keys", None), read("spots", None))
        self.index = NameIndex(rows, city)
        self.n_names = rows.names.height
        self._spots = rows.spots
        self._found: dict[str, Resolution] = {}
        self._holding: dict[str, bool] = {}

    def resolve(self, name: str) -> Resolution:
        """What a name is in this city; a name that texts repeat is compared once."""
        if name not in self._found:
            self._found[name] = resolve_name(self.index, name)
        return self._found[name]

    def holds(self, key: str) -> bool:
        """Whether a name of the city has these letters (``name_key``) in it."""
        if key not in self._holding:
            self._holding[key] = self.index.holds(key)
        return self._holding[key]

    @cached_property
    def points(self) -> Mapping[str, tuple[float, float]]:
        """Latitude and longitude by place, where known."""
        rows = self._spots.select("poi_id", "lat", "lon").drop_nulls()
        return {poi_id: (lat, lon) for poi_id, lat, lon in rows.iter_rows()}

    @cached_property
    def kinds(self) -> Mapping[str, frozenset[str]]:
        """Category and base type of each place, where known."""
        rows = self._spots.select("poi_id", "category", "base_type")
        return {poi_id: frozenset({a, b} - {None}) for poi_id, a, b in rows.iter_rows()}


class CityShelf:
    """Open cities: the last asked ones, of so many names together, and always one."""

    def __init__(self, most: int = _MOST_OPEN) -> None:
        self._most, self._lock = most, Lock()
        self._open: OrderedDict[tuple[str, str], OpenCity] = OrderedDict()

    def open(self, city: City, version: str, read: ReadRows) -> OpenCity:
        """The index of a city; ``version`` stands for its rows."""
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
    """The places of one city: their index is read when it is asked, and may be put away again."""

    city: City
    read: ReadRows
    #: Stands for the rows that ``read`` gives.
    version: str = ""
    shelf: CityShelf = field(default_factory=CityShelf, compare=False, repr=False)

    @classmethod
    def of(cls, places: TablePlaces, city: City) -> CityPlaces:
        """The places of a city from their tables."""
        rows = index_rows(places, city)

        def read(name: str, columns: Sequence[str] | None) -> pl.DataFrame:
            frame: pl.DataFrame = getattr(rows, name)
            return frame.select(columns or frame.columns)

        return cls(city, read)

    @property
    def opened(self) -> OpenCity:
        """The city's index in memory."""
        return self.shelf.open(self.city, self.version, self.read)

    def has(self, poi_id: str) -> bool:
        """Whether a place is one of the city's."""
        return poi_id in self.read("spots", ["poi_id"])["poi_id"]

    def bearing(self, keys: pl.DataFrame | None) -> Iterator[tuple[str, str]]:
        """Key and place of every name, with and without what stands in brackets.

        ``keys`` are those that are asked for, in a column ``key``; None asks for all.
        """
        rows = self.read("names", ["poi_id", "name_key", "short_key"])
        for column in ("name_key", "short_key"):
            found = rows.select("poi_id", key=column).filter(pl.col("key") != "")
            if keys is not None:
                found = found.join(keys, on="key", how="semi")
            yield from found.select("key", "poi_id").iter_rows()


@dataclass(frozen=True)
class PlaceIndex:
    """Every place there is, by city id; by exact name those that were asked for."""

    cities: Mapping[str, CityPlaces]
    _exact: Mapping[str, Set[tuple[str, str]]]

    @classmethod
    def of(cls, cities: Mapping[str, CityPlaces], names: Iterable[str] | None = None) -> PlaceIndex:
        """Index for texts with these names; without ``names`` for all that there are."""
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
        """(city, place) of every place that bears just this name."""
        return frozenset(self._exact.get(name_key(name), ()))

    def city_of(self, poi_id: str) -> str | None:
        """The city of a place; None for one that no table holds."""
        return next((city for city, held in self.cities.items() if held.has(poi_id)), None)

    def city(self, city_id: str | None) -> CityPlaces | None:
        """The places of a city; None where no table is of it."""
        return self.cities.get(city_id) if city_id else None


def is_telling(name: PlaceName) -> bool:
    """Whether a name is one that hardly two cities have: long enough, and not of a common kind."""
    if name.is_generic or (name.kind is not None and name.kind.code in _COMMON_KINDS):
        long_core = len(name.core) > _TELLING_HAN if name.lang == "zh" else len(name.words) > 2
        return long_core and not name.is_generic and not lexicon.is_region(name.core)
    if name.lang == "zh":
        return len(name.core) >= _TELLING_HAN and not lexicon.is_region(name.core)
    return len(name.words) >= _TELLING_WORDS
