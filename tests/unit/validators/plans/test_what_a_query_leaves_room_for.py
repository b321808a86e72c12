"""What adults are shown unasked, what a query keeps out, and what should be close to a sight."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from schemas.geo import distance_m
from tests.unit.validators.plans.test_known_first import OPEN, asked, city, seen, sight
from validators.plans.appeal import must_sees, visit_of
from validators.plans.notes import notes_of
from validators.plans.reference import _ReferenceSearch, reference
from validators.plans.renown import Renown
from validators.plans.request import make_requirement
from validators.plans.trip import trip_of
from validators.plans.world import World

ART, FUN = "美术馆/艺术馆", "游乐园/体育娱乐"


def with_best(world: World, renown: Renown, **base_types: str) -> tuple[World, Renown]:
    """The town with some sights as its best known."""
    points = {key: 950 - n for n, key in enumerate(base_types)}
    return world, replace(
        renown, points={**renown.points, **points},
        base_types={**renown.base_types, **base_types},
    )  # fmt: skip


def test_adults_see_a_zoo_that_is_among_the_best_known() -> None:
    zoo = replace(sight(44, "某某动物园", FUN), price_cents=5000)
    world, renown = with_best(*city(zoo), s44="amusement_sports")
    assert zoo.name in seen(reference(asked(4, attraction_types=[]), world, renown).plan)


@pytest.mark.parametrize(("wishes", "most"), [([ART], 1), ([FUN], 2)])
def test_adults_with_other_wishes_spend_one_day_in_a_park_of_rides(
    wishes: list[str], most: int
) -> None:
    parks = [
        replace(sight(n, name, FUN), price_cents=12_000)
        for n, name in ((44, "东方世界之园"), (45, "西山奇幻谷"))
    ]
    galleries = [sight(n, f"第{n}美术馆", ART) for n in range(50, 56)]
    world, renown = with_best(
        *city(*parks, *galleries), s44="amusement_sports", s45="amusement_sports"
    )
    held = set(seen(reference(asked(6, attraction_types=wishes), world, renown).plan))
    assert len(held & {p.name for p in parks}) == most


def test_a_theatre_is_for_the_evening() -> None:
    theatre = sight(44, "某某大剧院", "人文景观")
    _, renown = with_best(*city(theatre), s44="cultural_landscape")
    trip = trip_of(asked(3))
    assert visit_of(theatre, trip, renown, None).floor > 18 * 60


def test_what_closes_at_eight_is_seen_by_day() -> None:
    pagoda = replace(
        sight(44, "某某塔", "夜经济热点"), hours=replace(OPEN, weekly=(((480, 1200),),) * 7)
    )
    _, renown = with_best(*city(pagoda), s44="historic_site")
    trip = trip_of(asked(3))
    assert not visit_of(pagoda, trip, renown, None, strict=True).late
    assert visit_of(replace(pagoda, hours=OPEN), trip, renown, None, strict=True).late


def test_notes_name_the_best_known_that_cannot_be_planned() -> None:
    world, renown = city(
        replace(sight(44, "无时宫", "历史古迹"), hours=None), sight(45, "网红坊", "网红打卡点")
    )
    world, renown = with_best(world, renown, s44="historic_site", s45="commercial_district")
    assert {"无时宫", "网红坊"} < {p.name for p in must_sees(world.all_of("attraction"), renown)}
    trip = trip_of(asked(3))
    refused = make_requirement("attraction_type", "none", ("网红打卡点",), hard=False)
    request = replace(trip.request, requirements=(*trip.request.requirements, refused))
    plan = reference(asked(3), world, renown).plan
    assert plan is not None
    without = plan.model_copy(
        update={
            "itinerary": [
                day.model_copy(
                    update={"activities": [a for a in day.activities if a.position != "网红坊"]}
                )
                for day in plan.itinerary
            ]
        }
    )
    notes = notes_of(replace(trip, request=request), without, world, renown)
    assert any(n.startswith("无时宫") and "opening hours" in n for n in notes)
    assert any(n.startswith("网红坊") and "does not want" in n for n in notes)


def test_sights_lie_close_to_the_one_that_a_query_names() -> None:
    world, renown = city()
    corner = world.places["attraction"][max(world.places["attraction"])][0]

    def mean_m(near: str | None) -> float:
        aims: list[dict[str, Any]] = [{"name": "near", "direction": "min", "value": near}]
        query = {
            "query_id": "q", "family": "chinatravel",
            "structure": {
                "start_city": "hangzhou", "target_city": "hangzhou", "days": 3,
                "people_number": 2, "constraints": [], "objectives": aims if near else [],
            },
        }  # fmt: skip
        trip = trip_of(query)
        trip = replace(trip, request=replace(trip.request, round_trip=False, currency="CNY"))
        plan = _ReferenceSearch(trip, world, renown, "balanced").outcome().plan
        points = [world.find("attraction", name)[0].point for name in seen(plan)]
        assert corner.point is not None
        away = [float(distance_m(*corner.point, *p)) for p in points if p is not None]
        return sum(away) / len(away)

    assert mean_m(corner.name) < mean_m(None)
