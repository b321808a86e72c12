"""A good plan that can be changed, and the registers of its breaks and near misses."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from schemas.values import clock_minutes, clock_text
from validators.plans.request import Request
from validators.plans.world import World

Json = dict[str, Any]


@dataclass
class Trip:
    """A good plan with the city and the query that it was made for."""

    plan: Json
    world: World
    request: Request
    random: random.Random = field(default_factory=lambda: random.Random(0))

    def activities(self, *kinds: str) -> list[Json]:
        """Activities of some kinds, or all, in an order that the seed chooses."""
        found = [a for _, _, a in self.places() if not kinds or a["type"] in kinds]
        self.random.shuffle(found)
        return found

    def places(self) -> Iterator[tuple[int, int, Json]]:
        """Day, place in the day and activity."""
        for day in self.plan["itinerary"]:
            for index, activity in enumerate(day["activities"]):
                yield day["day"], index, activity

    def legs(self, *modes: str) -> list[Json]:
        """Legs of some modes, in an order that the seed chooses."""
        found = [leg for a in self.activities() for leg in a["transports"] if leg["mode"] in modes]
        self.random.shuffle(found)
        return found

    def free_before(self, activity: Json) -> int:
        """The first minute at which an activity may start: its way is over, or what is before."""
        if activity["transports"]:
            return clock_minutes(activity["transports"][-1]["end_time"])
        before = 0
        for _, index, other in self.places():
            if other is activity:
                return before if index else 0
            before = clock_minutes(other["end_time"])
        return 0

    def free_after(self, activity: Json) -> int:
        """The last minute at which it may end: the next way or activity of the day starts."""
        for day in self.plan["itinerary"]:
            for here, after in zip(day["activities"], day["activities"][1:], strict=False):
                if here is activity:
                    starts = [*after["transports"], after][0]["start_time"]
                    return clock_minutes(starts)
        return 1440

    def hours(self, activity: Json, table: str) -> tuple[int, int] | None:
        """The only opening span of the place on the day of an activity."""
        found = self.world.find(table, activity["position"])
        day = next(day for day, _, a in self.places() if a is activity)
        if len(found) != 1 or found[0].hours is None:
            return None
        spans = found[0].hours.days(self.request.date(day))
        return spans[0][0] if len(spans) == 1 and len(spans[0]) == 1 else None

    def loosen(self) -> None:
        """Let every way start as late as it can, so that what is before it may last longer."""
        for _, _, activity in self.places():
            legs = activity["transports"]
            later = clock_minutes(activity["start_time"]) - self.free_before(activity)
            for leg in legs if later > 0 else ():
                for key in ("start_time", "end_time"):
                    leg[key] = clock_text(clock_minutes(leg[key]) + later)

    def copy(self, seed: int) -> Trip:
        """A copy that may be changed."""
        return replace(self, plan=copy.deepcopy(self.plan), random=random.Random(seed))


Mutation = Callable[[Trip], "Trip | None"]


@dataclass(frozen=True)
class Break:
    """A mutation, the constraint that must fail, and those that may fail with it."""

    name: str
    constraint: str
    mutate: Mutation
    also: frozenset[str] = frozenset()


BREAKS: list[Break] = []
NEAR_MISSES: list[tuple[str, Mutation]] = []


def breaks(constraint: str, *also: str) -> Callable[[Mutation], Mutation]:
    """Register a mutation under its function's name."""

    def keep(mutate: Mutation) -> Mutation:
        name = mutate.__name__.replace("_", " ")
        BREAKS.append(Break(name, constraint, mutate, frozenset(also)))
        return mutate

    return keep


def near_miss(mutate: Mutation) -> Mutation:
    """Register a change that leaves the plan good."""
    NEAR_MISSES.append((mutate.__name__.replace("_", " "), mutate))
    return mutate
