"""A plan with everything that metrics need: the city, the query, and what follows from both."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar, cast

from schemas.plans import JOURNEYS, MEALS
from schemas.trips import ATTRACTION, COSTS, NIGHT, TRANSFER, Event, Trip
from validators.metrics.guide import Guide
from validators.plans.world import Place

Value = float | None
Made = TypeVar("Made")
#: Hours, or yuan, that sums of floats may be off.
TINY = 1e-9


@dataclass(frozen=True)
class WishedValues:
    """What a query wants and excludes in one category."""

    wanted: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()


@dataclass(frozen=True)
class AskedTrip:
    """What a query asks, of any family; None and empty where it does not say."""

    days: int | None = None
    people: int | None = None
    budget: float | None = None
    start_date: dt.date | None = None
    wishes: Mapping[str, WishedValues] = field(default_factory=dict)
    family: bool = False
    structure: Mapping[str, Any] = field(default_factory=dict)

    def wish(self, category: str) -> WishedValues:
        """The wishes of a category (accommodations, diet, transportation, attractions, rhythm)."""
        return self.wishes.get(category, WishedValues())

    def date(self, day: int) -> dt.date | None:
        """Date of a day, counted from 1."""
        return self.start_date + dt.timedelta(days=day - 1) if self.start_date else None


_CATEGORIES = ("accommodations", "diet", "transportation", "attractions", "rhythm")


def read_asked(structure: Mapping[str, Any] | str | None) -> AskedTrip:
    """The structure of a query as metrics read it; whatever it lacks is not asked."""
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
    """A visit to a known attraction, hours. ``effective`` is what is left after the queue.

    ``ratio`` is TravelEval's scene-time ratio (formula 10).
    """

    event: Event
    place: Place
    hours: float
    effective: float

    @property
    def ratio(self) -> float:
        """Effective hours by planned ones; 0 where the shortest stay is not reached."""
        least = self.place.least_min
        if self.hours == 0 or (least is not None and self.effective < least / 60 - TINY):
            return 0.0
        return self.effective / self.hours


@dataclass(frozen=True)
class Case:
    """One plan to be measured."""

    trip: Trip
    guide: Guide
    asked: AskedTrip = field(default_factory=AskedTrip)
    _memo: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def once(self, name: str, make: Callable[[Case], Made]) -> Made:
        """What a function makes of the case, made once."""
        if name not in self._memo:
            self._memo[name] = make(self)
        return cast("Made", self._memo[name])

    @cached_property
    def costs(self) -> Mapping[str, float] | None:
        """Yuan by category, summed from tickets, rooms and fares; None where the form has none.

        As TravelEval's evaluator sums: a ticket price counts for every ticket (for everybody where
        no number is told). In its form the way to a journey may be told as the journey itself: a
        fare that is not below the price of the last journey's ticket is left out.
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
            # Other forms end a day with whatever comes last; TravelEval's with hotel or journey.
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
        """Yuan of the whole plan."""
        return None if self.costs is None else sum(self.costs.values())

    @cached_property
    def visits(self) -> list[TimedVisit]:
        """Timed visits to known attractions, days' endings left out."""
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
        """Scene-time ratio by place; a place visited twice counts by its last visit."""
        return {visit.place.name: visit.ratio for visit in self.visits}

    @cached_property
    def hours(self) -> Value:
        """Hours of the whole trip, from the first journey's start to the last one's end.

        Without journeys a trip lasts from 8:00 to 22:00, as in TravelEval's evaluator.
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
