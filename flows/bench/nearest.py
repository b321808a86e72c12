"""Defines the planner ``nearest``, which serves as a baseline.

The planner takes the earliest journey to the city and the last journey back, and always visits the
nearest place. The planner uses only the cities, days, people and dates in a query.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from flows.bench.questions import BenchQuestion
from schemas.geo import geodesic_m
from schemas.plan_forms import Itinerary, write_tprag
from schemas.trips import ATTRACTION, Event
from validators.plans.build import Builder, Choice, Style
from validators.plans.lodging import Lodging
from validators.plans.offers import NoOffer, Offers, offers_of
from validators.plans.request import Request, request_of
from validators.plans.world import Place, World
from warehouse.read import Snapshot
from warehouse.ways import TAXI_KMH, Point, minutes

#: The cost of a plan is its time alone; money does not count.
_STYLE = Style("nearest", 1e9, 4, "all")
#: A day of visits: their number, the start of the day, and the length of a visit if it is unknown.
_A_DAY, _BEGINS_MIN, _STAY_MIN = 4, 540, 90
#: A journey that leaves before this minute needs a night before; and the number of journeys to try.
_MORNING_MIN, _TRIES = 360, 12


def nearest_plan(
    question: BenchQuestion, world: World, snapshot: Snapshot
) -> dict[str, Any] | None:
    """Return a plan in the form that the query's family requires, or None if the tables lack the
    necessary data."""
    request = request_of(question.row)
    if request is None:
        return _visits(question, world, snapshot)
    return _whole(request, world)


def _whole(request: Request, world: World) -> dict[str, Any] | None:
    try:
        offers = offers_of(replace(request, requirements=()), world)
    except NoOffer:
        return None
    outs = sorted(
        (j for j in offers.outs if j.departs_min >= _MORNING_MIN),
        key=lambda j: (j.arrives_min, j.number, j.end),
    )[:_TRIES]
    backs = sorted(offers.backs, key=lambda j: (-j.departs_min, j.number, j.start))[:_TRIES]
    builder = Builder(offers, world)
    for out in outs:
        for back in backs:
            nights = _nights(offers, world.point(out.end))
            if nights is None:
                continue
            plan = builder.build(Choice(out, back, nights), _STYLE)
            if plan is not None:
                return plan.to_json()
    return None


def _nights(offers: Offers, hub: Point | None) -> tuple[Lodging, ...] | None:
    """Return the same room for every night, in the hotel nearest to a station."""
    nights = offers.request.days - 1
    if nights == 0:
        return ()
    if hub is None or not offers.lodgings:
        return None
    best = min(
        offers.lodgings,
        key=lambda x: (
            _metres(hub, x.hotel.point or hub),
            x.hotel.name,
            x.night_cents,
            x.room_type,
        ),
    )
    return (best,) * nights


def _metres(a: Point, b: Point) -> float:
    return geodesic_m(a[0], a[1], b[0], b[1])


def _visits(question: BenchQuestion, world: World, snapshot: Snapshot) -> dict[str, Any] | None:
    """Return four visits per day; the first visit of the trip is to the query's best candidate.

    Each later visit is to the nearest place that has not been visited yet.
    """
    left = _candidates(question, world, snapshot)
    if not left:
        return None
    stops: list[Event] = []
    here, minute = left[0].point, _BEGINS_MIN
    for number in range(min(question.days * _A_DAY, len(left))):
        day, order = divmod(number, _A_DAY)
        place = min(left, key=lambda p: _metres(here or (0, 0), p.point or (0, 0)))
        left.remove(place)
        away = (
            0 if order == 0 else minutes(_metres(here or (0, 0), place.point or (0, 0)), TAXI_KMH)
        )
        start = _BEGINS_MIN if order == 0 else minute + away
        minute = start + (place.least_min or _STAY_MIN)
        if minute > 1440:
            continue
        stops.append(Event(day + 1, ATTRACTION, place.name, start, minute))
        here = place.point
    return write_tprag(Itinerary(question.days, tuple(stops)))


def _candidates(question: BenchQuestion, world: World, snapshot: Snapshot) -> list[Place]:
    """Return the query's candidates that have coordinates, by rank; if there are none, return all
    places in the city."""
    table = snapshot.table("query_pois", question.city)
    rows = table.filter(table["query_id"] == question.query_id).sort("rank")
    located = [p for p in world.all_of("attraction") if p.point is not None]
    by_id = {place.place_id: place for place in located}
    return [by_id[poi] for poi in rows["poi_id"] if poi in by_id] or located
