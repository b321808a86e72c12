"""Check a plan against a snapshot and a query, with a verdict for each constraint.

The checks follow table 5 of ChinaTravel, and are stricter than ChinaTravel's public checker in
three points. A stay must lie entirely within opening hours and meal windows; the public checker
requires only an overlap. Lunch may last until 14:00. If the tables state how many rooms are free,
enough rooms must be free.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from schemas.expressions import evaluate
from schemas.plans import Plan, PlanError, read_plan
from validators.plans.check_places import check_hotels, check_stays
from validators.plans.check_ways import check_journeys, check_moves
from validators.plans.request import Request
from validators.plans.verdicts import ANSWERS, ENVIRONMENT, TRIPSCORE, ConstraintVerdict, Findings
from validators.plans.view import view_of
from validators.plans.world import World


@dataclass(frozen=True)
class Report:
    """All verdicts on a plan; ``query`` contains the verdicts on the query's own constraints."""

    environment: tuple[ConstraintVerdict, ...]
    tripscore: tuple[ConstraintVerdict, ...]
    query: tuple[ConstraintVerdict, ...]
    wishes: tuple[ConstraintVerdict, ...] = ()

    @property
    def verdicts(self) -> tuple[ConstraintVerdict, ...]:
        """All verdicts that must be positive in a good plan."""
        return (*self.environment, *self.tripscore, *self.query)

    @property
    def passed(self) -> bool:
        """Whether the plan is known to meet every constraint."""
        return all(verdict.passed is True for verdict in self.verdicts)

    def list_failed(self) -> list[str]:
        """Return the constraints that the plan violates, in order."""
        return [verdict.constraint for verdict in self.verdicts if verdict.passed is False]

    def to_json(self) -> dict[str, Any]:
        """Return the report as plain values for JSON."""
        return {
            "passed": self.passed,
            **{
                group: [
                    {"constraint": v.constraint, "passed": v.passed, "reasons": list(v.reasons)}
                    for v in getattr(self, group)
                ]
                for group in ("environment", "tripscore", "query", "wishes")
            },
        }


def check_json(value: Any, world: World, request: Request | None = None) -> Report:
    """Check a plan; if the plan is not in ChinaTravel's form, check nothing but the form."""
    try:
        plan = read_plan(value)
    except PlanError as error:
        return report_malformed(error, request)
    return check(plan, world, request)


def report_malformed(error: PlanError, request: Request | None = None) -> Report:
    """Return the report on an unreadable plan: the check of the form fails, and all other verdicts
    are unknown.
    """
    reasons = tuple(error.problems)
    form = ConstraintVerdict("response_format", False, reasons)
    return Report(
        tuple(ConstraintVerdict(c, None, ("the plan cannot be read",)) for c in ENVIRONMENT),
        tuple(form if c == form.constraint else ConstraintVerdict(c, None) for c in TRIPSCORE),
        tuple(ConstraintVerdict(c, None) for c in ANSWERS) if request else (),
    )


def check(plan: Plan, world: World, request: Request | None = None) -> Report:
    """Check a plan; without a request, dates are unknown and only the plan itself is judged."""
    found = Findings()
    _form(plan, found)
    check_journeys(plan, world, found, asked=request is None or request.round_trip)
    check_stays(plan, world, request, found)
    check_hotels(plan, world, request, found)
    check_moves(plan, world, found)
    query: list[ConstraintVerdict] = []
    wishes: list[ConstraintVerdict] = []
    if request is not None:
        _answers(plan, world, request, found)
        query.append(found.verdict("request"))
        view = view_of(plan, world)
        for number, requirement in enumerate(request.requirements, 1):
            holds = evaluate(requirement.expression, view)
            reasons = () if holds else (requirement.words,)
            verdict = ConstraintVerdict(f"query:{number}:{requirement.kind}", holds, reasons)
            (query if requirement.hard else wishes).append(verdict)
    return Report(
        tuple(found.verdict(c) for c in ENVIRONMENT),
        tuple(found.verdict(c) for c in TRIPSCORE),
        tuple(query),
        tuple(wishes),
    )


def _form(plan: Plan, found: Findings) -> None:
    numbers = [day.day for day in plan.itinerary]
    if numbers != list(range(1, len(numbers) + 1)):
        found.fail(
            "response_format",
            "itinerary",
            f"days must be numbered 1, 2, 3 and so on, not {numbers}",
        )
    for day in plan.itinerary:
        if not day.activities:
            found.fail("response_format", f"day {day.day}", "has no activity")


def _answers(plan: Plan, world: World, request: Request, found: Findings) -> None:
    asked: Mapping[str, tuple[int, int]] = {
        "days": (len(plan.itinerary), request.days),
        "people": (plan.people_number, request.people),
    }
    for name, (given, wanted) in asked.items():
        if given != wanted:
            found.fail("request", name, f"the query asks for {wanted}, but the plan has {given}")
    for name, given_city, wanted_city in (
        ("start_city", plan.start_city, request.start_city),
        ("target_city", plan.target_city, request.target_city),
    ):
        if not same_city(given_city, wanted_city, world):
            found.fail("request", name, f"the query asks for {wanted_city}, not {given_city}")


def same_city(name: str, other: str, world: World) -> bool:
    """Check whether two names refer to the same city."""
    return name == other or (
        world.city_of(name) is not None and (world.city_of(name) == world.city_of(other))
    )
