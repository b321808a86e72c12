"""Choose a restaurant for each meal: close to the route, at a price that suits the level of
comfort, and with a new cuisine.
"""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from schemas.money import YUAN
from schemas.word_lists import Lists
from validators.plans.check_places import MEAL_WINDOWS
from validators.plans.comfort import Level, Riders
from validators.plans.map import Ints, Map
from validators.plans.offers import Demand
from validators.plans.outing import EARLIEST, Seat
from validators.plans.trip import TripRequest
from validators.plans.world import Place
from warehouse.ways import Point

#: The cuisines that are no lunch or dinner unless the query asks for them.
NO_MEAL = frozenset({"小吃", "面包甜点", "快餐简餐", "茶馆/茶室", "咖啡店", "酒吧/酒馆", "其他"})
#: The cuisines that can be a meal if the party has little money.
SNACKS = frozenset({"小吃", "快餐简餐"})
#: Each of these counts as much as this number of minutes of travel: a cuisine eaten before (up to
#: five times), the city's own cuisine, a wished cuisine that has not had its share of the meals, a
#: restaurant that must be in the plan, a place that serves no meals, and such a place if snacks may
#: replace a meal.
_AGAIN, _LOCAL, _WISHED, _DEMANDED, _NO_MEAL, _SNACK = 18, 25, 150, 400, 120, 25
#: The factor by which a restaurant counts more if it must be in the plan but was left out because
#: of the way to it.
_PRESSING = 50
#: The additional minutes for a wished cuisine that has had no meal yet.
_FIRST_TIME = 60
#: The penalty in minutes for a foreign cuisine, which nobody travels for, unless the query wishes
#: for it.
_ABROAD_MIN = 20
_CUISINES = Lists("validators.plans").table("cuisines")
_ABROAD = frozenset(name for name, origin in _CUISINES if origin == "abroad")
#: The cuisines that are not local to any city.
_ANYWHERE = frozenset(name for name, _ in _CUISINES)
#: Of every ``_MEALS`` meals, ``_OF_WISHED`` are of the cuisines that the query wishes for.
_MEALS, _OF_WISHED = 3, 2
#: The names of bars and similar places, whatever cuisine the table states.
_NO_MEAL_NAMES = re.compile(Lists("validators.plans").either("no_meal_words"))
#: The penalty in minutes for a price of twice the level's. A price of half the level's counts a
#: quarter as much, or half as much if the level's dinner costs at least the second number (cents).
_DEAR, _AMPLE_CENTS = 60, 14_000
#: The penalty in minutes for another branch of a restaurant from an earlier meal.
_SAME_HOUSE = 60
#: The penalty in minutes for a dish that was eaten before (counted at most twice), and for the same
#: dish or the same cuisine twice a day.
_SAME_DISH, _TWICE_A_DAY, _SAME_DAY = 25, 150, 30
_DISHES = tuple(
    (f"#{dish}", re.compile(words)) for dish, words in Lists("validators.plans").table("dishes")
)
#: The characters after which a restaurant's name states the branch.
_HOUSE = re.compile(r"[(（·]")


#: The restaurants of the meals so far, what was eaten there, and the demands that are still open.
State = tuple[frozenset[int], Counter[str], tuple[Demand, ...]]


@dataclass
class NearTables:
    """The restaurants for a trip and the meals so far.

    With ``pressing``, a required restaurant is chosen regardless of distance.
    """

    places: Map
    nodes: Map
    trip: TripRequest
    level: Level
    riders: Riders
    demands: list[Demand]
    meal_min: int
    pressing: bool = False
    when: dt.date | int | None = None
    used: set[int] = field(default_factory=set)
    eaten: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        at_home = self.trip.request.currency == YUAN
        self.abroad = _ABROAD if at_home else frozenset[str]()
        out = NO_MEAL | _ANYWHERE if at_home else NO_MEAL
        counts = Counter(t for place in self.places.places for t in place.types - out)
        self.local = min(counts, key=lambda t: (-counts[t], t)) if counts else None

    def seat(
        self, meal: str, point: Point | None, free: int, onward: Point | None, *,
        last: bool = False, meal_min: int | None = None,
    ) -> Seat | None:  # fmt: skip
        """Return the best restaurant for a meal, or None if no restaurant is open in time.

        ``meal_min`` is the length of the meal in minutes; the default is the usual length. ``last``
        means that the day ends after the meal, so the restaurant should be close to the place where
        the day ends.
        """
        if not self.places.places:
            return None
        to = self.riders.reach(self.places, point) if point is not None else None
        minutes = to.minutes if to is not None else np.full(len(self.places.places), 10)
        starts = -(-np.maximum(free + minutes, EARLIEST[meal]) // 5) * 5
        opens, closes = self.places.opening(self.when)
        ends = starts + (meal_min or self.meal_min)
        fits = (starts >= opens) & (ends <= np.minimum(closes, MEAL_WINDOWS[meal][1]))
        if self.used:
            fits[list(self.used)] = False
        if not fits.any():
            return None
        scores = self._scores(meal)
        if to is not None:
            scores = scores + to.scores // max(self.riders.minute_cents, 1)
        if onward is not None:
            on = self.riders.reach(self.places, onward)
            scores = scores + (1 + last) * on.scores // max(self.riders.minute_cents, 1)
        at = int(np.where(fits, scores, np.iinfo(np.int64).max).argmin())
        return self._seat(
            at, to.minutes[at] if to is not None else 10, to.modes[at] if to is not None else 0
        )

    def _seat(self, at: int, minutes: int, mode: int) -> Seat:
        point = self.places.places[at].point
        assert point is not None, "offered places are located"
        on = self.riders.reach(self.nodes, point)
        return Seat(at, int(mode), int(minutes), 0, on.minutes.tolist(), on.modes.tolist())

    def take(self, seat: Seat) -> None:
        """Record a meal at a restaurant."""
        place = self.places.places[seat.at]
        self.used.add(seat.at)
        self.eaten.update(place.types)
        self.eaten.update([_house(place.name)])
        dishes = _dishes(place.name)
        self.eaten.update([*dishes, *(self._today(x) for x in (*dishes, *sorted(place.types)))])
        self.demands = [d for d in self.demands if place.name not in d.names]

    def state(self) -> State:
        """Return the meals so far, so that ``restore`` can return to this state."""
        return frozenset(self.used), self.eaten.copy(), tuple(self.demands)

    def restore(self, state: State) -> None:
        """Restore the meals to an earlier state."""
        used, eaten, demands = state
        self.used, self.eaten, self.demands = set(used), eaten.copy(), list(demands)

    def _scores(self, meal: str) -> Ints:
        """Return each restaurant's penalty, expressed as minutes of additional travel."""
        target = self.level.lunch_cents if meal == "lunch" else self.level.dinner_cents
        prices = self.places.prices
        dear = np.maximum(prices - target, 0) * _DEAR // target
        part = 2 if self.level.dinner_cents >= _AMPLE_CENTS else 4
        cheap = np.maximum(target - prices, 0) * _DEAR // (part * target)
        return np.asarray(
            dear + cheap + np.array([self._taste(n) for n in range(len(prices))], dtype=np.int64)
        )

    def _due(self) -> bool:
        """Check whether a requested cuisine is due: at most two in three meals so far had one."""
        had = sum(self.eaten[t] for t in self.trip.list_wished("cuisine"))
        return had * _MEALS <= len(self.used) * _OF_WISHED

    def _taste(self, at: int) -> int:
        place = self.places.places[at]
        wished = place.types & self.trip.list_wished("cuisine")
        points = (
            sum(min(self.eaten[t], 2 if t == self.local else 5) for t in place.types - wished)
            * _AGAIN
        )
        points += _ABROAD_MIN * bool((place.types & self.abroad) - wished)
        if self.local in place.types:
            points -= _LOCAL
        if wished:
            had = min(self.eaten[t] for t in wished)
            points += min(3, had) * _AGAIN
            first = _FIRST_TIME * (had == 0)
            points -= first + (_WISHED if self._due() else _WISHED // 2 if first else _LOCAL)
        elif _NO_MEAL_NAMES.search(place.name):
            points += _NO_MEAL
        elif place.types <= NO_MEAL:
            points += _SNACK if self.level.snacks else _NO_MEAL
        if any(place.name in d.names for d in self.demands):
            points -= _DEMANDED * (_PRESSING if self.pressing else 1)
        points += self._sameness(place, wished)
        return points + _SAME_HOUSE * bool(self.eaten[_house(place.name)])

    def _sameness(self, place: Place, wished: frozenset[str]) -> int:
        """Return the penalty for repeated dishes and for a second meal of the same cuisine on one
        day.

        The penalty for a dish is higher if the travellers already had this dish on the same day.
        """
        points = 0
        for dish in _dishes(place.name):
            points += _SAME_DISH * min(self.eaten[dish], 2)
            points += _TWICE_A_DAY * bool(self.eaten[self._today(dish)])
        again = sum(bool(self.eaten[self._today(t)]) for t in place.types - wished - {self.local})
        return points + _SAME_DAY * again

    def _today(self, eaten: str) -> str:
        """Return the key for a dish or cuisine eaten on the current day."""
        return f"{self.when} {eaten}"


@cache
def _dishes(name: str) -> tuple[str, ...]:
    """Return the dishes that a restaurant's name mentions."""
    return tuple(dish for dish, words in _DISHES if words.search(name))


def _house(name: str) -> str:
    """Return the name that a chain's branches share, marked so that it cannot be confused with a
    cuisine.
    """
    return f"@{_HOUSE.split(name)[0].strip()}"
