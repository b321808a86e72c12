"""Indexes the names of a city's places in columnar form, so that names from a text can be looked
up.

The index is built once from a table, stored, and loaded when needed. ``names`` has a row for every
name of a place, with its own names before its aliases. ``keys`` has every key under which a name
from a text may be looked up, sorted by key. ``spots`` has a row for each place. ``schemas.frames``
describes the columns. Names are parsed into objects only when a text needs them. Opening a city is
therefore almost as fast as reading its files, which matters because linking opens every city that a
document mentions.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from geocoding.blocking import own_keys
from geocoding.names import NameReader, PlaceName, name_key, pinyin
from geocoding.places import TablePlaces
from geocoding.translation import glosses, longest_gloss
from schemas import frames
from schemas.arrow import polars_schema_of
from schemas.cities import City

#: Brackets at the end of a name, which contain a branch or another name.
_OPENING = "(（[【"
#: Fuzzy candidates: the most, and their lowest similarity (0-100).
_FUZZY_LIMIT, _FUZZY_CUTOFF = 8, 60.0


@dataclass(frozen=True)
class IndexRows:
    """The three frames that make up a city's index."""

    names: pl.DataFrame
    keys: pl.DataFrame
    spots: pl.DataFrame


def index_rows(places: TablePlaces, city: City) -> IndexRows:
    """Make an index of the names and aliases of all places in a city."""
    reader = NameReader.of(city)
    names: list[tuple[object, ...]] = []
    keys: list[tuple[str, int, bool]] = []
    for at, (poi_id, raw, is_standard) in enumerate(_list_names(places)):
        name = reader.read(raw)
        short = name_key(_without_bracket(raw))
        names.append((poi_id, raw, name_key(raw), short, name.main, is_standard))
        keys += ((key, at, False) for key in own_keys(name))
        keys += ((word, at, True) for word in _english_words(name))
    return IndexRows(
        pl.DataFrame(names, schema=polars_schema_of(frames.PLACE_NAMES), orient="row"),
        pl.DataFrame(keys, schema=polars_schema_of(frames.PLACE_KEYS), orient="row").sort(
            "key", "name_row", "is_word"
        ),
        places.pois.select(frames.PLACE_SPOTS.column_names),
    )


def _list_names(places: TablePlaces) -> Iterator[tuple[str, str, bool]]:
    """Return each name with its place, and whether the name is the place's own name."""
    for poi_id, *names in places.pois.select("poi_id", "name_zh", "name_en").iter_rows():
        for name in filter(None, names):
            yield poi_id, name, True
    for poi_id, alias in places.aliases.select("poi_id", "alias").iter_rows():
        yield poi_id, alias, False


def _without_bracket(name: str) -> str:
    cuts = (name[: name.index(o, 2)].strip() for o in _OPENING if o in name[2:])
    return next(cuts, name)


def _english_words(name: PlaceName) -> set[str]:
    """Return the words under which an English name can be found: its own words, their pinyin and
    their translations.
    """
    if name.lang != "zh":
        return {*name.words, "".join(name.words)}
    text, phrases, longest = name.bare, glosses(), longest_gloss()
    found = {pinyin(text), pinyin(name.core), *map(pinyin, text)}
    for start in range(len(text)):
        for end in range(start + 1, min(len(text), start + longest) + 1):
            piece = text[start:end]
            for phrase in phrases.get(piece, ()):
                found.update(phrase)
            if 2 <= end - start <= 4:
                found.add(pinyin(piece))
    return found - {""}


class NameIndex:
    """Indexes the names of a city's places under every key that a name from a text can have."""

    def __init__(self, rows: IndexRows, city: City) -> None:
        self.reader = NameReader.of(city)
        self._names, self._places = rows.names, rows.names["poi_id"]
        self._keys = _SortedColumn(rows.keys["key"], is_sorted=True)
        self._sorted: dict[str, _SortedColumn] = {}
        self._name_rows, self._is_word = rows.keys["name_row"], rows.keys["is_word"]

    @classmethod
    def of(cls, places: TablePlaces, city: City) -> NameIndex:
        """Return the index of the names and aliases of all places."""
        return cls(index_rows(places, city), city)

    def bearing(self, keys: Iterable[str], *, own: bool = False) -> set[str]:
        """Return places with a name that has one of these keys (``name_key``); ``own`` excludes
        aliases.
        """
        rows = {row for key in keys for row in self._rows_with("name_key", key)}
        is_standard = self._names["is_standard"]
        return {self._places[row] for row in rows if not own or is_standard[row]}

    def branches_of(self, key: str) -> set[str]:
        """Return the places whose names are this name followed by brackets."""
        rows = [
            row for row in self._rows_with("short_key", key) if self._names["name_key"][row] != key
        ]
        return {self._places[row] for row in rows}

    def holds(self, letters: str) -> bool:
        """Check whether the key of any name in the city contains these letters."""
        return self._names["name_key"].str.contains(letters, literal=True).any()

    def n_holding(self, letters: str) -> int:
        """Return how many places have a name whose key contains these letters."""
        return self._names.filter(pl.col("name_key").str.contains(letters, literal=True))[
            "poi_id"
        ].n_unique()

    def ending_in(self, text: str) -> set[str]:
        """Return the places with a folded name that ends with this text."""
        return set(self._names.filter(pl.col("main").str.ends_with(text))["poi_id"])

    def names_of(self, poi_id: str) -> list[PlaceName]:
        """Return the parsed names of a place."""
        names = self._names["name"]
        return [self.reader.read(names[row]) for row in self._rows_with("poi_id", poi_id)]

    def candidates(self, name: PlaceName) -> list[str]:
        """Return the places that a name may mean, sorted: those with a shared key or word, or a
        similar name.
        """
        asked = own_keys(name) | {"".join(name.words), pinyin(name.bare)}
        if name.lang == "zh":
            asked |= {name.bare[start:] for start in range(1, len(name.bare) - 1)}
        found = {poi_id for key in asked for poi_id in self._under(key)}
        votes: Counter[str] = Counter()
        for word in name.words:
            votes.update(self._under(word, is_word=True))
        found |= {poi_id for poi_id, n in votes.items() if 2 * n >= len(name.words)}
        return sorted(found | self._alike(name.main))

    def _under(self, key: str, *, is_word: bool = False) -> set[str]:
        """Return the places whose names have this key or this word."""
        rows = self._keys.rows_of(key)
        return {
            self._places[self._name_rows[row]] for row in rows if not is_word or self._is_word[row]
        }

    def _alike(self, main: str) -> set[str]:
        """Return the places whose folded names are most similar to this name."""
        # Imported here so that other commands start faster.
        from rapidfuzz import fuzz, process

        close = process.extract(
            main, self._mains, scorer=fuzz.ratio, limit=_FUZZY_LIMIT, score_cutoff=_FUZZY_CUTOFF
        )
        rows = (row for main, _, _ in close for row in self._rows_with("main", main))
        return {self._places[row] for row in rows}

    @cached_property
    def _mains(self) -> list[str]:
        """Return every folded name once, in the order of the rows."""
        return self._names["main"].unique(maintain_order=True).to_list()

    def _rows_with(self, column: str, value: str) -> Iterable[int]:
        """Return the rows of names with this value in a column; the column is sorted when first
        used.
        """
        if column not in self._sorted:
            self._sorted[column] = _SortedColumn(self._names[column])
        return self._sorted[column].rows_of(value)


class _SortedColumn:
    """A column of texts in which rows are looked up by value; the column is sorted first if
    necessary.
    """

    def __init__(self, column: pl.Series, *, is_sorted: bool = False) -> None:
        self._rows = None if is_sorted else column.arg_sort().to_numpy()
        self._values = column if self._rows is None else column.gather(self._rows)

    def rows_of(self, value: str) -> Iterable[int]:
        """Return the rows with this value, in order."""
        # Bisecting reads only twenty values; polars' own search takes longer than that to start.
        start = bisect_left(self._values, value)
        end = bisect_right(self._values, value, lo=start)
        return range(start, end) if self._rows is None else sorted(self._rows[start:end].tolist())
