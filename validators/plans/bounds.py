"""What every plan of a request costs at least: a budget below it is impossible."""

from __future__ import annotations

from collections.abc import Iterable

from validators.plans.offers import Infeasible, Offers
from validators.plans.world import Place

#: What a witness plan always has, beyond the published constraints: lunch and dinner on every
#: day between the first and the last (ChinaTravel's MILP asks for meals too).
MEALS_A_DAY = 2


def least_cents(offers: Offers) -> tuple[int, list[str]]:
    """Cents that no plan can stay below, and its parts in words.

    The cheapest journeys, rooms and meals and the tickets that are asked for, each by itself:
    ways through the city are counted as free.
    """
    people, days = offers.request.people, offers.request.days
    journeys = people * (
        _low(j.price_cents for j in offers.outs) + _low(j.price_cents for j in offers.backs)
    )
    nights = (days - 1) * min((x.night_cents for x in offers.lodgings), default=0)
    meals = people * _meals(offers)
    tickets = people * _tickets(offers)
    parts = [f"the cheapest journeys cost {journeys / 100:g}"]
    if nights:
        parts.append(f"{days - 1} nights {nights / 100:g}")
    if meals:
        parts.append(f"{meals_needed(offers)} meals {meals / 100:g}")
    if tickets:
        parts.append(f"tickets {tickets / 100:g}")
    return journeys + nights + meals + tickets, parts


def check_budget(offers: Offers) -> None:
    """Raises Infeasible where the budget is below what every plan costs."""
    least, parts = least_cents(offers)
    if offers.budget_cents is not None and least > offers.budget_cents:
        others = [w for w in offers.words if not w.startswith("a budget")]
        under = f" (with {'; '.join(others)})" if others else ""
        raise Infeasible(
            f"{', '.join(parts)}: {least / 100:g} yuan for {offers.request.people} people{under}, "
            f"more than a budget of {offers.budget_cents / 100:g} yuan"
        )


def meals_needed(offers: Offers) -> int:
    """Meals of the days between the first and the last."""
    return MEALS_A_DAY * max(offers.request.days - 2, 0)


def _meals(offers: Offers) -> int:
    """The cheapest different restaurants; those asked for by name are among them."""
    asked = _forced(offers, "restaurant", offers.restaurants)
    rest = sorted(p.price_cents or 0 for p in offers.restaurants if p.name not in asked)
    more = max(meals_needed(offers) - len(asked), 0)
    if len(rest) < more:
        raise Infeasible(
            f"{meals_needed(offers)} meals need as many restaurants, {len(rest) + len(asked)} are left"
        )
    return sum(asked.values()) + sum(rest[:more])


def _tickets(offers: Offers) -> int:
    return sum(_forced(offers, "attraction", offers.attractions).values())


def _forced(offers: Offers, kind: str, places: tuple[Place, ...]) -> dict[str, int]:
    """Places that have to be in the plan, with their prices: those asked for by name alone."""
    prices = {p.name: p.price_cents or 0 for p in places}
    single = {next(iter(d.names)) for d in offers.demands if d.kind == kind and len(d.names) == 1}
    return {name: prices[name] for name in sorted(single)}


def _low(prices: Iterable[int | None]) -> int:
    return min(price for price in prices if price is not None)
