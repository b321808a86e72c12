"""Defines the errors for names that match no city or several cities, with advice for the user."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from schemas.city_names import find_stated_id, meaning, parts_of
from schemas.geonames import TIERS, Place, large_names
from schemas.place_names import HAN, chinese_name, fold, fold_names, without_suffix
from schemas.regions import areas_called, country_name, region_names

#: Highest number of candidates that an error message lists.
_LISTED = 6
#: Patterns of names in JSON: of any name, and of names in one script.
_NAME, _LATIN = re.compile(rb'"[^"]*"'), re.compile(rb'"[^\\]*"')
_HAN, _OTHER = re.compile(rb'"(?:\\u[4-9][0-9a-f]{3})+"'), re.compile(rb'"[^\\]*\\')


class UnknownCityError(ValueError):
    """Raised if no city has this name. ``nearest`` lists similar names."""

    def __init__(self, name: str, nearest: tuple[str, ...], message: str | None = None):
        self.name, self.nearest = name, nearest
        hint = f" Did you mean: {', '.join(nearest)}?" if nearest else ""
        super().__init__(message or f"no city is called {name!r} in GeoNames.{hint}")


class AmbiguousCityError(UnknownCityError):
    """Raised if a name matches several cities.

    ``nearest`` lists an unambiguous name for each city.
    """

    def __init__(self, name: str, candidates: Sequence[Place], why: str):
        listed = {spelling(place): place for place in candidates[:_LISTED]}
        choices = "; ".join(f'"{text}" ({describe_place(place)})' for text, place in listed.items())
        more = len(candidates) - len(listed)
        rest = f"; and {more} more: add the country or region to the name" if more else ""
        super().__init__(name, tuple(listed), f"{why} Write one of: {choices}{rest}.")


def place_called(name: str) -> Place:
    """Find the place that a name means.

    Raises UnknownCityError, which suggests similar names, if no place has this name. Raises
    AmbiguousCityError, which says how to name each candidate, if several places have this name.
    """
    found = meaning(name)
    if found.settled:
        return found.places[0]
    if found.places:
        raise AmbiguousCityError(name, found.places, f"{name!r} is ambiguous.")
    base, *asked = parts_of(name)
    elsewhere = meaning(base).places if asked else ()
    if elsewhere:
        unknown = [area for area in asked if not areas_called(area)]
        missing = f"no city called {base!r} is in {', '.join(asked)}."
        why = f"no country or region is called {unknown[0]!r}." if unknown else missing
        raise AmbiguousCityError(name, elsewhere, why)
    raise UnknownCityError(name, () if find_stated_id(name) else nearest_names(base))


def spelling(place: Place) -> str:
    """Find the shortest name that identifies this place unambiguously.

    If all names are ambiguous, return the id. For places with fewer than 15,000 people, always
    return the id, because many such places share a name and searching is slow.
    """
    name, country, region = place["name"], place["countrycode"], place["admin1code"]
    if int(place["population"]) >= TIERS[0]:
        within = (country, *region_names(country, region))
        for text in (name, *(f"{name}, {area}" for area in within)):
            if meaning(text).means(place["geonameid"]):
                return str(text)
    return f"gn{place['geonameid']}"


def describe_place(place: Place) -> str:
    """Describe a place by its name, region, country and population, so that a user can choose."""
    regions = "/".join(region_names(place["countrycode"], place["admin1code"]))
    people = f"{place['population']:,} people" if place["population"] else ""
    parts = (place["name"], regions, country_name(place["countrycode"]), people)
    return ", ".join(dict.fromkeys(part for part in parts if part))


def nearest_names(name: str, limit: int = 5) -> tuple[str, ...]:
    """Find names of cities that are similar to a misspelt name, best first.

    Only cities with at least 100,000 people are searched. For a Chinese name, the similar names are
    Chinese too.
    """
    # Imported only when a name is unknown.
    from rapidfuzz import fuzz, process

    places = sorted(large_names(), key=lambda place: int(place[1]))
    largest = _largest_by_key(name, places)
    hits = process.extract(
        fold(name), list(largest), scorer=fuzz.ratio, limit=limit * 4, score_cutoff=50
    )
    ranked = sorted(hits, key=lambda hit: (-hit[1], -largest[hit[0]], hit[0]))
    shown = [places[largest[key]] for key, _score, _ in ranked]
    names = [str(json.loads(primary)) for primary, _people, _others in shown]
    if HAN.match(name):
        others = [json.loads(others) for _primary, _people, others in shown]
        names = [chinese_name(n, o) or n for n, o in zip(names, others, strict=True)]
    return tuple(dict.fromkeys(names))[:limit]


def _largest_by_key(name: str, places: Sequence[tuple[bytes, bytes, bytes]]) -> dict[str, int]:
    """Map each simplified name in the script of ``name`` to the largest place that has it.

    ``places`` must be sorted by population.
    """
    script = _LATIN if name.isascii() else _HAN if HAN.match(name) else _OTHER
    named = [
        [primary, *filter(script.match, _NAME.findall(others))] for primary, _, others in places
    ]
    texts = json.loads(b"[" + b",".join(text for several in named for text in several) + b"]")
    positions = [at for at, several in enumerate(named) for _ in several]
    keys = fold_names([without_suffix(text) for text in texts])
    return {key: at for key, at in zip(keys, positions, strict=True) if key}
