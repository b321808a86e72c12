"""Journeys and rooms that a traveller would choose at a level of comfort, scored in whole cents."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from schemas.geo import distance_m
from validators.plans.build import Style
from validators.plans.choices import stays
from validators.plans.comfort import Level
from validators.plans.lodging import Lodging
from validators.plans.offers import Offers
from validators.plans.trip import Trip
from validators.plans.world import Journey, World
from warehouse.ways import Point

#: Minutes from a train or plane to the street, and in the station or airport before it leaves.
LEAVING_MIN = {"train": 15, "airplane": 40}
AHEAD_MIN = {"train": 40, "airplane": 100}
#: Journeys each way that are combined, and pairs that are tried.
_MOST, _PAIRS = 10, 3
#: Hours in the city that make a single day worth the journeys, minutes.
_A_DAY_MIN = 300
#: What an hour of the trip is worth on short trips, in halves of its usual worth.
_SHORT = {1: 5, 2: 5, 3: 3}
#: After this minute nobody reaches a hotel on the same day.
_LAST_ARRIVAL = 1395
#: Cents that a departure outside the part of day asked for counts.
_UNASKED = 10**7
_PUBLISHED = ("king", "double")


def journeys_of(
    trip: Trip, offers: Offers, world: World, level: Level, centre: Point
) -> list[tuple[Journey, Journey]]:
    """Pairs of journeys there and back, the best first."""
    outs = sorted(offers.outs, key=lambda j: (_out(j, trip, world, level, centre), j.number, j.end))
    backs = sorted(offers.backs, key=lambda j: (_back(j, trip, world, level, centre), j.number, j.start))  # fmt: skip
    if trip.request.days == 1:
        outs.sort(key=lambda j: j.arrives_min)
        backs.sort(key=lambda j: -j.departs_min)
    pairs = [
        (i + j, i, j)
        for i, out in enumerate(outs[:_MOST])
        for j, back in enumerate(backs[:_MOST])
        if trip.request.days > 1 or back.departs_min - out.arrives_min >= _A_DAY_MIN
    ]
    return [(outs[i], backs[j]) for _, i, j in sorted(pairs)[:_PAIRS]]


def _out(journey: Journey, trip: Trip, world: World, level: Level, centre: Point) -> int:
    """What a journey there costs: its price, hours of the day lost, early rising, late arrival."""
    lost = max(journey.arrives_min - 660, 0)
    early = max((480 if trip.gentle else 420) - journey.departs_min, 0)
    late = max(journey.arrives_min - 1290, 0)
    if journey.arrives_min + LEAVING_MIN[journey.kind] > _LAST_ARRIVAL:
        late += 10**6
    return _cents(journey, trip, world, level, centre, journey.end, lost + 2 * early + 3 * late, trip.leaves)  # fmt: skip


def _back(journey: Journey, trip: Trip, world: World, level: Level, centre: Point) -> int:
    """What a journey back costs, likewise; one before ten leaves nothing of the day."""
    lost = max(1050 - journey.departs_min, 0)
    early = max(600 - journey.departs_min, 0)
    late = max(journey.arrives_min - (1320 if trip.gentle else 1380), 0)
    return _cents(journey, trip, world, level, centre, journey.start, lost + early + 3 * late, trip.returns)  # fmt: skip


def _cents(
    journey: Journey, trip: Trip, world: World, level: Level, centre: Point, hub: str,
    minutes: int, window: tuple[int, int] | None,
) -> int:  # fmt: skip
    people = trip.request.people
    point = world.point(hub)
    away = int(float(np.asarray(distance_m(*point, *centre))) / 500) if point else 120
    minutes = minutes * _SHORT.get(trip.request.days, 2) // 2
    minutes += (journey.arrives_min - journey.departs_min) // 2 + 2 * away
    minutes += LEAVING_MIN[journey.kind] + AHEAD_MIN[journey.kind]
    asked = window is None or window[0] <= journey.departs_min < window[1]
    return (journey.price_cents or 0) * people + minutes * level.minute_cents * people + (0 if asked else _UNASKED)  # fmt: skip


def nights_of(
    offers: Offers, level: Level, centre: Point, hubs: Sequence[Point]
) -> tuple[Lodging, ...]:
    """Rooms for the nights: one hotel near the middle of the sights at about the level's price.

    Where no hotel has everything that is asked for, nights are spent in several.
    """
    nights = offers.request.days - 1
    if nights == 0:
        return ()
    weight = 1 if offers.modes == ("walk",) else 10
    fitting = [x for x in offers.lodgings if all(x.hotel.name in d.names for d in offers.beds)]
    if not fitting:
        style = Style("reference", float(level.minute_cents * offers.request.people), 0, "all")
        found = stays(offers, [centre], style)
        return found[0] if found else ()
    best = min(
        fitting,
        key=lambda x: (_room_score(x, level, centre, hubs, weight), x.hotel.name, x.room_type),
    )
    return (best,) * nights


def _room_score(
    lodging: Lodging, level: Level, centre: Point, hubs: Sequence[Point], weight: int
) -> int:
    """Points: hundred metres to the middle, a part of those to the hubs, per cent off the price.

    Who walks everywhere lives between the station and the sights: all of the way to the hubs counts.
    """
    point = lodging.hotel.point
    assert point is not None, "rooms are offered where their hotel is known"
    away = float(np.asarray(distance_m(*point, *centre)))
    away += sum(float(np.asarray(distance_m(*point, *hub))) for hub in hubs) / weight
    price = lodging.night_cents // lodging.rooms
    off = (price - level.room_cents) * 100 // level.room_cents
    dear = off * 2 if off > 0 else -off
    return int(away) // 100 + dear + (0 if lodging.room_type in _PUBLISHED else 60)
