"""Determine a sight's kind, when and how long to visit it, and the occasions that it suits.

The rules use types and words in names, from the lists in this package. No rule names a particular
place.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal, cast, get_args

from schemas.taxonomy import TREND_TYPES
from schemas.word_lists import Lists
from validators.plans.renown import Renown
from validators.plans.world import Place

When = Literal["day", "any", "late", "show", "night", "rides"]
_LISTS = Lists("validators.plans")
_TREND_CODES = {term.zh: term.code for term in TREND_TYPES}
_HOTEL_WORDS = {
    kind: re.compile("|".join(word for word, k in _LISTS.table("hotel_words") if k == kind))
    for kind in ("only", "shared", "home")
}


_AREAS = re.compile(_LISTS.either("area_words"))


@dataclass(frozen=True)
class _Rule:
    """A rule with words and codes; a sight must have at least one of each. A rule without words
    fits any name, and a rule without codes does not look at a sight's codes.
    """

    words: re.Pattern[str] | None
    codes: frozenset[str]

    @staticmethod
    def of(words: str, codes: str) -> _Rule:
        return _Rule(
            re.compile(words) if words else None, frozenset(filter(None, codes.split(",")))
        )

    def fits(self, name: str, codes: frozenset[str]) -> bool:
        if self.words is not None and not self.words.search(name):
            return False
        return not self.codes or bool(self.codes & codes)


@dataclass(frozen=True)
class SightKind:
    """A kind of sight: the minimum and maximum minutes of a visit, and the best time of day."""

    name: str
    least_min: int
    most_min: int
    when: When


def _kind(name: str, least: str, most: str, when: str) -> SightKind:
    if when not in get_args(When):
        raise ValueError(f"sight_kinds.tsv: {name}: {when!r} is not a time of day")
    return SightKind(name, int(least), int(most), cast("When", when))


_KINDS = tuple(
    (_Rule.of(words, codes), _kind(name, least, most, when))
    for name, words, codes, least, most, when in _LISTS.table("sight_kinds")
)
_WISHES = tuple(
    (wish, how, _Rule.of(words, codes)) for wish, how, codes, words in _LISTS.table("wish_words")
)
_MEANINGS = {
    wish: tuple(rule for w, how, rule in _WISHES if (w, how) == (wish, "core"))
    for wish in {w for w, _, _ in _WISHES}
}
_CLOSED = {(kind, int(weekday)) for kind, weekday in _LISTS.table("usual_closings")}
_NARROW = tuple(
    (group, frozenset(kinds.split(",")), frozenset(filter(None, wishes.split(","))), int(ten_days))
    for group, kinds, wishes, ten_days in _LISTS.table("narrow_kinds")
)
_OCCASIONS = tuple(
    (occasion, _Rule.of(words, codes), int(points))
    for occasion, words, codes, points in _LISTS.table("occasions")
)
_BLOOMS = tuple(
    (re.compile(words), frozenset(map(int, months.split(","))))
    for words, months in _LISTS.table("blooms")
)
#: The number of points from which a sight is typical of an occasion.
_WELL_SUITED = 90
#: The seasons, holidays and types of traveller that are in the lists.
OCCASIONS = frozenset(occasion for occasion, _, _ in _OCCASIONS)


def codes_of(place: Place, renown: Renown) -> frozenset[str]:
    """Return the codes for the types and the category of a sight."""
    found = {renown.base_types.get(place.place_id), renown.categories.get(place.place_id)}
    return frozenset(c for c in found if c) | {
        _TREND_CODES[t] for t in place.types if t in _TREND_CODES
    }


def kind_of(place: Place, renown: Renown) -> SightKind:
    """Return the first kind in the list that matches a sight; the list's last row matches any
    sight.
    """
    return _kind_of(place.name, codes_of(place, renown))


@cache
def _kind_of(name: str, codes: frozenset[str]) -> SightKind:
    return next(kind for rule, kind in _KINDS if rule.fits(name, codes))


def fit(place: Place, renown: Renown, wish: str) -> int:
    """Return how well a sight's name fits a wish that the sight meets, from -1 (hardly) to 1
    (well).

    For an occasion, the result is 1 if the sight is particularly suitable.
    """
    if wish in OCCASIONS:
        return int(suits(place, renown, (wish,)) >= _WELL_SUITED)
    return _fit(place.name, codes_of(place, renown), wish)


@cache
def _fit(name: str, codes: frozenset[str], wish: str) -> int:
    said = [how for w, how, rule in _WISHES if w == wish and rule.fits(name, codes)]
    return -1 if "weak" in said else int("core" in said)


def meanings(wish: str) -> int:
    """Return the number of meanings of a wish, such as 2 if it means art and technology."""
    return max(len(_MEANINGS.get(wish, ())), 1)


def means(place: Place, renown: Renown, wish: str) -> frozenset[int]:
    """Return the indexes of the wish's meanings that apply to a sight."""
    rules, codes = _MEANINGS.get(wish, ()), codes_of(place, renown)
    return frozenset(n for n, rule in enumerate(rules) if rule.fits(place.name, codes))


def answers(place: Place, renown: Renown, category: str) -> bool:
    """Check whether a sight belongs to a category or type that the tables do not give for it."""
    codes = codes_of(place, renown)
    return any(
        how == "also" and rule.fits(place.name, codes)
        for wish, how, rule in _WISHES
        if wish == category
    )


def is_usually_closed(place: Place, renown: Renown, weekday: int | None) -> bool:
    """Check whether sights of this kind are usually closed on a weekday.

    The check applies only if the sight's opening hours mention no weekday.
    """
    if weekday is None or (kind_of(place, renown).name, weekday) not in _CLOSED:
        return False
    return place.hours is not None and len(place.hours.days(None)) == 1


def bounds_of(kind: str, days: int, wishes: Sequence[str]) -> dict[str, int]:
    """Return the groups of similar sights to which a kind belongs, with the limit per trip for each
    group.

    A group that the travellers ask for has no limit.
    """
    return {
        group: max((days * ten_days + 5) // 10, min(ten_days, 1))
        for group, kinds, wished, ten_days in _NARROW
        if kind in kinds and not wished & set(wishes)
    }


def suits(place: Place, renown: Renown, occasions: Sequence[str]) -> int:
    """Return a sight's points for the occasions of a trip; negative points mean that the sight is
    unsuitable.
    """
    return _suits(place.name, codes_of(place, renown), tuple(occasions))


@cache
def _suits(name: str, codes: frozenset[str], occasions: tuple[str, ...]) -> int:
    return sum(p for o, rule, p in _OCCASIONS if o in occasions and rule.fits(name, codes))


@cache
def months_of(name: str) -> frozenset[int]:
    """Return the months in which one can see what a sight is named after, such as cherry blossom.

    The result is empty if the name mentions nothing seasonal.
    """
    return next((months for words, months in _BLOOMS if words.search(name)), frozenset())


def is_area(place: Place) -> bool:
    """Check whether a sight's name describes a whole area of sights."""
    return bool(_AREAS.search(place.name))


def only_for_some(hotel: str) -> bool:
    """Check whether a hotel's name shows that it accepts only one group of travellers."""
    return bool(_HOTEL_WORDS["only"].search(hotel))


def is_home(hotel: str) -> bool:
    """Check whether a hotel's name describes a house or courtyard for guests, such as a
    homestay.
    """
    return bool(_HOTEL_WORDS["home"].search(hotel))


def is_shared(hotel: str) -> bool:
    """Check whether a hotel's name shows that it has dormitories or capsules."""
    return bool(_HOTEL_WORDS["shared"].search(hotel))
