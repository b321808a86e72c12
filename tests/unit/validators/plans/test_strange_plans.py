"""Plans as people write them who do not know the checker: the verdict, and its words."""

from __future__ import annotations

import copy
import datetime as dt
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from tests.support.validators.plans import invented
from validators.plans.check import Report, check_json
from validators.plans.request import Request
from validators.plans.solve import solve
from validators.plans.world import Journey, World
from warehouse.opening import Hours

Plan = dict[str, Any]


@cache
def _solved(days: int, people: int) -> Plan:
    plan = solve(invented.request(days, people), invented.world()).plan
    assert plan is not None
    return plan.to_json()


def checked(
    change: Callable[[Plan], None], days: int = 3, people: int = 2, world: World | None = None,
    request: Request | None = None,
) -> Report:  # fmt: skip
    plan = copy.deepcopy(_solved(days, people))
    change(plan)
    return check_json(plan, world or invented.world(), request or invented.request(days, people))


def activities(plan: Plan, day: int, *kinds: str) -> list[Plan]:
    found = plan["itinerary"][day - 1]["activities"]
    return [a for a in found if not kinds or a["type"] in kinds]


def said(report: Report, constraint: str) -> str:
    """The reasons of a constraint that failed; empty where it did not."""
    return "; ".join(
        reason
        for verdict in report.verdicts
        if verdict.constraint == constraint and verdict.passed is False
        for reason in verdict.reasons
    )


def _overnight(departs: int, arrives: int) -> tuple[World, Callable[[Plan], None]]:
    """A world with a train of more than a day or of a night, and the change that takes it."""
    world = invented.world()
    train = Journey(
        "train", "K1", invented.HOME, invented.AWAY, "home station", "west station",
        departs, arrives, 5000,
    )  # fmt: skip

    def change(plan: Plan) -> None:
        hours = [f"{m % 1440 // 60:02d}:{m % 60:02d}" for m in (departs, arrives)]
        activities(plan, 1)[0].update(
            TrainID="K1", start_time=hours[0], end_time=hours[1], price=50, cost=100
        )

    return replace(world, journeys=[*world.journeys, train]), change


class TestJourneys:
    def test_a_train_of_25_hours_is_none_of_one_hour(self) -> None:
        """Its clock times alone look like a morning's ride."""
        world, change = _overnight(360, 1440 + 420)
        report = checked(change, world=world)
        assert "arrives on the next day" in said(report, "duration")
        assert said(report, "intercity_details") == ""

    def test_a_night_train_is_told_once(self) -> None:
        world, change = _overnight(22 * 60, 1440 + 380)
        told = said(checked(change, world=world), "duration")
        assert "arrives on the next day" in told
        assert "not after the start" not in told

    def test_a_train_that_arrives_at_midnight_is_of_its_day(self) -> None:
        world, change = _overnight(21 * 60, 1440)

        def late(plan: Plan) -> None:
            change(plan)
            activities(plan, 1)[0]["end_time"] = "24:00"

        assert said(checked(late, world=world), "duration") == ""

    def test_a_return_that_leaves_before_the_arrival(self) -> None:
        def swap(plan: Plan) -> None:
            first, last = activities(plan, 1)[0], activities(plan, 1)[-1]
            plan["itinerary"][0]["activities"] = [first, last]
            first["start_time"], first["end_time"] = "20:00", "21:30"
            last["transports"] = []

        report = checked(swap, days=1)
        assert "busy until 21:30" in said(report, "order")
        assert said(report, "block_out") != ""


class TestNights:
    @pytest.mark.parametrize(
        ("values", "constraint", "words"),
        [
            (
                {"room_type": None},
                "hotel_room",
                "the room type is missing: choose one of 1 king, 2 double",
            ),
            ({"room_type": 9}, "hotel_room", "the room type 9 is unknown"),
            ({"room_type": 4}, "hotel_room", "has no rooms of type family (4)"),
            ({"rooms": None}, "hotel_room", "the number of rooms is missing"),
            ({"rooms": 0, "cost": 0}, "hotel_room", "the number of rooms is missing"),
        ],
    )
    def test_rooms_that_are_not_told(self, values: Plan, constraint: str, words: str) -> None:
        def change(plan: Plan) -> None:
            (night,) = activities(plan, 1, "accommodation")
            night.update(values)
            for name in [name for name, value in values.items() if value is None]:
                del night[name]

        report = checked(change)
        assert words in said(report, constraint)
        assert said(report, "hotel_cost") == ""

    def test_two_rooms_for_six(self) -> None:
        def change(plan: Plan) -> None:
            for day in (1, 2):
                (night,) = activities(plan, day, "accommodation")
                night.update(room_type=2, rooms=2)

        assert "day 1: the rooms have only 4 beds for 6 people" in said(
            checked(change, people=6), "complete"
        )

    def test_a_day_trip_needs_no_hotel(self) -> None:
        assert checked(lambda plan: None, days=1).passed

    @pytest.mark.parametrize(("begins", "passes"), [("23:59", True), ("00:30", False)])
    def test_a_late_arrival(self, begins: str, passes: bool) -> None:
        def change(plan: Plan) -> None:
            activities(plan, 1, "accommodation")[0]["start_time"] = begins

        report = checked(change)
        assert report.passed is passes
        assert ("the activity starts at 00:30, but" in said(report, "order")) is not passes


class TestMeals:
    def test_no_meal_at_all_is_no_fault(self) -> None:
        def change(plan: Plan) -> None:
            for day in plan["itinerary"][1:]:
                if day["activities"][0]["type"] == "breakfast":
                    del day["activities"][0]

        report = checked(change)
        assert report.passed
        assert not any(v.passed is False for v in report.verdicts)

    def test_breakfast_is_free_for_guests_only(self) -> None:
        """A hotel where nobody slept, and the first morning, before any night."""

        def elsewhere(plan: Plan) -> None:
            (meal,) = activities(plan, 2, "breakfast")
            meal["position"] = "inn 2" if meal["position"] != "inn 2" else "inn 1"

        told = said(checked(elsewhere), "restaurant_price")
        assert (
            "only guests of a hotel can have breakfast there, but the travellers spend the "
            "previous night at inn" in told
        )

        def too_early(plan: Plan) -> None:
            (meal,) = activities(plan, 2, "breakfast")
            plan["itinerary"][0]["activities"].insert(1, copy.deepcopy(meal))

        told = said(checked(too_early), "restaurant_price")
        assert "the plan has no hotel for the night before" in told

    def test_breakfast_after_each_night_of_another_hotel(self) -> None:
        """Who changes hotels in the middle has breakfast where the night was."""

        def change(plan: Plan) -> None:
            inns = [activities(plan, day, "accommodation")[0]["position"] for day in (1, 2)]
            other = "inn 2" if inns[1] != "inn 2" else "inn 1"
            activities(plan, 2, "accommodation")[0]["position"] = other
            activities(plan, 3, "breakfast")[0]["position"] = other

        assert said(checked(change), "restaurant_price") == ""


def test_hours_that_name_the_public_holiday() -> None:
    """Open daily but on public holidays: a visit on National Day fails, the day before passes."""
    world = invented.world()
    sights = {
        name: [replace(found[0], hours=Hours.of("08:00-18:00; PH off", None))]
        for name, found in world.places["attraction"].items()
    }
    shut = replace(world, places={**world.places, "attraction": sights})
    for first, open_ in ((dt.date(2026, 9, 29), True), (dt.date(2026, 10, 1), False)):
        request = replace(invented.request(2), start_date=first)
        report = checked(lambda plan: None, days=2, world=shut, request=request)
        told = said(report, "attraction_open")
        assert (told == "") is open_
        assert open_ or "hours on 2026-10-01: closed" in told


class TestADay:
    """Trips of a single day with little time between the journeys."""

    @staticmethod
    def _world(arrives: int, departs: int, leaves_from: str = "west station") -> World:
        world = invented.world()
        journeys = [
            Journey(
                "train",
                "G1",
                invented.HOME,
                invented.AWAY,
                "home station",
                "west station",
                400,
                arrives,
                100,
            ),
            Journey(
                "train",
                "G2",
                invented.AWAY,
                invented.HOME,
                leaves_from,
                "home station",
                departs,
                departs + 90,
                100,
            ),
        ]
        hubs = {**world.hubs, "far station": (31.33, 121.58)}
        return replace(world, journeys=journeys, hubs=hubs)

    def test_a_way_back_twenty_minutes_later(self) -> None:
        found = solve(invented.request(1), self._world(800, 820))
        assert (found.solvability, found.plan is not None) == ("solved", True)

    def test_a_way_back_that_has_left(self) -> None:
        found = solve(invented.request(1), self._world(800, 799))
        assert (found.solvability, found.obstacle) == ("infeasible", "journey")

    def test_a_way_back_from_a_station_too_far_away(self) -> None:
        found = solve(invented.request(1), self._world(800, 820, "far station"))
        assert (found.solvability, found.obstacle) == ("infeasible", "journey")
        assert "no station can be reached" in (found.reason or "")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda p: p.update(people_number=0),
            "people_number: must be a whole number of at least 1, not 0",
        ),
        (
            lambda p: p["itinerary"][0].update(day="1"),
            'itinerary[0].day: must be a whole number, not "1"',
        ),
        (
            lambda p: p.update(itinerary=[]),
            "itinerary: must be a non-empty list, not []",
        ),
        (lambda p: p.update(itinerary={}), "itinerary: must be a list, not {}"),
        (lambda p: p["itinerary"][0]["activities"].append(3), "must be an object, not 3"),
        (
            lambda p: p["itinerary"][0]["activities"][0].update(type="hotel"),
            "or 'accommodation', not \"hotel\"",
        ),
        (
            lambda p: p["itinerary"][0]["activities"][0].update(transports=None),
            "transports: must be a list, not null",
        ),
        (
            lambda p: p["itinerary"][0]["activities"][0].update(tickets=-1),
            "tickets: must be a whole number of at least 0, not -1",
        ),
        (
            lambda p: p.update(start_city=""),
            'start_city: must be a non-empty string, not ""',
        ),
        (
            lambda p: p["itinerary"][0]["activities"][0].update(end_time="24:01"),
            "00:00 to 24:00, not '24:01'",
        ),
    ],
)
def test_a_malformed_element_is_told_in_plain_words(
    change: Callable[[Plan], Any], words: str
) -> None:
    def changed(plan: Plan) -> None:
        change(plan)

    report = checked(changed)
    assert words in said(report, "response_format")
