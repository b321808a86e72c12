"""Find a tighter lower bound on the cost of a plan, based on the possible combinations of journeys.

After the outward journey, the party must reach the first hotel before midnight. At the end of the
trip, the party must reach the station in time for the return journey. Within a city, no means of
transport is faster than a taxi. The minutes of a leg are rounded down, but every stop between two
legs takes a minute. If walking takes too long, the plan must include at least the cheapest ride.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from schemas.geo import geodesic_m
from schemas.money import unit
from validators.plans.demands import hosts_of, travels
from validators.plans.lodging import rooms_of
from validators.plans.map import away_m
from validators.plans.proof import Conflict, visits_cents
from validators.plans.request import Request, Requirement
from validators.plans.world import Journey, World
from warehouse.ways import TAXI_KMH, WALK_KMH, Network, cars, metro_fare_cents, taxi_fare_cents

_NEVER = 1e12
Floats = NDArray[np.float64]


def journeys_conflict(request: Request, world: World) -> Conflict | None:
    """Return a conflict if no combination of journeys and hotels is possible, or else None."""
    hard = request.hard
    if request.days == 1:
        return _one_day_conflict(request, world)
    least = _least(request, world, hard)
    if least is None:
        return None
    if least >= _NEVER:
        return Conflict("journey", "no hotel can be reached in time from any journey", tuple(hard))
    budgets = [r.amount for r in hard if r.kind == "budget" and r.amount is not None]
    visits = visits_cents(request, world, hard) * request.people
    if not budgets or least + visits <= min(budgets) * 100:
        return None
    told = f", tickets and meals asked for {visits / 100:g}" if visits else ""
    reason = (
        f"the cheapest journeys and nights that go together {least / 100:g}{told}: more than a "
        f"budget of {min(budgets)} {unit(request.currency)} for {request.people} people"
    )
    return Conflict("budget", reason, tuple(hard))


def _one_day_conflict(request: Request, world: World) -> Conflict | None:
    """Return a conflict if no outward journey of a day trip leaves enough time to catch a return
    journey.
    """
    start, target = world.city_of(request.start_city), world.city_of(request.target_city)
    sides = {
        side: [
            j for j in world.journeys
            if (j.origin_city, j.destination_city) == ends and j.same_day
            and all(travels(r, j, side) for r in request.hard)
        ]
        for side, ends in (("there", (start, target)), ("back", (target, start)))
    }  # fmt: skip
    pairs = ((out, back) for out in sides["there"] for back in sides["back"])
    if any(_is_reached(out, back, world) for out, back in pairs):
        return None
    why = "on one day no station can be reached before a journey back leaves"
    return Conflict("journey", why, tuple(request.hard))


def _is_reached(out: Journey, back: Journey, world: World) -> bool:
    """Check whether a traveller who arrives by the outward journey can catch the return journey."""
    minutes = back.departs_min - out.arrives_min
    if minutes < 0 or out.end == back.start:
        return minutes >= 0
    ends = world.point(out.end), world.point(back.start)
    if ends[0] is None or ends[1] is None or world.network.timetable is not None:
        return True
    return geodesic_m(*ends[0], *ends[1]) / 1000 <= TAXI_KMH * (minutes + 1) / 60


def _least(request: Request, world: World, hard: Sequence[Requirement]) -> float | None:
    """Return the lowest cost in cents of journeys, nights and the travel between them.

    The result is None if the location of any place is unknown.
    """
    rooms = [
        lodging
        for found in world.places["hotel"].values()
        for hotel in found
        if hosts_of(hotel, hard)
        for lodging in rooms_of(hotel, request.people, hard, unpriced=True)
    ]
    if not rooms or any(lodging.hotel.point is None for lodging in rooms):
        return None
    points = np.array([lodging.hotel.point for lodging in rooms], dtype=float)
    prices = np.array([lodging.night_cents for lodging in rooms], dtype=float)
    start, target = world.city_of(request.start_city), world.city_of(request.target_city)
    outs = _arrivals(request, world, hard, (start, target), points, back=False)
    backs = _arrivals(request, world, hard, (target, start), points, back=True)
    if outs is None or backs is None:
        return None
    if request.days == 2:
        return float((outs + backs + prices).min())
    between = (request.days - 3) * prices.min()
    return float((outs + prices).min() + (backs + prices).min() + between)


def _arrivals(
    request: Request, world: World, hard: Sequence[Requirement],
    ends: tuple[str | None, str | None], points: Floats, *, back: bool,
) -> Floats | None:  # fmt: skip
    """Return the lowest cost in cents to get to or from each hotel by a journey and a ride."""
    side = "back" if back else "there"
    best = np.full(len(points), _NEVER)
    for journey in world.journeys:
        if (journey.origin_city, journey.destination_city) != ends or not journey.same_day:
            continue
        if not all(travels(r, journey, side) for r in hard):
            continue
        hub = world.point(journey.start if back else journey.end)
        minutes = journey.departs_min + 1 if back else 1440 - journey.arrives_min
        fare = (journey.price_cents or 0) * request.people
        way = (
            0.0 if hub is None else _way_cents(points, hub, minutes, request.people, world.network)
        )
        best = np.minimum(best, fare + way)
    return best


def _way_cents(
    points: Floats, hub: tuple[float, float], minutes: int, people: int, network: Network
) -> Floats:
    """Return the lowest cost of a route that takes at most ``minutes``.

    The cost is zero if the party can walk or if fares are unknown. Otherwise, the cost is the fare
    of the cheapest ride.
    """
    if network.timetable is not None:
        # A train may be faster than a taxi, and cost as good as nothing: no bound.
        return np.zeros(len(points))
    away = away_m(points, hub) / 1000
    ride = min(metro_fare_cents(0) * people, taxi_fare_cents(0) * cars(people))
    ride = ride if network.has_fares else 0
    cents = np.where(away <= WALK_KMH * minutes / 60, 0.0, float(ride))
    return np.where(away <= TAXI_KMH * minutes / 60, cents, _NEVER)
