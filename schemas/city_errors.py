"""What is said where a name means no city, or several: the candidates, and what to write for each."""

from __future__ import annotations

from collections.abc import Sequence

from schemas.city_names import meaning, parts_of, stated_id
from schemas.geonames import TIERS, Place, large_places
from schemas.place_names import HAN, chinese_name, fold, folded, without_suffix
from schemas.regions import areas_called, country_name, region_names

#: Candidates that a question lists.
_LISTED = 6


class UnknownCityError(ValueError):
    """No city has this name; ``nearest`` lists names that come close."""

    def __init__(self, name: str, nearest: tuple[str, ...], message: str | None = None):
        self.name, self.nearest = name, nearest
        hint = f" Did you mean: {', '.join(nearest)}?" if nearest else ""
        super().__init__(message or f"no city is called {name!r} in the registry.{hint}")


class AmbiguousCityError(UnknownCityError):
    """A name does not say which city is meant; ``nearest`` lists what to write for each."""

    def __init__(self, name: str, candidates: Sequence[Place], why: str):
        listed = {spelling(place): place for place in candidates[:_LISTED]}
        choices = "; ".join(f'"{text}" ({described(place)})' for text, place in listed.items())
        more = len(candidates) - len(listed)
        rest = f"; {more} more: add the country or the region to the name" if more else ""
        super().__init__(name, tuple(listed), f"{why} Write one of: {choices}{rest}.")


def place_called(name: str) -> Place:
    """The place that a name means.

    Raises UnknownCityError with the nearest names, or AmbiguousCityError with what to write for
    each place that may be meant.
    """
    found = meaning(name)
    if found.settled:
        return found.places[0]
    if found.places:
        raise AmbiguousCityError(name, found.places, f"{name!r} does not say which city is meant.")
    base, *asked = parts_of(name)
    elsewhere = meaning(base).places if asked else ()
    if elsewhere:
        unknown = [area for area in asked if not areas_called(area)]
        missing = f"no city called {base!r} is in {', '.join(asked)}."
        why = f"no country or region is called {unknown[0]!r}." if unknown else missing
        raise AmbiguousCityError(name, elsewhere, why)
    raise UnknownCityError(name, () if stated_id(name) else nearest_names(base))


def spelling(place: Place) -> str:
    """The shortest text that means this place and no other; its id where no name does.

    Of places of fewer than 15,000 people it is the id: many share a name, and to look is slow.
    """
    name, country, region = place["name"], place["countrycode"], place["admin1code"]
    if int(place["population"]) >= TIERS[0]:
        within = (country, *region_names(country, region))
        for text in (name, *(f"{name}, {area}" for area in within)):
            if meaning(text).means(place):
                return str(text)
    return f"gn{place['geonameid']}"


def described(place: Place) -> str:
    """Name, region, country and people of a place, for a user who must choose."""
    regions = "/".join(region_names(place["countrycode"], place["admin1code"]))
    people = f"{place['population']:,} people" if place["population"] else ""
    parts = (place["name"], regions, country_name(place["countrycode"]), people)
    return ", ".join(dict.fromkeys(part for part in parts if part))


def nearest_names(name: str, limit: int = 5) -> tuple[str, ...]:
    """Names of cities above 100,000 inhabitants that come close to a misspelt one, best first.

    A Chinese name offers Chinese names.
    """
    # Only needed here, and not at every start.
    from rapidfuzz import fuzz, process

    largest = _largest_by_key(name)
    hits = process.extract(
        fold(name), list(largest), scorer=fuzz.ratio, limit=limit * 4, score_cutoff=50
    )
    ranked = sorted(hits, key=lambda hit: (-hit[1], -largest[hit[0]]["population"], hit[0]))
    places = [largest[key] for key, _score, _ in ranked]
    shown = [chinese_name(p["name"], p["alternatenames"]) or p["name"] for p in places]
    names = shown if HAN.match(name) else [str(place["name"]) for place in places]
    return tuple(dict.fromkeys(names))[:limit]


def _largest_by_key(name: str) -> dict[str, Place]:
    """Large places by those of their names, folded, that are written in letters as this one is."""
    alike = str.isascii if name.isascii() else HAN.match if HAN.match(name) else _is_other
    named = [
        (place, other)
        for place in sorted(large_places(), key=lambda place: int(place["population"]))
        for other in (place["name"], *filter(alike, place["alternatenames"]))
    ]
    keys = folded([other if other.isascii() else without_suffix(other) for _, other in named])
    return {key: place for key, (place, _) in zip(keys, named, strict=True) if key}


def _is_other(name: str) -> bool:
    return not name.isascii() and not HAN.match(name)
