"""Ways to many places at once are those that a plan's legs will have."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from tests.support.validators.plans import invented
from validators.plans.map import NEVER, Map
from warehouse.ways import MODES, leg_cost_cents


@pytest.mark.parametrize("spread", [0.05, 0.5, 4.0])
def test_minutes_and_fares_are_those_of_the_legs(spread: float) -> None:
    """To the minute, near and far: a minute less, and the plan would start before it arrives."""
    world = invented.world()
    drawn = random.Random(spread)
    model = world.places["attraction"]["sight 0"][0]
    places = tuple(
        replace(
            model, name=f"p{n}",
            point=(31.3 + drawn.uniform(-spread, spread), 120.6 + drawn.uniform(-spread, spread)),
        )
        for n in range(200)
    )  # fmt: skip
    start, people = (31.31, 120.61), 5
    travel = Map(places, world.network).travel(start, MODES, people)
    for row, mode in enumerate(MODES):
        for at, place in enumerate(places):
            assert place.point is not None
            legs = world.network.way(("", start), ("", place.point), 100, mode)
            minutes, cents = int(travel.minutes[row, at]), int(travel.cents[row, at])
            if legs is None:
                assert minutes == NEVER
                continue
            told = (legs[-1].end_min - 100, sum(leg_cost_cents(leg, people) for leg in legs))
            assert (minutes, cents) == told, (mode, place.point)
