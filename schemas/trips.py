"""Defines the model of a plan that metrics use, regardless of the plan's original form.

``trip_forms`` reads the forms. If the original form of a plan lacks a value, the value is None.
Times are minutes after midnight, distances are in metres, and money is in yuan. Values are never
rounded, because metrics check the sums in a plan.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from schemas.plans import JOURNEYS, MEALS

#: Kinds of event other than meals and journeys. A transfer is a ride that is an entry of its own.
ATTRACTION, NIGHT, TRANSFER, OTHER = "attraction", "accommodation", "transfer", "other"
#: All kinds of information that a form can contain.
ALL_TOLD = frozenset({"costs", "hotels", "journeys", "ways", "times"})
#: Categories of cost, with the names that TravelEval's form uses (appendix A.1).
COSTS = (
    "accommodation", "attractions", "intercity_transportation", "intracity_transportation",
    "meals", "other",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Way:
    """The transport to an event. ``seats`` is the number of passenger seats in one car."""

    mode: str | None = None
    minutes: int | None = None
    cost: float | None = None
    metres: float | None = None
    seats: float | None = None
    cars: float | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """One entry in the plan of a day.

    ``cost`` is for the whole party and excludes transport, and ``price`` is for one ticket. A
    journey also has its first station (``origin``), its number, and its means of transport
    (``vehicle``), named as in queries: 高铁, 飞机, ...
    """

    day: int
    kind: str
    name: str
    start_min: int | None = None
    end_min: int | None = None
    cost: float | None = None
    price: float | None = None
    tickets: float | None = None
    way: Way | None = None
    origin: str | None = None
    number: str | None = None
    vehicle: str | None = None

    @property
    def minutes(self) -> int | None:
        """Return the minutes from start to end; the end may be after midnight.

        The result is never negative. TravelEval's evaluator computes durations in the same way.
        """
        if self.start_min is None or self.end_min is None:
            return None
        start, end = self.start_min, self.end_min
        return max(0, end - start + (1440 if start // 60 > end // 60 else 0))


@dataclass(frozen=True, slots=True)
class TripDay:
    """A day of a trip. The day's last event is kept separately in ``ending``."""

    number: int
    starts_at: str
    activities: tuple[Event, ...]
    ending: Event | None = None

    @property
    def events(self) -> tuple[Event, ...]:
        """Return all events of the day, in order."""
        return self.activities if self.ending is None else (*self.activities, self.ending)

    @property
    def sights(self) -> tuple[Event, ...]:
        """Return the visits to attractions on this day, in order."""
        return tuple(event for event in self.events if event.kind == ATTRACTION)


@dataclass(frozen=True, slots=True)
class Rooms:
    """Rooms of one type that are booked for a number of nights; ``price`` is for one night."""

    kind: str | None
    quantity: float
    price: float
    nights: float


@dataclass(frozen=True, slots=True)
class Claims:
    """Totals stated in a plan: the days, the costs by category, and whether the budget is met."""

    days: int | None
    costs: tuple[tuple[str, float], ...]
    budget: float | None
    within_budget: bool


@dataclass(frozen=True)
class Trip:
    """A plan in the form that metrics use.

    ``tells`` lists the kinds of information that the plan's original form can contain (see
    ``ALL_TOLD``).
    """

    form: str
    days: tuple[TripDay, ...]
    tells: frozenset[str]
    people: int | None = None
    start_city: str | None = None
    target_city: str | None = None
    hotel: str | None = None
    rooms: tuple[Rooms, ...] = ()
    nights: float | None = None
    journeys: tuple[Event, ...] = ()
    claims: Claims | None = None

    def events(self) -> Iterator[Event]:
        """Yield all events of the trip, in order."""
        for day in self.days:
            yield from day.events

    def sights(self) -> list[Event]:
        """Return all visits to attractions, in order."""
        return self._sights

    @cached_property
    def _sights(self) -> list[Event]:
        return [event for event in self.events() if event.kind == ATTRACTION]

    def meals(self) -> list[Event]:
        """Return all meals, in order."""
        return [event for event in self.events() if event.kind in MEALS]

    def stays(self) -> list[Event]:
        """Return all events except journeys, in order."""
        return [event for event in self.events() if event.kind not in JOURNEYS]
