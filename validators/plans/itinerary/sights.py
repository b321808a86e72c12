"""Describe the candidate sights of a trip: how they are visited, which wishes they meet, and their
neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from schemas.geo import distance_m
from validators.plans.appeal import (
    MUST_SEES,
    VisitStyle,
    is_climb,
    is_day_of_rides,
    is_for_children,
    is_fun,
    is_unasked,
    visit_of,
    wishes_met,
    wishes_of,
)
from validators.plans.itinerary.candidates import Candidates
from validators.plans.itinerary.scope import FAR_TRIP
from validators.plans.itinerary.setting import Setting
from validators.plans.kinds import is_area, is_usually_closed
from validators.plans.outing import ALL_DAY_MIN, HALF_DAY_MIN
from validators.plans.trip import TripRequest
from validators.plans.world import Place

#: Two sights are neighbours within this many metres.
_NEIGHBOURS_M = 600.0
#: Within this many metres, a scenic area and another sight count as parts of each other.
_AREA_M = 1500.0
#: Kinds on which half a day is well spent, whatever is wished for.
_ANIMALS = frozenset({"zoo", "aquarium"})


@dataclass(frozen=True)
class Sights:
    """The sights to choose from and their properties; each sight is identified by its index.

    ``worths`` contains the points of the sights, ``visits`` how they are visited, and ``met`` the
    wishes that they meet. ``best`` contains the very best known sights, ``outside`` the great
    natural sights outside the city, and ``childish`` the sights for children. For each day,
    ``shut`` contains the sights that are usually closed on that day. For each sight, ``beside``
    contains the sights that contain it or belong to it, and ``near`` contains its neighbours.
    ``unfit`` contains sights that are too strenuous (climbing) or too wild (amusement rides) for
    the party. ``day_takers`` contains the parks that take half a day or more away from the sights
    for other wishes. ``unasked`` contains the sights that are visited only if they are required.
    """

    places: Sequence[Place]
    worths: Sequence[int]
    best: frozenset[int]
    outside: Sequence[int]
    visits: Sequence[VisitStyle]
    met: Sequence[frozenset[str]]
    childish: Sequence[int]
    shut: Sequence[set[int]]
    beside: Sequence[frozenset[int]]
    near: Sequence[frozenset[int]]
    unfit: frozenset[int]
    day_takers: frozenset[int]
    unasked: frozenset[int]

    def is_unfit(self, node: int) -> bool:
        """Check whether a sight is too strenuous or too wild for the party."""
        return node in self.unfit

    def takes_the_day(self, node: int) -> bool:
        """Check whether a park takes half a day or more away from sights for other wishes."""
        return node in self.day_takers


def describe_sights(setting: Setting, candidates: Candidates, *, strict: bool) -> Sights:
    """Return the candidates with their properties.

    With ``strict``, night sights are visited at night even if they are among the best known sights.
    """
    trip, renown, places = setting.trip, setting.renown, candidates.places
    ranks = {place.place_id: n for n, place in enumerate(setting.known)}
    visits = [visit_of(s, trip, renown, ranks.get(s.place_id), strict=strict) for s in places]
    met = [wishes_met(s, trip, renown) for s in places]
    ids = {k.place_id for k in setting.known[:MUST_SEES]}
    best = frozenset(n for n, s in enumerate(places) if s.place_id in ids)
    takers = _list_day_takers(trip, places, met, visits)
    beside, near = _list_surroundings(places)
    weekdays = [trip.request.weekday(day) for day in range(1, trip.request.days + 1)]
    return Sights(
        places,
        candidates.worths,
        best,
        candidates.outside,
        visits,
        met,
        [n for n, s in enumerate(places) if is_for_children(s, renown)],
        [{n for n, s in enumerate(places) if is_usually_closed(s, renown, w)} for w in weekdays],
        beside,
        near,
        _list_unfit(setting, places),
        takers,
        _list_unasked(setting, places, best, takers),
    )


def _list_day_takers(
    trip: TripRequest, places: Sequence[Place], met: Sequence[frozenset[str]],
    visits: Sequence[VisitStyle],
) -> frozenset[int]:  # fmt: skip
    """Return the parks that take half a day or more away from a trip with wishes for other sights.

    A park with animals is included only if it takes the whole day.
    """
    if not wishes_of(trip):
        return frozenset()
    return frozenset(
        n for n, (sight, visit) in enumerate(zip(places, visits, strict=True))
        if not met[n] and visit.minutes >= HALF_DAY_MIN and is_fun(sight)
        and not (visit.kind in _ANIMALS and visit.minutes < ALL_DAY_MIN)
    )  # fmt: skip


def _list_unfit(setting: Setting, places: Sequence[Place]) -> frozenset[int]:
    """Return the sights that are too strenuous or too wild for the party."""
    trip, renown = setting.trip, setting.renown
    return frozenset(
        n for n, s in enumerate(places)
        if (trip.effort == "light" and is_climb(s, renown)) or is_day_of_rides(s, trip, renown)
    )  # fmt: skip


def _list_unasked(
    setting: Setting, places: Sequence[Place], best: frozenset[int], takers: frozenset[int]
) -> frozenset[int]:
    """Return the sights that are visited only if they are required.

    The result consists of sights that do not suit the season or the party, or that take too much
    time. A park takes too much time on a short trip for adults, or on a trip that is about one
    category of sights.
    """
    trip = setting.trip
    adults_in_haste = trip.request.days < FAR_TRIP and not trip.children
    return frozenset(
        n for n, s in enumerate(places)
        if (n not in best and is_unasked(s, trip, setting.renown))
        or ((trip.category or adults_in_haste) and n in takers)
    )  # fmt: skip


def _list_surroundings(
    places: Sequence[Place],
) -> tuple[list[frozenset[int]], list[frozenset[int]]]:
    """Return two lists, each with an entry for every sight: the first gives the sights that contain
    it or belong to it, and the second gives its neighbours.

    The names of scenic areas show which sights contain others.
    """
    at = np.array([s.point for s in places], dtype=float).reshape(-1, 2)
    area = np.array([is_area(s) for s in places], dtype=bool)
    away = np.asarray(distance_m(at[:, None, 0], at[:, None, 1], at[None, :, 0], at[None, :, 1]))
    neighbours = [frozenset(np.flatnonzero(row < _NEIGHBOURS_M).tolist()) for row in away]
    beside = (away < _AREA_M) & (area[:, None] | area[None, :])
    np.fill_diagonal(beside, val=False)
    return [frozenset(np.flatnonzero(row).tolist()) for row in beside], neighbours
