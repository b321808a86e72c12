"""Make reference plans, which a traveller would want to follow.

A proof, in contrast, shows only that a plan exists.

A *balanced* plan meets as many wishes as possible. A balanced plan spends the budget on as much
comfort as possible; without a budget, it has a middle level of comfort. *Experience* and *budget*
are TravelEval's two rule-based references (appendix A.4). An *experience* plan meets every wish and
may exceed the budget. A *budget* plan keeps to the budget, starts at a thrifty level and gives up
one category of wishes after another.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from schemas.money import unit
from schemas.plans import Plan
from validators.plans.build import cost_cents
from validators.plans.check import Report, check
from validators.plans.comfort import LEVELS, NAMED, Level
from validators.plans.itinerary.planner import ReferencePlanner
from validators.plans.offers import NoOffer, offers_of
from validators.plans.proof import conflict_of
from validators.plans.renown import Renown
from validators.plans.request import Request, RequestError, Requirement
from validators.plans.solve import SolveOutcome, other_money, solve
from validators.plans.trip import TripRequest, trip_of
from validators.plans.verdicts import ConstraintVerdict
from validators.plans.world import World

Approach = Literal["balanced", "experience", "budget"]
#: The wishes in the order in which they are given up. The purpose of the trip is given up last.
_GIVEN_UP = ("transport", "hotel_feature", "cuisine", "attraction_type")
#: The level if neither the budget nor the query indicates one, and the first levels of TravelEval's
#: two approaches.
_USUAL, _GENEROUS, _THRIFTY = 2, 1, 4
#: The largest share of a budget that rooms and meals may take, in per cent.
_BED_AND_BOARD = 85


def reference(
    row: Mapping[str, Any], world: World, renown: Renown, approach: Approach = "balanced"
) -> SolveOutcome:
    """Return the reference plan for a query of any family, or the reason why there is none."""
    query_id = row["query_id"]
    try:
        trip = trip_of(row)
    except RequestError as error:
        return SolveOutcome(query_id, "unknown", None, "silent", str(error))
    trip = _in_money_of(world, trip)
    if world.currency is None or trip.request.currency != world.currency:
        return SolveOutcome(query_id, "unknown", None, "silent", other_money(trip.request, world))
    demanded = _demanding(trip.request, (), approach)
    if trip.request.round_trip and (conflict := conflict_of(demanded, world)):
        return SolveOutcome(query_id, "infeasible", None, conflict.kind, conflict.text)
    outcome = _ReferenceSearch(trip, world, renown, approach).outcome()
    if outcome.plan is None and approach != "balanced" and trip.request.round_trip:
        return _barest(trip.request, world, approach)
    return outcome


def _in_money_of(world: World, trip: TripRequest) -> TripRequest:
    """Return the trip with amounts in the city's currency if the trip begins in the city.

    The query for a trip that begins in the city contains no amount of money.
    """
    if trip.request.round_trip or world.currency is None:
        return trip
    return replace(trip, request=replace(trip.request, currency=world.currency))


def _barest(request: Request, world: World, approach: Approach) -> SolveOutcome:
    """Return the solver's plan if no reference plan complies with TravelEval's rules."""
    for wished in _fewer_and_fewer(request):
        outcome = solve(_demanding(request, wished, approach), world, None)
        if outcome.plan is not None:
            return replace(outcome, report=check(outcome.plan, world, request))
    return outcome


def find_objections(report: Report, kind: str) -> list[ConstraintVerdict]:
    """Return the verdicts that are not positive; an ``experience`` plan may exceed the budget."""
    return [
        v for v in report.verdicts
        if v.passed is not True and not (kind == "experience" and v.constraint.endswith(":budget"))
    ]  # fmt: skip


class _ReferenceSearch:
    """A search through the levels of comfort, starting with the highest level that is reasonable.

    At each step, the plan meets as many wishes as possible.
    """

    def __init__(self, trip: TripRequest, world: World, renown: Renown, approach: Approach):
        self.trip, self.world, self.renown, self.approach = trip, world, renown, approach
        self.cheapest, self.tried = -1, 0
        self.refused, self.silent = "", ""

    def outcome(self) -> SolveOutcome:
        """Return the first plan within the budget that the checker accepts."""
        query_id = self.trip.request.query_id
        for wished in _fewer_and_fewer(self.trip.request):
            for plan, level in self._plans(wished):
                report = check(plan, self.world, self.trip.request)
                failed = [v.constraint for v in find_objections(report, self.approach)]
                if not failed:
                    return SolveOutcome(
                        query_id, "solved", plan, None, None, level.name, report, self.tried
                    )
                self.refused = ", ".join(failed)
        obstacle = "silent" if not self.tried and self.silent else "search"
        return SolveOutcome(query_id, "unknown", None, obstacle, self._why_not(), tried=self.tried)

    def _plans(self, wished: Sequence[Requirement]) -> Iterator[tuple[Plan, Level]]:
        request = _demanding(self.trip.request, wished, self.approach)
        try:
            offers = offers_of(request, self.world)
        except NoOffer as error:
            self.silent = str(error)
            return
        planner = ReferencePlanner(
            replace(self.trip, request=request), offers, self.world, self.renown
        )
        for level in self._levels(request):
            self.tried += 1
            for plan in planner.plans(level):
                cost = cost_cents(plan)
                self.cheapest = cost if self.cheapest < 0 else min(self.cheapest, cost)
                if offers.budget_cents is None or cost <= offers.budget_cents:
                    yield Plan.model_validate(plan.to_json()), level

    def _levels(self, request: Request) -> Sequence[Level]:
        budget = any(r.kind == "budget" for r in request.hard)
        if self.approach == "budget":
            return LEVELS[_THRIFTY:]
        if self.approach == "experience":
            return LEVELS[_GENEROUS:]
        if self.trip.level is not None:
            return LEVELS[NAMED[self.trip.level] :]
        if "food_share" in self.trip.objectives:
            dear = LEVELS[0]
            return [
                replace(lev, lunch_cents=dear.lunch_cents, dinner_cents=dear.dinner_cents)
                for lev in LEVELS[_USUAL:]
            ]
        if "hotel_cost" in self.trip.objectives:
            return [replace(lev, room_cents=LEVELS[-1].room_cents) for lev in LEVELS[_USUAL:]]
        if not budget:
            return LEVELS[_USUAL:]
        return [lev for lev in LEVELS if _leaves(lev, request)] or LEVELS[-1:]

    def _why_not(self) -> str:
        if self.refused:
            return f"plans were made, but the checker did not accept them: {self.refused}"
        if not self.tried:
            return self.silent
        budget = next((r.amount for r in self.trip.request.hard if r.kind == "budget"), None)
        if budget is None or self.cheapest < 0:
            words = (
                "; ".join(r.words for r in self.trip.request.hard) or "days with meals and nights"
            )
            return f"no plan was made that meets every requirement: {words}"
        return (
            f"the cheapest plan made costs {self.cheapest / 100:g} {unit(self.world.currency)}, but"
            f" the budget is {budget}; a simpler plan may fit, but none worth taking was found"
        )


def _leaves(level: Level, request: Request) -> bool:
    """Check whether a level's rooms and meals leave enough of the budget for everything else."""
    budget = min(r.amount or 0 for r in request.hard if r.kind == "budget") * 100
    rooms = -(-request.people // 2) * (request.days - 1)
    meals = (level.lunch_cents + level.dinner_cents) * request.people * request.days
    return (
        level is LEVELS[-1] or (level.room_cents * rooms + meals) * 100 <= budget * _BED_AND_BOARD
    )


def _fewer_and_fewer(request: Request) -> Iterator[tuple[Requirement, ...]]:
    """Yield all wishes, then fewer: drop one category after another until none is left."""
    wished = tuple(r for r in request.requirements if not r.hard)
    yield wished
    for kind in _GIVEN_UP:
        fewer = tuple(r for r in wished if r.kind != kind)
        if fewer != wished:
            wished = fewer
            yield wished


def _demanding(request: Request, wished: Sequence[Requirement], approach: Approach) -> Request:
    """Return the request with its wishes as hard requirements.

    If the plan is an ``experience`` plan, the request loses its budget.
    """
    hard = tuple(r for r in request.hard if approach != "experience" or r.kind != "budget")
    soft = tuple(r for r in request.requirements if not r.hard and r not in wished)
    return replace(request, requirements=(*hard, *(replace(r, hard=True) for r in wished), *soft))
