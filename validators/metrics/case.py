"""Collects everything that the metrics of a plan need: its city, its query and derived values."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar, cast

from schemas.plans import JOURNEYS, MEALS
from schemas.trips import ATTRACTION, COSTS, NIGHT, TRANSFER, Event, Trip
from validators.metrics.guide import Guide
from validators.plans.world import Place

Value = float | None
Made = TypeVar("Made")
#: Tolerance for rounding errors in sums of hours or yuan.
TINY = 1e-9


def mean(values: Iterable[Value]) -> Value:
    """Return the mean of the known values, or None if no value is known."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def all_met(answers: Iterable[Value]) -> Value:
    """Return 0 if any answer is 0 (or False), or else None if any answer is unknown, or else 1."""
    found = list(answers)
    if 0.0 in found:
        return 0.0
    return None if None in found else 1.0


@dataclass(frozen=True)
class WishedValues:
    """The values in one category that a query asks for, and those that it excludes."""

    wanted: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()


@dataclass(frozen=True)
class AskedTrip:
    """The requirements in a query of any family. A requirement is None or empty if the query lacks
    it.
    """

    days: int | None = None
    people: int | None = None
    budget: float | None = None
    start_date: dt.date | None = None
    wishes: Mapping[str, WishedValues] = field(default_factory=dict)
    family: bool = False
    structure: Mapping[str, Any] = field(default_factory=dict)

    def wish(self, category: str) -> WishedValues:
        """Return the wishes in a category.

        The categories are accommodations, diet, transportation, attractions and rhythm.
        """
        return self.wishes.get(category, WishedValues())

    def date(self, day: int) -> dt.date | None:
        """Return the date of a day (counted from 1), or None if the query has no dates."""
        return self.start_date + dt.timedelta(days=day - 1) if self.start_date else None


_CATEGORIES = ("accommodations", "diet", "transportation", "attractions", "rhythm")


def read_asked(structure: Mapping[str, Any] | str | None) -> AskedTrip:
    """Read the requirements of a query from its structure."""
    if isinstance(structure, str):
        structure = json.loads(structure)
    if not isinstance(structure, Mapping):
        return AskedTrip()
    party = structure.get("people_composition") or {}
    budget = structure.get("budget")
    for constraint in structure.get("constraints") or ():
        if constraint.get("kind") == "budget":
            budget = constraint["amount"]
    return AskedTrip(
        structure.get("days"), structure.get("people_number"),
        float(budget) if isinstance(budget, int | float) and budget else None,
        _first_date(structure.get("dates")),
        {name: _wishes(structure.get(name)) for name in _CATEGORIES},
        bool(party.get("children") or party.get("seniors")), structure,
    )  # fmt: skip


def _wishes(told: Any) -> WishedValues:
    if not isinstance(told, Mapping):
        return WishedValues()
    return WishedValues(tuple(told.get("preferences") or ()), tuple(told.get("constraints") or ()))


def _first_date(text: Any) -> dt.date | None:
    try:
        return dt.date.fromisoformat(str(text).split(" to ")[0].strip()) if text else None
    except ValueError:
        return None


@dataclass(frozen=True)
class TimedVisit:
    """A visit to a known attraction, with times in hours.

    ``effective`` is the time that remains after queueing, and ``ratio`` is TravelEval's scene-time
    ratio (formula 10).
    """

    event: Event
    place: Place
    hours: float
    effective: float

    @property
    def ratio(self) -> float:
        """Return effective hours / planned hours, or 0 if the visit is shorter than recommended."""
        least = self.place.least_min
        if self.hours == 0 or (least is not None and self.effective < least / 60 - TINY):
            return 0.0
        return self.effective / self.hours


@dataclass(frozen=True)
class Case:
    """A plan for which metrics are computed, with its city and its query."""

    trip: Trip
    guide: Guide
    asked: AskedTrip = field(default_factory=AskedTrip)
    _memo: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def once(self, name: str, make: Callable[[Case], Made]) -> Made:
        """Return the result of a function for this case; compute it only once."""
        if name not in self._memo:
            self._memo[name] = make(self)
        return cast("Made", self._memo[name])

    @cached_property
    def costs(self) -> Mapping[str, float] | None:
        """Return the costs in yuan by category, or None if the plan's form does not contain costs.

        The sums are computed as in TravelEval's evaluator. A ticket price counts once per ticket,
        or once per traveller if the number of tickets is not given. In TravelEval's form, a journey
        may also be listed as a ride, so a fare is ignored if it is at least the ticket price of the
        last journey.
        """
        trip = self.trip
        if "costs" not in trip.tells:
            return None
        found = dict.fromkeys(COSTS, 0.0)
        found["intercity_transportation"] = sum(_journey_cost(e) for e in trip.journeys)
        found["accommodation"] = sum(r.quantity * r.price * r.nights for r in trip.rooms)
        fares = [e.price for e in trip.journeys if e.price is not None]
        most = fares[-1] if fares and trip.form == "traveleval" else float("inf")
        for day in trip.days:
            for event in day.activities:
                if (category := _category(event.kind)) is not None:
                    found[category] += self._price(event)
            for event in day.events:
                fare = (event.way.cost or 0.0) if event.way else 0.0
                found["intracity_transportation"] += fare if fare < most else 0.0
        if trip.form != "traveleval":
            # In TravelEval's form, a day ends with a hotel or a journey; in other forms, with any
            # activity.
            for day in trip.days:
                ending = day.ending
                if ending is not None and (category := _category(ending.kind)) is not None:
                    found[category] += self._price(ending)
        return found

    def _price(self, event: Event) -> float:
        if event.price and (self.trip.form == "traveleval" or event.tickets):
            return event.price * (event.tickets or self.trip.people or 0)
        return event.cost or 0.0

    @cached_property
    def total_cost(self) -> Value:
        """Return the cost of the whole plan in yuan, or None if the cost is unknown."""
        return None if self.costs is None else sum(self.costs.values())

    @cached_property
    def visits(self) -> list[TimedVisit]:
        """Return the timed visits to known attractions, without the last event of each day."""
        found = []
        for day in self.trip.days:
            date = self.asked.date(day.number)
            for event in day.activities:
                if event.kind != ATTRACTION or event.minutes is None or event.start_min is None:
                    continue
                place = self.guide.one("attraction", event.name)
                if place is None:
                    continue
                queue = self.guide.queue_min(place, date, event.start_min)
                if queue is not None:
                    hours = event.minutes / 60
                    found.append(TimedVisit(event, place, hours, hours - queue / 60))
        return found

    @cached_property
    def ratios(self) -> Mapping[str, float]:
        """Return the scene-time ratio of each place; if a place is visited twice, the last visit
        counts.
        """
        return {visit.place.name: visit.ratio for visit in self.visits}

    @cached_property
    def hours(self) -> Value:
        """Return the hours from the start of the first journey to the end of the last journey.

        A trip without journeys lasts from 8:00 to 22:00, as in TravelEval's evaluator.
        """
        days = len(self.trip.days)
        journeys = self.trip.journeys
        start: int | None = 480
        end: int | None = 1320
        if journeys:
            start, end = journeys[0].start_min, journeys[-1].end_min
        if start is None or end is None:
            return None
        total = (end - start) / 60 + 24 * (days - 1)
        return total if total > 0 else None


def _journey_cost(event: Event) -> float:
    if event.price is not None and event.tickets is not None:
        return event.price * event.tickets
    return event.cost or 0.0


def _category(kind: str) -> str | None:
    if kind == ATTRACTION:
        return "attractions"
    if kind in MEALS:
        return "meals"
    return None if kind in (*JOURNEYS, NIGHT, TRANSFER) else "other"
