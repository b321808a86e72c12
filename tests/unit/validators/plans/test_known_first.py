"""The best known sights, stations that can be reached, and days that end in town."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from schemas.geo import distance_m
from schemas.plans import Plan
from validators.plans.appeal import MUST_SEES, must_sees
from validators.plans.comfort import LEVELS, Riders
from validators.plans.departures import _is_of_a_town, _ways
from validators.plans.offers import offers_of
from validators.plans.reference import reference
from validators.plans.renown import Renown
from validators.plans.trip import trip_of
from validators.plans.world import Journey, Place, Room, World
from warehouse.opening import Hours
from warehouse.transit import network_of

LAT, LON = 30.0, 120.0
LANDMARK = "城市地标"
OPEN = Hours((((480, 1320),),) * 7)


def at(n: int, far: float = 0.0) -> tuple[float, float]:
    return LAT + 0.006 * (n % 6) + far, LON + 0.006 * (n // 6)


def sight(n: int, name: str, *types: str, far: float = 0.0) -> Place:
    return Place(
        "attraction", f"s{n:02}", name, at(n, far), frozenset(types), price_cents=0, hours=OPEN
    )


WORDS = "云雨风花月石竹松梅兰泉溪桥亭台岭岛坡湾井松柏桑柳杏"
PARKS = [sight(n, f"{WORDS[n]}{WORDS[-n - 1]}公园", "公园") for n in range(6)]
TOWERS = [sight(n, f"{WORDS[n - 1]}{WORDS[n - 6]}大厦", LANDMARK) for n in range(6, 24)]
TABLES = [
    Place(
        "restaurant",
        f"r{n}",
        f"{WORDS[n]}菜馆",
        at(n),
        frozenset({"江浙菜"}),
        price_cents=8000,
        hours=OPEN,
    )
    for n in range(24)
]
BEDS = Place("hotel", "h", "某宾馆", at(8), frozenset(), rooms={"king": Room(40000, 9)})


def city(*more: Place) -> tuple[World, Renown]:
    """A town of 6 parks, the best known of it, and 18 towers."""
    sights = [*PARKS, *TOWERS, *more]

    def named(places: list[Place]) -> dict[str, list[Place]]:
        return {place.name: [place] for place in places}

    world = World(
        "gn1808926", "hangzhou", ("hangzhou",),
        {"attraction": named(sights), "restaurant": named(TABLES), "hotel": named([BEDS])},
        {}, network_of([], [], (), "CNY"), [], {"hangzhou": "gn1808926"},
    )  # fmt: skip
    points = {place.place_id: 400 - 10 * n for n, place in enumerate(sights)}
    base = {p.place_id: "park" if p in PARKS else "cultural_landscape" for p in sights}
    return world, Renown(points, base, {}, {}, {p.place_id: 4.8 for p in sights})


def asked(days: int, **more: Any) -> dict[str, Any]:
    structure = {
        "destinations": ["hangzhou"], "days": days, "attraction_types": [LANDMARK],
        "pacing": "moderate", "budget": "moderate", "physical_effort": "moderate", **more,
    }  # fmt: skip
    return {"query_id": "q", "family": "tripscore", "structure": structure}


def seen(plan: Plan | None) -> list[str]:
    assert plan is not None
    acts = [a for day in plan.itinerary for a in day.activities if a.type == "attraction"]
    return [str(a.position) for a in acts]


def test_longer_trips_hold_the_best_known_beside_what_is_wished_for() -> None:
    world, renown = city()
    best = {p.name for p in must_sees(world.all_of("attraction"), renown)}
    assert len(best) == MUST_SEES
    assert not any("大厦" in name for name in best)
    held = seen(reference(asked(5), world, renown).plan)
    assert best <= set(held)
    assert sum("大厦" in name for name in held) > len(best)


def test_a_day_far_from_town_ends_at_a_table_in_town() -> None:
    wall = sight(24, "某某长城", "历史古迹", far=0.45)
    inn = Place(
        "restaurant",
        "r99",
        "山下菜馆",
        wall.point,
        frozenset({"江浙菜"}),
        price_cents=8000,
        hours=OPEN,
    )
    world, renown = city(wall)
    tables = {**world.places["restaurant"], inn.name: [inn]}
    world = replace(world, places={**world.places, "restaurant": tables})
    renown = replace(
        renown, points={**renown.points, "s24": 900},
        base_types={**renown.base_types, "s24": "historic_site"},
    )  # fmt: skip
    plan = reference(asked(3, attraction_types=["历史古迹"]), world, renown).plan
    assert plan is not None
    day = next(d for d in plan.itinerary if any(a.position == wall.name for a in d.activities))
    dinner = next(a for a in day.activities if a.type == "dinner")
    assert dinner.position != inn.name


@pytest.mark.parametrize(
    ("asks", "is_seen"),
    [({}, True), ({"pacing": "relaxed"}, False), ({"budget": "economy"}, False)],
)
def test_the_best_known_park_of_rides_is_not_for_everybody(
    asks: dict[str, Any], *, is_seen: bool
) -> None:
    park = replace(sight(25, "某某主题公园", "游乐园/体育娱乐"), price_cents=30000)
    world, renown = city(park)
    renown = replace(
        renown, points={**renown.points, "s25": 900},
        base_types={**renown.base_types, "s25": "amusement_sports"},
    )  # fmt: skip
    assert (
        park.name in seen(reference(asked(5, attraction_types=[], **asks), world, renown).plan)
    ) == is_seen


@pytest.mark.parametrize(
    ("station", "is_so"),
    [("苏州张家港站", True), ("张家港站", False), ("苏州站", False), ("苏州南站", False)],
)
def test_a_station_may_be_of_another_town(station: str, *, is_so: bool) -> None:
    assert _is_of_a_town(station) == is_so


def test_the_way_to_a_station_counts_as_these_travellers_go() -> None:
    world, _ = city()
    centre, hub = (LAT, LON), (LAT + 0.1, LON)
    world = replace(world, hubs={"远站": hub})
    out = Journey("train", "G1", "a", "b", "家站", "远站", 480, 600, 5000)
    back = Journey("train", "G2", "b", "a", "无名站", "家站", 1000, 1120, 5000)
    trip = trip_of(asked(3))
    offers = replace(offers_of(trip.request, world), outs=(out,), backs=(back,))
    by_taxi = _ways(offers, world, Riders.of(trip, LEVELS[2], ("taxi",)), centre)
    on_foot = _ways(offers, world, Riders.of(trip, LEVELS[2], ("walk",)), centre)
    metres = float(distance_m(*hub, *centre))
    assert by_taxi["远站"] == int(metres / 250) < on_foot["远站"]
    assert by_taxi["无名站"] == 240
