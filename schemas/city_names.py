"""Decides what the name of a city means: one place, or several for the user to choose from.

A name matches a place exactly, or apart from accents, hyphens and capitals; it is the place's
primary name or an alternate one. The better match wins; between equal matches, the place with more
people wins. The user must choose if

- two places have the name and as many people, or an alternate name belongs to places of other
  names and comparable size;
- a place of fewer than 100,000 people has the name, and a much larger one matches it less well;
- a smaller place has it as an alternate name, and a town of under 15,000 people as its primary one;
- the name is that of a region or country, and the city lies in another.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from schemas.geonames import TIERS, Place, large_places, names_of, places_by_id, places_named
from schemas.place_names import fold, fold_names, letters, plain, with_suffixes, without_suffix
from schemas.regions import Area, areas_called

#: How well a place bears a name, best first.
_PRIMARY, _NEARLY_PRIMARY, _ALTERNATE, _NEARLY_ALTERNATE = range(4)
#: A place of so many people is meant by its primary name, whatever else is called so.
LARGE = 100_000
#: From so many times the people on, a place counts that bears the name less well.
_MUCH_LARGER = {_NEARLY_PRIMARY: 2, _ALTERNATE: 10, _NEARLY_ALTERNATE: 10}
#: Places of one alternate name are comparable up to this ratio of their people.
_COMPARABLE = 2
#: So close (in degrees of a great circle), two entries are one place.
_SAME_PLACE_DEG = 0.3
#: Cities that are named for a country or region.
_OF_AN_AREA = 3


@dataclass(frozen=True)
class Meaning:
    """The place that a name means, or the candidates, best first; empty if the name is unknown."""

    places: tuple[Place, ...] = ()
    settled: bool = False

    def means(self, place: Mapping[str, Any]) -> bool:
        """Whether the name means only this place."""
        return self.settled and self.places[0]["geonameid"] == place["geonameid"]


@dataclass(frozen=True)
class _Bearer:
    """A place, how well it bears the name, and how well it lies where the name says."""

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
    """Find what a name means: a primary or alternate name, slug or id, with or without a region."""
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
    """Find other places that have the same primary name as this one, the largest first."""
    found = _bearers(TIERS[1], name, ())
    places = [b.place for b in found if b.rank <= _NEARLY_PRIMARY and b.place["geonameid"] != but]
    return tuple(sorted(places, key=lambda place: -int(place["population"])))


def find_stated_id(name: str) -> int | None:
    """Find the id in ``gn<id>``, in a number of five or more digits, or at the end of a slug."""
    stated = re.fullmatch(r"gn(\d+)|(?:.*-)?(\d{5,})", name.strip())
    return int(stated[1] or stated[2]) if stated else None


def parts_of(name: str) -> list[str]:
    """Split a name at its commas: first the city, then regions and countries."""
    return [part.strip() for part in re.split("[,，]", name)]


def split_names(text: str) -> list[str]:
    """Split a list of cities at its commas, but keep a country or region with its city.

    "Beijing,Shanghai" gives two cities; "Porto, PT" and "Springfield, Illinois" give one each. If a
    part is the name of both a city and an area, it goes with the city before it, provided that such
    a city lies in that area.
    """
    if "," in text and _bearers(TIERS[0], text.strip(), ()):
        return [text.strip()]  # a name that has a comma itself
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
    """Ways to read a name: with areas behind it, as it is, without a Chinese suffix.

    A few names have a comma themselves.
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
    """Places of this name that lie in all of these areas, best first."""
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
    """0 where a place lies in a country of this name, 1 in a region; None where in neither."""
    country = place["countrycode"]
    if (country, None) in areas:
        return 0
    return 1 if (country, place["admin1code"]) in areas else None


def _rank(place: Place, name: str) -> int:
    """How well a place bears a name that is one of its own when both are folded.

    Accents may be left out; those that are written count. A primary name may be two, as in
    "Donostia / San Sebastián".
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
    """The best place of a name, or what the user must choose between."""
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
    """Whether the first place is not clearly meant, for this other one."""
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
    """Whether two entries lie so close that GeoNames holds one place twice."""
    east = math.cos(math.radians(one["latitude"])) * (one["longitude"] - other["longitude"])
    return math.hypot(one["latitude"] - other["latitude"], east) < _SAME_PLACE_DEG


def _of_area(first: _Bearer, name: str) -> tuple[Place, ...]:
    """Cities of a country or region of this name, where the best place lies in another country."""
    is_code = name.isascii() and len(name) <= 3
    if is_code or (first.rank <= _NEARLY_PRIMARY and first.people >= LARGE):
        return ()
    areas = areas_called(name)
    abroad = first.place["countrycode"] not in {country for country, _ in areas}
    return _largest_in(areas) if abroad else ()


def _largest_in(areas: Sequence[Area]) -> tuple[Place, ...]:
    """The largest cities of these areas."""
    if not areas:
        return ()
    found = [place for place in large_places() if _reading(place, areas) is not None]
    return tuple(sorted(found, key=lambda place: -int(place["population"]))[:_OF_AN_AREA])
