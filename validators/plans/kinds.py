"""What kind of sight a place is, for how long and when it is visited, and which occasions it suits.

Rules go by words in names and by types, from the lists of this package; none names a place.
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
    """Words of which a name has one, and codes of which a sight has one; None and empty: any."""

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
    """A kind of sight: minutes of a visit from and until, and the time of day for it."""

    name: str
    least_min: int
    most_min: int
    when: When


def _kind(name: str, least: str, most: str, when: str) -> SightKind:
    if when not in get_args(When):
        raise ValueError(f"sight_kinds.tsv: {name}: {when!r} is no time of day")
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
#: Points from which a sight is what an occasion is known for.
_WELL_SUITED = 90
#: Seasons, holidays and travellers that the lists know.
OCCASIONS = frozenset(occasion for occasion, _, _ in _OCCASIONS)


def codes_of(place: Place, renown: Renown) -> frozenset[str]:
    """Codes of a sight's types and category."""
    found = {renown.base_types.get(place.place_id), renown.categories.get(place.place_id)}
    return frozenset(c for c in found if c) | {
        _TREND_CODES[t] for t in place.types if t in _TREND_CODES
    }


def kind_of(place: Place, renown: Renown) -> SightKind:
    """The first kind of the list that a sight is of; the last row takes every sight."""
    return _kind_of(place.name, codes_of(place, renown))


@cache
def _kind_of(name: str, codes: frozenset[str]) -> SightKind:
    return next(kind for rule, kind in _KINDS if rule.fits(name, codes))


def fit(place: Place, renown: Renown, wish: str) -> int:
    """How well a name answers a wish that the tables say it meets: 1 well, -1 hardly, 0 between.

    Of an occasion a sight is well meant that suits it by far more than a little.
    """
    if wish in OCCASIONS:
        return int(suits(place, renown, (wish,)) >= _WELL_SUITED)
    return _fit(place.name, codes_of(place, renown), wish)


@cache
def _fit(name: str, codes: frozenset[str], wish: str) -> int:
    said = [how for w, how, rule in _WISHES if w == wish and rule.fits(name, codes)]
    return -1 if "weak" in said else int("core" in said)


def meanings(wish: str) -> int:
    """How many things a wish means, a row of ``core`` each: art and technology are two."""
    return max(len(_MEANINGS.get(wish, ())), 1)


def means(place: Place, renown: Renown, wish: str) -> frozenset[int]:
    """Which of the things that a wish means a sight is."""
    rules, codes = _MEANINGS.get(wish, ()), codes_of(place, renown)
    return frozenset(n for n, rule in enumerate(rules) if rule.fits(place.name, codes))


def answers(place: Place, renown: Renown, category: str) -> bool:
    """Whether a sight is of a category or type that the tables do not put it in."""
    codes = codes_of(place, renown)
    return any(
        how == "also" and rule.fits(place.name, codes)
        for wish, how, rule in _WISHES
        if wish == category
    )


def is_usually_closed(place: Place, renown: Renown, weekday: int | None) -> bool:
    """Whether sights of this kind are closed on a weekday, where its own hours tell no weekday."""
    if weekday is None or (kind_of(place, renown).name, weekday) not in _CLOSED:
        return False
    return place.hours is not None and len(place.hours.days(None)) == 1


def bounds_of(kind: str, days: int, wishes: Sequence[str]) -> dict[str, int]:
    """The groups of like sights that a kind is of, and how many of each a trip has at the most.

    Groups that are wished for have no bound.
    """
    return {
        group: max((days * ten_days + 5) // 10, min(ten_days, 1))
        for group, kinds, wished, ten_days in _NARROW
        if kind in kinds and not wished & set(wishes)
    }


def suits(place: Place, renown: Renown, occasions: Sequence[str]) -> int:
    """Points of a sight for the occasions of a trip; below zero where it does not suit."""
    return _suits(place.name, codes_of(place, renown), tuple(occasions))


@cache
def _suits(name: str, codes: frozenset[str], occasions: tuple[str, ...]) -> int:
    return sum(p for o, rule, p in _OCCASIONS if o in occasions and rule.fits(name, codes))


@cache
def months_of(name: str) -> frozenset[int]:
    """The months in which what a sight is called after is seen; none where it is there all year."""
    return next((months for words, months in _BLOOMS if words.search(name)), frozenset())


def is_area(place: Place) -> bool:
    """Whether a sight's name says that it is a whole area of sights."""
    return bool(_AREAS.search(place.name))


def only_for_some(hotel: str) -> bool:
    """Whether a hotel's name says that it takes one group of travellers alone."""
    return bool(_HOTEL_WORDS["only"].search(hotel))


def is_home(hotel: str) -> bool:
    """Whether a hotel's name says that it is a house or courtyard with guests, as homestays are."""
    return bool(_HOTEL_WORDS["home"].search(hotel))


def is_shared(hotel: str) -> bool:
    """Whether a hotel's name says that beds stand in dormitories or boxes."""
    return bool(_HOTEL_WORDS["shared"].search(hotel))
