"""Computes TripTailor's rule metrics, as TourPlanner describes them (appendices C.2 and C.5).

Feasibility and rationality consist of yes-or-no criteria. The micro rate is the share of criteria
met over all plans, and the macro rate is the share of plans that meet all criteria. The surpassing
rate needs a model and is computed in ``judged``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from schemas.plans import MEALS
from schemas.trips import Event, Trip
from validators.metrics.case import TINY, Case, Value, all_met, mean
from validators.metrics.guide import Guide, leg_m
from warehouse.opening import holds
from warehouse.ways import Point

#: Minutes by which a visit may be shorter or longer than recommended, as in the public evaluator.
_TOLERANCE = 60


def within_sandbox(case: Case) -> Value:
    """Sandbox validity (C.5.1): 1 if all hotels, journeys, attractions and restaurants of the plan
    are in the tables.

    The plan must have two journeys, which tripbed looks up by number; in forms that contain only
    stops, no journeys are required.
    """
    places = [e for e in case.trip.stays() if e.kind != "other"]
    known = all(case.guide.of_event(e.kind, e.name) or _breakfast_inside(case, e) for e in places)
    if case.trip.form == "triptailor" and case.trip.hotel:
        known = known and case.guide.one("hotel", case.trip.hotel) is not None
    if "journeys" in case.trip.tells:
        numbers = [event.number for event in case.trip.journeys]
        held = case.guide.world.journeys_by_number
        known = known and len(numbers) == 2 and all(n in held for n in numbers)
    return float(known)


def _breakfast_inside(case: Case, event: Event) -> bool:
    return event.kind == "breakfast" and case.guide.one("hotel", event.name) is not None


def complete_information(case: Case) -> Value:
    """Information completeness (C.5.1): 1 if the plan names a hotel, and both journeys with their
    number, time and price.

    A plan for a one-day trip needs no hotel.
    """
    if "journeys" not in case.trip.tells:
        return 0.0
    told = all(
        e.number and e.start_min is not None and e.price is not None for e in case.trip.journeys
    )
    slept = bool(case.trip.hotel) or len(case.trip.days) == 1
    return float(len(case.trip.journeys) == 2 and told and slept)


def diverse_restaurants(case: Case) -> Value:
    """Restaurant diversity (C.5.1): 1 if no restaurant appears twice; breakfasts at the hotel are
    not counted.
    """
    names = [e.name.lower() for e in case.trip.meals() if not _breakfast_inside(case, e)]
    return float(len(names) == len(set(names)))


def diverse_attractions(case: Case) -> Value:
    """Attraction diversity (C.5.1): 1 if no attraction appears twice."""
    names = [e.name.lower() for e in case.trip.sights()]
    return float(len(names) == len(set(names)))


def reasonable_meal_prices(case: Case) -> Value:
    """Reasonable meal prices (C.2): 1 if the price per person of each meal lies in the query's
    price range.

    The price range is the query's ``meal_price_range``. For a query without a price range, tripbed
    uses the range that covers nine tenths of the city's restaurants; the paper does not define
    this. Breakfasts at the hotel are not counted.
    """
    given = case.asked.structure.get("meal_price_range")
    span = (
        tuple(given)
        if isinstance(given, list | tuple) and len(given) == 2
        else case.guide.meal_prices
    )
    prices = [
        e.price if e.price is not None else e.cost
        for e in case.trip.meals()
        if not _breakfast_inside(case, e)
    ]
    if "costs" not in case.trip.tells or span is None:
        return None
    if any(price is None for price in prices):
        return None
    return float(all(span[0] <= (price or 0.0) <= span[1] for price in prices))


def appropriate_duration(case: Case) -> Value:
    """Duration validity (C.5.1): 1 if each visit lasts as long as recommended, give or take an
    hour.

    The value is 0 if an attraction is not in the tables; visits without a recommended length pass.
    """
    for event in case.trip.sights():
        place = case.guide.one("attraction", event.name)
        if place is None or event.minutes is None:
            return 0.0
        least, most = place.least_min, place.most_min
        if least is not None and event.minutes < least - _TOLERANCE:
            return 0.0
        if most is not None and event.minutes > most + _TOLERANCE:
            return 0.0
    return 1.0


def appropriate_time(case: Case) -> Value:
    """Visit time validity (C.5.1): 1 if each visit lies within the opening hours; null if the
    opening hours are not known.
    """
    unknown = False
    for event in case.trip.sights():
        place = case.guide.one("attraction", event.name)
        if place is None or event.start_min is None or event.end_min is None:
            return 0.0
        days = place.hours.days(case.asked.date(event.day)) if place.hours else []
        answers = {holds(spans, event.start_min, event.end_min) for spans in days}
        if answers == {False}:
            return 0.0
        unknown = unknown or answers != {True}
    return None if unknown else 1.0


def within_budget(case: Case) -> Value:
    """Defined budget limit (C.2): 1 if the plan's cost is within the query's budget.

    TripTailor assumes a single traveller; for several travellers, tripbed compares the cost for the
    whole party with the budget.
    """
    if case.asked.budget is None or case.total_cost is None:
        return None
    return float(case.total_cost <= case.asked.budget + TINY)


FEASIBILITY = (within_sandbox, complete_information)
RATIONALITY = (
    diverse_restaurants, diverse_attractions, reasonable_meal_prices, appropriate_duration,
    within_budget,
)  # fmt: skip


def feasible(case: Case) -> Value:
    """Feasibility pass (C.2): 1 if every feasibility criterion is met."""
    return all_met(metric(case) for metric in FEASIBILITY)


def rational(case: Case) -> Value:
    """Rationality pass (C.2): 1 if all five criteria of the public evaluator are met.

    The paper mentions five criteria but lists six. The sixth criterion, opening hours, is the
    separate metric ``appropriate_time``.
    """
    return all_met(metric(case) for metric in RATIONALITY)


def route_distance(case: Case) -> Value:
    """Average route distance (C.2, as the public evaluator computes it): mean length of a leg in
    metres.

    Each day's route starts and ends at the hotel, and visits the sights and meals in the order of
    the plan. Distances are measured on the ellipsoid.
    """
    return _mean_leg(_daily_points(case.trip, case.guide, meals=True, hotel=True))


def route_distance_without_hotel(case: Case) -> Value:
    """Average route distance (C.2, as the public evaluator computes it), without the legs from and
    to the hotel.
    """
    return _mean_leg(_daily_points(case.trip, case.guide, meals=True, hotel=False))


def route_distance_of_sights(case: Case) -> Value:
    """Average route distance between attractions (C.2, as the public evaluator computes it)."""
    return _mean_leg(_daily_points(case.trip, case.guide, meals=False, hotel=False))


def daily_route_distance(case: Case) -> Value:
    """Average route distance by formula 7 (C.2): mean over days of the mean length of a leg in
    metres.
    """
    days = _daily_points(case.trip, case.guide, meals=True, hotel=False)
    return mean(_mean_leg([day]) for day in days or [])


def _daily_points(
    trip: Trip, guide: Guide, *, meals: bool, hotel: bool
) -> list[list[Point]] | None:
    """Return the points of each day in order, or None if the coordinates of any place are
    unknown.
    """
    home = guide.one("hotel", trip.hotel) if trip.hotel else None
    days = []
    for day in trip.days:
        events = [e for e in day.events if e.kind == "attraction" or (meals and e.kind in MEALS)]
        places = [guide.of_event(e.kind, e.name) or guide.one("hotel", e.name) for e in events]
        ends = [home] if hotel else []
        points = [p.point if p else None for p in (*ends, *places, *ends)]
        if any(point is None for point in points):
            return None
        days.append([point for point in points if point is not None])
    return days


def _mean_leg(days: Sequence[Sequence[Point]] | None) -> Value:
    return mean(leg_m(a, b) for day in days or () for a, b in pairwise(day))


def route_ratio(case: Case, reference: Case | None) -> Value:
    """Average route distance ratio (C.2): route distance of the plan / route distance of the
    witness plan.
    """
    own = case.once("route", route_distance)
    other = reference.once("route", route_distance) if reference else None
    return own / other if own is not None and other else None


def final_pass(case: Case, reference: Case | None) -> Value:
    """Final pass (C.2): 1 if the plan is feasible and rational, and its route is at most 1.5 times
    as long as the route of the witness plan.
    """
    ratio = route_ratio(case, reference)
    short = None if ratio is None else float(ratio <= 1.5)
    return all_met((case.once("feasible", feasible), case.once("rational", rational), short))


def budget_score(case: Case) -> Value:
    """S_budget, formula 12: cost / budget, if the cost is within the budget.

    If the cost exceeds the budget, the score is 1 - (cost - budget) / budget, but at least 0.
    """
    budget, cost = case.asked.budget, case.total_cost
    if not budget or cost is None:
        return None
    return cost / budget if cost <= budget else max(0.0, 1 - (cost - budget) / budget)


def hard_reward(case: Case) -> Value:
    """R_hard, formulas 8-10: the mean over the two feasibility criteria and four rationality
    criteria.
    """
    first = [metric(case) for metric in FEASIBILITY]
    second = [
        metric(case)
        for metric in (
            diverse_restaurants,
            diverse_attractions,
            appropriate_duration,
            appropriate_time,
        )
    ]
    known = [value for value in (*first, *second) if value is not None]
    if len(known) < len(first) + len(second):
        return None
    return (sum(known[:2]) / 2 + sum(known[2:]) / 4) / 2


def route_score(case: Case, reference: Case | None) -> Value:
    """S_route (C.5.2): exp(-max(0, ratio of the daily route distances - 0.8))."""
    own = case.once("daily_route", daily_route_distance)
    other = reference.once("daily_route", daily_route_distance) if reference else None
    return math.exp(-max(0.0, own / other - 0.8)) if own is not None and other else None
