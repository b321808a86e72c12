"""Determine the kinds of places by their names, and find parts and duplicates of places.

The words for the kinds are in ``lists/kinds.tsv``.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schemas.ranking import LITTLE_KNOWN, OWN_RENOWN
from schemas.word_lists import Lists

Counts = NDArray[np.int64]
Marks = NDArray[np.bool_]

_WORDS = Lists("validators.candidates").table("kinds")
#: The most metres between two names of one sight: one contains the other, or they begin alike.
_HOLDS_M, _BEGINS_M, _SHORT_M = 2_500, 400, 200
#: The most metres between two natural sights whose names begin alike.
_NATURE, _NATURE_M = "natural_scenery", 1_000
#: The least letters of a name without its city, and of a beginning that two names share.
_LEAST, _BEGIN = 2, 3
#: Types for which two sights at the same spot are the same sight.
_SPOTS = frozenset(
    {"natural_scenery", "historic_site", "cultural_landscape", "university_campus", "red_site"}
)
#: The place that contains a place, before a dash.
_INSIDE = re.compile(r"[\u4e00-\u9fff（）()]{2,}[-—]")
#: A part of a name in brackets that is not a street, branch or quarter, and the most metres to the
#: other place with this name.
_BRACKET = re.compile(r"[（(]([^（）()]{3,})(?<![路街店站区镇])[）)]")
_BRACKET_M = 1_000
_CAMPUS, _CAMPUS_M = "university_campus", 1_500


@dataclass(frozen=True)
class ComparedPlaces:
    """The values by which places are compared, with one entry per place.

    Each place has its two names, its base type, its coordinates in metres to the north and east,
    and its renown.
    """

    names: Sequence[str]
    base_types: Sequence[str | None]
    north_m: Counts
    east_m: Counts
    renown: Counts
    #: Places that are worth a visit of their own wherever they are.
    own: Marks
    #: The names of the city, with which many other names begin.
    city: Sequence[str]

    def away(self, at: int) -> Counts:
        """Return the distance in metres from one place to every place."""
        north, east = self.north_m - self.north_m[at], self.east_m - self.east_m[at]
        metres: Counts = np.sqrt(north * north + east * east).astype(np.int64)
        return metres


def of_kind(names: Sequence[str], kind: str) -> Marks:
    """Return the places whose names contain a word of a kind."""
    words = words_of(kind)
    return np.array([any(has(name, word) for word in words) for name in names], np.bool_)


def are_inside(names: Sequence[str]) -> Marks:
    """Return the places whose Chinese names begin with the containing place's name and a dash."""
    return np.array([bool(_INSIDE.match(name)) for name in names], np.bool_)


def words_of(kind: str) -> tuple[str, ...]:
    """Return the words that indicate a kind."""
    return tuple(word for of, word, _ in _WORDS if of == kind)


def has(names: str, word: str) -> bool:
    """Check whether one of the names, which are on separate lines, contains a word.

    A ``$`` after the word means that the name must end with the word. A word in Latin letters must
    stand at the beginning of a word in the name: "art" does not match "heart".
    """
    end = "\n" if word.endswith("$") else ""
    sought = word.removesuffix("$") + end
    lines = f"\n{names}\n"
    if not word.isascii():
        return sought in lines
    at = lines.find(sought)
    while at > 0 and lines[at - 1].isalpha() and lines[at - 1].isascii():
        at = lines.find(sought, at + 1)
    return at > 0


def wholes(sights: ComparedPlaces, known: Mapping[int, int]) -> Counts:
    """Return, for each place, the index of the place that contains or duplicates it, or -1.

    ``known`` maps parts to the containing places given in the tables. In pairs whose part is not in
    ``known``, a school contains any other place; otherwise, the better known place or, if both are
    equally well known, the first place counts as the containing one.
    """
    found = np.full(len(sights.names), -1, np.int64)
    found[list(known)] = list(known.values())
    order = np.lexsort((np.arange(len(found)), -sights.renown))
    place = np.empty(len(found), np.int64)
    place[order] = np.arange(len(found))
    schools = of_kind(sights.names, "school")
    pairs = [
        *_by_kind(sights),
        *_by_name(sights),
        *_by_letters(sights),
        *_by_spot(sights),
        *_by_bracket(sights),
        *_decks(sights),
    ]
    for one, other in sorted(pairs):
        is_first = (schools[one], -place[one]) > (schools[other], -place[other])
        part, whole = (other, one) if is_first else (one, other)
        if schools[part] or part in known:
            continue
        if found[part] < 0 or place[whole] < place[found[part]]:
            found[part] = whole
    for at in range(len(found)):
        seen = {at}
        while found[at] >= 0 and found[found[at]] >= 0 and found[found[at]] not in seen:
            seen.add(int(found[at]))
            found[at] = found[found[at]]
    return found


def _by_kind(sights: ComparedPlaces) -> Iterator[tuple[int, int]]:
    """Yield each part, such as a hall near a palace, with the place that contains it, judged by the
    kinds of both.
    """
    own, rides = sights.own, of_kind(sights.names, "rides")
    rides_m, whole_m = _reach(sights.names, "rides"), _reach(sights.names, "whole")
    piece = of_kind(sights.names, "part") & ~own & ~rides
    thrill = ~own & (whole_m == 0)
    of_campus = np.array([kind == _CAMPUS for kind in sights.base_types], np.bool_)
    schools = of_campus & of_kind(sights.names, "school")
    rides &= sights.renown >= LITTLE_KNOWN  # Amusement arcades are also called parks.
    town_m = _reach(sights.names, "town")
    for at in np.flatnonzero(rides | (whole_m > 0) | schools | (town_m > 0)):
        away = sights.away(int(at))
        inside = of_campus & ~schools & (away <= _CAMPUS_M) if schools[at] else away < 0
        if rides[at]:
            inside = inside | (thrill & (away <= rides_m[at]))
        else:
            inside = inside | (piece & (away <= whole_m[at])) | (~own & (away < town_m[at]))
        least = 100 if town_m[at] else OWN_RENOWN
        inside &= 100 * sights.renown < least * sights.renown[at]
        yield from ((int(other), int(at)) for other in np.flatnonzero(inside))


def _reach(names: Sequence[str], kind: str) -> Counts:
    """Return the maximum distance in metres from each place to its parts, or 0 for places of other
    kinds.
    """
    reach = [(word, int(metres)) for of, word, metres in _WORDS if of == kind]
    return np.array(
        [max((m for word, m in reach if has(name, word)), default=0) for name in names], np.int64
    )


def _by_name(sights: ComparedPlaces) -> Iterator[tuple[int, int]]:
    """Yield pairs in which one name begins or ends with the other.

    Also yield nearby pairs whose names have the same beginning.
    """
    kinds = sights.base_types
    cores = [_core(names.split("\n")[0], sights.city) for names in sights.names]
    at_name: dict[str, list[int]] = defaultdict(list)
    beginning: dict[str, list[int]] = defaultdict(list)
    for at, core in enumerate(cores):
        at_name[core].append(at)
        if len(core) >= _BEGIN:
            beginning[core[:_BEGIN]].append(at)
            beginning[core[:_LEAST]].append(at)
    own = sights.own
    for at, core in enumerate(cores):
        away = sights.away(at)
        held = {core[:n] for n in range(_LEAST, len(core) + 1)} | {
            core[n:] for n in range(len(core) - _LEAST + 1)
        }
        for other in (o for name in sorted(held) for o in at_name.get(name, ())):
            unlike = own[at] or own[other] or sights.base_types[at] != sights.base_types[other]
            is_short = len(cores[other]) == _LEAST
            is_same = core == cores[other] and not is_short
            near = _BEGINS_M if is_short or (unlike and not is_same) else _HOLDS_M
            if (
                other != at
                and not (unlike and is_short and core != cores[other])
                and away[other] <= near
            ):
                yield at, other
        for other in beginning.get(core[:_BEGIN], ()):
            if other != at and away[other] <= _BEGINS_M and own[at] == own[other]:
                yield at, other
        for other in beginning.get(core[:_LEAST], ()):
            near = _NATURE_M if kinds[at] == _NATURE else _BEGINS_M
            if other != at and away[other] <= near and kinds[at] == kinds[other] in _SPOTS:
                yield at, other


def _by_letters(sights: ComparedPlaces) -> Iterator[tuple[int, int]]:
    """Yield nearby pairs whose names share characters, or in which one name is short for the other.

    A short form contains only characters from the other name, in the same order.
    """
    cores = [_core(names.split("\n")[0], sights.city) for names in sights.names]
    spots: dict[tuple[int, int], list[int]] = defaultdict(list)
    for at in range(len(cores)):
        spots[int(sights.north_m[at]) // _SHORT_M, int(sights.east_m[at]) // _SHORT_M].append(at)
    for (north, east), here in spots.items():
        around = [
            o for n in (-1, 0, 1) for e in (-1, 0, 1) for o in spots.get((north + n, east + e), ())
        ]
        for at in here:
            for other in around:
                if len(cores[at]) >= _BEGIN and other != at and not sights.own[other]:
                    letters = iter(cores[other])
                    together = not sights.own[at] and _together(cores[at], cores[other])
                    if together or all(letter in letters for letter in cores[at]):
                        yield at, other


def _together(one: str, other: str) -> bool:
    """Check whether two names share at least ``_BEGIN`` consecutive characters."""
    return any(one[n : n + _BEGIN] in other for n in range(len(one) - _BEGIN + 1))


def _by_spot(sights: ComparedPlaces) -> Iterator[tuple[int, int]]:
    """Yield pairs of places with the same type and the same location."""
    spots: dict[tuple[str, int, int], list[int]] = defaultdict(list)
    for at, kind in enumerate(sights.base_types):
        if kind in _SPOTS:
            spots[kind, int(sights.north_m[at]) // 50, int(sights.east_m[at]) // 50].append(at)
    for same in spots.values():
        yield from ((other, same[0]) for other in same[1:])


def _by_bracket(sights: ComparedPlaces) -> Iterator[tuple[int, int]]:
    """Yield pairs of nearby places whose names, or the words in brackets in their names, are the
    same.
    """
    said: dict[str, list[int]] = defaultdict(list)
    for at, names in enumerate(sights.names):
        name = names.split("\n")[0]
        told = _BRACKET.search(name)
        for words in (name, told[1]) if told else (name,):
            core = _core(words, sights.city)
            said[core if len(core) >= _BEGIN else words].append(at)
    for same in said.values():
        first = max(same, key=lambda at: (int(sights.renown[at]), -at))
        away = sights.away(first)
        yield from (
            (other, first) for other in same if other != first and away[other] <= _BRACKET_M
        )


def _decks(sights: ComparedPlaces) -> Iterator[tuple[int, int]]:
    """Yield viewing platforms, each with the nearest tower."""
    towers, reach_m = of_kind(sights.names, "tower"), _reach(sights.names, "deck")
    for at in np.flatnonzero(reach_m):
        away = np.where(towers & (reach_m == 0), sights.away(int(at)), reach_m[at] + 1)
        if len(away) and away.min() <= reach_m[at]:
            yield int(at), int(away.argmin())


def areas(sights: ComparedPlaces) -> dict[int, Marks]:
    """Return the areas that contain sights, each with those sights that are better known than the
    area.
    """
    reach_m = _reach(sights.names, "umbrella")
    return {
        int(at): (sights.away(int(at)) <= reach_m[at]) & (sights.renown > sights.renown[at])
        for at in np.flatnonzero(reach_m)
    }


def _core(name: str, city: Sequence[str]) -> str:
    """Return a name without its city, its ending and what follows a bracket, dot or dash."""
    core = name
    for begin in sorted(city, key=len, reverse=True):
        if core.startswith(begin) and len(core) - len(begin) >= _LEAST:
            core = core.removeprefix(begin).removeprefix("市")
            break
    for mark in "(（·•-—":
        head = core.split(mark)[0]
        core = head if len(head) >= _LEAST else core
    for ending in sorted(words_of("ending"), key=len, reverse=True):
        if core.endswith(ending) and len(core) - len(ending) >= _LEAST:
            return core.removesuffix(ending)
    return core.strip()
