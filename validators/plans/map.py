"""Compute distances, minutes and fares from one point to many places, and the places' opening
times.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from schemas.geo import arc_m, ellipsoid_xyz
from validators.plans.world import Place
from warehouse.opening import Hours
from warehouse.ways import (
    METRO_KMH,
    TAXI_KMH,
    WALK_KMH,
    Mode,
    Network,
    Point,
    cars,
    metro_fare_cents,
    taxi_fare_cents,
)

Ints = NDArray[np.int64]
NEVER = 10**6
_metro_fares = np.vectorize(metro_fare_cents, otypes=[np.int64])
_taxi_fares = np.vectorize(taxi_fare_cents, otypes=[np.int64])


@dataclass(frozen=True)
class Travel:
    """The minutes and the party's fares in cents from a point to all places, by mode.

    If a place cannot be reached, its number of minutes is NEVER.
    """

    minutes: Ints  # modes x places
    cents: Ints


@dataclass(frozen=True)
class Map:
    """Places of one kind, with their coordinates, nearest stations, prices and stays."""

    places: tuple[Place, ...]
    network: Network
    _travels: dict[tuple[Point, tuple[Mode, ...], int], Travel] = field(default_factory=dict)
    _open: dict[object, tuple[Ints, Ints]] = field(default_factory=dict)

    @cached_property
    def index(self) -> dict[str, int]:
        """The index of each place by name."""
        return {place.name: at for at, place in enumerate(self.places)}

    @cached_property
    def prices(self) -> Ints:
        """The price per person in cents."""
        return np.array([place.price_cents or 0 for place in self.places], dtype=np.int64)

    @cached_property
    def stays(self) -> Ints:
        """The length of a visit in minutes: the minimum recommended time, or an hour if there is no
        recommendation.
        """
        return np.array([max(place.least_min or 60, 15) for place in self.places], dtype=np.int64)

    @cached_property
    def points(self) -> NDArray[np.float64]:
        """The latitude and longitude of each place."""
        return np.array([place.point for place in self.places], dtype=float).reshape(-1, 2)

    @cached_property
    def _stations(self) -> tuple[NDArray[np.float64], NDArray[np.float64], Ints, Ints]:
        """The station nearest to each place: its coordinates, distance in metres, network and
        number.
        """
        numbers = {station: i for i, station in enumerate(self.network.stations)}
        near = [self.network.nearest((float(a), float(b))) for a, b in self.points]
        found = [n for n in near if n is not None]
        return (
            np.array([s.point for s, _ in found], dtype=float).reshape(-1, 2),
            np.array([away for _, away in found], dtype=float),
            np.array([s.network for s, _ in found], dtype=np.int64),
            np.array([numbers[s] for s, _ in found], dtype=np.int64),
        )

    @cached_property
    def station_walks(self) -> Ints:
        """The minutes on foot from each place to its nearest station, or 0 if there are no
        stations.
        """
        if not self.network.stations or not len(self.places):
            return np.zeros(len(self.places), dtype=np.int64)
        return _minutes(self._stations[1], WALK_KMH)

    def travel(self, start: Point, modes: tuple[Mode, ...], people: int) -> Travel:
        """Return the minutes and fares between a point and every place; both directions are the
        same.
        """
        key = (start, modes, people)
        if key not in self._travels:
            rows = [self._by(mode, start, people) for mode in modes]
            self._travels[key] = Travel(
                np.array([m for m, _ in rows]).reshape(len(modes), -1),
                np.array([c for _, c in rows]).reshape(len(modes), -1),
            )
        return self._travels[key]

    def _by(self, mode: Mode, start: Point, people: int) -> tuple[Ints, Ints]:
        away = away_m(self.points, start)
        if mode == "walk":
            return _minutes(away, WALK_KMH), np.zeros(len(away), dtype=np.int64)
        if mode == "taxi":
            fares = _taxi_fares(away) * cars(people) if len(away) else _no_fares()
            return _minutes(away, TAXI_KMH), fares
        return self._metro(start, people)

    def _metro(self, start: Point, people: int) -> tuple[Ints, Ints]:
        if self.network.timetable is not None:
            return self._time_rides(start, people)
        here = self.network.nearest(start)
        count = len(self.places)
        if here is None or not count:
            return np.full(count, NEVER), np.zeros(count, dtype=np.int64)
        points, away, networks, numbers = self._stations
        ride = away_m(points, here[0].point)
        minutes = (
            _minutes(away, WALK_KMH)
            + _minutes(ride, METRO_KMH)
            + int(_minutes(np.array([here[1]]), WALK_KMH)[0])
        )
        same = numbers == self.network.stations.index(here[0])
        apart = networks != here[0].network
        return np.where(same | apart, NEVER, minutes), _metro_fares(ride) * people

    def _time_rides(self, start: Point, people: int) -> tuple[Ints, Ints]:
        """Return the minutes and fares of rides in the timetable; a ride with an unknown fare
        counts as impossible.
        """
        assert self.network.timetable is not None
        rides = self.network.timetable.rides(start, self.points)
        known = rides.found & (rides.cents >= 0)
        minutes = rides.before_min + rides.ride_min + rides.after_min
        return np.where(known, minutes, NEVER), np.where(known, rides.cents * people, 0)

    def opening(self, when: dt.date | int | None) -> tuple[Ints, Ints]:
        """Return the opening and closing minutes of each place on a date or weekday.

        Without a date or weekday, the result contains the hours that apply on every weekday. If a
        day has several opening periods, only the longest one counts. For a closed place, the
        opening minute is NEVER.
        """
        if when not in self._open:
            spans = [_span(place.hours, when) for place in self.places]
            self._open[when] = (
                np.array([a for a, _ in spans], dtype=np.int64),
                np.array([b for _, b in spans], dtype=np.int64),
            )
        return self._open[when]


def _span(hours: Hours | None, when: dt.date | int | None) -> tuple[int, int]:
    days = hours.days(when) if hours else []
    if not days or not all(days):
        return NEVER, 0
    longest = [max(spans, key=lambda span: span[1] - span[0]) for spans in days]
    return max(a for a, _ in longest), min(b for _, b in longest)


def away_m(points: NDArray[np.float64], start: Point) -> NDArray[np.float64]:
    """Return the distances in metres along the ellipsoid from a point to many places, as
    ``warehouse.ways`` does.
    """
    if not len(points):
        return np.zeros(0)
    here = ellipsoid_xyz(start[0], start[1])
    chords = ellipsoid_xyz(points[:, 0], points[:, 1]) - here
    return arc_m(np.sqrt((chords**2).sum(axis=1)))


def _minutes(away: NDArray[np.float64], kmh: float) -> Ints:
    return np.floor(away / 1000 / kmh * 60 + 1e-9).astype(np.int64)


def _no_fares() -> Ints:
    return np.zeros(0, dtype=np.int64)


def subset(places: Sequence[Place], network: Network) -> Map:
    """Return a map that contains only some of the places."""
    return Map(tuple(places), network)
