"""Every break of a good plan is caught by its constraint and by no other; near misses pass."""

from __future__ import annotations

import functools
from collections import Counter

import pytest

from tests.counterexamples import broken_times, broken_trips  # noqa: F401 - they register
from tests.counterexamples.trips import BREAKS, NEAR_MISSES, Break, Mutation, Trip
from tests.support.validators.plans.invented import request, world
from validators.plans.check import Report, check_json
from validators.plans.solve import solve
from validators.plans.verdicts import ENVIRONMENT

TRIPS = [(1, 2), (2, 1), (3, 3), (4, 5), (5, 2)]
SEEDS = range(3)


@functools.cache
def good(days: int, people: int) -> Trip:
    """A solved trip of the invented city."""
    asked, city = request(days, people), world()
    outcome = solve(asked, city, None)
    assert outcome.plan is not None
    return Trip(outcome.plan.to_json(), city, asked)


def report_of(trip: Trip) -> Report:
    return check_json(trip.plan, trip.world, trip.request)


def failed(report: Report) -> set[str]:
    """Failures of the environment and of the query; TripScore's lists sum these up."""
    return {v.constraint for v in (*report.environment, *report.query) if v.passed is False}


@pytest.mark.parametrize(("days", "people"), TRIPS)
def test_the_plans_are_good(days: int, people: int) -> None:
    assert report_of(good(days, people)).passed


@pytest.mark.parametrize("broken", BREAKS, ids=lambda b: b.name)
def test_each_break_is_caught_by_its_constraint(broken: Break) -> None:
    caught = 0
    for days, people in TRIPS:
        for seed in SEEDS:
            trip = broken.mutate(good(days, people).copy(seed))
            if trip is None:
                continue
            found = failed(report_of(trip))
            assert broken.constraint in found
            assert found <= {broken.constraint, *broken.also}
            caught += 1
    assert caught >= 3, "the invented plans have hardly a place for this break"


@pytest.mark.parametrize(
    ("name", "mutate"), NEAR_MISSES, ids=lambda v: v if isinstance(v, str) else ""
)
def test_near_misses_pass(name: str, mutate: Mutation) -> None:
    tried = 0
    for days, people in TRIPS:
        for seed in SEEDS:
            trip = mutate(good(days, people).copy(seed))
            if trip is not None:
                report = report_of(trip)
                assert report.passed, (name, report.list_failed())
                tried += 1
    assert tried >= 3


def test_every_constraint_of_the_table_has_a_break() -> None:
    covered = Counter(broken.constraint for broken in BREAKS)
    assert set(ENVIRONMENT) <= set(covered), set(ENVIRONMENT) - set(covered)
    assert len(ENVIRONMENT) == 25
