"""One model of a plan for metrics, whatever its original form; ``trip_forms`` reads the forms.

Values that a form does not state are None. Times are minutes after midnight of the day, distances
are metres, and money is in yuan as stated. Nothing is rounded, because metrics compare the sums
that a plan states.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from schemas.plans import JOURNEYS, MEALS

#: Kinds of event beside meals and journeys. A transfer is a ride told as an entry of its own.
ATTRACTION, NIGHT, TRANSFER, OTHER = "attraction", "accommodation", "transfer", "other"
#: All that a form can tell.
ALL_TOLD = frozenset({"costs", "hotels", "journeys", "ways", "times"})
#: Categories of cost (TravelEval, appendix A.1), as its form names them.
COSTS = (
    "accommodation", "attractions", "intercity_transportation", "intracity_transportation",
    "meals", "other",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Way:
    """How travellers get to an event.

    ``seats`` is the number of seats for travellers in one car.
    """

    mode: str | None = None
    minutes: int | None = None
    cost: float | None = None
    metres: float | None = None
    seats: float | None = None
    cars: float | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """One entry of a day; ``cost`` is for the whole party without transport, ``price`` for one
    ticket.

    A journey has its first station in ``origin``, its number, and its means of transport in the
    words of queries (``vehicle``: 高铁, 飞机, ...).
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
        """Count the minutes from start to end, which may be after midnight; never negative.

        TravelEval's evaluator computes durations in the same way.
        """
        if self.start_min is None or self.end_min is None:
            return None
        start, end = self.start_min, self.end_min
        return max(0, end - start + (1440 if start // 60 > end // 60 else 0))


@dataclass(frozen=True, slots=True)
class TripDay:
    """A day from its start to its last event, which is kept separately in ``ending``."""

    number: int
    starts_at: str
    activities: tuple[Event, ...]
    ending: Event | None = None

    @property
    def events(self) -> tuple[Event, ...]:
        """List all events in order."""
        return self.activities if self.ending is None else (*self.activities, self.ending)

    @property
    def sights(self) -> tuple[Event, ...]:
        """List the visits to attractions, in order."""
        return tuple(event for event in self.events if event.kind == ATTRACTION)


@dataclass(frozen=True, slots=True)
class Rooms:
    """Rooms of one type (a code of the taxonomy), for a number of nights."""

    kind: str | None
    quantity: float
    price: float
    nights: float


@dataclass(frozen=True, slots=True)
class Claims:
    """What a plan says about itself: days, cost by category, and whether it keeps to its budget."""

    days: int | None
    costs: tuple[tuple[str, float], ...]
    budget: float | None
    within_budget: bool


@dataclass(frozen=True)
class Trip:
    """A plan.

    ``tells`` says what its form can express: costs, hotels, journeys, transport and times.
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
        """List all events in order."""
        for day in self.days:
            yield from day.events

    def sights(self) -> list[Event]:
        """List all visits to attractions, in order."""
        return self._sights

    @cached_property
    def _sights(self) -> list[Event]:
        return [event for event in self.events() if event.kind == ATTRACTION]

    def meals(self) -> list[Event]:
        """List all meals, in order."""
        return [event for event in self.events() if event.kind in MEALS]

    def stays(self) -> list[Event]:
        """List all events except journeys."""
        return [event for event in self.events() if event.kind not in JOURNEYS]
