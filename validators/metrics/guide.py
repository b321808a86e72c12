"""Reads the data about a city that metrics need in addition to its ``World``, such as ratings and
queues.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import polars as pl

from schemas.geo import geodesic_m
from schemas.plans import JOURNEYS
from validators.plans.tours import Floats, distance_matrix
from validators.plans.view import table_of
from validators.plans.world import Journey, Place, World, read_world
from warehouse.queueing import Queues
from warehouse.read import Snapshot
from warehouse.ways import Point

#: Returns the grade of a date, which is a key of the queue model's ``date_factor``, or None.
Grade = Callable[[dt.date], str | None]


@dataclass(frozen=True)
class Guide:
    """The data about a city that metrics need.

    ``ratings`` (out of 5) and the hotels' ``stars`` are listed by place id. ``grade`` returns the
    grade of a date for queueing times; by default, tripbed's own grades are used.
    """

    world: World
    ratings: Mapping[str, float] = field(default_factory=dict)
    stars: Mapping[str, int] = field(default_factory=dict)
    base_types: Mapping[str, str] = field(default_factory=dict)
    queues: Queues = field(default_factory=lambda: Queues({}, {}, {}, ()))
    density: Mapping[str, float] = field(default_factory=dict)
    grade: Grade | None = None

    def one(self, kind: str, name: str) -> Place | None:
        """Return the only place of a kind with this name.

        Returns None if no place, or more than one, has this name.
        """
        return self._only[kind].get(name)

    @cached_property
    def _only(self) -> Mapping[str, Mapping[str, Place]]:
        """Return places by kind and name, without names that several places share."""
        return {
            kind: {name: found[0] for name, found in named.items() if len(found) == 1}
            for kind, named in self.world.places.items()
        }

    def of_event(self, kind: str, name: str) -> Place | None:
        """Return the place of an event, or None for journeys and unknown places."""
        table = None if kind in JOURNEYS else table_of(kind)
        return self.one(table, name) if table else None

    def knows(self, name: str) -> bool:
        """Check whether the name occurs in a table for the city, including the table of
        stations.
        """
        return name in self.world.hubs or any(name in names for names in self.world.places.values())

    def point(self, name: str) -> Point | None:
        """Return the coordinates of the only place or station with this name.

        Returns None if no place or station, or more than one, has this name.
        """
        return self.world.points.get(name)

    def queue_min(self, place: Place, date: dt.date | None, start_min: int) -> float | None:
        """Return the queueing time in minutes (TravelEval, table A5).

        Types of sights that the model does not contain have no queue. For hours that the model does
        not contain, and for plans without dates, the base value is used. Returns None if the grade
        of the date is unknown.
        """
        base = self.queues.base_min.get(self.base_types.get(place.place_id, ""), 0.0)
        if base == 0.0:
            return 0.0
        of_date = 1.0
        if date is not None:
            grade = self.grade(date) if self.grade else self.queues.grade(date, self.world.country)
            if grade is None:
                return None
            of_date = self.queues.date_factor.get(grade, 1.0)
        of_time = self._minutes_factor[start_min] if 0 <= start_min < 1440 else 1.0
        return base * of_date * of_time

    @cached_property
    def _minutes_factor(self) -> Sequence[float]:
        """Return, for each minute of a day, the factor by which queueing times are multiplied."""
        model = Queues({"": 1.0}, {"": 1.0}, self.queues.time_factor, ())
        day = dt.date(2026, 1, 1)
        found = (model.minutes("", day, minute, "") for minute in range(1440))
        return [1.0 if factor is None else factor for factor in found]

    @cached_property
    def journeys_by_pair(self) -> Mapping[tuple[str, str | None, str | None], list[Journey]]:
        """Return trains and flights by kind, city of departure and city of arrival."""
        found: dict[tuple[str, str | None, str | None], list[Journey]] = {}
        for journey in self.world.journeys:
            key = (journey.kind, journey.origin_city, journey.destination_city)
            found.setdefault(key, []).append(journey)
        return found

    def metres(self, names: Sequence[str]) -> Floats:
        """Return the straight-line distances in metres between places that have coordinates."""
        points = np.array([self.world.points[name] for name in names])
        return distance_matrix(*points.reshape(-1, 2).T)

    @cached_property
    def meal_prices(self) -> tuple[float, float] | None:
        """Return the price range in yuan per person that covers 90 % of the city's restaurants.

        Returns None if no price is known.
        """
        prices = [
            p.price_cents for found in self.world.places["restaurant"].values() for p in found
            if p.price_cents is not None
        ]  # fmt: skip
        if not prices:
            return None
        low, high = np.quantile(prices, (0.05, 0.95))
        return float(low) / 100, float(high) / 100


@lru_cache(maxsize=200_000)
def leg_m(start: Point, end: Point) -> float:
    """Return the distance in metres on the ellipsoid; results are cached, as legs are repeated."""
    return geodesic_m(*start, *end)


def read_guide(snapshot: Snapshot, city_id: str, world: World | None = None) -> Guide:
    """Read the guide for a city. Raises KeyError if the snapshot does not contain the city."""
    world = world or read_world(snapshot, city_id)

    def table(name: str, slug: str | None = None) -> pl.DataFrame:
        return snapshot.table(name, slug) if name in snapshot.tables() else pl.DataFrame()

    pois, density = table("pois", world.slug), table("density_baseline")
    return Guide(
        world,
        _values(pois, "poi_id", "rating"),
        _values(table("hotels", world.slug), "hotel_id", "stars"),
        _values(pois, "poi_id", "base_type"),
        Queues.of(table("queue_parameters").to_dicts()),
        _values(density.filter(parameter="median") if density.height else density,
                "key", "metric_value"),
    )  # fmt: skip


def _values(rows: pl.DataFrame, key: str, column: str) -> dict[str, Any]:
    known = rows.select(key, column).drop_nulls() if column in rows.columns else rows.clear()
    return dict(known.iter_rows())
