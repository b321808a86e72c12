"""Computes ChinaTravel's rates (appendix G) and the values for its preference ranks (table 7).

A plan counts as delivered if it has the required form. A delivered plan is then checked for
environment constraints (table 5) and for logical constraints (the days, people and requirements of
the query). If it is unknown whether the plan meets a constraint, the constraint counts as failed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from schemas.plans import Plan
from schemas.trips import Event
from validators.metrics.case import Case, Value, mean
from validators.metrics.guide import leg_m
from validators.plans.check import Report
from validators.plans.request import Request
from validators.plans.verdicts import ENVIRONMENT

#: Number of environment constraints that a plan must pass.
CONSTRAINTS = len(ENVIRONMENT)


@dataclass(frozen=True)
class Marks:
    """The number of constraints of each kind that one plan meets.

    ``asked`` is the number of logical constraints in the plan's query.
    """

    delivered: bool
    environment: int
    logic: int
    asked: int

    @property
    def sound(self) -> bool:
        """Check whether the plan meets all environment constraints."""
        return self.environment == CONSTRAINTS

    @property
    def right(self) -> bool:
        """Check whether the plan meets all logical constraints."""
        return self.logic == self.asked

    @property
    def final(self) -> bool:
        """Check whether the plan is delivered and meets all constraints."""
        return self.delivered and self.sound and self.right


def marks(plan: Plan, report: Report, request: Request | None) -> Marks:
    """Count the constraints that a plan meets; there are no logical ones without a request."""
    environment = sum(verdict.passed is True for verdict in report.environment)
    if request is None:
        return Marks(True, environment, 0, 0)
    logic = [len(plan.itinerary) == request.days, plan.people_number == request.people]
    logic += [v.passed is True for v in report.query if v.constraint.startswith("query:")]
    return Marks(True, environment, sum(logic), len(logic))


def mark_undelivered(request: Request | None) -> Marks:
    """Return the marks for a plan that lacks the required form: it meets no constraints."""
    return Marks(False, 0, 0, 0 if request is None else 2 + len(request.hard))


#: The amounts that one plan adds to the numerator and the denominator of a rate.
Part = tuple[float, float]


def delivery_rate(mark: Marks) -> Part:
    """DR (appendix G): plans in the required form / all plans."""
    return mark.delivered, 1


def environment_rate_micro(mark: Marks) -> Part:
    """EPR micro (appendix G): constraints of table 5 passed / (plans x constraints)."""
    return mark.environment, CONSTRAINTS


def environment_rate_macro(mark: Marks) -> Part:
    """EPR macro (appendix G): plans that pass all constraints of table 5 / all plans."""
    return mark.sound, 1


def logic_rate_micro(mark: Marks) -> Part:
    """LPR micro (appendix G): logical constraints passed / logical constraints of all queries."""
    return mark.logic, mark.asked


def logic_rate_macro(mark: Marks) -> Part:
    """LPR macro (appendix G): plans that pass all logical constraints of their query / all plans
    for a query.
    """
    return bool(mark.asked) and mark.right, bool(mark.asked)


def conditional_logic_rate(mark: Marks) -> Part:
    """C-LPR (table 2): logical constraints passed by plans that pass all environment constraints /
    all logical constraints.
    """
    return mark.logic if mark.sound else 0, mark.asked


def final_rate(mark: Marks) -> Part:
    """FPR (appendix G): plans that pass all environment and logical constraints / all plans for a
    query.
    """
    return bool(mark.asked) and mark.final, bool(mark.asked)


#: The rates of table 2, by name.
RATES: Mapping[str, Callable[[Marks], Part]] = {
    "DR": delivery_rate, "EPR micro": environment_rate_micro, "EPR macro": environment_rate_macro,
    "LPR micro": logic_rate_micro, "LPR macro": logic_rate_macro, "C-LPR": conditional_logic_rate,
    "FPR": final_rate,
}  # fmt: skip


def rate(name: str, found: Sequence[Marks]) -> Value:
    """Compute a rate for several plans; return None if the denominator is 0."""
    parts = [RATES[name](mark) for mark in found]
    of = sum(part[1] for part in parts)
    return sum(part[0] for part in parts) / of if of else None


def daily_attractions(case: Case) -> Value:
    """Daily attractions (table 7, more is better): number of visits / number of days."""
    return len(case.trip.sights()) / len(case.trip.days) if case.trip.days else None


def transport_time(case: Case) -> Value:
    """Transport time (table 7, less is better): mean number of minutes that the legs take, over all
    activities.
    """
    return _mean_minutes(case, list(case.trip.events()))


def restaurant_time(case: Case) -> Value:
    """Transport time to restaurants (table 7, less is better): mean number of minutes that the legs
    to meals take.
    """
    return _mean_minutes(case, case.trip.meals())


def _mean_minutes(case: Case, events: Sequence[Event]) -> Value:
    if "ways" not in case.trip.tells or not events:
        return None
    return sum((e.way.minutes or 0) if e.way else 0 for e in events) / len(events)


def food_share(case: Case) -> Value:
    """Food cost ratio (table 7, more is better): cost of meals / cost of the plan."""
    meals = sum(event.cost or 0.0 for event in case.trip.meals())
    return meals / case.total_cost if case.total_cost else None


def hotel_cost(case: Case) -> Value:
    """Hotel cost (table 7, less is better): total cost of all nights in yuan."""
    return None if case.costs is None else case.costs["accommodation"]


def distance_to_place(case: Case) -> Value:
    """Distance to a place (table 7, less is better): mean distance in metres between the places in
    the plan and the named place.
    """
    goals = [g for g in case.asked.structure.get("objectives") or () if isinstance(g, Mapping)]
    named = next((g["value"] for g in goals if g.get("name") == "near"), None)
    if named is None:
        return None
    goal = case.guide.point(named)
    points = [case.guide.point(e.name) for e in case.trip.stays()]
    return mean(leg_m(goal, point) for point in points if point and goal)


#: The preferences of table 7 by the name of the query's objective: the function that computes the
#: value, and whether a high or a low value is better.
PREFERENCES = {
    "attractions": (daily_attractions, "max"), "transport_time": (transport_time, "min"),
    "restaurant_time": (restaurant_time, "min"), "food_share": (food_share, "max"),
    "hotel_cost": (hotel_cost, "min"), "near": (distance_to_place, "min"),
}  # fmt: skip


def preference_ranks(values: pl.DataFrame) -> pl.DataFrame:
    """Compute the mean rank of each method for each preference (appendix G), where 1 is best.

    ``values`` has the columns ``query_id``, ``method``, ``preference``, ``direction`` and
    ``value``, and contains only plans that pass all constraints. Methods with equal values share
    the better of their ranks. Queries that only one method answers are not ranked.
    """
    known = values.drop_nulls(["query_id", "value"]).with_columns(
        worth=pl.when(pl.col("direction") == "max").then(-pl.col("value")).otherwise("value")
    )
    group = ["query_id", "preference"]
    ranked = known.with_columns(rank=pl.col("worth").rank("min").over(group)).filter(
        pl.col("method").n_unique().over(group) > 1
    )
    return (
        ranked.group_by("preference", "method")
        .agg(rank=pl.col("rank").mean(), queries=pl.len())
        .sort("preference", "method")
    )
