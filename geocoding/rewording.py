"""Recognise a Chinese place in other words: fillers, variant characters, short and double names."""

from __future__ import annotations

from geocoding import lexicon
from geocoding.names import PlaceName, pinyin
from geocoding.verdicts import NameVerdict, same_unless_far, within
from geocoding.wording import (
    is_acronym,
    is_cut_form,
    is_double,
    is_short_form,
    without_fillers,
)

#: What has sights of its own, and their kinds.
_IN_FRONT = lexicon.LANDSCAPE | {"temple"}
_SIGHTS = (
    lexicon.LANDSCAPE | lexicon.NATURAL | {"cave", "spring", "peak", "bridge", "gate", "tower"}
)
#: Kinds that stand in front of a name as well: ancient town X.
_IN_FRONT_TOO = ("古镇", "古城", "古村", "古街", "老街")


def compare_rewording(a: PlaceName, b: PlaceName, d: float | None) -> NameVerdict | None:
    """Fillers, variant characters, short forms, double names."""
    plain_a, plain_b = without_fillers(a.bare), without_fillers(b.bare)
    if plain_a == plain_b and len(plain_a) >= 2:
        return same_unless_far(a, b, d, 0.88, "equal but for a filler")
    cores = {without_fillers(a.core), without_fillers(b.core)}
    of_city = a.core != b.core and a.ending != b.ending and bool(a.city or b.city)
    if (
        len(cores) == 1
        and len(max(cores)) >= 2
        and not of_city
        and lexicon.are_synonyms(a.ending, b.ending)
    ):
        return same_unless_far(a, b, d, 0.82, "equal but for a filler and a like ending")
    if len(a.bare) >= 3 and pinyin(a.bare) == pinyin(b.bare):
        return same_unless_far(a, b, d, 0.8, "written otherwise, spoken alike")
    short, long = sorted((a, b), key=lambda n: len(n.bare))
    if _kind_last(a.bare) in (b.bare, b.core) or _kind_last(b.bare) in (a.bare, a.core):
        return same_unless_far(a, b, d, 0.85, "the kind in front and behind")
    if within(d, 2_500.0) and _lacks_kind(short.bare, long.bare):
        return same_unless_far(a, b, d, 0.9, "equal but for the kind of what stands in front")
    stretch = _section(a, b, d)
    if stretch is not None:
        return stretch
    apart = bool(short.elsewhere) != bool(long.elsewhere)
    if within(d, 300.0) and not (apart and d is None) and is_short_form(short, long):
        return same_unless_far(a, b, d, 0.75, "a short form of the other name")
    if within(d, 300.0) and is_cut_form(short, long):
        return same_unless_far(a, b, d, 0.7, "the other name says more of its sort")
    if within(d, 300.0) and is_acronym(short, long):
        return same_unless_far(a, b, d, 0.72, "a character or more of every word")
    if is_double(long, short) and within(d, 500.0):
        verdict = NameVerdict("parent-of", 0.6, "a double name and one of its halves")
        return verdict if long is a else verdict.turn()
    return None


def _kind_last(text: str) -> str | None:
    """A name that says in front what old place it is, with this behind; None for others."""
    kind = next((kind for kind in _IN_FRONT_TOO if text.startswith(kind)), None)
    is_name = kind is not None and len(text) - len(kind) >= len(kind)
    return text[len(kind) :] + kind if kind is not None and is_name else None


def _lacks_kind(short: str, long: str) -> bool:
    """Whether the long name says hill, lake or temple after what both begin with, and both end in
    one of its own sights: X hill cave, X cave; a park or museum of such a name may be another's."""
    for cut in range(2, len(short) - 1):
        front, rest = short[:cut], short[cut:]
        if not (long.startswith(front) and long.endswith(rest)) or len(long) <= len(short):
            continue
        said, sight = lexicon.ending(long[: len(long) - len(rest)]), lexicon.ending(rest)
        is_kind = said is not None and said[0] == long[cut : len(long) - len(rest)]
        if is_kind and said and said[1].code in _IN_FRONT and sight and sight[1].code in _SIGHTS:
            return True
    return False


def _section(a: PlaceName, b: PlaceName, d: float | None) -> NameVerdict | None:
    """The city's own wall or river, and a section of it."""
    if a.kind is None or b.kind is None or a.kind.code != b.kind.code:
        return None
    if a.kind.code not in lexicon.LINEAR or not within(d, 5_000.0):
        return None
    verdict = NameVerdict("parent-of", 0.6, f"a section of the {a.kind.code}")
    if a.city and a.city == a.core:
        return verdict
    return verdict.turn() if b.city and b.city == b.core else None


def says_city_and_kind(front: str, name: PlaceName) -> bool:
    """Whether only the city and a kind of place stand in front: CITY garden X garden."""
    rest = front.removeprefix(name.city) or front
    found = lexicon.ending(rest)
    return found is not None and found[0] == rest and len(rest) > 1
