"""The best known sights, stations that can be reached, and days that end in town."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from schemas.geo import distance_m
from schemas.plans import Plan
from validators.plans.appeal import MUST_SEES, must_sees
from validators.plans.comfort import LEVELS, Riders
from validators.plans.departures import _is_of_a_town, _seldom, _ways
from validators.plans.offers import offers_of
from validators.plans.reference import reference
from validators.plans.renown import Renown
from validators.plans.trip import trip_of
from validators.plans.world import Journey, Place, Room, World
from warehouse.opening import Hours
from warehouse.transit import network_of

LAT, LON = 30.0, 120.0
OLD = "历史古迹"
OPEN = Hours((((480, 1320),),) * 7)


def at(n: int, far: float = 0.0) -> tuple[float, float]:
    return LAT + 0.006 * (n % 6) + far, LON + 0.006 * (n // 6)


def sight(n: int, name: str, *types: str, far: float = 0.0) -> Place:
    return Place(
        "attraction", f"s{n:02}", name, at(n, far), frozenset(types), price_cents=0, hours=OPEN
    )


WORDS = "云雨风花月石竹松梅兰泉溪桥亭台岭岛坡湾井松柏桑柳杏"
PARKS = [sight(n, f"{WORDS[n]}{WORDS[-n - 1]}公园", "公园") for n in range(12)]
TOWERS = [sight(n, f"{WORDS[n % 24]}{WORDS[(n * 5 + 2) % 24]}楼", OLD) for n in range(12, 42)]
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
    """A town of 12 gardens, the best known of it, and 30 towers."""
    sights = [*PARKS, *TOWERS, *more]

    def named(places: list[Place]) -> dict[str, list[Place]]:
        return {place.name: [place] for place in places}

    world = World(
        "gn1808926", "hangzhou", ("hangzhou",),
        {"attraction": named(sights), "restaurant": named(TABLES), "hotel": named([BEDS])},
        {}, network_of([], [], (), "CNY"), [], {"hangzhou": "gn1808926"},
    )  # fmt: skip
    points = {place.place_id: 400 - 5 * n for n, place in enumerate(sights)}
    base = {p.place_id: "garden" if p in PARKS else "historic_site" for p in sights}
    return world, Renown(points, base, {}, {}, {p.place_id: 4.8 for p in sights})


def asked(days: int, **more: Any) -> dict[str, Any]:
    structure = {
        "destinations": ["hangzhou"], "days": days, "attraction_types": [OLD],
        "pacing": "moderate", "budget": "moderate", "physical_effort": "moderate", **more,
    }  # fmt: skip
    return {"query_id": "q", "family": "tripscore", "structure": structure}


def seen(plan: Plan | None) -> list[str]:
    assert plan is not None
    acts = [a for day in plan.itinerary for a in day.activities if a.type == "attraction"]
    return [str(a.position) for a in acts]


@pytest.mark.slow
def test_longer_trips_hold_the_best_known_beside_what_is_wished_for() -> None:
    world, renown = city()
    best = {p.name for p in must_sees(world.all_of("attraction"), renown)}
    assert len(best) == MUST_SEES
    for days, least in ((4, 5), (5, 8), (7, 10)):
        held = seen(reference(asked(days), world, renown).plan)
        parks = {name for name in held if "公园" in name}
        assert best <= parks
        assert len(parks) >= least
        assert len(held) - len(parks) > len(parks)


def test_a_day_far_from_town_ends_at_a_table_in_town() -> None:
    by_day = Hours((((480, 990),),) * 7)
    wall = replace(sight(44, "某某长城", OLD, far=0.45), hours=by_day)
    inn = replace(TABLES[0], place_id="r99", name="山下菜馆", point=wall.point)
    world, renown = city(wall)
    tables = {**world.places["restaurant"], inn.name: [inn]}
    world = replace(world, places={**world.places, "restaurant": tables})
    renown = replace(
        renown, points={**renown.points, "s44": 900},
        base_types={**renown.base_types, "s44": "historic_site"},
    )  # fmt: skip
    plan = reference(asked(3, attraction_types=[OLD]), world, renown).plan
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
    park = replace(sight(45, "某某主题公园", "游乐园/体育娱乐"), price_cents=30000)
    world, renown = city(park)
    renown = replace(
        renown, points={**renown.points, "s45": 900},
        base_types={**renown.base_types, "s45": "amusement_sports"},
    )  # fmt: skip
    assert (
        park.name in seen(reference(asked(5, attraction_types=[], **asks), world, renown).plan)
    ) == is_seen


def far_town() -> tuple[World, Renown, set[str]]:
    """The town with two famous sights beside each other, an hour and a half out."""
    far = [sight(44, "某某长城", OLD, far=0.45), sight(45, "东岳宫", OLD, far=0.45)]
    world, renown = city(*far)
    points = {**renown.points, "s44": 900, "s45": 890}
    base = {**renown.base_types, "s44": "historic_site", "s45": "historic_site"}
    return world, replace(renown, points=points, base_types=base), {p.name for p in far}


@pytest.mark.parametrize(("traveller", "most"), [(None, 2), ("senior", 1)])
def test_one_long_sight_is_enough_for_the_old_on_a_day_far_out(
    traveller: str | None, most: int
) -> None:
    world, renown, far = far_town()
    query = {
        "query_id": "q", "family": "tprag",
        "structure": {
            "city": world.city_id, "days": 5, "constraint": traveller,
            "constraint_kind": "traveller" if traveller else "generic",
        },
    }  # fmt: skip
    plan = reference(query, world, renown).plan
    assert plan is not None
    days = [{a.position for a in day.activities} & far for day in plan.itinerary]
    assert max(map(len, days)) == most


@pytest.mark.parametrize(
    ("station", "is_so"),
    [("苏州张家港站", True), ("张家港站", False), ("苏州站", False), ("苏州南站", False)],
)
def test_a_station_may_be_of_another_town(station: str, *, is_so: bool) -> None:
    assert _is_of_a_town(station) == is_so


def test_a_station_of_another_town_costs_two_hours() -> None:
    world, _ = city()
    own, other = (
        Journey("train", "G1", "a", "b", name, "某站", 480, 600, 5000)
        for name in ("苏州站", "苏州张家港站")
    )
    offers = replace(offers_of(trip_of(asked(3)).request, world), outs=(own, other), backs=())
    costs = _seldom(offers, 7)
    assert costs["苏州张家港站"] - costs["苏州站"] == 7 * 120


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
