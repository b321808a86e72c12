"""Find a plan for a query in the full tables, or show why there is none.

The search has a fixed order, so the results are the same on every machine, unless the time limit is
reached. The search starts with comfortable plans that meet all wishes and continues with cheaper
and simpler plans. Each plan must pass the checker. If no plan is possible,
``validators.plans.proof`` proves the impossibility.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

from schemas.money import unit
from schemas.plans import Plan
from validators.plans.build import Builder, Choice, Style, cost_cents
from validators.plans.check import Report, check
from validators.plans.choices import choices
from validators.plans.offers import NoOffer, Offers, offers_of
from validators.plans.proof import conflict_of
from validators.plans.proof_ways import journeys_conflict
from validators.plans.request import Request
from validators.plans.world import World

Solvability = Literal["solved", "infeasible", "unknown"]


@dataclass(frozen=True)
class Try:
    """A style, the number of combinations of journeys and rooms to try, and whether wishes are
    required.
    """

    style: Style
    choices: int
    wishes: bool = False


_COMFORTABLE = Style("comfortable", 200.0, 4, "all")
_MODERATE = Style("moderate", 60.0, 3, "all")
#: The attempts from comfortable to simple. The value of a saved minute falls, and days begin
#: earlier.
LADDER = (
    Try(_COMFORTABLE, 4, wishes=True),
    Try(_MODERATE, 4, wishes=True),
    Try(_COMFORTABLE, 2),
    Try(_MODERATE, 4),
    Try(Style("thrifty", 15.0, 2, "all"), 6),
    Try(Style("frugal", 4.0, 1, "between"), 10),
    Try(Style("frugal, early", 20.0, 1, "between", 300, 600), 12),
    Try(Style("least", 1.0, 0, "between", 420, 900), 24),
    Try(Style("least, early", 0.2, 0, "between", 240, 1200), 40),
    Try(Style("bare", 4.0, 0, "asked", 420, 900), 24),
    Try(Style("bare, early", 0.2, 0, "asked", 240, 1200), 60),
    Try(Style("brisk", 200.0, 0, "asked", 300, 900, longest_min=45), 60),
    Try(Style("hurried", 5000.0, 0, "asked", 300, 900, longest_min=45), 40),
)
#: The time limit in seconds. A search that it cuts short may differ from machine to machine.
LIMIT_S = 10.0


@dataclass(frozen=True)
class SolveOutcome:
    """The result for a query: solved with a plan, infeasible with a reason, or unknown.

    ``obstacle`` is the kind of reason. For a proven conflict, ``obstacle`` is ``journey``,
    ``hotel``, ``attraction``, ``restaurant`` or ``budget``. The obstacle ``silent`` means that the
    tables lack facts, and ``search`` means that no plan was found.
    """

    query_id: str
    solvability: Solvability
    plan: Plan | None = None
    obstacle: str | None = None
    reason: str | None = None
    style: str | None = None
    report: Report | None = None
    tried: int = 0

    @property
    def wishes_met(self) -> bool | None:
        """Whether the plan also meets every wish, or None if there is no plan."""
        if self.report is None:
            return None
        return all(verdict.passed is True for verdict in self.report.wishes)


def solve(request: Request, world: World, limit_s: float | None = LIMIT_S) -> SolveOutcome:
    """Solve a request within ``limit_s`` seconds; without a limit, the search runs to its end."""
    query_id = request.query_id
    if world.currency is None or request.currency != world.currency:
        return SolveOutcome(query_id, "unknown", None, "silent", other_money(request, world))
    if conflict := conflict_of(request, world):
        return SolveOutcome(query_id, "infeasible", None, conflict.kind, conflict.text)
    try:
        offers = offers_of(request, world)
    except NoOffer as error:
        return SolveOutcome(query_id, "unknown", None, "silent", str(error))
    search = _PlanSearch(request, world, offers)
    started = time.monotonic()
    for plan, style in search.plans():
        report = check(plan, world, request)
        if report.passed:
            return SolveOutcome(query_id, "solved", plan, None, None, style, report, search.tried)
        search.refused = ", ".join(v.constraint for v in report.verdicts if v.passed is not True)
        if limit_s is not None and time.monotonic() - started > limit_s:
            break
    if conflict := journeys_conflict(request, world):
        return SolveOutcome(query_id, "infeasible", None, conflict.kind, conflict.text)
    return SolveOutcome(query_id, "unknown", None, "search", search.why_not(), tried=search.tried)


def other_money(request: Request, world: World) -> str:
    """Explain that the currency of the query is not that of the city."""
    return (
        f"the query states amounts in {request.currency}, but {world.slug} uses "
        f"{world.currency or 'an unknown currency'}, and amounts are never converted"
    )


#: The explanation of what limits a search if fares within the city are unknown.
_ON_FOOT = (
    "The fares for rides are not known, so only ways on foot were tried, and hotels, stations and"
    " sights may be too far apart to walk. A feed with fares (--from gtfs=FILE) or a"
    " metro_fares.csv gives the fares; taxi fares are known only in yuan"
)


class _PlanSearch:
    """A search for plans within the budget, from the most comfortable to the simplest."""

    def __init__(self, request: Request, world: World, offers: Offers):
        self.request, self.world, self.offers = request, world, offers
        self.tried, self.cheapest, self.refused = 0, -1, ""
        self._builders: dict[bool, Builder | None] = {False: Builder(offers, world)}

    def plans(self) -> Iterator[tuple[Plan, str]]:
        """Yield plans, each with the name of its style."""
        for step in LADDER:
            builder = self._builder(step.wishes)
            if builder is None:
                continue
            found = choices(builder.offers, self.world, step.style)
            for choice in islice(found, step.choices):
                plan = self._build(builder, choice, step.style)
                if plan is not None:
                    yield plan, step.style.name

    def _build(self, builder: Builder, choice: Choice, style: Style) -> Plan | None:
        self.tried += 1
        plan = builder.build(choice, style)
        if plan is None:
            return None
        cost, budget = cost_cents(plan), self.offers.budget_cents
        self.cheapest = cost if self.cheapest < 0 else min(self.cheapest, cost)
        if budget is not None and cost > budget:
            return None
        return Plan.model_validate(plan.to_json())

    def _builder(self, wishes: bool) -> Builder | None:
        if wishes not in self._builders:
            self._builders[wishes] = self._wishing()
        return self._builders[wishes]

    def _wishing(self) -> Builder | None:
        """Return a builder that meets every wish; None if that is impossible or there are no
        wishes.
        """
        if all(requirement.hard for requirement in self.request.requirements):
            return None
        try:
            return Builder(offers_of(self.request, self.world, wishes=True), self.world)
        except NoOffer:
            return None

    def why_not(self) -> str:
        """Return the reason why the search found no plan."""
        if self.refused:
            return f"plans were found, but the checker did not accept them: {self.refused}"
        if self.cheapest < 0:
            told = "no plan was found that meets every requirement: " + "; ".join(self.offers.words)
            return told if self.world.network.has_fares else f"{told}. {_ON_FOOT}"
        return (
            f"the cheapest plan found costs {self.cheapest / 100:g} {unit(self.world.currency)},"
            f" the budget is {(self.offers.budget_cents or 0) / 100:g}; nothing proves that none is"
            " cheaper"
        )


def witness_row(outcome: SolveOutcome, city_id: str, kind: str = "proof") -> dict[str, Any]:
    """Return a row of ``witness_plans``; equal plans have equal JSON."""
    return {
        "query_id": outcome.query_id,
        "plan_kind": kind,
        "city_id": city_id,
        "solvability": outcome.solvability,
        "obstacle": outcome.obstacle,
        "reason": outcome.reason,
        "plan_style": outcome.style,
        "wishes_met": outcome.wishes_met,
        "plan": outcome.plan.to_text() if outcome.plan else None,
    }


def outcome_json(outcome: SolveOutcome) -> dict[str, Any]:
    """Return an outcome as plain values for JSON."""
    return {
        "query_id": outcome.query_id,
        "solvability": outcome.solvability,
        "obstacle": outcome.obstacle,
        "reason": outcome.reason,
        "style": outcome.style,
        "wishes_met": outcome.wishes_met,
        "plan": json.loads(outcome.plan.to_text()) if outcome.plan else None,
    }
