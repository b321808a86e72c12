"""Solved plans in ChinaTravel's published form, to the field."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import jsonschema
import pytest

from tests.support.validators.plans.invented import request, world
from tests.support.validators.plans.published_form import PUBLISHED_FORM
from validators.plans.solve import solve

FORM = jsonschema.Draft7Validator(PUBLISHED_FORM)


def plan_of(days: int, people: int) -> dict[str, Any]:
    plan = solve(request(days, people), world(), None).plan
    assert plan is not None
    return plan.to_json()


@pytest.mark.parametrize(("days", "people"), [(1, 2), (2, 1), (3, 3), (4, 5), (5, 2)])
def test_a_solved_plan_has_the_form_and_its_ways_lead_on(days: int, people: int) -> None:
    plan = plan_of(days, people)
    assert [error.message for error in FORM.iter_errors(plan)] == []
    for day in plan["itinerary"]:
        for activity in day["activities"]:
            ways = activity["transports"]
            assert all(a["end"] == b["start"] for a, b in pairwise(ways))
            times = [t for way in ways for t in (way["start_time"], way["end_time"])]
            assert times == sorted(times)
            if ways:
                assert ways[-1]["end"] == activity.get("start", activity.get("position"))
                assert times[-1] <= activity["start_time"]


@pytest.mark.parametrize(
    ("field", "value"),
    [("cost", "12"), ("start_time", "8:00"), ("TrainID", None), ("position", "x"), ("type", "bus")],
)
def test_the_form_refuses_other_plans(field: str, value: Any) -> None:
    plan = plan_of(2, 1)
    journey = plan["itinerary"][0]["activities"][0]
    journey.pop(field, None)
    if value is not None:
        journey[field] = value
    assert list(FORM.iter_errors(plan))
