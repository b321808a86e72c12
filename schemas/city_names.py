"""Decides which city a name means: one place, or several for the user to choose from.

The name matches a primary or alternate name of a place, either exactly or apart from accents,
hyphens and capitals. The place whose name matches better wins; of equally good matches, the place
with more people wins. The user must choose in these cases:

- Two places with this name have the same number of people.
- The name is an alternate name of several places that have different primary names and comparable
  sizes.
- A place with fewer than 100,000 people has the name, and a much larger place matches less well.
- The name is an alternate name of a place with fewer than 100,000 people, and the primary name of
  a town with fewer than 15,000 people.
- The name is also the name of a region or country, and the city lies in a different country.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from schemas.geonames import TIERS, Place, large_places, names_of, places_by_id, places_named
from schemas.place_names import fold, fold_names, letters, plain, with_suffixes, without_suffix
from schemas.regions import Area, areas_called

#: How well a name matches a place, best first.
_PRIMARY, _NEARLY_PRIMARY, _ALTERNATE, _NEARLY_ALTERNATE = range(4)
#: A place with at least this many people is always meant by its primary name.
LARGE = 100_000
#: A place that matches less well is offered too if it has this many times as many people.
_MUCH_LARGER = {_NEARLY_PRIMARY: 2, _ALTERNATE: 10, _NEARLY_ALTERNATE: 10}
#: Places that share an alternate name have comparable sizes up to this ratio.
_COMPARABLE = 2
#: Two entries that are closer than this (in degrees of a great circle) are the same place.
_SAME_PLACE_DEG = 0.3
#: Number of cities that are offered for the name of a country or region.
_OF_AN_AREA = 3


@dataclass(frozen=True)
class Meaning:
    """The places that a name can mean, best match first; empty if the name is unknown.

    ``settled`` is True if the name can only mean the first place.
    """

    places: tuple[Place, ...] = ()
    settled: bool = False

    def means(self, number: int) -> bool:
        """Check whether the name means the place with this GeoNames id and no other."""
        return self.settled and self.places[0]["geonameid"] == number


@dataclass(frozen=True)
class _Bearer:
    """A place that has a given name, rated by how well the name and the area match."""

    place: Place
    rank: int
    reading: int

    @property
    def people(self) -> int:
        return int(self.place["population"])

    @property
    def order(self) -> tuple[int, int, int, int]:
        return (self.rank, self.reading, -self.people, int(self.place["geonameid"]))


@cache
def meaning(name: str) -> Meaning:
    """Find the places that a name can refer to.

    The name can be a primary or alternate name, with or without a region, or a slug or an id.
    """
    number = find_stated_id(name)
    if number is not None:
        places = tuple(places_by_id([number]).values())
        return Meaning(places, settled=bool(places))
    forms = list(_forms(name.strip()))
    for tier in TIERS:
        for form, within in forms:
            found = _bearers(tier, form, within)
            if found:
                return _settle(found, form, tier, within)
    return Meaning(_largest_in(areas_called(name)))


def namesakes(name: str, but: int) -> tuple[Place, ...]:
    """Find the places with this primary name, largest first, except the one with the id ``but``."""
    found = _bearers(TIERS[1], name, ())
    places = [b.place for b in found if b.rank <= _NEARLY_PRIMARY and b.place["geonameid"] != but]
    return tuple(sorted(places, key=lambda place: -int(place["population"])))


def find_stated_id(name: str) -> int | None:
    """Read the GeoNames id from ``gn<id>``, from a number of at least five digits, or from the end
    of a slug.
    """
    stated = re.fullmatch(r"gn(\d+)|(?:.*-)?(\d{5,})", name.strip())
    return int(stated[1] or stated[2]) if stated else None


def parts_of(name: str) -> list[str]:
    """Split a name at its commas into the city and the regions and countries after it."""
    return [part.strip() for part in re.split("[,，]", name)]


def split_names(text: str) -> list[str]:
    """Split a list of cities at its commas, but keep each city together with its country or region.

    "Beijing,Shanghai" gives two cities; "Porto, PT" and "Springfield, Illinois" give one city each.
    A part that can be either a city or an area counts as an area if it contains the city before it.
    """
    if "," in text and _bearers(TIERS[0], text.strip(), ()):
        return [text.strip()]  # the name itself contains a comma
    found: list[str] = []
    for part in filter(None, parts_of(text)):
        if found and _is_area_of(part, found[-1]):
            found[-1] += f", {part}"
        else:
            found.append(part)
    return found


def _is_area_of(part: str, city: str) -> bool:
    areas = areas_called(part)
    if not areas:
        return False
    base, *stated = parts_of(city)
    within = (*(areas_called(name) for name in stated), areas)
    if _bearers(TIERS[0], base, within):
        return True
    return not _bearers(TIERS[0], part, ()) and not _bearers(TIERS[0], without_suffix(part), ())


def _forms(name: str) -> Iterator[tuple[str, tuple[tuple[Area, ...], ...]]]:
    """Yield the ways to read a name: with areas after it, unchanged, or without a Chinese suffix.

    The unchanged name is among the readings, because a few names contain a comma.
    """
    parts = parts_of(name)
    for n in range(len(parts) - 1, 0, -1):
        areas = tuple(areas_called(part) for part in parts[n:])
        if all(areas):
            yield ", ".join(parts[:n]), areas
    yield name, ()
    if without_suffix(name) != name:
        yield without_suffix(name), ()


def _bearers(tier: int, name: str, within: tuple[tuple[Area, ...], ...]) -> list[_Bearer]:
    """Find the places with this name that lie in all of these areas, best first."""
    found = []
    for place in places_named(tier, name):
        readings = [_reading(place, areas) for areas in within]
        if None not in readings:
            worst = max((reading for reading in readings if reading), default=0)
            found.append(_Bearer(place, _rank(place, name), worst))
    if "," in name:  # "Salé, MA" is folded as the name of another place
        found = [bearer for bearer in found if bearer.rank == _PRIMARY]
    return sorted(found, key=lambda bearer: bearer.order)


def _reading(place: Place, areas: Sequence[Area]) -> int | None:
    """Return 0 if a place is in one of the countries, 1 if it is in one of the regions, or else
    None.
    """
    country = place["countrycode"]
    if (country, None) in areas:
        return 0
    return 1 if (country, place["admin1code"]) in areas else None


def _rank(place: Place, name: str) -> int:
    """Rate how well a name matches a place that has the same simplified name.

    Users may omit accents, but the accents that they write must match. A primary name can combine
    two names, as in "Donostia / San Sebastián".
    """
    primary = (place["name"], *place["name"].split("/"))
    if plain(name) in map(plain, primary):
        return _PRIMARY
    if name.isascii():
        return _NEARLY_PRIMARY if fold(name) in fold_names(primary) else _ALTERNATE
    forms = set(map(letters, with_suffixes(name)))
    exact = any(letters(other) in forms for other in names_of(place))
    return _ALTERNATE if exact else _NEARLY_ALTERNATE


def _settle(
    found: list[_Bearer], name: str, tier: int, within: tuple[tuple[Area, ...], ...]
) -> Meaning:
    """Return the place that a name means, or the places from which the user must choose."""
    first, *others = found
    rivals = [other for other in others if _is_rival(first, other)]
    if tier == TIERS[0] and first.rank >= _ALTERNATE and first.people < LARGE:
        towns = _bearers(TIERS[1], name, within)
        rivals += [t for t in towns if t.rank <= _NEARLY_PRIMARY and t.people < tier]
    of_area = () if within else _of_area(first, name)
    if not rivals and not of_area:
        return Meaning((first.place,), settled=True)
    namesakes = [other for other in others if other.rank <= _NEARLY_PRIMARY or other in rivals]
    towns = [rival for rival in rivals if rival not in others]
    places = [first.place, *of_area, *(bearer.place for bearer in namesakes + towns)]
    return Meaning(tuple({place["geonameid"]: place for place in places}.values()))


def _is_rival(first: _Bearer, other: _Bearer) -> bool:
    """Check whether the name might mean the second place instead of the first."""
    if (first.rank, first.reading) != (other.rank, other.reading):
        times = _MUCH_LARGER.get(other.rank, _COMPARABLE)
        return first.people < LARGE and other.people >= times * max(first.people, TIERS[-1])
    if _are_one(first.place, other.place):
        return False
    if first.rank <= _NEARLY_PRIMARY:
        return first.people == other.people
    of_one_name = fold(first.place["name"]) == fold(other.place["name"])
    return not of_one_name and other.people * _COMPARABLE > first.people


def _are_one(one: Place, other: Place) -> bool:
    """Check whether two GeoNames entries are so close that they must be the same place."""
    east = math.cos(math.radians(one["latitude"])) * (one["longitude"] - other["longitude"])
    return math.hypot(one["latitude"] - other["latitude"], east) < _SAME_PLACE_DEG


def _of_area(first: _Bearer, name: str) -> tuple[Place, ...]:
    """Find the largest cities in the area with this name, if the first place is in a different
    country.
    """
    is_code = name.isascii() and len(name) <= 3
    if is_code or (first.rank <= _NEARLY_PRIMARY and first.people >= LARGE):
        return ()
    areas = areas_called(name)
    abroad = first.place["countrycode"] not in {country for country, _ in areas}
    return _largest_in(areas) if abroad else ()


def _largest_in(areas: Sequence[Area]) -> tuple[Place, ...]:
    """Find the largest cities in these areas."""
    if not areas:
        return ()
    found = [place for place in large_places() if _reading(place, areas) is not None]
    return tuple(sorted(found, key=lambda place: -int(place["population"]))[:_OF_AN_AREA])
