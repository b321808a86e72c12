"""Finds pairs of places worth comparing: places whose names share a key, or neighbours with similar
names.

Two names are similar if they share two adjacent characters. The cost grows almost linearly with the
number of places.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from geocoding.dictionary import read_known_names
from geocoding.names import PlaceName, name_key

H3_RESOLUTION = 8
#: If more places share a key, it says little: they are compared only within neighbouring cells.
_COMMON_KEY = 40


@dataclass(frozen=True)
class Located:
    """A place to compare: its position and its names, the most important name first."""

    names: tuple[PlaceName, ...]
    lat: float | None = None
    lon: float | None = None

    @property
    def cell(self) -> str | None:
        """Return the place's H3 cell at resolution 8, or None if the place has no coordinates."""
        return h3_cell(self.lat, self.lon)


def h3_cell(lat: float | None, lon: float | None) -> str | None:
    """Return a point's H3 cell at resolution 8 (edge about 0.5 km), or None if it has no
    coordinates.
    """
    if lat is None or lon is None:
        return None
    # h3 is imported here because not every command needs cells.
    import h3

    return str(h3.latlng_to_cell(lat, lon, H3_RESOLUTION))


def own_keys(name: PlaceName) -> set[str]:
    """Return the keys under which other places can find the place with this name."""
    keys = {name_key(name.raw), name.bare, name.main, name.tail, *name.brackets}
    if name.kind is not None and len(name.core) >= 2:
        keys.add(name.core)
    keys.update(f"={group}" for group in read_known_names().groups(name))
    return {key for key in keys if len(key) >= 2}


def _list_keys(name: PlaceName) -> set[str]:
    """Return the keys that a name looks up to find other places: its own keys and, if the name is
    Chinese, its beginnings and endings.
    """
    keys = own_keys(name)
    if name.lang == "zh":
        keys.update(name.bare[:end] for end in range(2, len(name.bare)))
        keys.update(name.bare[start:] for start in range(1, len(name.bare) - 1))
    return keys


def candidate_pairs(places: Sequence[Located]) -> list[tuple[int, int]]:
    """Return the pairs of positions to compare, sorted; each pair has the lower position first."""
    return sorted({*_by_key(places), *_by_cell(places)})


def _by_key(places: Sequence[Located]) -> Iterator[tuple[int, int]]:
    index: dict[str, set[int]] = defaultdict(set)
    for position, place in enumerate(places):
        for name in place.names:
            for key in own_keys(name):
                index[key].add(position)
    for position, place in enumerate(places):
        for name in place.names:
            for key in _list_keys(name):
                found = index.get(key, set())
                if len(found) <= _COMMON_KEY:
                    yield from (_order(position, other) for other in found if other != position)


def _by_cell(places: Sequence[Located]) -> Iterator[tuple[int, int]]:
    # h3 is imported here because not every command needs cells.
    import h3

    index: dict[tuple[str, str], list[int]] = defaultdict(list)
    for position, place in enumerate(places):
        cell = place.cell
        if cell is not None:
            for piece in _pieces(place):
                index[cell, piece].append(position)
    for position, place in enumerate(places):
        cell = place.cell
        if cell is None:
            continue
        for near in h3.grid_disk(cell, 1):
            for piece in _pieces(place):
                found = index.get((str(near), piece), ())
                yield from (_order(position, other) for other in found if other != position)


def _pieces(place: Located) -> set[str]:
    """Return the parts of a place's names: pairs of adjacent characters in Chinese names, and words
    in other names.
    """
    pieces: set[str] = set()
    for name in place.names:
        if name.lang == "zh":
            pieces.update(name.bare[i : i + 2] for i in range(len(name.bare) - 1))
        else:
            pieces.update(name.words)
    return pieces


def _order(one: int, two: int) -> tuple[int, int]:
    return (one, two) if one < two else (two, one)
