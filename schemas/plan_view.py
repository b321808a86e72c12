"""The parts of a plan that a constraint can read: plain values with a type and a unit.

A checker converts its own plan to these rows; ``ATTRIBUTES`` lists everything that the language of
``schemas.expressions`` can read. None always means unknown, never zero or no.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class ActivityView:
    """One activity of a day.

    Times are in minutes after midnight of that day, and money is in cents for the whole party.

    ``types`` are the published Chinese tags of the place: types of an attraction, cuisine of a
    restaurant, or features of a hotel.
    """

    day: int
    kind: str
    name: str | None = None
    types: frozenset[str] | None = None
    cost_cents: int | None = None
    start_min: int | None = None
    end_min: int | None = None
    tickets: int | None = None
    rooms: int | None = None
    room_type: str | None = None
    origin: str | None = None
    destination: str | None = None
    recommended_min: int | None = None

    @property
    def duration_min(self) -> int | None:
        """Return the minutes from start to end."""
        if self.start_min is None or self.end_min is None:
            return None
        return self.end_min - self.start_min


@dataclass(frozen=True)
class RideView:
    """One trip within a city, from one activity to the next.

    ``to_kind`` and ``to`` name the activity at its end.
    """

    day: int
    mode: str
    to_kind: str | None = None
    to: str | None = None
    cost_cents: int | None = None
    distance_m: float | None = None
    start_min: int | None = None
    end_min: int | None = None

    @property
    def duration_min(self) -> int | None:
        """Return the minutes from start to end."""
        if self.start_min is None or self.end_min is None:
            return None
        return self.end_min - self.start_min


@dataclass(frozen=True)
class PlanView:
    """A plan as expressions read it.

    ``rides`` is None if the plan does not say how travellers get around.

    ``places`` maps names to WGS 84 latitude and longitude, for distances.
    """

    days: int
    people: int
    start_city: str | None
    target_city: str | None
    activities: tuple[ActivityView, ...]
    rides: tuple[RideView, ...] | None = ()
    places: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def cost_cents(self) -> int | None:
        """Cost of all activities and rides; None as soon as one of them is unknown."""
        if self.rides is None:
            return None
        costs = [a.cost_cents for a in self.activities] + [r.cost_cents for r in self.rides]
        known = [cost for cost in costs if cost is not None]
        return sum(known) if len(known) == len(costs) else None


NUMBER, TEXT, MONEY, MINUTES, METRES = "number", "text", "money", "minutes", "metres"
_PLAN = {
    "days": ("days", NUMBER), "people": ("people", NUMBER),
    "start_city": ("start_city", TEXT), "target_city": ("target_city", TEXT),
    "cost": ("cost_cents", MONEY), "activities": ("activities", "list of activity"),
    "rides": ("rides", "list of ride"),
}  # fmt: skip
_ACTIVITY = {
    "day": ("day", NUMBER), "kind": ("kind", TEXT), "name": ("name", TEXT),
    "types": ("types", "set of text"), "cost": ("cost_cents", MONEY),
    "start": ("start_min", MINUTES), "end": ("end_min", MINUTES),
    "duration": ("duration_min", MINUTES), "tickets": ("tickets", NUMBER),
    "rooms": ("rooms", NUMBER), "room_type": ("room_type", TEXT),
    "origin": ("origin", TEXT), "destination": ("destination", TEXT),
    "recommended": ("recommended_min", MINUTES),
}  # fmt: skip
_RIDE = {
    "day": ("day", NUMBER), "mode": ("mode", TEXT), "to_kind": ("to_kind", TEXT),
    "to": ("to", TEXT), "cost": ("cost_cents", MONEY), "distance": ("distance_m", METRES),
    "start": ("start_min", MINUTES), "end": ("end_min", MINUTES),
    "duration": ("duration_min", MINUTES),
}  # fmt: skip
#: Attribute of the language: Python attribute, type. Units are types: they can't be mixed.
ATTRIBUTES = {"plan": _PLAN, "activity": _ACTIVITY, "ride": _RIDE}
