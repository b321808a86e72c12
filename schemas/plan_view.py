"""Defines the parts of a plan that a constraint can read, each with a type and a unit.

A checker converts the plan that it checks to the classes in this module. ``ATTRIBUTES`` lists
everything that expressions (``schemas.expressions``) can read. None always means that a value is
unknown, never that it is zero or false.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class ActivityView:
    """One activity of a day.

    Times are minutes after midnight on this day, and money is in cents for the whole party.
    ``types`` contains the published Chinese tags of the place: the types of an attraction, the
    cuisine of a restaurant, or the features of a hotel.
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
        """Return the minutes from start to end, or None if a time is unknown."""
        if self.start_min is None or self.end_min is None:
            return None
        return self.end_min - self.start_min


@dataclass(frozen=True)
class RideView:
    """One ride within a city, from one activity to the next.

    ``to_kind`` and ``to`` are the kind and the name of the next activity.
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
        """Return the minutes from start to end, or None if a time is unknown."""
        if self.start_min is None or self.end_min is None:
            return None
        return self.end_min - self.start_min


@dataclass(frozen=True)
class PlanView:
    """A plan in the form that constraint expressions can read.

    ``rides`` is None if the plan does not contain any information about local transport. ``places``
    contains the latitude and longitude (WGS 84) of places by name, which are needed to compute
    distances.
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
        """Return the cost of all activities and rides, or None if any cost is unknown."""
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
#: The Python attribute and the type of each attribute in the language. Each unit is a type of its
#: own, so units cannot be mixed.
ATTRIBUTES = {"plan": _PLAN, "activity": _ACTIVITY, "ride": _RIDE}
