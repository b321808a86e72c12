"""Compute figures as TravelEval does, and list the reasons why they differ from tripbed's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from schemas.plans import MEALS
from validators.metrics.case import Case, Value
from validators.metrics.traveleval_facts import hotel_preference
from validators.metrics.traveleval_quality import experience
from validators.plans.world import ROOM_BEDS


def _personnel(case: Case) -> Value:
    """Compute PD as TravelEval does, from half the number of journey tickets and the number of
    beds.

    If a plan has both tickets and seats, the deviations of both are added, and the deviation of the
    tickets then also includes the number of beds.
    """
    n = case.asked.people or 0
    trip = case.trip
    beds = sum(r.quantity * ROOM_BEDS.get(r.kind or "", 0) for r in trip.rooms)
    off = abs(sum(e.tickets or 0 for e in trip.journeys) / 2 - n) + abs(beds - n)
    tickets = [e.tickets for d in trip.days for e in d.activities if e.tickets]
    ways = [e.way for e in trip.events() if e.way and e.way.cars]
    seats = [(w.seats if w.seats is not None else 4.0) * (w.cars or 0) for w in ways]
    if tickets and seats:
        off += (beds + sum(abs(t - n) for t in tickets)) / len(tickets)
        off += sum(abs(s - n) for s in seats) / len(seats)
    return min(1.0, off / n)


def _budget(case: Case) -> Value:
    claims = case.trip.claims
    if claims is None or not claims.within_budget:
        return 0.0
    return float(not claims.budget or (case.total_cost or 0) <= claims.budget)


def _cuisines(case: Case) -> Value:
    """Compute PAS-C as TravelEval does: excluded cuisines count only if no cuisine is requested."""
    wish = case.asked.wish("diet")
    eaten = [
        case.guide.one("restaurant", e.name)
        for d in case.trip.days
        for e in d.activities
        if e.kind in MEALS
    ]
    types = {kind for place in eaten if place for kind in place.types}
    if wish.wanted:
        return float(set(wish.wanted) <= types)
    return float(types.isdisjoint(wish.excluded))


def _vehicles(case: Case) -> Value:
    """Compute PAS-T as TravelEval does: excluded vehicles count only for the last journey."""
    wish = case.asked.wish("transportation")
    words = [e.vehicle for e in case.trip.journeys]
    if wish.wanted and not all(word in wish.wanted for word in words):
        return 0.0
    return float(bool(words) and words[-1] not in wish.excluded)


def _ratios_added(case: Case) -> Value:
    """Compute OTU as TravelEval does, by adding the visits' ratios instead of their hours."""
    total = sum(case.ratios[v.place.name] for v in case.visits)
    hours = _hours_stated(case)
    return total / hours if hours else None


def _hours_stated(case: Case) -> Value:
    """Compute the hours of the trip as TravelEval does, from the number of days that the plan
    states.
    """
    claims = case.trip.claims
    if case.hours is None or claims is None or claims.days is None:
        return case.hours
    return case.hours + 24 * (claims.days - len(case.trip.days))


def _nights_stated(case: Case) -> Value:
    """Compute PAS-A as TravelEval does, from the number of days that the plan states.

    The result is 0 if the number of nights is not one less than the stated number of days. An
    unknown hotel counts as having no features.
    """
    claims = case.trip.claims
    if claims is None or claims.days is None or case.trip.nights != claims.days - 1:
        return 0.0
    return hotel_preference(replace(case, asked=replace(case.asked, days=claims.days), _memo={}))


def _all_hours(case: Case) -> Value:
    """Compute AQE as TravelEval does: with queueing time, and with 3 points for unknown sights."""
    worth = 0.0
    for event in case.trip.sights():
        place = case.guide.one("attraction", event.name)
        rating = case.guide.ratings.get(place.place_id) if place else 3.0
        if rating is None:
            return None
        worth += rating * (event.minutes or 0) / 60
    hours = _hours_stated(case)
    return worth / hours if hours else None


def _days_stated(case: Case) -> Value:
    return float(case.trip.claims is not None and case.trip.claims.days == case.asked.days)


def _excluded_halved(case: Case, types: frozenset[str]) -> float:
    """Compute how well types match a wish, as TravelEval does: wanted types can outweigh excluded
    ones.
    """
    wish = case.asked.wish("attractions")
    wanted, excluded = (len(types & set(tags)) for tags in (wish.wanted, wish.excluded))
    if not excluded:
        return 1.0 + wanted
    return (1 + wanted) / (1 + excluded) if wanted else 0.0


def _halved_by(case: Case, divisor: float) -> Value:
    total = experience(case, _excluded_halved)
    return total / divisor if total is not None and divisor else None


#: Why TravelEval differs, and a function that computes its figure from a case.
RULES: Mapping[str, tuple[str, Callable[[Case], Value]]] = {
    "FRTC": (
        "the evaluator looks up names under a key that is never set, so the result is 0",
        lambda _: 0.0,
    ),
    "PD": (
        "the evaluator also counts the tickets for journeys, and counts beds as tickets",
        _personnel,
    ),
    "BCS": (
        (
            "the evaluator trusts the budget in the plan, and the plan's claim to stay within this"
            " budget"
        ),
        _budget,
    ),
    "TCS": ("the evaluator trusts the number of days that the plan states", _days_stated),
    "PAS-A": ("the evaluator trusts the number of days that the plan states", _nights_stated),
    "PAS-C": ("the evaluator ignores excluded cuisines if the query wants any cuisine", _cuisines),
    "PAS-T": ("the evaluator applies exclusions to the last journey only", _vehicles),
    "OTU": (
        "the evaluator adds up the scene-time ratios of the visits instead of their effective"
        " hours",
        _ratios_added,
    ),
    "AQE": (
        "the evaluator does not subtract queuing time, and gives unknown sights 3 points",
        _all_hours,
    ),
    "BE": (
        "the evaluator lets a wanted type outweigh an excluded type",
        lambda case: _halved_by(case, (case.total_cost or 0) / 1000),
    ),
    "Profit": (
        "the evaluator lets a wanted type outweigh an excluded type",
        lambda case: _halved_by(case, len(case.trip.sights())),
    ),
}
