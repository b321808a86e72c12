"""Build a plan in a given style, place by place, for a given choice of journeys and rooms.

Each day starts at the traveller's position and ends at the hotel for the night or with the return
journey. Required places are added first, then meals in their time windows, then sights that are
near, open and cheap. A place is added only if the traveller can still arrive in time at the place
where the day ends.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from schemas.plans import MEALS, Activity, Day, Plan
from validators.plans.activities import journey_activity, night_activity, transports_of
from validators.plans.check_places import MEAL_WINDOWS
from validators.plans.lodging import Lodging
from validators.plans.map import Ints, Map
from validators.plans.offers import Demand, Offers
from validators.plans.world import Journey, World
from warehouse.ways import Leg, Mode, Point, leg_cost_cents

_LAST_MINUTE = 1439
#: The number of minutes that a meal takes.
_MEAL_MIN = {"breakfast": 30, "lunch": 60, "dinner": 60}
#: The minutes that are kept free between a visit and the latest start of the next meal.
_TO_TABLE_MIN = 30


@dataclass(frozen=True)
class Style:
    """How a plan is filled; ``cents_a_minute`` is what the party pays to save a minute.

    ``meals`` is ``all`` (all meals that fit), ``between`` (lunch and dinner on the days between the
    first and the last), or ``asked`` (only the meals that the query requires). A visit takes the
    recommended time, but at most ``longest_min``.
    """

    name: str
    cents_a_minute: float
    visits: int
    meals: Literal["all", "between", "asked"]
    leaves_min: int = 480
    wait_min: int = 120
    longest_min: int = 1440


@dataclass(frozen=True)
class Choice:
    """The journeys in a plan, and the rooms for each night."""

    out: Journey
    back: Journey
    nights: tuple[Lodging, ...]


@dataclass
class _BuildState:
    """The traveller's position and time, and the requirements that are not met yet."""

    name: str
    point: Point
    minute: int
    demands: list[Demand]
    sights: set[int] = field(default_factory=set)
    tables: set[int] = field(default_factory=set)
    activities: list[Activity] = field(default_factory=list)


class Builder:
    """Builds plans for one request in one city."""

    def __init__(self, offers: Offers, world: World):
        self.offers, self.world = offers, world
        self.sights = Map(offers.attractions, world.network)
        self.tables = Map(offers.restaurants, world.network)
        self.maps = {"attraction": self.sights, "restaurant": self.tables}

    def build(self, choice: Choice, style: Style) -> Plan | None:
        """Return a plan that meets every requirement, or None if none is possible with this choice
        and style.
        """
        request = self.offers.request
        hub = self.world.point(choice.out.end)
        if hub is None:
            return None
        state = _BuildState(choice.out.end, hub, choice.out.arrives_min, list(self.offers.demands))
        days: list[Day] = []
        for number in range(1, request.days + 1):
            state.activities = []
            if number == 1:
                state.activities.append(journey_activity(choice.out, request.people))
            else:
                state.minute = 0
                self._breakfast(state, choice, style)
            if not self._day(state, number, choice, style):
                return None
            days.append(Day(day=number, activities=state.activities))
        if state.demands:
            return None
        return Plan(
            people_number=request.people, start_city=request.start_city,
            target_city=request.target_city, itinerary=days,
        )  # fmt: skip

    def _breakfast(self, state: _BuildState, choice: Choice, style: Style) -> None:
        """Add the free breakfast at the hotel if the style includes all meals."""
        if style.meals == "all" and choice.nights:
            state.activities.append(
                Activity.model_construct(
                    type="breakfast", start_time=420, end_time=460, position=state.name,
                    price=0, cost=0, transports=[],
                )
            )  # fmt: skip

    def _day(self, state: _BuildState, number: int, choice: Choice, style: Style) -> bool:
        request = self.offers.request
        last = number == request.days
        end = self._end(choice, number, last=last)
        if end is None:
            return False
        name, point, deadline = end
        home = {kind: self._home(self.maps[kind], point) for kind in self.maps}
        direct = self._quickest(state.point, point)
        if number > 1:
            if state.activities and deadline - direct < 460:
                state.activities.clear()  # the journey leaves too early for breakfast
            state.minute = max(min(style.leaves_min, deadline - direct), 0)
        eats = style.meals != "asked" and 1 < number < request.days
        self._fill(state, number, style, deadline, home, eats=eats or style.meals == "all")
        if eats and not _has_meals(state):
            return False
        legs = self._way(state, (name, point), deadline, style)
        if legs is None:
            return False
        ways = transports_of(legs, request.people)
        if last:
            state.activities.append(journey_activity(choice.back, request.people, ways))
        else:
            arrived = legs[-1].end_min if legs else state.minute
            night = night_activity(choice.nights[number - 1], arrived, ways)
            state.activities.append(night)
        state.name, state.point = name, point
        return True

    def _end(self, choice: Choice, number: int, *, last: bool) -> tuple[str, Point, int] | None:
        """Return the name and location of the place where the day ends, and the latest minute of
        arrival there; return None if the location is unknown.
        """
        if last:
            hub = self.world.point(choice.back.start)
            return (choice.back.start, hub, choice.back.departs_min) if hub else None
        hotel = choice.nights[number - 1].hotel
        return (hotel.name, hotel.point, _LAST_MINUTE) if hotel.point else None

    def _home(self, places: Map, point: Point) -> Ints:
        """Return the shortest time in minutes from each place to the place where the day ends."""
        travel = places.travel(point, self.offers.modes, self.offers.request.people)
        return np.asarray(travel.minutes.min(axis=0))

    def _quickest(self, start: Point, end: Point) -> int:
        return min(
            (legs[-1].end_min for mode in self.offers.modes
             if (legs := self.world.network.way(("", start), ("", end), 0, mode))),
            default=0,
        )  # fmt: skip

    def _fill(
        self, state: _BuildState, number: int, style: Style, deadline: int, home: dict[str, Ints],
        *, eats: bool,
    ) -> None:  # fmt: skip
        """Add sights and meals until no more of them fit."""
        eaten = {activity.type for activity in state.activities}
        meals = [meal for meal in MEALS if meal not in eaten]
        seen = 0
        while True:
            asked = any(d.kind == "restaurant" for d in state.demands)
            while meals and state.minute > MEAL_WINDOWS[meals[0]][1] - _MEAL_MIN[meals[0]]:
                meals.pop(0)
            if meals[:1] == ["breakfast"] and not asked:
                meals.pop(0)
            limit = deadline
            if meals and (eats or asked):
                latest = MEAL_WINDOWS[meals[0]][1] - _MEAL_MIN[meals[0]] - _TO_TABLE_MIN
                limit = min(latest, deadline)
            if self._visit(state, number, style, limit, deadline, home, seen):
                seen += 1
                continue
            if not meals or not (eats or asked):
                return
            meal = meals.pop(0)
            anything = eats and meal != "breakfast"
            self._eat(state, number, style, meal, deadline, home, anything=anything)

    def _visit(
        self, state: _BuildState, number: int, style: Style, limit: int, deadline: int,
        home: dict[str, Ints], seen: int,
    ) -> bool:  # fmt: skip
        """Add the best visit that ends by ``limit``; visits to required sights come first."""
        opens, closes = self.sights.opening(self.offers.request.date(number))
        stays = np.minimum(self.sights.stays, style.longest_min)
        wanted = self._find_wanted(state, "attraction")
        tries = [wanted] if wanted is not None else []
        if seen < style.visits:
            tries.append(np.ones(len(self.sights.places), dtype=bool))
        for mask in tries:
            free = mask.copy()
            free[list(state.sights)] = False
            found = self._best(
                state, "attraction", style, free, (opens, closes, stays),
                (limit, deadline), home,
            )  # fmt: skip
            if found is not None:
                at, mode, start = found
                self._go(state, "attraction", "attraction", at, mode, start, int(stays[at]))
                return True
        return False

    def _eat(
        self, state: _BuildState, number: int, style: Style, meal: str, deadline: int,
        home: dict[str, Ints], *, anything: bool,
    ) -> None:  # fmt: skip
        begins, ends = MEAL_WINDOWS[meal]
        opens, closes = self.tables.opening(self.offers.request.date(number))
        stays = np.full(len(self.tables.places), _MEAL_MIN[meal], dtype=np.int64)
        wanted = self._find_wanted(state, "restaurant")
        tries = [wanted] if wanted is not None else []
        if anything:
            tries.append(np.ones(len(self.tables.places), dtype=bool))
        for mask in tries:
            free = mask.copy()
            free[list(state.tables)] = False
            times = (np.maximum(opens, begins), np.minimum(closes, ends), stays)
            found = self._best(state, "restaurant", style, free, times, (deadline, deadline), home)
            if found is not None:
                at, mode, start = found
                self._go(state, "restaurant", meal, at, mode, start, _MEAL_MIN[meal])
                return

    def _find_wanted(self, state: _BuildState, kind: str) -> NDArray[np.bool_] | None:
        """Return the places that meet an open requirement, or None if no requirement is open."""
        names = {name for demand in state.demands if demand.kind == kind for name in demand.names}
        if not names:
            return None
        return np.array([place.name in names for place in self.maps[kind].places], dtype=bool)

    def _best(
        self, state: _BuildState, kind: str, style: Style, free: NDArray[np.bool_],
        times: tuple[Ints, Ints, Ints], until: tuple[int, int], home: dict[str, Ints],
    ) -> tuple[int, Mode, int] | None:  # fmt: skip
        """Return the place and mode that cost the least time and money, and when the stay starts.

        ``until`` gives two limits in minutes: one for the end of the stay, and one for reaching the
        place where the day ends.
        """
        opens, closes, stays = times
        people = self.offers.request.people
        places = self.maps[kind]
        travel = places.travel(state.point, self.offers.modes, people)
        starts = np.maximum(state.minute + travel.minutes, opens)
        ends = starts + stays
        waits = starts - state.minute - travel.minutes
        fits = free & (ends <= closes) & (ends <= until[0]) & (ends + home[kind] <= until[1])
        if kind == "attraction":
            fits = fits & (waits <= style.wait_min)
        if not fits.any():
            return None
        money = travel.cents + places.prices * people
        score = travel.minutes + waits * 0.5 + money / style.cents_a_minute
        score = np.where(fits, score, np.inf)
        mode, at = np.unravel_index(int(score.argmin()), score.shape)
        return int(at), self.offers.modes[int(mode)], int(starts[mode, at])

    def _go(
        self, state: _BuildState, kind: str, meal: str, at: int, mode: Mode, start: int, stay: int
    ) -> None:
        """Move to a place, stay there, and remove the requirements that the place meets."""
        place = self.maps[kind].places[at]
        assert place.point is not None
        ends = (state.name, state.point), (place.name, place.point)
        legs = self.world.network.way(*ends, state.minute, mode)
        assert legs is not None
        people = self.offers.request.people
        state.activities.append(
            Activity.model_construct(
                type=meal,
                start_time=start,
                end_time=start + stay,
                position=place.name,
                price=place.price_cents,
                cost=(place.price_cents or 0) * people,
                tickets=people if kind == "attraction" else None,
                transports=transports_of(legs, people),
            )
        )
        (state.sights if kind == "attraction" else state.tables).add(at)
        state.demands = [d for d in state.demands if d.kind != kind or place.name not in d.names]
        state.name, state.point, state.minute = place.name, place.point, start + stay

    def _way(
        self, state: _BuildState, end: tuple[str, Point], deadline: int, style: Style
    ) -> list[Leg] | None:
        """Return the best route that reaches the day's last place in time; return None if no route
        does.
        """
        if state.name == end[0]:
            return []
        people = self.offers.request.people
        found = []
        for number, mode in enumerate(self.offers.modes):
            legs = self.world.network.way((state.name, state.point), end, state.minute, mode)
            if legs and legs[-1].end_min <= deadline:
                money = sum(leg_cost_cents(leg, people) for leg in legs)
                minutes = legs[-1].end_min - state.minute
                found.append((minutes + money / style.cents_a_minute, number, legs))
        return min(found, key=lambda entry: entry[:2])[2] if found else None


def _has_meals(state: _BuildState) -> bool:
    return {"lunch", "dinner"} <= {activity.type for activity in state.activities}


def cost_cents(plan: Plan) -> int:
    """Return the total cost in cents of all activities and all travel."""
    return sum(a.cost + sum(leg.cost for leg in a.transports) for _, a in plan.activities())
