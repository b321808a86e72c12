"""Computes TravelEval's metrics of time, space, economy and utility (appendix A.1, formulas 10-24).

Distances are straight lines, whereas the paper uses driving distances from a map service. A metric
is None if it cannot be computed.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable

import numpy as np

from schemas.taxonomy import BASE_TYPES, TREND_TYPES
from schemas.trips import ATTRACTION, NIGHT
from validators.metrics.case import Case, Value, mean
from validators.metrics.fixed_ends import measure_fixed_ends
from validators.plans.tours import MOST_STOPS, path_length

#: Number of types of attractions for the diversity: 24, as in the published list.
_TYPES = len(BASE_TYPES) + len(TREND_TYPES)
#: Keys of the density table by the rhythm that a query asks for. The first match counts.
_RHYTHMS = {"特种兵式": "special_forces", "慢游": "slow"}


def scene_time_ratio(case: Case) -> Value:
    """STR, formula 10: mean over places of the hours left after queueing / planned hours.

    A visit that is shorter than the minimum recommended duration counts as 0.
    """
    return mean(case.ratios.values())


def daily_time_utilization(case: Case) -> Value:
    """DTU, formula 11: mean over days of effective hours / hours between the first departure and
    the last return of the day.
    """
    if "journeys" not in case.trip.tells or not case.trip.days:
        return None
    return mean(_day_share(case, at) for at in range(len(case.trip.days)))


def _day_share(case: Case, at: int) -> float:
    day = case.trip.days[at]
    timed = [e for e in day.activities if e.start_min is not None and e.end_min is not None]
    if not timed:
        return 0.0
    effective = sum(
        case.ratios[e.name] * (e.minutes or 0)
        for e in timed if e.kind == ATTRACTION and e.name in case.ratios
    )  # fmt: skip
    start, end = _day_span(case, at)
    start = min(start, *(e.start_min for e in timed if e.start_min is not None), start)
    end = max(end, *(e.end_min for e in timed if e.end_min is not None), end)
    return effective / (end - start) if end > start else 0.0


def _day_span(case: Case, at: int) -> tuple[int, int]:
    """Return the first and last minute of a day; days of travel begin and end with the journey."""
    trip = case.trip
    day, first, last = trip.days[at], at == 0, at == len(trip.days) - 1
    start = day.activities[0].start_min or 0
    if first and trip.journeys and trip.journeys[0].start_min is not None:
        start = trip.journeys[0].start_min
    end = day.ending.end_min if day.ending and day.ending.end_min is not None else 0
    if last and len(trip.journeys) > 1:
        begins, ends = trip.journeys[1].start_min or 0, trip.journeys[1].end_min or 0
        end = 1440 if ends < begins else ends
    elif last and day.ending and not day.ending.name.startswith(trip.start_city or "\0"):
        end = 1440
    return start, end


def overall_time_utilization(case: Case) -> Value:
    """OTU, formula 12: effective hours of all visits / hours of the whole trip."""
    if "journeys" not in case.trip.tells or case.hours is None:
        return None
    return sum(case.ratios[v.place.name] * v.hours for v in case.visits) / case.hours


def scene_sequence_rationality(case: Case) -> Value:
    """SSR, formula 13: mean over days of (route length / length of the shortest route) - 1.

    The shortest route begins and ends at the same places as the day.
    """
    return mean(_route_penalty(case, at) for at in range(len(case.trip.days)))


def _route_penalty(case: Case, at: int) -> Value:
    day = case.trip.days[at]
    names = [
        name for name in (day.starts_at, *(e.name for e in day.events)) if case.guide.point(name)
    ]
    if len(names) > MOST_STOPS:
        return None
    if len(names) < 4:
        return 0.0  # there are not two stops between the ends that could be swapped
    metres = case.guide.metres(names)
    best = measure_fixed_ends(metres)
    return float(path_length(metres)) / best - 1 if best > 0 else 0.0


def cross_day_mismatch_90(case: Case) -> Value:
    """CSM-P90, formula 14: 90th percentile of the cross-day mismatch over all places.

    The mismatch of a place is its mean distance to the other places of the same day / its minimum
    mean distance to the places of any other day.
    """
    return _percentile(case, 90)


def cross_day_mismatch_95(case: Case) -> Value:
    """CSM-P95, formula 14: 95th percentile of the cross-day mismatch over all places.

    The mismatch of a place is its mean distance to the other places of the same day / its minimum
    mean distance to the places of any other day.
    """
    return _percentile(case, 95)


def _percentile(case: Case, percent: int) -> Value:
    values = case.once("mismatch", cross_day_mismatch)
    return float(np.percentile(values, percent)) if values else None


def cross_day_mismatch(case: Case) -> list[float]:
    """Compute the CSM of each place except hotels.

    The CSM is the mean distance to the other places of the day / the minimum mean distance to the
    places of any other day, or 0 if there is no other day. The first and last points of each day
    are left out. Hotels have no CSM, but count as places when other places' distances are measured.
    """
    names = [[e.name for e in d.activities if case.guide.point(e.name)] for d in case.trip.days]
    flat = [name for day in names for name in day]
    if not flat or len(flat) > MOST_STOPS:
        return []
    hotels = {e.name for d in case.trip.days for e in d.activities if e.kind == NIGHT}
    day_of = np.repeat(np.arange(len(names)), [len(day) for day in names])
    in_day = (day_of[:, None] == np.unique(day_of)[None, :]).astype(float)
    own_day = in_day @ in_day.T > 0
    ids = np.unique(np.array(flat), return_inverse=True)[1]
    metres = case.guide.metres(flat)
    mates = own_day & (ids[:, None] != ids[None, :])
    near = (metres * mates).sum(axis=1) / np.maximum(mates.sum(axis=1), 1)
    means = np.where(in_day > 0, np.inf, metres @ in_day / in_day.sum(axis=0))
    away = means.min(axis=1)
    known = np.isfinite(away) & (away > 0)
    values = np.where(known, near / np.where(known, away, 1.0), 0.0)
    return [float(v) for name, v in zip(flat, values, strict=True) if name not in hotels]


#: Rates how well the types of an attraction match the query's wishes.
Match = Callable[[Case, frozenset[str]], float]


def _match(case: Case, types: frozenset[str]) -> float:
    """Compute M(T) of formula 24: 1 plus the number of wanted types, or 0 if a type is excluded."""
    wish = case.asked.wish("attractions")
    return 1.0 + len(types & set(wish.wanted)) if types.isdisjoint(wish.excluded) else 0.0


def experience(case: Case, match: Match = _match) -> Value:
    """Sum rating x match over all known attractions, or return None if a rating is unknown."""
    total = 0.0
    for event in case.trip.sights():
        place = case.guide.one("attraction", event.name)
        if place is None:
            continue
        rating = case.guide.ratings.get(place.place_id)
        if rating is None:
            return None
        total += rating * match(case, place.types)
    return total


def budget_efficiency(case: Case) -> Value:
    """BE, formula 15, as printed: 1000 x experience value / cost of the plan in yuan."""
    value, cost = experience(case), case.total_cost
    return None if value is None or not cost else 1000 * value / cost


def experience_diversity(case: Case) -> Value:
    """EDI, formulas 16-21: entropy of the visited types / log2 of the number of types."""
    scores: defaultdict[str, float] = defaultdict(float)
    for event in case.trip.sights():
        place = case.guide.one("attraction", event.name)
        types = sorted(place.types) if place else []
        for kind in types:
            scores[kind] += 1 / len(types)
    total = sum(scores.values())
    if not total:
        return None
    shares = [score / total for score in scores.values()]
    return -sum(p * math.log2(p) for p in shares) / math.log2(_TYPES) + 0.0


def attractions_density(case: Case) -> Value:
    """ADS, formula 22: attractions per day / usual number of attractions per day at the wanted
    rhythm (table A2, medians).
    """
    wanted = case.asked.wish("rhythm").wanted
    asked = next((key for word, key in _RHYTHMS.items() if word in wanted), None)
    target = case.guide.density.get(asked or ("family" if case.asked.family else "regular"))
    days = len(case.trip.days)
    return len(case.trip.sights()) / days / target if days and target else None


def attractions_quality_efficiency(case: Case) -> Value:
    """AQE, formula 23: sum over visits of rating x effective hours / hours of the whole trip."""
    if "journeys" not in case.trip.tells or case.hours is None:
        return None
    ratings = [case.guide.ratings.get(visit.place.place_id) for visit in case.visits]
    if None in ratings:
        return None
    worth = sum((r or 0.0) * v.effective for r, v in zip(ratings, case.visits, strict=True))
    return worth / case.hours


def profit(case: Case) -> Value:
    """Profit, formula 24: experience value / number of attractions in the plan."""
    value, n = experience(case), len(case.trip.sights())
    return None if value is None or not n else value / n


def cost_of(category: str) -> Callable[[Case], Value]:
    """Define the metric for the cost of one category."""

    def cost(case: Case) -> Value:
        return None if case.costs is None else case.costs[category]

    cost.__doc__ = (
        f"Cost of `{category}` in yuan (cost composition, appendix A.1), as printed in table B1."
    )
    return cost


accommodation_cost = cost_of("accommodation")
attractions_cost = cost_of("attractions")
intercity_cost = cost_of("intercity_transportation")
intracity_cost = cost_of("intracity_transportation")
meals_cost = cost_of("meals")
other_cost = cost_of("other")
