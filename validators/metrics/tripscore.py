"""Computes TripScore's soft and preference scores and its reward (appendices F and G, table 5).

``validators.plans.check`` checks the format and commonsense constraints. The paper does not specify
some thresholds. This module defines these thresholds as constants, and the docstrings mention them.
The module ``judged`` computes the scores that need a model (landmarks, diversity, requests in free
text).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

import numpy as np

from schemas.plans import JOURNEYS
from schemas.trips import NIGHT, Event, Trip, TripDay
from schemas.word_lists import Lists
from validators.metrics.case import Case, Value, all_met
from validators.metrics.guide import leg_m
from validators.plans.check import Report
from validators.plans.tours import MOST_STOPS

_LISTS = Lists("validators.metrics")
WEIGHTS = _LISTS.weights("tripscore_weights")
_EXERTION = _LISTS.weights("exertion")
#: Lowest and highest number of hours of visits and meals per day; days of travel have no minimum.
_LEAST_HOURS, _MOST_HOURS = 4.0, 10.0
#: Lowest and highest number of hours of visits and meals per day, by the requested pace.
_PACES = {"relaxed": (0.0, 6.0), "moderate": (4.0, 8.0), "compact": (6.0, 12.0)}
#: Lowest and highest number of hotel stars, by the requested budget (appendix G).
_STARS = {"economy": (0, 2), "moderate": (3, 4), "luxury": (5, 5)}
#: The daytime lasts from 6:00 to 18:00 (in minutes after midnight).
_MORNING, _EVENING = 360, 1080
#: Distance in metres within which a change of hotel is unnecessary (formula 12).
_NEARBY_M = 100_000.0


def _hours(day: TripDay) -> float:
    """Return the hours of visits and meals on a day."""
    return sum(e.minutes or 0 for e in day.events if e.kind not in (*JOURNEYS, NIGHT)) / 60


def schedule_density(case: Case) -> Value:
    """Formula 11: 1 - days with too many or too few hours of activities / all days.

    tripbed sets these limits: a day should have 4 to 10 hours of visits and meals, but the first
    and the last day can have fewer.
    """
    days = case.trip.days
    if not days or not any(e.minutes for e in case.trip.events()):
        return None
    wrong = 0
    for at, day in enumerate(days):
        least = 0.0 if at in (0, len(days) - 1) else _LEAST_HOURS
        wrong += not least <= _hours(day) <= _MOST_HOURS
    return 1 - wrong / len(days)


def _nights(trip: Trip) -> list[str]:
    """Return the hotel for each night, if the plan's form contains nights."""
    return [event.name for event in trip.events() if event.kind == NIGHT]


def hotel_consistency(case: Case) -> Value:
    """Formula 12: 1 - nights after a change to a different hotel within 100 km / all nights."""
    nights = _nights(case.trip)
    switches = 0
    for before, after in pairwise(nights):
        ends = case.guide.point(before), case.guide.point(after)
        # Hotels in a city are close together, so unknown coordinates count as near.
        near = not (ends[0] and ends[1]) or leg_m(ends[0], ends[1]) <= _NEARBY_M
        switches += before != after and near
    return 1 - switches / len(nights) if nights else None


def daytime_utilization(case: Case) -> Value:
    """Formula 13: 1 - days without any activity from 6:00 to 18:00 / all days; journeys also count
    as activities.
    """
    days = case.trip.days
    timed = [e for e in case.trip.events() if e.start_min is not None and e.kind != NIGHT]
    if not days or not timed:
        return None
    filled = {e.day for e in timed if _MORNING <= (e.start_min or 0) < _EVENING}
    return sum(day.number in filled for day in days) / len(days)


def unique_attractions(case: Case) -> Value:
    """Formula 14: 1 - repeated places / visits - sum of (times - 1)^2 x 0.05 / visits, at least 0.

    A place that is visited twice in a row does not count as repeated.
    """
    names = [event.name for event in case.trip.sights()]
    if not names:
        return None
    runs = [name for at, name in enumerate(names) if at == 0 or names[at - 1] != name]
    repeated = [name for name, times in Counter(runs).items() if times > 1]
    times = Counter(names)
    extra = sum((times[name] - 1) ** 2 * 0.05 for name in repeated)
    return max(0.0, 1 - (len(repeated) + extra) / len(names))


def location_clustering(case: Case) -> Value:
    """Formula 15: 1 - number of pairs of consecutive visits on one day whose distance is in the top
    fifth of all pairs / number of visits.
    """
    sights = [e for e in case.trip.sights() if case.guide.point(e.name)]
    if not 0 < len(sights) <= MOST_STOPS:
        return None
    if len(sights) < 2:
        return 1.0
    metres = case.guide.metres([e.name for e in sights])
    border = float(np.quantile(metres[np.triu_indices(len(sights), 1)], 0.8))
    far = sum(
        a.day == b.day and bool(metres[at, at + 1] > border + 1e-6)
        for at, (a, b) in enumerate(pairwise(sights))
    )
    return max(0.0, 1 - far / len(sights))


def budget_preference(case: Case) -> Value:
    """Formula 17: nights in a hotel whose star rating matches the requested budget / all nights."""
    span = _STARS.get(str(case.asked.structure.get("budget")))
    nights = _nights(case.trip) or ([case.trip.hotel] if case.trip.hotel else [])
    if span is None or not nights:
        return None
    places = [case.guide.one("hotel", name) for name in nights]
    stars = [case.guide.stars.get(place.place_id) if place else None for place in places]
    if None in stars:
        return None
    return sum(span[0] <= (s or 0) <= span[1] for s in stars) / len(stars)


def pacing_preference(case: Case) -> Value:
    """Formula 18: mean over days of a score for how well the hours of activities match the
    requested pace.

    A day whose hours of activities are within the limits of the pace scores 1. Each hour outside
    these limits reduces the score by a quarter, so four or more such hours give a score of 0 (a
    threshold defined by tripbed).
    """
    span = _PACES.get(str(case.asked.structure.get("pacing")))
    if span is None or not case.trip.days or not any(e.minutes for e in case.trip.events()):
        return None
    off = [max(span[0] - h, h - span[1], 0.0) for h in map(_hours, case.trip.days)]
    return sum(max(0.0, 1 - hours / 4) for hours in off) / len(off)


def attraction_preference(case: Case) -> Value:
    """Formula 19: visited attractions of a requested type / all visited attractions."""
    wanted = set(case.asked.structure.get("attraction_types") or ())
    sights = case.trip.sights()
    if not wanted or not sights:
        return None
    places = [case.guide.one("attraction", event.name) for event in sights]
    return sum(place is not None and bool(place.types & wanted) for place in places) / len(sights)


def effort_preference(case: Case) -> Value:
    """Formula 20: days with the requested level of effort / all days.

    A day is strenuous if it has more than 2 points of effort, or if it is one of two consecutive
    days with effort. A day is light if neither the day itself nor the days before and after it
    involve any effort. Any other day is moderate. The words in ``lists/exertion.tsv`` determine the
    points.
    """
    wanted = case.asked.structure.get("physical_effort")
    if wanted not in ("light", "moderate", "strenuous") or not case.trip.days:
        return None
    points = [sum(_points(case, e) for e in day.sights) for day in case.trip.days]
    return sum(_effort(points, at) == str(wanted) for at in range(len(points))) / len(points)


def _points(case: Case, event: Event) -> float:
    place = case.guide.one("attraction", event.name)
    told = " ".join((event.name, *(place.types if place else ()))).lower()
    return max((points for word, points in _EXERTION.items() if word in told), default=0.0)


def _effort(points: Sequence[float], at: int) -> str:
    beside = [points[n] for n in (at - 1, at + 1) if 0 <= n < len(points)]
    if points[at] > 2 or (points[at] > 0 and any(beside)):
        return "strenuous"
    return "light" if points[at] == 0 and not any(beside) else "moderate"


Score = Callable[[Case], Value]
SOFT: Mapping[str, Score] = {
    f.__name__: f
    for f in (
        schedule_density,
        hotel_consistency,
        daytime_utilization,
        unique_attractions,
        location_clustering,
    )
}
PREFERENCE: Mapping[str, Score] = {
    f.__name__: f
    for f in (attraction_preference, pacing_preference, budget_preference, effort_preference)
}

#: The format constraints of TripScore that ``check`` checks; all others are commonsense.
FORMAT = ("response_format", "information_verified", "information_accurate", "information_relevant")


def score_delivery(report: Report) -> Value:
    """Return the delivery score (section 3.4), which is 1 if all format constraints are met.

    Returns None if it is not known whether a constraint is met.
    """
    return all_met(v.passed for v in report.tripscore if v.constraint in FORMAT)


def sensible(report: Report) -> Value:
    """Return the commonsense score (section 3.4): 1 if all commonsense constraints are met.

    Returns None if it is not known whether a constraint is met.
    """
    return all_met(v.passed for v in report.tripscore if v.constraint not in FORMAT)


#: The soft scores that a model judges.
JUDGED = ("iconic_landmarks", "attraction_diversity")


def reward(format_ok: Value, commonsense_ok: Value, scores: Mapping[str, Value]) -> Value:
    """Compute R (formula 2): format (-3 or 1), then commonsense (-1 or 1), then weighted scores.

    Parts without a value are left out. Without a model, only the parts computed by rules count, as
    in the paper's own training. If it is unknown whether the plan meets a constraint, the
    constraint counts as failed.
    """
    if format_ok != 1.0:
        return -3.0
    if commonsense_ok != 1.0:
        return 0.0
    total = 2.0
    for name, parts in (("soft", (*SOFT, *JUDGED)), ("preference", tuple(PREFERENCE))):
        known = {part: value for part in parts if (value := scores.get(part)) is not None}
        if weight := sum(WEIGHTS[part] for part in known):
            worth = sum(WEIGHTS[part] * value for part, value in known.items())
            total += WEIGHTS[name] * worth / weight
    return total
