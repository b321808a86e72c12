"""Store the tables that all plans for a trip share, and the bookings of one attempt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from schemas.parameters import queue_parameters
from validators.plans.appeal import MUST_SEES, WELL_KNOWN
from validators.plans.comfort import Level, Riders
from validators.plans.itinerary.scope import count_musts
from validators.plans.lodging import Lodging
from validators.plans.map import Map
from validators.plans.offers import Demand, Offers
from validators.plans.renown import Renown
from validators.plans.tables_near import NO_MEAL, SNACKS
from validators.plans.trip import TripRequest
from validators.plans.world import Journey, Place, World
from warehouse.queueing import Queues
from warehouse.ways import Point

#: The number of best known sights whose middle counts as the centre of the city.
_CENTRAL = 12


@dataclass(frozen=True)
class Setting:
    """A trip and the city's tables, which are the same at every level of comfort.

    ``known`` contains the well known sights, best first. ``sights`` are the available sights, and
    ``tables`` contains the restaurants for full meals. ``snacks`` also includes snack bars.
    """

    trip: TripRequest
    offers: Offers
    world: World
    renown: Renown
    known: list[Place]
    queues: Queues
    sights: Map
    tables: Map
    snacks: Map
    _same: dict[tuple[str, str], bool] = field(default_factory=dict)

    @staticmethod
    def of(trip: TripRequest, offers: Offers, world: World, renown: Renown) -> Setting:
        """Return the setting of a trip."""
        known = renown.best(world.all_of("attraction"), WELL_KNOWN)
        return Setting(
            trip,
            offers,
            world,
            renown,
            known,
            Queues.of(queue_parameters().to_dicts()),
            Map(_list_whole_sights(offers, renown, known), world.network),
            Map(_list_restaurants(trip, offers, NO_MEAL), world.network),
            Map(_list_restaurants(trip, offers, NO_MEAL - SNACKS), world.network),
        )

    def same_visit(self, a: Place, b: Place) -> bool:
        """Check whether one visit covers two given sights."""
        key = (a.place_id, b.place_id)
        if key not in self._same:
            self._same[key] = self.renown.same_visit(a, b)
        return self._same[key]

    def list_musts(self) -> list[Place]:
        """Return the best known sights that a trip should contain; longer trips have more of
        them.
        """
        return self.known[: count_musts(self.trip)]

    def list_demanded_sights(self) -> list[Demand]:
        """Return the requirements for particular sights in the plan."""
        return [d for d in self.offers.demands if d.kind == "attraction"]

    def find_near_sight(self) -> Place | None:
        """Return the sight that all others should be close to, if the query names one."""
        return next((s for s in self.offers.attractions if s.name == self.trip.near), None)

    def find_centre(self) -> Point:
        """Return the location of the sight that all others should be close to, or the centre of the
        best sights.
        """
        if (sight := self.find_near_sight()) is not None and sight.point is not None:
            return sight.point
        best = self.renown.best(self.offers.attractions, _CENTRAL) or list(self.offers.restaurants)
        places = [*best, *(() if best else (x.hotel for x in self.offers.lodgings))]
        lat, lon = np.median([p.point for p in places if p.point] or [(0.0, 0.0)], axis=0)
        return float(lat), float(lon)

    def count_known(self, held: Sequence[Place]) -> int:
        """Count how many of the very best known sights a plan with the given sights would cover."""
        best = self.known[:MUST_SEES]
        return sum(any(self.same_visit(k, s) for s in held) for k in best)


@dataclass(frozen=True)
class Booking:
    """What is decided before the days are planned: the level, the journeys and the nights.

    ``pair`` contains the outward and the return journey, or is None if the trip has no journeys.
    """

    level: Level
    riders: Riders
    pair: tuple[Journey, Journey] | None
    nights: tuple[Lodging, ...]
    centre: Point


def _list_whole_sights(offers: Offers, renown: Renown, known: Sequence[Place]) -> tuple[Place, ...]:
    """Return all sights except those that are parts of well known sights.

    Parts of well known sights are left out, because such sights are visited as a whole. A part that
    the query names is kept.
    """
    named = {name for d in offers.demands if d.kind == "attraction" for name in d.names}
    offered = {s.place_id for s in offers.attractions}
    wholes = [k for k in known if k.place_id in offered]
    ids = {k.place_id for k in wholes}
    return tuple(
        s for s in offers.attractions
        if s.place_id in ids or s.name in named
        or not any(renown.same_visit(s, whole) for whole in wholes)
    )  # fmt: skip


def _list_restaurants(trip: TripRequest, offers: Offers, out: frozenset[str]) -> tuple[Place, ...]:
    """Return the restaurants for lunch and dinner, except those of the types in ``out``.

    A restaurant of the types in ``out`` is kept if the query asks for it. If no other restaurants
    are left, the restaurants of the types in ``out`` are kept.
    """
    wished = trip.list_wished("cuisine")
    named = {name for d in offers.demands if d.kind == "restaurant" for name in d.names}
    fit = [
        p for p in offers.restaurants
        if p.name in named or p.types & wished or not p.types <= out
    ]  # fmt: skip
    return tuple(fit or offers.restaurants)
