"""The index of a city's places as rows: made once from a table, stored, and read when needed.

``names`` has a row for every name of a place, those of the place itself before its aliases;
``keys`` every key under which a text may ask for a name, sorted by key; ``spots`` a row a place.
``schemas.frames`` says what the columns are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from geocoding.blocking import own_keys
from geocoding.glosses import glosses, longest_gloss
from geocoding.names import NameReader, PlaceName, name_key, pinyin
from geocoding.places import TablePlaces
from schemas import frames
from schemas.arrow import polars_schema_of
from schemas.cities import City

#: Brackets behind which a name tells a branch or another name.
_OPENING = "(（[【"


@dataclass(frozen=True)
class IndexRows:
    """The three frames of a city's index."""

    names: pl.DataFrame
    keys: pl.DataFrame
    spots: pl.DataFrame


def index_rows(places: TablePlaces, city: City) -> IndexRows:
    """The index of the names and aliases of all places of a city."""
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
    """Place, name, and whether it is the place's own name."""
    for poi_id, *names in places.pois.select("poi_id", "name_zh", "name_en").iter_rows():
        for name in filter(None, names):
            yield poi_id, name, True
    for poi_id, alias in places.aliases.select("poi_id", "alias").iter_rows():
        yield poi_id, alias, False


def _without_bracket(name: str) -> str:
    for opening in _OPENING:
        if opening in name[2:]:
            return name[: name.index(opening, 2)].strip()
    return name


def _english_words(name: PlaceName) -> set[str]:
    """Words by which an English name may ask for a place: its own, its pinyin, its translations."""
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
