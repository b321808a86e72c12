"""Finds the GeoNames cities and regions named in a text.

If several cities share a name, the largest one is chosen. Some names, such as Nice or Reading, are
also ordinary words in the text's language. A name that is also an ordinary word counts only if the
text always writes it as a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from geocoding.lexicon import PROVINCE_OF
from schemas.geonames import TIERS, all_places
from schemas.place_names import chinese_name, fold_names, without_suffix
from schemas.regions import all_region_names
from schemas.word_lists import Lists

#: The smallest population of cities that are searched in texts, by script.
_LEAST_ZH, _LEAST_LATIN = 100_000, 150_000
_LEAST_LATIN_LETTERS = 4
#: Names of cities that are also words: they count only if the text calls them a city.
_WORDS_TOO = frozenset(Lists("geocoding.linking").words("city_words"))
#: A name of a region and a city means the city if it has more people; a country always comes first.
_PEOPLE_OF_REGION, _PEOPLE_OF_COUNTRY = 1_000_000, 10**10
_NOBODY = {"population": 0}
#: The smallest population of a part of a municipality whose name shows it; many are East Town.
_LEAST_DISTRICT = 250_000
_HAN_RUN = re.compile(r"[\u4e00-\u9fff]+")
_WORDS = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_LONGEST_HAN, _MOST_WORDS = 7, 3
#: Words after a city's name that make it another name: a road, a school, a cuisine.
_GOES_ON = re.compile(
    r"[东西南北中]?(?:路|街|大道|大街|巷|道口|大学|学院|医院|银行|菜|人|话|味|烤鸭|饭店|酒店|宾馆)"
)
#: Separators of a chain of places, and the fewest parts of a chain that returns.
_LINE, _PART, _LEAST_PARTS = re.compile(r"[^\n]+"), re.compile(r"[^>＞→➡⇒»—–~\n-]+"), 3
_NEAR = re.compile(r"周边|附近|旁边|近郊|\b(?:near|around|outside|close to)\b", re.IGNORECASE)
_OF_REGION = re.compile(r"(?:省|自治区|特别行政区)$")
#: Words for roads, which are named after other cities.
_LATIN_ROAD = re.compile(r"\b(?:road|street|avenue|lane|rd|st|ave|lu|jie)\b\.?$", re.IGNORECASE)
#: The smallest population of a city whose Latin name may precede a place's; Fontana is a city too.
_LEAST_IN_FRONT = 1_000_000
#: The smallest population of a city that is recognised in a path.
_LEAST_IN_PATH = 500_000


@dataclass(frozen=True)
class Spot:
    """A city or region named in a text. ``area`` is the country and, if known, the region."""

    start: int
    end: int
    place: str
    area: tuple[str, str | None]
    is_city: bool
    people: int = 0


@dataclass(frozen=True)
class _Entry:
    place: str
    area: tuple[str, str | None]
    is_city: bool
    people: int


@cache
def _entries() -> tuple[dict[str, _Entry], dict[str, _Entry]]:
    """Map each Chinese and each folded Latin name to a city or region; if several share the name,
    choose the largest.
    """
    han: dict[str, _Entry] = {}
    latin: dict[str, _Entry] = {}
    for area, names in all_region_names().items():
        country, code = area
        people = _PEOPLE_OF_REGION if code else _PEOPLE_OF_COUNTRY
        entry = _Entry(f"{country}.{code}" if code else country, area, False, people)
        for name in names:
            _keep(han if _HAN_RUN.fullmatch(name) else latin, _key(name), entry)
    wholes = _municipalities()
    for place in all_places(TIERS[0]):
        people = int(place["population"])
        if people < _LEAST_ZH:
            continue
        area = str(place["countrycode"]), str(place["admin1code"]) or None
        whole = wholes.get(area, place)
        if whole is not place and people < _LEAST_DISTRICT:
            continue
        entry = _Entry(f"gn{whole['geonameid']}", area, True, people)
        short = chinese_name(str(place["name"]), place["alternatenames"])
        if short and len(short) >= 2:
            for written in {short, *_other_scripts(short, place["alternatenames"])}:
                _keep(han, f"{written}市" if written in _WORDS_TOO else written, entry)
        if people >= _LEAST_LATIN:
            _keep(latin, _key(str(place["name"])), entry)
    return han, latin


def _municipalities() -> dict[tuple[str, str | None], Mapping[str, Any]]:
    """Return China's first-level divisions that are not provinces, each with its main city.

    The other cities that GeoNames lists in such a division are districts and towns of that main
    city.
    """
    found: dict[tuple[str, str | None], Mapping[str, Any]] = {}
    for place in all_places(TIERS[0]):
        area = str(place["countrycode"]), str(place["admin1code"]) or None
        is_city = area[0] == "CN" and area[1] is not None and area[1] not in PROVINCE_OF
        if is_city and int(place["population"]) > int(found.get(area, _NOBODY)["population"]):
            found[area] = place
    return found


def _other_scripts(short: str, names: Iterable[str]) -> Iterator[str]:
    """Yield the names that may be ``short`` written in the other Chinese script: names of the same
    length that share at least one character with ``short``.
    """
    for name in map(without_suffix, filter(_HAN_RUN.fullmatch, names)):
        if len(name) == len(short) and set(name) & set(short):
            yield name


def _key(name: str) -> str:
    return without_suffix(name) if _HAN_RUN.fullmatch(name) else _fold(name)


def _fold(name: str) -> str:
    return fold_names([name])[0]


def _keep(entries: dict[str, _Entry], key: str, entry: _Entry) -> None:
    least = 2 if _HAN_RUN.fullmatch(key) else _LEAST_LATIN_LETTERS
    known = entries.get(key)
    if len(key) >= least and (known is None or entry.people > known.people or _names(entry, known)):
        entries[key] = entry


def _names(entry: _Entry, country: _Entry) -> bool:
    """Check whether a city has the same name as its country, like Singapore, in which case the
    city is meant.
    """
    is_country = country.people == _PEOPLE_OF_COUNTRY
    return entry.is_city and is_country and entry.area[0] == country.area[0]


def place_named(name: str) -> Spot | None:
    """Return the city or region whose name is the whole text, such as the city in a reading."""
    han, latin = _entries()
    text = name.strip()
    if not _HAN_RUN.fullmatch(text):
        entry = latin.get(_fold(text))
    else:
        entry = han.get(text) or han.get(without_suffix(text)) or han.get(_OF_REGION.sub("", text))
    return _spot(0, len(name), entry) if entry else None


def place_told(text: str) -> Spot | None:
    """Return the city or region named in a description of a location.

    The description may be a name, or contain one city among other words. A place described as
    "near" a city is not in the city.
    """
    whole = place_named(text)
    if whole is not None or _NEAR.search(text):
        return whole
    cities = {spot.place: spot for spot in spots(text) if spot.is_city}
    return next(iter(cities.values())) if len(cities) == 1 else None


def spots(text: str, masked: Iterable[tuple[int, int]] = ()) -> Iterator[Spot]:
    """Return every city and region named in a text outside the masked ranges, in the order of
    the text.
    """
    covered = {at for start, end in masked for at in range(start, end)}
    found = [*_han_spots(text), *_latin_spots(text)]
    for spot in sorted(found, key=lambda spot: spot.start):
        if not covered.intersection(range(spot.start, spot.end)):
            yield spot


def _han_spots(text: str) -> Iterator[Spot]:
    han, _ = _entries()
    for run in _HAN_RUN.finditer(text):
        at = run.start()
        while at < run.end() - 1:
            for length in range(min(_LONGEST_HAN, run.end() - at), 1, -1):
                entry = han.get(text[at : at + length])
                if entry is not None and not _GOES_ON.match(text, at + length):
                    yield _spot(at, at + length, entry)
                    at += length - 1
                    break
            at += 1


def _latin_spots(text: str) -> Iterator[Spot]:
    _, latin = _entries()
    words = list(_WORDS.finditer(text))
    small = {word.group() for word in words if word.group().islower()}
    at = 0
    while at < len(words):
        step = 1
        for count in range(min(_MOST_WORDS, len(words) - at), 0, -1):
            start, end = words[at].start(), words[at + count - 1].end()
            written = text[start:end]
            if not written[0].isupper() or len(written) > 40:
                continue
            entry = latin.get(_plain(written))
            if entry is not None and not (count == 1 and written.lower() in small):
                yield _spot(start, end, entry)
                step = count
                break
        at += step


def _plain(written: str) -> str:
    return re.sub(r"[\s'’.-]", "", written).lower() if written.isascii() else _fold(written)


def _spot(start: int, end: int, entry: _Entry) -> Spot:
    return Spot(start, end, entry.place, entry.area, entry.is_city, entry.people)


def outings(text: str) -> Iterator[tuple[int, int]]:
    """Return ranges between a city and the next mention of the same city in a chain (A > X > A).

    Places between the two mentions of the city are day trips out of it.
    """
    for line in _LINE.finditer(text):
        parts = list(_PART.finditer(text, line.start(), line.end()))
        if len(parts) < _LEAST_PARTS:
            continue
        left: tuple[int, str] | None = None  # the last city, and its position in the chain
        for at, part in enumerate(parts):
            come, go = _city_at(part.group(), 0), _city_at(part.group(), -1)
            if left is not None and come == left[1] and at > left[0] + 1:
                yield parts[left[0]].end(), part.start()
            if come or go:
                left = (at, go) if go else None


def _city_at(part: str, end: int) -> str | None:
    """Return the city that is named by a whole part of a chain or, failing that, by the part's
    first word (``end`` is 0) or last word (``end`` is -1).
    """
    words = part.split()
    named = (place_named(said) for said in ((part, words[end]) if words else ()))
    return next((spot.place for spot in named if spot is not None and spot.is_city), None)


def city_in_front(name: str) -> Spot | None:
    """Return the city at the front of a place's name, or the province if 省 follows the name.

    Returns None if the place's name is the name of a road.
    """
    han, latin = _entries()
    if _HAN_RUN.match(name):
        for length in range(min(_LONGEST_HAN, len(name) - 2), 1, -1):
            entry = han.get(name[:length])
            if entry is not None and not entry.is_city and name.startswith("省", length):
                return _spot(0, length + 1, entry)
            if entry is not None and entry.is_city:
                return None if _GOES_ON.fullmatch(name, length) else _spot(0, length, entry)
        return None
    words = list(_WORDS.finditer(name))
    for count in range(min(_MOST_WORDS, len(words) - 2), 0, -1):
        end = words[count - 1].end()
        entry = latin.get(_plain(name[:end]))
        if entry is None or not entry.is_city or entry.people < _LEAST_IN_FRONT:
            continue
        if not _LATIN_ROAD.search(name):
            return _spot(0, end, entry)
    return None


def spots_in_path(path: str) -> Iterator[Spot]:
    """Return each large city in a document's path; the path may give the words in lower case."""
    words = " ".join(word.capitalize() for word in re.split(r"[\W_\d]+", path) if word)
    found: dict[str, Spot] = {}
    for spot in spots(words):
        if spot.is_city and spot.people >= _LEAST_IN_PATH:
            found.setdefault(spot.place, spot)
    yield from found.values()


def spot_of(place: str) -> Spot:
    """Return the city or region with a given id, as used in linking; the result has no position in
    a text.

    The id of a region consists of the codes of the country and of the region (``CN.30``); the id of
    a country is its code alone (``CN``).
    """
    country, _, code = place.partition(".")
    is_city = not country.isupper()
    return Spot(0, 0, place, ("", None) if is_city else (country, code or None), is_city)
