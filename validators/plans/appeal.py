"""What each sight of a city is worth to the travellers of one trip, in whole points."""

from __future__ import annotations

from collections.abc import Iterable

from validators.plans.comfort import Level
from validators.plans.renown import Renown
from validators.plans.trip import Trip
from validators.plans.world import Place

#: The best known sights of a city, and more points for these and the next as many.
MUST_SEES = 5
_MUST, _NEXT = 170, 60
#: Points of the first wished type that a sight has, and of each further one.
_WISHED, _FURTHER = 130, 40
#: What is seldom open to visitors, or seldom what a trip is made for.
_PLAIN = {"university_campus": -160, "library": -80, "other": -50, "commercial_district": -20}
#: Sights of the evening: these types may be visited after dark.
_EVENING = frozenset({"夜经济热点", "商业街区"})
_FUN, _STREETS = "游乐园/体育娱乐", "商业街区"
#: Minutes in a street of shops, unless more are recommended at least.
_STROLL_MIN = 90
#: Minutes that a best known sight is visited at least.
_SEEN_WELL_MIN = 120
#: Minutes in a park of amusements by what its ticket costs at least, cents.
_FUN_MIN = ((40_000, 360), (15_000, 180))


def must_sees(places: Iterable[Place], renown: Renown) -> list[Place]:
    """The best known sights of a city."""
    return renown.best(list(places), MUST_SEES)


def worth(place: Place, trip: Trip, renown: Renown, level: Level, known: list[Place]) -> int:
    """Points of a sight; ``known`` are the best known sights, the best first."""
    points = renown.points.get(place.place_id, 0)
    rank = next((n for n, p in enumerate(known) if p.place_id == place.place_id), None)
    if rank is not None:
        points += _MUST if rank < MUST_SEES else _NEXT
    points += _PLAIN.get(renown.base_types.get(place.place_id) or "", 0)
    met = place.types & trip.wished("attraction_type")
    if met:
        points += _WISHED + _FURTHER * (len(met) - 1)
    if trip.category is not None and renown.categories.get(place.place_id) == trip.category:
        points += _WISHED
    if place.name in trip.wished("attraction_name"):
        points += 2 * _WISHED
    if trip.children and "亲子友好" in place.types:
        points += 90
    if trip.seniors and _FUN in place.types and not met:
        points -= 170
    if trip.gentle and place.types <= {"夜经济热点", "商业街区"}:
        points -= 40
    return points - (place.price_cents or 0) // 1000 * level.ticket_points


def stay_min(place: Place, trip: Trip, rank: int | None) -> int:
    """Minutes of a visit: the middle of what is recommended, the most of it for the best known.

    Sources recommend half an hour for a palace: the best known get two hours, a park of
    amusements three or six by its price, a little less where the travellers are in a hurry.
    """
    least = place.least_min or 60
    most = max(place.most_min or least, least)
    best = rank is not None and rank < MUST_SEES
    hurried = trip.pace == "special_forces"
    stay = most if best or trip.pace == "slow" else least if hurried else (least + most) // 2
    if best:
        stay = max(stay, _SEEN_WELL_MIN - 30 * hurried)
    if _FUN in place.types:
        price = place.price_cents or 0
        long = next((minutes for cents, minutes in _FUN_MIN if price >= cents), 0)
        stay = max(stay, long - 60 * hurried)
    if _STREETS in place.types:
        stay = min(stay, max(_STROLL_MIN, least))
    return max(stay // 5 * 5, 45)


def of_the_evening(place: Place) -> bool:
    """Whether a sight is for the evening as well."""
    return bool(place.types & _EVENING)


def is_fun(place: Place) -> bool:
    """Whether a sight is a park of amusements or sports: one a day is enough."""
    return _FUN in place.types
