"""Computes TravelEval's metrics of accuracy and compliance (appendix A.1, formulas 1-9, table B1).

If the paper's formula and the public evaluator differ, the metric's docstring says which of the two
tripbed uses. A metric is None if it cannot be computed.
"""

from __future__ import annotations

from schemas.plans import JOURNEYS
from schemas.trips import ATTRACTION, COSTS, Event
from validators.metrics.case import TINY, Case, Value, WishedValues, mean
from validators.metrics.guide import Guide, leg_m
from validators.plans.world import ROOM_BEDS, Journey
from warehouse.ways import TAXI_KMH, WALK_KMH, minutes

#: Vehicles that are fast trains.
_FAST = ("高铁", "动车")
_TRAINS = (*_FAST, "快速", "特快", "直达特快")


def cost_calculation_deviation(case: Case) -> Value:
    """CCD, formula 1: sum of |stated - actual cost| over all categories / total actual cost."""
    if case.trip.claims is None or not case.trip.claims.costs or case.costs is None:
        return None
    stated = dict(case.trip.claims.costs)
    off = sum(abs(case.costs[name] - stated.get(name, 0.0)) for name in COSTS)
    total = case.total_cost
    return off / total if total else None


def fictitious_attraction_rate(case: Case) -> Value:
    """FAR, formula 2: number of attractions whose name is not in any of the city's tables / number
    of attractions.
    """
    return mean(not case.guide.knows(event.name) for event in case.trip.sights())


def opening_hours_violations(case: Case) -> Value:
    """VROH, formula 3, as a share: number of visits that start outside the opening hours / number
    of visits.

    The paper's formula counts visits that lie entirely outside the opening hours. However, the
    paper's table prints a share, and the paper's evaluator checks only the start of a visit, as
    tripbed does. Visits to places with unknown opening hours are not counted.
    """
    found = []
    for day in case.trip.days:
        date = case.asked.date(day.number)
        for event in day.activities:
            place = case.guide.one("attraction", event.name)
            if place is None or place.hours is None or event.start_min is None:
                continue
            answers = {
                any(opens <= event.start_min <= closes for opens, closes in spans)
                for spans in place.hours.days(date)
            }
            if len(answers) == 1:
                found.append(not answers.pop())
    return mean(found)


def traffic_connection_failures(case: Case) -> Value:
    """FRTC, formula 4, as a share: legs between places on the same day for which the plan leaves
    too little time / all legs between places on the same day.

    The paper uses a map service to determine whether a leg is possible. In tripbed, a leg fails if
    the time between two events is too short for both walking and a taxi, at the sandbox's speeds.
    """
    found = []
    for day in case.trip.days:
        for before, after in zip(day.events, day.events[1:], strict=False):
            if before.name == after.name or (after.kind in JOURNEYS and after.origin is None):
                continue
            gap = _gap(before, after)
            goal = after.origin or after.name
            metres = _metres(case.guide, before.name, goal)
            if gap is None or metres is None or before.name == goal:
                continue
            found.append(min(minutes(metres, WALK_KMH), minutes(metres, TAXI_KMH)) > gap)
    return mean(found)


def _gap(before: Event, after: Event) -> int | None:
    if before.end_min is None or after.start_min is None:
        return None
    return after.start_min - before.end_min


def _metres(guide: Guide, start: str, end: str) -> float | None:
    ends = guide.point(start), guide.point(end)
    return leg_m(ends[0], ends[1]) if ends[0] and ends[1] else None


def intercity_deviation(case: Case) -> Value:
    """ITD, formula 5: sum over all journeys of |planned - actual hours| / sum of the actual hours.

    Of the journeys in the tables that lead to the right city, the actual journey is the one whose
    times are nearest to the planned times. As in the public evaluator, the rate is 1 if the plan
    has no journeys, or if the tables contain no actual journey for one of the planned journeys.
    """
    if "journeys" not in case.trip.tells or case.trip.form == "triptailor":
        return None
    if not case.trip.journeys:
        return 1.0
    off = actual = 0.0
    for event in case.trip.journeys:
        if event.minutes is None:
            return None
        planned, truly = event.minutes / 60, _actual_hours(case, event)
        if truly is None:
            return 1.0
        off += abs(planned + (24 if planned + 20 < truly else 0) - truly)
        actual += truly
    return off / actual if actual else None


def _actual_hours(case: Case, event: Event) -> float | None:
    if event.vehicle not in (*_TRAINS, "飞机"):
        return 1.0  # the evaluator's value for other vehicles
    start, end = event.start_min or 0, event.end_min or 0
    span = (start, end + (1440 if end < start else 0))
    named = (case.trip.start_city, case.trip.target_city)
    ends = [case.guide.world.city_of(name) if name else None for name in named]
    pairs = case.guide.journeys_by_pair
    # Stations are compared by their first two characters, as in the evaluator.
    station = event.name[:2]
    city = case.guide.world.city_of(station)
    any_train = event.kind != "train" or event.vehicle in _FAST
    journeys = [
        journey
        for origin, destination in (ends, ends[::-1])
        for journey in pairs.get((event.kind, origin, destination), ())
        if (journey.end.startswith(station) or journey.destination_city == city)
        and (any_train or journey.train_type not in _FAST)
    ]
    nearest = min(journeys, key=lambda journey: _differ(journey, span), default=None)
    return round((nearest.arrives_min - nearest.departs_min) / 60, 2) if nearest else None


def _differ(journey: Journey, span: tuple[int, int]) -> int:
    """Return the total difference in minutes between a journey's times and the planned times."""
    return abs(span[0] - journey.departs_min) + abs(span[1] - journey.arrives_min % 1440)


def personnel_deviation(case: Case) -> Value:
    """PD, formula 6: (|beds - n| + |vehicle seats - n| + |tickets - n|) / n, but at most 1.

    The number of seats is the mean over all rides, and the number of tickets the mean over all
    visits. If there are no rides, the seats add nothing to the sum; if there are no visits, the
    tickets add nothing.
    """
    n = case.asked.people
    if not n or "hotels" not in case.trip.tells:
        return None
    off = abs(_beds(case) - n) if case.trip.rooms or len(case.trip.days) > 1 else 0.0
    seats = [
        way.seats * way.cars
        for e in case.trip.events()
        if (way := e.way) and way.seats and way.cars
    ]
    for amounts in (seats, _tickets(case)):
        off += sum(abs(amount - n) for amount in amounts) / len(amounts) if amounts else 0.0
    return min(1.0, off / n)


def _beds(case: Case) -> float:
    return sum(r.quantity * ROOM_BEDS.get(r.kind or "", 0) for r in case.trip.rooms)


def _tickets(case: Case) -> list[float]:
    return [
        e.tickets
        for day in case.trip.days
        for e in day.activities
        if e.kind == ATTRACTION and e.tickets
    ]


def budget_compliance(case: Case) -> Value:
    """BCS: 1 if the total cost is within the budget that the query sets, else 0."""
    budget = case.asked.budget
    if budget is None or case.total_cost is None:
        return None
    return float(case.total_cost <= budget + TINY)


def time_compliance(case: Case) -> Value:
    """TCS: 1 if the plan has the requested number of days (and does not state a different number),
    else 0.
    """
    if not case.asked.days:
        return None
    claims = case.trip.claims
    stated = claims.days if claims and claims.days is not None else case.asked.days
    return float(len(case.trip.days) == stated == case.asked.days)


def headcount_compliance(case: Case) -> Value:
    """HCS, formulas 7 and 8: 1 if there are enough beds, vehicles and tickets for all travellers,
    else 0.

    The plan must also state the requested number of travellers, as in the public evaluator.
    """
    n = case.asked.people
    if not n or "hotels" not in case.trip.tells or case.trip.form == "triptailor":
        return None
    if case.trip.people != n:
        return 0.0
    supply = [e.tickets or 0 for e in case.trip.journeys] + _tickets(case)
    supply += [w.seats * w.cars for e in case.trip.events() if (w := e.way) and w.seats and w.cars]
    if case.trip.rooms or len(case.trip.days) > 1:
        supply.append(_beds(case))
    return float(all(amount >= n for amount in supply))


def hotel_preference(case: Case) -> Value:
    """PAS-A: 1 if every night is spent at a hotel that has a wanted feature and no excluded one,
    else 0.
    """
    if "hotels" not in case.trip.tells or case.trip.nights is None:
        return None
    if case.trip.nights != (case.asked.days or len(case.trip.days)) - 1:
        return 0.0
    wish = case.asked.wish("accommodations")
    place = case.guide.one("hotel", case.trip.hotel) if case.trip.hotel else None
    return _any_of(wish, place.types if place else frozenset())


def transport_preference(case: Case) -> Value:
    """PAS-T: 1 if every journey is by a wanted vehicle and none by an excluded one, else 0."""
    wish = case.asked.wish("transportation")
    if "journeys" not in case.trip.tells or case.trip.form == "triptailor":
        return None
    if not wish.wanted and not wish.excluded:
        return 1.0
    words = [frozenset({e.vehicle or ""}) for e in case.trip.journeys]
    return float(bool(words) and all(_any_of(wish, word) for word in words))


def cuisine_preference(case: Case) -> Value:
    """PAS-C: 1 if the meals include every wanted cuisine and no excluded one, else 0."""
    if case.trip.form == "tprag":
        return None
    wish = case.asked.wish("diet")
    places = [case.guide.one("restaurant", event.name) for event in case.trip.meals()]
    eaten = {cuisine for place in places if place for cuisine in place.types}
    return float(eaten >= set(wish.wanted) and eaten.isdisjoint(wish.excluded))


def tour_time_compliance(case: Case) -> Value:
    """TTCS, formula 9: 1 if each visit, not counting its queue, lasts as long as recommended, else
    0.
    """
    if not case.visits:
        return None
    return float(all(_lasts(v.effective, v.place.least_min, v.place.most_min) for v in case.visits))


def _lasts(hours: float, least: int | None, most: int | None) -> bool:
    return (least is None or hours >= least / 60 - TINY) and (
        most is None or hours <= most / 60 + TINY
    )


def _any_of(wish: WishedValues, tags: frozenset[str]) -> float:
    wanted = not wish.wanted or not tags.isdisjoint(wish.wanted)
    return float(wanted and tags.isdisjoint(wish.excluded))
