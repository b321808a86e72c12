"""Sights of many kinds: a trip has few that are much alike unless these are wished for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.unit.validators.plans.test_known_first import PARKS, asked, city, seen
from validators.plans.kinds import bounds_of
from validators.plans.reference import reference


@pytest.mark.parametrize(
    ("kind", "days", "wishes", "bounds"),
    [
        ("viewpoint", 3, (), {"tower": 1}),
        ("viewpoint", 5, (), {"tower": 1}),
        ("viewpoint", 8, (), {"tower": 2}),
        ("boat", 4, ("夜经济热点",), {"boat": 1}),
        ("pool", 9, (), {"pool": 0}),
        ("viewpoint", 3, ("城市地标",), {}),
        ("library", 7, (), {"library": 0}),
        ("waterside", 5, ("自然风光",), {"park": 5, "shore": 2}),
        ("temple", 3, (), {}),
        ("show", 5, (), {"show": 2}),
        ("show", 5, ("沉浸式体验",), {}),
    ],
)
def test_like_sights_are_bounded_unless_wished_for(
    kind: str, days: int, wishes: tuple[str, ...], bounds: dict[str, int]
) -> None:
    assert bounds_of(kind, days, wishes) == bounds


@pytest.mark.parametrize(("wished", "bounded"), [("城市地标", True), ("公园", False)])
def test_a_trip_has_a_park_a_day_unless_it_is_about_parks(wished: str, *, bounded: bool) -> None:
    world, renown = city()
    base: dict[str, Any] = {p.place_id: "park" for p in PARKS}
    renown = replace(renown, base_types={**renown.base_types, **base})
    held = seen(reference(asked(4, attraction_types=[wished]), world, renown).plan)
    assert (sum("公园" in name for name in held) <= 5) is bounded
