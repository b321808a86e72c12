"""Whole days, and those of journeys: what goes to them, and what nothing goes to."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from schemas.plans import Plan
from tests.unit.validators.plans.test_known_first import (
    LAT,
    LON,
    OLD,
    PARKS,
    TOWERS,
    WORDS,
    asked,
    city,
    seen,
    sight,
)
from validators.plans.appeal import is_for_children
from validators.plans.comfort import LEVELS
from validators.plans.itinerary.filling import has_gap as has_gap_to_fill
from validators.plans.itinerary.fitting import comes_home
from validators.plans.itinerary.gains import weigh_sight
from validators.plans.itinerary.planner import ReferencePlanner
from validators.plans.itinerary.seating import leads_off as leads_off_the_way
from validators.plans.offers import Demand, offers_of
from validators.plans.outing import Course, Frame, Ground, Here, OutingStop, Seat, walk
from validators.plans.reference import reference
from validators.plans.renown import Renown
from validators.plans.trip import TripRequest, trip_of
from validators.plans.world import Journey, World
from warehouse.opening import Hours


def made(
    trip: TripRequest, world: World, renown: Renown, *must: str, arrives: int = 540,
    departs: int = 1260,
) -> Plan:  # fmt: skip
    """The plan of a trip that holds some sights in any case, with its journeys at some minutes."""
    offers = offers_of(replace(trip.request, round_trip=False), world)
    if trip.request.round_trip:
        world = replace(world, hubs={"远站": (LAT + 0.02, LON)})
        out = Journey("train", "G1", "a", "b", "家站", "远站", 480, arrives, 5000)
        back = Journey("train", "G2", "b", "a", "远站", "家站", departs, departs + 60, 5000)
        offers = replace(offers, outs=(out,), backs=(back,))
    demands = tuple(Demand("attraction", name, frozenset({name})) for name in must)
    offers = replace(offers, demands=demands)
    (plan,) = ReferencePlanner(trip, offers, world, renown).plans(LEVELS[2])
    return plan


def places_of(plan: Plan) -> list[set[str | None]]:
    """What each day goes to."""
    return [{a.position for a in day.activities} for day in plan.itinerary]


@pytest.mark.parametrize("children", [True, False])
def test_children_have_something_of_their_own_on_each_whole_day(*, children: bool) -> None:
    halls = [sight(60 + n, f"{WORDS[n]}{WORDS[n + 7]}少年乐园") for n in range(4)]
    world, renown = city(*halls)
    base = {p.place_id: "cultural_landscape" for p in halls}
    renown = replace(renown, base_types={**renown.base_types, **base})
    assert all(is_for_children(p, renown) for p in halls)
    trip = replace(trip_of(asked(4)), children=children)
    names = {p.name for p in halls}
    assert [bool(day & names) for day in places_of(made(trip, world, renown))] == [children] * 4


def test_what_must_be_seen_far_away_waits_for_a_day_without_journeys() -> None:
    wall = sight(44, "某某长城", OLD, far=0.45)
    world, renown = city(wall)
    renown = replace(renown, base_types={**renown.base_types, "s44": "historic_site"})
    trip = trip_of(asked(3))
    trip = replace(trip, request=replace(trip.request, round_trip=True))
    days = places_of(made(trip, world, renown, wall.name))
    assert [wall.name in day for day in days] == [False, True, False]


def test_a_short_visit_that_must_be_is_made_however_far() -> None:
    house, barn = (sight(n, f"某{WORDS[n - 40]}旧宅", OLD, far=0.6) for n in (44, 45))
    world, renown = city(house, barn)
    base = {"s44": "historic_site", "s45": "historic_site"}
    renown = replace(renown, base_types={**renown.base_types, **base})
    trip = trip_of(asked(3))
    trip = replace(trip, request=replace(trip.request, round_trip=True))
    days = places_of(made(trip, world, renown, house.name))
    assert [house.name in day for day in days] == [False, True, False]
    assert barn.name in days[1]


@pytest.mark.parametrize(("points", "is_seen"), [(150, True), (0, False)])
def test_an_empty_afternoon_is_better_than_what_is_worth_nothing(
    points: int, *, is_seen: bool
) -> None:
    world, renown = city()
    mornings = Hours((((480, 720),),) * 7)
    sights = [replace(p, hours=mornings) for p in [*PARKS, *TOWERS[:3]]]
    spare = replace(sight(60, "某某处"), point=PARKS[0].point)
    named = {p.name: [p] for p in [*sights, spare]}
    world = replace(world, places={**world.places, "attraction": named})
    renown = replace(
        renown, points={**renown.points, "s60": points},
        base_types={**renown.base_types, "s60": "other"},
    )  # fmt: skip
    plan = reference(asked(1, attraction_types=[]), world, renown).plan
    assert (spare.name in seen(plan)) is is_seen


@pytest.mark.parametrize(
    ("wish", "days", "goes"), [("自然风光", 3, 1), ("自然风光", 2, 0), (OLD, 3, 0)]
)
def test_who_wishes_for_nature_spends_a_day_out_of_town(wish: str, days: int, goes: int) -> None:
    hills = [sight(60 + n, f"某{WORDS[n]}山", "自然风光") for n in range(8)]
    lake = sight(44, "某某湖", "自然风光", far=0.6)
    world, renown = city(*hills, lake)
    renown = replace(
        renown, points={**renown.points, "s44": 380},
        base_types={**renown.base_types, **{p.place_id: "natural_scenery" for p in [*hills, lake]}},
    )  # fmt: skip
    plan = made(trip_of(asked(days, attraction_types=[wish])), world, renown)
    assert sum(lake.name in day for day in places_of(plan)) == goes


def test_children_are_not_taken_far_out_for_it() -> None:
    far = sight(60, "某某少年乐园", far=0.3)
    world, renown = city(far)
    renown = replace(renown, base_types={**renown.base_types, "s60": "cultural_landscape"})
    trip = replace(trip_of(asked(4)), children=True)
    assert not any(far.name in day for day in places_of(made(trip, world, renown)))


@pytest.mark.parametrize(("days", "is_seen"), [(2, False), (3, True)])
def test_trips_of_two_days_stay_near(days: int, *, is_seen: bool) -> None:
    tower = sight(44, "某某古塔林", OLD, far=0.3)
    world, renown = city(tower)
    renown = replace(
        renown, points={**renown.points, "s44": 900},
        base_types={**renown.base_types, "s44": "historic_site"},
    )  # fmt: skip
    assert (tower.name in seen(reference(asked(days), world, renown).plan)) is is_seen


# -- evenings, tables and the last hours ----------------------------------------------------


@pytest.mark.parametrize(
    ("start", "to_end", "demanded", "is_near"),
    [
        (1150, 41, set(), False),
        (1150, 40, set(), True),
        (900, 90, set(), True),
        (1150, 41, {1}, True),
    ],
)
def test_nobody_goes_far_for_an_evening(
    start: int, to_end: int, demanded: set[int], *, is_near: bool
) -> None:
    draft = SimpleNamespace(
        demanded=demanded, sights=SimpleNamespace(best=set()), ground=SimpleNamespace(remote=False)
    )
    stop = OutingStop("attraction", 1, None, 10, start, start, start + 60)
    course = Course([stop], to_end=to_end)
    assert comes_home(cast("Any", draft), course) is is_near


@pytest.mark.parametrize(("onward", "leads_off"), [(30, False), (90, True)])
def test_a_meal_in_haste_lies_on_the_way(onward: int, *, leads_off: bool) -> None:
    ground = cast("Any", SimpleNamespace(way=lambda here, node: 45))
    seat = Seat(0, 0, 15, 0, [0, onward], [0, 0])
    assert leads_off_the_way(ground, Here(0), seat, 1) is leads_off
    assert not leads_off_the_way(ground, Here(0), seat, None)


@pytest.mark.parametrize(
    ("pair", "deadline", "has_gap"),
    [(None, 1100, False), ("journeys", 1050, True), ("journeys", 1049, False)],
)
def test_slow_travellers_do_not_wait_for_hours_for_their_train(
    pair: str | None, deadline: int, *, has_gap: bool
) -> None:
    trip = SimpleNamespace(pace="slow", request=SimpleNamespace(days=1))
    draft = SimpleNamespace(trip=trip, booking=SimpleNamespace(pair=pair))
    frame = Frame(1, 0, 540, 0, deadline, (), 5, 1260, [], [], lambda node, minute: 0)
    stop = OutingStop("attraction", 1, None, 10, 550, 550, 960)
    course = Course([stop], free=960, here=Here(1), to_end=30)
    assert has_gap_to_fill(cast("Any", draft), course, frame) is has_gap


def test_each_wish_has_its_sight_before_the_best_known_on_short_trips() -> None:
    art = "美术馆/艺术馆"
    halls = [sight(60 + n, f"{WORDS[n]}{WORDS[n + 7]}美术馆", art) for n in range(2)]
    world, renown = city(*halls)
    renown = replace(
        renown, points={**renown.points, **{p.place_id: 0 for p in halls}},
        base_types={**renown.base_types, **{p.place_id: "art_gallery" for p in halls}},
    )  # fmt: skip
    trip = trip_of(asked(2, attraction_types=[OLD, art]))
    trip = replace(trip, request=replace(trip.request, round_trip=True))
    days = places_of(made(trip, world, renown, arrives=840, departs=750))
    assert any(day & {p.name for p in halls} for day in days)


def test_animals_are_seen_in_the_morning() -> None:
    rows, no = [[0, 10, 10], [10, 0, 10], [10, 10, 0]], [False] * 3
    ground = Ground(rows, [0, 150, 150], no, no, [True] * 3, early=frozenset({1}))
    frame = Frame(
        1, 0, 540, 0, 1380, ("lunch",), 5, 1290, [0] * 3, [1440] * 3, lambda node, minute: 0
    )
    lost = [course.idle for o in ((1, 2), (2, 1)) if (course := walk(frame, o, ground, None))]
    assert lost[0] < lost[1]


@pytest.mark.parametrize(
    ("day", "others", "worth"), [(0, [], 300), (0, [1], 180), (1, [1], 300), (0, [1, 2, 3], 60)]
)
def test_a_sight_is_worth_most_on_the_day_of_its_neighbours(
    day: int, others: list[int], worth: int
) -> None:
    sights = SimpleNamespace(near=[frozenset({0, 1, 2, 3})], worths=[300])
    draft = SimpleNamespace(sights=sights, days=[[], others])
    assert weigh_sight(cast("Any", draft), 0, day) == worth
