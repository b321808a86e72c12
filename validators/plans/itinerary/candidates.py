"""Choose the sights that a plan may contain: those with the most points minus travel."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from validators.plans.appeal import (
    MUST_SEES,
    is_great_nature,
    seeks_quiet,
    visit_of,
    wishes_met,
    wishes_of,
    worth,
)
from validators.plans.comfort import Reach
from validators.plans.itinerary.scope import LONG_TRIP, goes_far, is_too_dear, list_bounds
from validators.plans.itinerary.setting import Booking, Setting
from validators.plans.itinerary.ways import BESIDE_M, FAR_AWAY_MIN, measure_metres
from validators.plans.kinds import kind_of, meanings, means
from validators.plans.world import Place

#: How many candidates a trip has, and how many more for each day of a long trip.
_MOST, _MORE_A_DAY = 55, 6
#: Candidates for each wish, however far away; for each wish of trips to little known sights; and
#: for each meaning of a wish.
_OF_A_WISH, _OF_QUIET, _OF_A_MEANING = 12, 30, 8
#: Candidates for each name that the query requires.
_OF_A_DEMAND = 6
#: Candidates for the evening for each day, and for the daytime of trips that wish for nightlife.
_EVENINGS_A_DAY, _BY_DAY = 3, 10
#: For each similar sight that a trip may contain, this many are candidates.
_CHOICE = 3
#: The points of a sight from which it is a candidate because it lies beside a remote one, and
#: beside a remote one that the query names.
_WORTH_FAR, _WORTH_BESIDE = 250, 150
#: Points lost for each minute of travel, if there should be little of it.
_POINTS_A_MINUTE = 3
#: Points lost for each kilometre from the sight that the others should be close to, and the most
#: that are lost; the sight itself gains as many.
_POINTS_A_KM, _MOST_FOR_NEARNESS = 25, 400
#: Minutes from the centre from which a natural sight is out of town.
_OUT_OF_TOWN_MIN = 40
#: The most minutes to such a sight, and to one that is well known or on a strenuous trip.
_NATURE_MIN, _KNOWN_NATURE_MIN = 60, 120
#: How many such sights are candidates.
_GREAT_NATURE = 4


@dataclass(frozen=True)
class Candidates:
    """The sights to choose from, with their points.

    ``outside`` contains the indices of the great natural sights outside the city, best first.
    """

    places: list[Place]
    worths: list[int]
    outside: list[int]


@dataclass(frozen=True)
class _Ranking:
    """The available sights, with their points and their distance from the centre in minutes.

    ``order`` contains the indices of the sights, sorted by points minus travel, best first.
    ``near`` contains the indices sorted in the same way, except that travel counts only half as
    much.
    """

    places: tuple[Place, ...]
    points: list[int]
    away: list[int]
    order: list[int]
    near: list[int]


def choose_candidates(setting: Setting, booking: Booking) -> Candidates:
    """Return the sights to choose from, including those that the query requires."""
    if not setting.sights.places:
        return Candidates([], [], [])
    reach = booking.riders.reach(setting.sights, booking.centre)
    ranking = _rank_sights(setting, booking, reach)
    places = ranking.places
    kept = set(_list_best(setting, ranking))
    kept.update(_list_known(setting, ranking))
    kept.update(_list_wished(setting, ranking))
    must = set(_list_demanded(setting, ranking))
    outside = _list_great_nature(setting, ranking, reach)
    kept |= must
    kept.update(outside)
    kept.update(_list_for_evenings(setting, ranking))
    _add_beside(setting, ranking, kept, must)
    chosen = [n for n in ranking.order if n in kept]
    return Candidates(
        [places[n] for n in chosen],
        [ranking.points[n] for n in chosen],
        [chosen.index(n) for n in outside],
    )


def _rank_sights(setting: Setting, booking: Booking, reach: Reach) -> _Ranking:
    places = setting.sights.places
    points = [
        worth(s, setting.trip, setting.renown, booking.level, setting.known) - lost
        for s, lost in zip(places, _list_lost_points(setting, reach), strict=True)
    ]
    away = [int(minutes) for minutes in reach.efforts]
    order = sorted(range(len(places)), key=lambda n: (2 * away[n] - points[n], places[n].name))
    near = sorted(order, key=lambda n: (away[n] - points[n], places[n].name))
    return _Ranking(places, points, away, order, near)


def _list_lost_points(setting: Setting, reach: Reach) -> list[int]:
    """Return the points that each sight loses because of the objectives of the trip.

    The possible objectives are to keep travel times short and to choose sights near a given sight.
    """
    places, near = setting.sights.places, setting.find_near_sight()
    a_minute = _POINTS_A_MINUTE * ("transport_time" in setting.trip.objectives)
    lost = [a_minute * int(minutes) for minutes in reach.efforts]
    if near is None:
        return lost
    return [
        more + min(int(measure_metres(s, near) / 1000 * _POINTS_A_KM), _MOST_FOR_NEARNESS)
        - _MOST_FOR_NEARNESS * (s.name == near.name)
        for s, more in zip(places, lost, strict=True)
    ]  # fmt: skip


def _list_best(setting: Setting, ranking: _Ranking) -> list[int]:
    """Return the best sights overall, but only a few from each group of similar ones."""
    most = _MOST + _MORE_A_DAY * max(setting.trip.request.days - LONG_TRIP, 0)
    return _keep_unlike(setting, ranking, ranking.order)[:most]


def _keep_unlike(setting: Setting, ranking: _Ranking, nodes: Sequence[int]) -> list[int]:
    """Return the sights, but only a few from each group of similar ones."""
    had: Counter[str] = Counter()
    found = []
    for node in nodes:
        bounds = list_bounds(setting.trip, kind_of(ranking.places[node], setting.renown).name)
        had.update(bounds.keys())
        if all(had[group] <= _CHOICE * most for group, most in bounds.items()):
            found.append(node)
    return found


def _list_known(setting: Setting, ranking: _Ranking) -> list[int]:
    """Return the best-known sights; return more of them if the trip goes far."""
    known = setting.list_musts() if goes_far(setting.trip) else setting.known[:MUST_SEES]
    ids = {k.place_id for k in known}
    return [n for n in ranking.order if ranking.places[n].place_id in ids]


def _list_wished(setting: Setting, ranking: _Ranking) -> Iterator[int]:
    """Yield the best sights for each wish and, if a wish has several meanings, for each of these
    meanings.
    """
    trip, renown, places = setting.trip, setting.renown, ranking.places
    most = _OF_QUIET if seeks_quiet(trip) else _OF_A_WISH
    for wish in wishes_of(trip):
        met = [n for n in ranking.near if wish in wishes_met(places[n], trip, renown)]
        yield from met[:most]
        for part in range(meanings(wish) if meanings(wish) > 1 else 0):
            meant = [n for n in met if part in means(places[n], renown, wish)]
            yield from meant[:_OF_A_MEANING]


def _list_demanded(setting: Setting, ranking: _Ranking) -> Iterator[int]:
    """Yield the sights that the query requires."""
    for demand in setting.list_demanded_sights():
        named = [n for n in ranking.order if ranking.places[n].name in demand.names]
        yield from named[:_OF_A_DEMAND]


def _list_great_nature(setting: Setting, ranking: _Ranking, reach: Reach) -> list[int]:
    """Return the great natural sights outside the city that are within the budget, best first.

    A sight that is more than an hour away must be well known, unless the trip may be strenuous.
    """
    known = {k.place_id for k in setting.known}
    is_strong = setting.trip.effort == "strenuous"

    def is_out_of_town(node: int, sight: Place) -> bool:
        far = sight.place_id in known or is_strong
        most = _KNOWN_NATURE_MIN if far else _NATURE_MIN
        return bool(_OUT_OF_TOWN_MIN <= reach.minutes[node] <= most)

    found = [
        n for n, s in enumerate(ranking.places)
        if is_out_of_town(n, s)
        and not is_too_dear(int(reach.cents[n]), setting.offers.budget_cents)
        and is_great_nature(s, setting.trip, setting.renown)
    ]  # fmt: skip
    found.sort(key=lambda n: (-ranking.points[n], ranking.places[n].name))
    return found[:_GREAT_NATURE]


def _list_for_evenings(setting: Setting, ranking: _Ranking) -> Iterator[int]:
    """Yield the best sights for the evenings.

    If the query asks for nightlife, the best daytime sights are yielded too, because most of the
    other candidates are sights for the night.
    """
    trip, days = setting.trip, setting.trip.request.days
    late = [
        n for n in ranking.order
        if visit_of(ranking.places[n], trip, setting.renown, None).late
    ]  # fmt: skip
    yield from late[: _EVENINGS_A_DAY * days]
    if trip.nights_out:
        by_day = [n for n in ranking.order if n not in set(late)]
        yield from _keep_unlike(setting, ranking, by_day)[: _BY_DAY * days]


def _add_beside(setting: Setting, ranking: _Ranking, kept: set[int], must: set[int]) -> None:
    """Add good sights near remote sights; if a remote sight is required, fewer points are enough
    for the sights near it.
    """
    known = {k.place_id for k in setting.known}
    good = [
        n for n in ranking.order
        if ranking.places[n].place_id in known and ranking.points[n] >= _WORTH_FAR
    ]  # fmt: skip
    kept.update(_list_beside(ranking, good, kept))
    fair = [n for n in ranking.order if ranking.points[n] >= _WORTH_BESIDE]
    kept.update(_list_beside(ranking, fair, must))


def _list_beside(ranking: _Ranking, good: Sequence[int], others: set[int]) -> set[int]:
    """Return the good sights that are near one of the remote sights."""
    places = ranking.places
    far = [n for n in others if ranking.away[n] > FAR_AWAY_MIN]
    return {n for n in good for m in far if measure_metres(places[n], places[m]) < BESIDE_M}
