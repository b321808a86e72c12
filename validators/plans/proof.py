"""Prove that no plan can answer a query.

Each part of a plan is examined on its own. The assumptions are more generous than the checker's:
places with unknown hours are open, unknown prices are zero, and travel within the city is free and
takes no time. If any part has no candidates, or if all parts together cost more than the budget, no
plan exists. The report on a conflict contains a minimal set of constraints: if any one of them were
dropped, the conflict would disappear.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from schemas.money import unit
from validators.plans.check_places import MEAL_WINDOWS
from validators.plans.demands import groups_of, hosts_of, travels
from validators.plans.lodging import cheapest_nights, rooms_of
from validators.plans.request import Request, Requirement
from validators.plans.world import Journey, Place, World

#: The length of the shortest visit, which for the checker must only end after it starts.
_LEAST_STAY_MIN = 1


@dataclass(frozen=True)
class Conflict:
    """The reason why no plan exists, with the constraints that together cause it."""

    kind: str
    reason: str
    requirements: tuple[Requirement, ...] = ()

    @property
    def text(self) -> str:
        """The reason, with its constraints, as text."""
        words = "; ".join(r.words for r in self.requirements if r.kind != "budget")
        return f"{self.reason} (with {words})" if words else self.reason


def conflict_of(request: Request, world: World) -> Conflict | None:
    """Return a conflict with as few hard constraints as possible, or None if there is none."""
    found = _look(request, world, request.hard)
    if found is None:
        return None
    needed = list(request.hard)
    for requirement in request.hard:
        fewer = [r for r in needed if r is not requirement]
        if (without := _look(request, world, fewer)) is not None:
            needed, found = fewer, without
    return replace(found, requirements=tuple(needed))


def _look(request: Request, world: World, hard: Sequence[Requirement]) -> Conflict | None:
    journeys = _journeys(request, world, hard)
    if isinstance(journeys, Conflict):
        return journeys
    nights = _nights(request, world, hard)
    if isinstance(nights, Conflict):
        return nights
    sights = _visits(request, world, hard, "attraction", journeys)
    if isinstance(sights, Conflict):
        return sights
    meals = _visits(request, world, hard, "restaurant", journeys)
    if isinstance(meals, Conflict):
        return meals
    return _budget(request, hard, journeys.cents, nights, sights, meals)


@dataclass(frozen=True)
class _Journeys:
    """The cheapest journeys in cents per person, the earliest arrival and the latest departure."""

    cents: int
    arrives_min: int
    departs_min: int

    def present(self, day: int, days: int) -> tuple[int, int]:
        """Return the first and the last minute at which a traveller can be in the city on a day."""
        return (
            self.arrives_min if day == 1 else 0,
            self.departs_min if day == days else 1440,
        )


def _journeys(request: Request, world: World, hard: Sequence[Requirement]) -> Conflict | _Journeys:
    """Return the limits that the suitable journeys impose, or a conflict if there are none."""
    start, target = world.city_of(request.start_city), world.city_of(request.target_city)
    usable: list[list[Journey]] = []
    for side, ends in (("there", (start, target)), ("back", (target, start))):
        every = [j for j in world.journeys if (j.origin_city, j.destination_city) == ends]
        if not every:
            return Conflict("journey", f"the tables have no train or flight {side}")
        same_day = [j for j in every if j.same_day]
        if not same_day:
            return Conflict("journey", f"no train or flight {side} arrives on the day it leaves")
        fitting = [j for j in same_day if all(travels(r, j, side) for r in hard)]
        if not fitting:
            return Conflict("journey", f"no train or flight {side} fits")
        usable.append(fitting)
    outs, backs = usable
    cents = _least(j.price_cents for j in outs) + _least(j.price_cents for j in backs)
    arrives, departs = min(j.arrives_min for j in outs), max(j.departs_min for j in backs)
    if request.days == 1 and arrives >= departs:
        return Conflict("journey", "on one day no journey back leaves after one there arrives")
    return _Journeys(cents, arrives, departs)


def _nights(request: Request, world: World, hard: Sequence[Requirement]) -> Conflict | int:
    """Return the cost in cents of the cheapest suitable nights for the whole party."""
    if request.days == 1:
        return 0
    demands = [group for r in hard for group in groups_of(r, "hotel")]
    priced: dict[int, int] = {}
    for hotel in _every(world, "hotel"):
        if not hosts_of(hotel, hard):
            continue
        mask = sum(1 << n for n, group in enumerate(demands) if group.meets(hotel))
        for lodging in rooms_of(hotel, request.people, hard, unpriced=True):
            priced[mask] = min(priced.get(mask, lodging.night_cents), lodging.night_cents)
    if not priced:
        return Conflict("hotel", f"no hotel has rooms free for {request.people} people")
    cost = cheapest_nights(priced, request.days - 1, (1 << len(demands)) - 1)
    if cost is None:
        return Conflict("hotel", f"no hotel with rooms free for {request.people} people fits")
    return cost


def _visits(
    request: Request, world: World, hard: Sequence[Requirement], kind: str, journeys: _Journeys
) -> Conflict | int:
    """Return the lowest cost in cents per person of the visits or meals that the query requires."""
    days = [
        (request.date(day), journeys.present(day, request.days))
        for day in range(1, request.days + 1)
    ]
    allowed = [p for p in _every(world, kind) if hosts_of(p, hard)]
    forced: dict[str, int] = {}
    single = 0
    for group in (g for r in hard for g in groups_of(r, kind)):
        matching = [p for p in allowed if group.meets(p)]
        if kind == "restaurant" and any(world.find("hotel", name) for name in group.names):
            continue  # breakfast at a hotel of that name
        if not matching:
            return Conflict(kind, f"the tables have no such {kind}")
        if not any(_may_be_open(p, days) for p in matching):
            return Conflict(kind, f"no such {kind} is open while the party can be in the city")
        price = _least(p.price_cents for p in matching)
        single = max(single, price)
        if len(group.names) == 1:
            forced[next(iter(group.names))] = price
    return max(single, sum(forced.values()))


def visits_cents(request: Request, world: World, hard: Sequence[Requirement]) -> int:
    """Return the lowest cost in cents per person of the required tickets and meals."""
    always = _Journeys(0, 0, 1440)
    found = [_visits(request, world, hard, kind, always) for kind in ("attraction", "restaurant")]
    return sum(cents for cents in found if isinstance(cents, int))


def _may_be_open(place: Place, days: Sequence[tuple[dt.date | None, tuple[int, int]]]) -> bool:
    """Check whether a stay of one minute is possible on any day.

    If the stay is a meal, it must also lie within a meal window.
    """
    windows = list(MEAL_WINDOWS.values()) if place.kind == "restaurant" else [(0, 1440)]
    for date, (here, gone) in days:
        told = place.hours.days(date) if place.hours else []
        spans = [span for day in told for span in day] if told else [(0, 1440)]
        if any(
            min(closes, end, gone) - max(opens, begin, here) >= _LEAST_STAY_MIN
            for opens, closes in spans
            for begin, end in windows
        ):
            return True
    return False


def _budget(
    request: Request, hard: Sequence[Requirement], journeys: int, nights: int, sights: int,
    meals: int,
) -> Conflict | None:  # fmt: skip
    budgets = [r.amount for r in hard if r.kind == "budget" and r.amount is not None]
    if not budgets:
        return None
    people, money = request.people, unit(request.currency)
    parts = [
        ("the cheapest journeys", journeys * people), (f"{request.days - 1} nights", nights),
        ("tickets asked for", sights * people), ("meals asked for", meals * people),
    ]  # fmt: skip
    least = sum(cents for _, cents in parts)
    if least <= min(budgets) * 100:
        return None
    told = ", ".join(f"{name} {cents / 100:g}" for name, cents in parts if cents)
    return Conflict(
        "budget",
        f"{told}: {least / 100:g} {money} for {people} people at least, "
        f"more than a budget of {min(budgets)} {money}",
    )


def _every(world: World, kind: str) -> Iterable[Place]:
    return (place for found in world.places[kind].values() for place in found)


def _least(prices: Iterable[int | None]) -> int:
    """Return the lowest price, where an unknown price counts as zero."""
    return min((price or 0 for price in prices), default=0)
