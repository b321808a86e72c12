"""The constraints of plans, and what was found of each."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

#: ChinaTravel's 25 environment constraints (table 5), in its order: id, what it asks.
ENVIRONMENT = {
    "intercity_present": "the first and the last activity are journeys between the cities",
    "intercity_exists": "number, stations and cities of each journey are in the tables",
    "intercity_details": "price and times of each journey are those of the tables",
    "intercity_cost": "a journey costs price x tickets, with a ticket for everybody",
    "way_exists": "each way through the city can be walked or ridden as it is told",
    "way_details": "price, distance and times of each way are those of the tables",
    "way_cost": "a ride costs price x tickets, a taxi price x cars for four",
    "attraction_exists": "each attraction is in the tables of the target city",
    "attraction_open": "each visit lies within the opening hours of its date",
    "attraction_price": "the price of a ticket is that of the tables",
    "attraction_cost": "a visit costs price x tickets, with a ticket for everybody",
    "attraction_repeated": "no attraction is visited twice",
    "restaurant_exists": "each restaurant is in the tables of the target city",
    "restaurant_open": "each meal lies within the opening hours of its date",
    "restaurant_price": "the price of a meal is that of the tables",
    "restaurant_cost": "a meal costs price x people",
    "restaurant_repeated": "no restaurant is visited twice",
    "meal_time": "breakfast lies in 06:00-09:00, lunch in 11:00-14:00, dinner in 17:00-20:00",
    "hotel_exists": "each hotel is in the tables of the target city",
    "hotel_room": "room type and price are those of the tables, and rooms are free",
    "hotel_cost": "a night costs price x rooms",
    "hotel_needed": "every night between two days is spent in a hotel",
    "duration": "each activity has a start and an end, the end after the start",
    "order": "activities and ways follow each other in time",
    "connected": "where the place changes, the way from the one to the other is told",
}  # fmt: skip
#: TripScore's format and commonsense constraints (table 2).
TRIPSCORE = {
    "response_format": "the plan has the form asked for, one entry a day",
    "information_verified": "every place and journey is in the tables",
    "information_accurate": "names, times and prices are those of the tables",
    "information_relevant": "each place is used as what it is",
    "complete": "journeys both ways, and a hotel for every night with beds for all",
    "chronological": "activities are in the order of time",
    "location": "every activity lies where the traveller is",
    "operating_hours": "attractions are visited while they are open",
    "block_out": "nothing is planned between departure and arrival",
    "transport_consistent": "journeys lead from the start to the target and back, once each",
}
#: Constraints that TripScore's lists sum up.
SUMS = {
    "information_verified": (
        "intercity_exists", "attraction_exists", "restaurant_exists", "hotel_exists",
    ),
    "information_accurate": (
        "intercity_details", "way_details", "attraction_price", "restaurant_price", "hotel_room",
    ),
    "chronological": ("order",),
    "operating_hours": ("attraction_open",),
}  # fmt: skip
#: Ours: that the plan answers the query at all.
ANSWERS = {"request": "cities, days and people are those of the query"}
CATALOGUE = {**ENVIRONMENT, **TRIPSCORE, **ANSWERS}


@dataclass(frozen=True)
class Verdict:
    """One constraint: passed, failed, or None where the snapshot does not tell."""

    constraint: str
    passed: bool | None
    reasons: tuple[str, ...] = ()


@dataclass
class Findings:
    """What speaks against constraints, gathered while a plan is read."""

    failures: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    doubts: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def fail(self, constraint: str, where: str, why: str) -> None:
        """Something is wrong."""
        assert constraint in CATALOGUE, constraint
        self.failures[constraint].append(f"{where}: {why}")

    def doubt(self, constraint: str, where: str, why: str) -> None:
        """Something cannot be told."""
        assert constraint in CATALOGUE, constraint
        self.doubts[constraint].append(f"{where}: {why}")

    def verdict(self, constraint: str) -> Verdict:
        """Failed where anything fails, unknown where anything is in doubt, else passed."""
        parts = SUMS.get(constraint, (constraint,))
        if failures := [reason for part in parts for reason in self.failures[part]]:
            return Verdict(constraint, False, tuple(failures))
        doubts = tuple(reason for part in parts for reason in self.doubts[part])
        return Verdict(constraint, None if doubts else True, doubts)
