"""Find a plan for a query on the full tables, or show why there is none.

A request is answered by search in a fixed order, so results are the same on every machine as
long as the limit of plans tried is not reached: first the comfortable plans with all that is
wished for, then ever cheaper ones. Whatever is found is given to the checker before it counts.
What no plan can meet is proven by empty lists of candidates or by a bound on the cost.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from schemas.plans import Plan
from validators.plans.bounds import check_budget
from validators.plans.build import Builder, Choice, Style, cost_cents
from validators.plans.check import Report, check
from validators.plans.offers import Infeasible, Lodging, Offers, offers_of
from validators.plans.request import Request
from validators.plans.world import Journey, World
from warehouse.ways import Point

#: From comfortable to frugal; the second number is what a saved minute is worth, in cents.
STYLES = (
    (Style("comfortable", 200.0, 4, True), 4, True),
    (Style("moderate", 60.0, 3, True), 4, True),
    (Style("moderate", 60.0, 3, True), 4, False),
    (Style("thrifty", 15.0, 2, True), 6, False),
    (Style("frugal", 4.0, 1, False), 10, False),
    (Style("frugal, early", 20.0, 1, False, 300, 600), 12, False),
    (Style("least", 1.0, 0, False, 420, 900), 24, False),
    (Style("least, early", 0.2, 0, False, 240, 1200), 40, False),
)


@dataclass(frozen=True)
class Outcome:
    """What became of a query: solved with a plan, infeasible with the reason, or unknown."""

    query_id: str
    solvability: str
    plan: Plan | None = None
    reason: str | None = None
    style: str | None = None
    report: Report | None = None
    tried: int = 0

    @property
    def wishes_met(self) -> bool | None:
        """Whether the plan meets every wish too; None without a plan."""
        if self.report is None:
            return None
        return all(verdict.passed is True for verdict in self.report.wishes)


def solve(request: Request, world: World, most_plans: int = 400) -> Outcome:
    """Solve a request; ``most_plans`` bounds the search (about 5 ms a plan)."""
    query_id = request.query_id
    try:
        offers = offers_of(request, world)
        check_budget(offers)
    except Infeasible as error:
        return Outcome(query_id, "infeasible", reason=str(error))
    wished = _wished(request, world)
    builders = {False: Builder(offers, world)}
    if wished is not None:
        builders[True] = Builder(wished, world)
    tried, cheapest, refused = 0, None, ""
    for style, few, wishes in STYLES:
        if wishes and wished is None:
            continue
        if (
            not wishes
            and style == STYLES[1][0]
            and not any(not r.hard for r in request.requirements)
        ):
            continue
        builder = builders[wishes]
        for choice in islice(choices(builder.offers, world, style), few):
            if tried >= most_plans:
                break
            tried += 1
            plan = builder.build(choice, style)
            if plan is None:
                continue
            cost = cost_cents(plan)
            cheapest = cost if cheapest is None else min(cheapest, cost)
            if offers.budget_cents is not None and cost > offers.budget_cents:
                continue
            plan = Plan.model_validate(plan.to_json())
            report = check(plan, world, request)
            if report.passed:
                return Outcome(query_id, "solved", plan, None, style.name, report, tried)
            refused = ", ".join(v.constraint for v in report.verdicts if v.passed is not True)
    return Outcome(query_id, "unknown", reason=_why_not(offers, cheapest, refused), tried=tried)


def _wished(request: Request, world: World) -> Offers | None:
    """The offers that meet every wish; None where they cannot all be met."""
    try:
        offers = offers_of(request, world, wishes=True)
        check_budget(offers)
    except Infeasible:
        return None
    return offers


def _why_not(offers: Offers, cheapest: int | None, refused: str) -> str:
    if refused:
        return f"plans were found, but the checker did not accept them: {refused}"
    if cheapest is None:
        return "no plan was found that holds everything: " + "; ".join(offers.words)
    return (
        f"the cheapest plan found costs {cheapest / 100:g} yuan, the budget is "
        f"{(offers.budget_cents or 0) / 100:g}; nothing proves that none is cheaper"
    )


def choices(offers: Offers, world: World, style: Style) -> Iterator[Choice]:
    """Journeys and rooms, the best by the style's measure first."""
    centre = _centre(offers)
    outs = _ranked(offers, world, offers.outs, centre, style, back=False)
    backs = _ranked(offers, world, offers.backs, centre, style, back=True)
    pairs = _together(outs[:12], backs[:12], offers.request.days)
    for number, (out, back) in enumerate(pairs):
        if not offers.lodgings:
            yield Choice(out, back, None)
            continue
        hub = world.point(out.end)
        rooms = _lodgings(offers, [p for p in (centre, hub) if p is not None], style)
        for lodging in rooms[: 3 if number < 3 else 1]:
            yield Choice(out, back, lodging)


def _centre(offers: Offers) -> Point:
    """The middle of what is demanded, or of the restaurants."""
    names = {name for demand in offers.demands if len(demand.names) == 1 for name in demand.names}
    places = [p for p in (*offers.attractions, *offers.restaurants) if p.name in names]
    points = [p.point for p in places or offers.restaurants or offers.attractions if p.point]
    if not points:
        hotels = [x.hotel.point for x in offers.lodgings if x.hotel.point]
        points = hotels or [(0.0, 0.0)]
    middle = np.median(np.array(points), axis=0)
    return float(middle[0]), float(middle[1])


def _ranked(
    offers: Offers,
    world: World,
    journeys: Sequence[Journey],
    centre: Point,
    style: Style,
    *,
    back: bool,
) -> list[Journey]:
    """Journeys by price, hours in the city, and the way between the station and the centre."""
    people = offers.request.people
    ways: dict[str, float] = {}

    def way(name: str) -> float:
        if name not in ways:
            point = world.point(name)
            assert point is not None
            options = [
                legs[-1].end_min
                + sum(leg.price_cents for leg in legs) * people / style.cents_a_minute
                for mode in offers.modes
                if (legs := world.network.way((name, point), ("", centre), 0, mode))
            ]
            ways[name] = min(options, default=600.0)
        return ways[name]

    def score(journey: Journey) -> tuple[float, str, str]:
        money = (journey.price_cents or 0) * people / style.cents_a_minute
        lost = 1440 - journey.departs_min if back else journey.arrives_min
        night = max(360 - journey.departs_min, 0) + max(journey.arrives_min - 1380, 0)
        hub = way(journey.start if back else journey.end)
        return money + lost * 0.5 + night * 2 + hub, journey.number, journey.start + journey.end

    return sorted(journeys, key=score)


def _together(
    outs: Sequence[Journey], backs: Sequence[Journey], days: int
) -> list[tuple[Journey, Journey]]:
    """Pairs, the best first; on a single day the way back leaves two hours after the arrival."""
    pairs = sorted((i + j, i, j) for i in range(len(outs)) for j in range(len(backs)))
    return [
        (outs[i], backs[j]) for _, i, j in pairs
        if days > 1 or outs[i].arrives_min + 120 <= backs[j].departs_min
    ]  # fmt: skip


def _lodgings(offers: Offers, points: Sequence[Point], style: Style) -> list[Lodging]:
    """Rooms by price and by the way to what matters."""
    nights = offers.request.days - 1
    found = offers.lodgings
    lat = np.array([x.hotel.point[0] for x in found if x.hotel.point])
    lon = np.array([x.hotel.point[1] for x in found if x.hotel.point])
    from schemas.geo import distance_m

    away = sum(np.asarray(distance_m(lat, lon, p[0], p[1])) for p in points)
    minutes = np.asarray(away) / 1000 / 15 * 60 * nights
    money = np.array([x.night_cents for x in found]) * nights / style.cents_a_minute
    order = np.argsort(minutes + money, kind="stable")
    return [found[int(at)] for at in order[:8]]


def witness_row(outcome: Outcome, city_id: str) -> dict[str, Any]:
    """The row of ``witness_plans``: the plan as JSON, equal for equal plans."""
    return {
        "query_id": outcome.query_id,
        "city_id": city_id,
        "solvability": outcome.solvability,
        "plan": outcome.plan.to_text() if outcome.plan else None,
        "reason": outcome.reason,
    }


def outcome_json(outcome: Outcome) -> dict[str, Any]:
    """An outcome as plain values."""
    return {
        "query_id": outcome.query_id,
        "solvability": outcome.solvability,
        "reason": outcome.reason,
        "style": outcome.style,
        "wishes_met": outcome.wishes_met,
        "plan": json.loads(outcome.plan.to_text()) if outcome.plan else None,
    }
