"""Plans of every form as one model, and plans that no form fits: told in words, bounded."""

from __future__ import annotations

import copy
import time
from typing import Any

import pytest

from schemas.plan_forms import write_traveleval
from schemas.plans import PlanError, read_plan
from schemas.trip_forms import form_of, read_trip
from schemas.trips import Event, Rooms

WAY = {
    "start": "station", "end": "museum", "mode": "taxi", "start_time": "10:00", "end_time": "10:10",
    "price": 20, "cost": 20, "distance": 3, "cars": 1,
}  # fmt: skip
CHINATRAVEL: dict[str, Any] = {
    "people_number": 2,
    "start_city": "上海",
    "target_city": "杭州",
    "itinerary": [
        {
            "day": 1,
            "activities": [
                {
                    "type": "train",
                    "start": "home",
                    "end": "station",
                    "TrainID": "G1",
                    "start_time": "08:00",
                    "end_time": "10:00",
                    "price": 100,
                    "cost": 200,
                    "tickets": 2,
                    "transports": [],
                },
                {
                    "type": "attraction",
                    "position": "museum",
                    "start_time": "10:10",
                    "end_time": "12:00",
                    "price": 50,
                    "cost": 100,
                    "tickets": 2,
                    "transports": [WAY],
                },
                {
                    "type": "accommodation",
                    "position": "inn",
                    "start_time": "20:00",
                    "end_time": "24:00",
                    "price": 300,
                    "cost": 300,
                    "rooms": 1,
                    "room_type": 2,
                    "transports": [],
                },
            ],
        },
        {"day": 2, "activities": []},
    ],
}
TRIPTAILOR: dict[str, Any] = {
    "hotel": [{"name": "inn", "price_per_night": 300}],
    "transportation": [{"mode": "Train", "number": "G1", "time": "08:00-10:00", "price": 100}],
    "itinerary": {
        "Day 1": [
            {"action": "sightseeing", "location": "museum", "time": "10:10–12:00", "price": 50},
            {"action": "dining", "location": "table", "time": "18:00-19:00", "price": 60},
        ],
        "Day 2": [],
    },
}  # fmt: skip
TPRAG = {"Day 1": [{"POI name": "museum", "Start visit time": "10:10", "End visit time": "12:00"}]}


def traveleval() -> dict[str, Any]:
    return write_traveleval(read_plan(CHINATRAVEL), "q", ["2026-03-11", "2026-03-12"], 1000.0)


def sight(event: Event) -> tuple[object, ...]:
    return event.day, event.name, event.start_min, event.end_min


class TestForms:
    @pytest.mark.parametrize(
        ("value", "form"),
        [
            (CHINATRAVEL, "chinatravel"), (traveleval(), "traveleval"), (TRIPTAILOR, "triptailor"),
            (TPRAG, "tprag"),
        ],
    )  # fmt: skip
    def test_one_visit_in_every_form(self, value: dict[str, Any], form: str) -> None:
        trip = read_trip(value)
        assert (trip.form, form_of(value)) == (form, form)
        assert [sight(event) for event in trip.sights()] == [(1, "museum", 610, 720)]

    def test_both_large_forms_tell_the_same(self) -> None:
        ours, theirs = read_trip(CHINATRAVEL), read_trip(traveleval())
        assert ours.rooms == theirs.rooms == (Rooms("double", 1, 300.0, 1),)
        assert (ours.hotel, ours.nights, ours.people) == (
            theirs.hotel,
            theirs.nights,
            theirs.people,
        )
        for one, other in zip(ours.journeys, theirs.journeys, strict=True):
            assert (
                one.start_min,
                one.end_min,
                one.price,
                one.tickets,
                one.vehicle,
                one.number,
            ) == (
                other.start_min,
                other.end_min,
                other.price,
                other.tickets,
                other.vehicle,
                other.number,
            )
        ways = [trip.sights()[0].way for trip in (ours, theirs)]
        assert [(w.cost, w.seats, w.cars, w.minutes) for w in ways if w] == [
            (20.0, 4.0, 1.0, 10)
        ] * 2

    def test_days_start_where_the_one_before_ended(self) -> None:
        assert [day.starts_at for day in read_trip(CHINATRAVEL).days] == ["home", "inn"]

    def test_meals_by_the_hour(self) -> None:
        assert [event.kind for event in read_trip(TRIPTAILOR).meals()] == ["dinner"]

    @pytest.mark.parametrize(
        ("start", "end", "minutes"),
        [(600, 660, 60), (1380, 60, 120), (630, 615, 0), (600, None, None)],
    )
    def test_durations(self, start: int, end: int | None, minutes: int | None) -> None:
        assert Event(1, "attraction", "x", start, end).minutes == minutes


def broken(where: list[Any], value: Any) -> dict[str, Any]:
    plan: Any = copy.deepcopy(traveleval())
    at = plan
    for key in where[:-1]:
        at = at[key]
    at[where[-1]] = value
    return dict(plan)


DAY = ["itinerary", "daily_plans", 0]


class TestBadInput:
    @pytest.mark.parametrize(
        ("value", "told"),
        [
            ([], "must be an object"),
            ({}, "days 'Day 1'"),
            ({"itinerary": {}}, "daily_plans: must be a non-empty list"),
            (
                broken([*DAY, "activities", 1, "start_time"], "25:61"),
                "activities[1].start_time: not a clock time",
            ),
            (
                broken([*DAY, "activities", 1, "cost"], "much"),
                "activities[1].cost: must be a number",
            ),
            (
                broken([*DAY, "activities", 1, "transportation_cost"], True),
                "must be a number, not 'True'",
            ),
            (broken([*DAY, "activities", 1, "cost"], 1e300), "must be a number"),
            (
                broken(["itinerary", "accommodation", "room_type"], "two"),
                "room_type: must be a list",
            ),
            (
                broken(["itinerary", "accommodation", "room_type"], ["x"]),
                "room_type[0]: must be an object",
            ),
            (
                broken(["itinerary", "summary", "total_travelers"], "NaN"),
                "total_travelers: must be a number",
            ),
            (TRIPTAILOR | {"hotel": "inn"}, "hotel: must be a list of objects"),
            (
                TRIPTAILOR | {"itinerary": {"Day 1": [{"action": "dining"}]}},
                "Day 1[0].location: is missing",
            ),
            (TRIPTAILOR | {"itinerary": {}}, "itinerary: must be a non-empty object"),
            (
                TRIPTAILOR | {"transportation": [{"mode": "Train", "time": "25:61"}]},
                "transportation[0].time",
            ),
        ],
    )
    def test_problems_name_their_element(self, value: Any, told: str) -> None:
        with pytest.raises(PlanError) as caught:
            read_trip(value)
        assert told in str(caught.value)

    def test_ten_thousand_activities_are_read(self) -> None:
        plan = traveleval()
        activities = plan["itinerary"]["daily_plans"][0]["activities"]
        activities += [activities[1]] * 10_000
        began = time.process_time()
        assert len(read_trip(plan).sights()) == 10_001
        assert time.process_time() - began < 5
