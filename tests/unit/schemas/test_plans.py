"""Plans are read and written in the published forms, and what is wrong with them is named."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from schemas.plan_forms import (
    read_tprag,
    read_traveleval,
    write_tprag,
    write_traveleval,
)
from schemas.plans import PlanError, read_plan
from schemas.trip_forms import stops_of, trip_of_plan

PLAN: dict[str, Any] = {
    "people_number": 2, "start_city": "home", "target_city": "away",
    "itinerary": [
        {"day": 1, "activities": [
            {"type": "train", "start_time": "07:00", "end_time": "09:15", "start": "h", "end": "s",
             "TrainID": "G1", "price": 99.5, "cost": 199, "tickets": 2, "transports": []},
            {"type": "attraction", "start_time": "10:00", "end_time": "12:00", "position": "park",
             "price": 40, "cost": 80, "tickets": 2, "transports": [
                {"start": "s", "end": "a-地铁站", "mode": "walk", "start_time": "09:15",
                 "end_time": "09:20", "price": 0, "cost": 0, "distance": 0.41},
                {"start": "a-地铁站", "end": "b-地铁站", "mode": "metro", "start_time": "09:20",
                 "end_time": "09:40", "price": 3, "cost": 6, "distance": 8.123, "tickets": 2},
                {"start": "b-地铁站", "end": "park", "mode": "walk", "start_time": "09:40",
                 "end_time": "09:45", "price": 0, "cost": 0, "distance": 0.4}]},
            {"type": "accommodation", "start_time": "22:00", "end_time": "24:00", "position": "inn",
             "price": 300, "cost": 300, "rooms": 1, "room_type": 1, "transports": [
                {"start": "park", "end": "inn", "mode": "taxi", "start_time": "21:00",
                 "end_time": "21:10", "price": 20.5, "cost": 20.5, "distance": 5.0, "cars": 1}]}]},
        {"day": 2, "activities": [
            {"type": "breakfast", "start_time": "07:00", "end_time": "07:30", "position": "inn",
             "price": 0, "cost": 0, "transports": []},
            {"type": "airplane", "start_time": "20:00", "end_time": "22:00", "start": "p",
             "end": "h", "FlightID": "XX1", "price": 500, "cost": 1000, "tickets": 2,
             "transports": []}]},
    ],
}  # fmt: skip


def changed(*path: Any, value: Any = None, drop: bool = False) -> dict[str, Any]:
    plan = copy.deepcopy(PLAN)
    inner: Any = plan
    for step in path[:-1]:
        inner = inner[step]
    if drop:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return plan


FIRST = ("itinerary", 0, "activities", 0)
SECOND = ("itinerary", 0, "activities", 1)


class TestChinaTravel:
    def test_round_trip(self) -> None:
        assert read_plan(PLAN).to_json() == PLAN
        assert json.loads(read_plan(PLAN).to_text()) == PLAN

    def test_money_is_cents_and_distance_metres_in_memory(self) -> None:
        sight = read_plan(PLAN).itinerary[0].activities[1]
        assert sight.cost == 8000
        assert sight.transports[1].distance == pytest.approx(8123)

    @pytest.mark.parametrize(
        ("plan", "problem"),
        [
            ([], "the plan: must be an object, not list"),
            ({}, "people_number: is missing"),
            (changed("people_number", value="2"), "people_number: "),
            (changed("itinerary", value=[]), "itinerary: "),
            (changed("itinerary", 1, "day", value=0), "itinerary[1].day: "),
            (changed(*FIRST, "TrainID", drop=True), "activities[0]: train needs TrainID"),
            (changed(*FIRST, "position", value="x"), "activities[0]: train has no position"),
            (changed(*SECOND, "position", drop=True), "activities[1]: attraction needs position"),
            (changed(*SECOND, "type", value="nap"), "activities[1].type: "),
            (
                changed(*SECOND, "end_time", value="25:00"),
                "end_time: must be a clock time from 00:00",
            ),
            (
                changed(*SECOND, "start_time", value="9:00"),
                "start_time: must be a clock time HH:MM",
            ),
            (changed(*SECOND, "price", value=-1), "price: must be an amount in yuan"),
            (changed(*SECOND, "cost", value=float("inf")), "cost: must be an amount in yuan"),
            (changed(*SECOND, "cost", value="80"), "cost: must be a number"),
            (changed(*SECOND, "tickets", value=1.5), "activities[1].tickets: "),
            (changed(*SECOND, "transports", drop=True), "activities[1].transports: is missing"),
            (changed(*SECOND, "transports", 1, "mode", value="bus"), "transports[1].mode: "),
            (changed(*SECOND, "transports", 0, "distance", value=-1), "transports[0].distance: "),
        ],
    )
    def test_the_element_and_the_reason(self, plan: Any, problem: str) -> None:
        with pytest.raises(PlanError) as error:
            read_plan(plan)
        assert any(problem in found for found in error.value.problems), error.value.problems


class TestOtherForms:
    def test_tprag_round_trip(self) -> None:
        form = {
            "Day 1": [{"POI name": "park", "Start visit time": "09:00", "End visit time": "10:30"}],
            "Day 2": [],
            "Day 3": [{"POI name": "hall", "Start visit time": "", "End visit time": ""}],
        }
        assert write_tprag(read_tprag(form)) == form

    def test_the_visits_of_a_whole_plan(self) -> None:
        days = write_tprag(stops_of(trip_of_plan(read_plan(PLAN))))
        assert [visit["POI name"] for visit in days["Day 1"]] == ["park"]
        assert days["Day 2"] == []

    def test_traveleval_keeps_the_stops(self) -> None:
        plan = read_plan(PLAN)
        form = write_traveleval(plan, "u1", ["2026-03-11", "2026-03-12"], 5000)
        read = read_traveleval(json.loads(json.dumps(form)))
        assert read.query_id == "u1"
        assert [s.name for s in read.visits()] == ["park"]
        assert form["itinerary"]["cost_breakdown"]["total"] == pytest.approx(
            199 + 80 + 6 + 300 + 20.5 + 1000
        )

    @pytest.mark.parametrize(
        ("form", "problem"),
        [
            ({}, "must be an object with the days"),
            ({"Day 2": []}, "must be numbered from 1"),
            ({"Tuesday": []}, "Tuesday: must be a day 'Day N'"),
            ({"Day 1": [{"name": "x"}]}, "Day 1[0]: must be an object with a string 'POI name'"),
            (
                {"Day 1": [{"POI name": "x", "Start visit time": "late"}]},
                "Day 1[0].Start visit time",
            ),
        ],
    )
    def test_tprag_problems(self, form: Any, problem: str) -> None:
        with pytest.raises(PlanError, match=problem.replace("[", r"\[")):
            read_tprag(form)

    @pytest.mark.parametrize(
        ("form", "problem"),
        [
            ({"itinerary": {}}, "daily_plans: must be a non-empty list of days"),
            (
                {"itinerary": {"daily_plans": [{"day": 1}]}},
                "must be an object with a list 'activities'",
            ),
            ({"itinerary": {"daily_plans": [{"day": 2, "activities": []}]}}, "day: must be 1"),
            (
                {"itinerary": {"daily_plans": [{"day": 1, "activities": [{"type": "meal"}]}]}},
                "location_name: is missing",
            ),
        ],
    )
    def test_traveleval_problems(self, form: Any, problem: str) -> None:
        with pytest.raises(PlanError, match=problem):
            read_traveleval(form)


values = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=6),
        st.sampled_from(["24:00", "99:99", "Day 1", 10**400]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)  # fmt: skip


def _paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path] if path else []
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, inner in items:
        found += _paths(inner, (*path, key))
    return found


def attempt(read: Any, value: Any) -> tuple[Any, list[str]]:
    """What is read, or the problems; every other exception is a failure."""
    try:
        return read(value), []
    except PlanError as error:
        return None, error.problems


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(_paths(PLAN)), values)
@example(("itinerary", 0, "activities", 1, "transports", 1, "distance"), 0.0078125)
def test_a_plan_is_read_or_its_problems_are_named(path: tuple[Any, ...], value: Any) -> None:
    plan, problems = attempt(read_plan, changed(*path, value=value))
    assert bool(problems) == (plan is None)
    assert plan is None or read_plan(plan.to_json()) == plan


@settings(max_examples=40, deadline=None)
@given(values, st.sampled_from([read_plan, read_tprag, read_traveleval]))
def test_anything_at_all_is_no_traceback(value: Any, read: Any) -> None:
    inner = {
        "itinerary": {"daily_plans": [{"day": 1, "activities": [value], "ending_point": value}]}
    }
    for form in (value, {"itinerary": value}, {"Day 1": value}, {"Day 1": [value]}, inner):
        found, problems = attempt(read, form)
        assert bool(problems) == (found is None)
