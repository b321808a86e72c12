"""Each thing at its time: blossoms, lights, the heat, whole days, dinners; and tables that vary."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from tests.unit.validators.plans.test_known_first import (
    LAT,
    LON,
    OLD,
    OPEN,
    TABLES,
    asked,
    city,
    seen,
    sight,
)
from validators.plans.appeal import visit_of, worth
from validators.plans.comfort import LEVELS, Riders
from validators.plans.departures import _hardship, _out
from validators.plans.itinerary.burden import weigh_weariness
from validators.plans.itinerary.courses import count_neighbours, measure_gap
from validators.plans.itinerary.scope import count_first_known
from validators.plans.kinds import fit, kind_of, months_of
from validators.plans.map import Map
from validators.plans.offers import Demand
from validators.plans.outing import Course, Frame, Ground, Here, OutingStop, walk
from validators.plans.reference import reference
from validators.plans.renown import Renown
from validators.plans.request import make_requirement
from validators.plans.tables_near import NearTables
from validators.plans.trip import TripRequest, trip_of
from validators.plans.world import Journey, Place
from warehouse.opening import Hours
from warehouse.transit import network_of

NO_NETWORK = network_of([], [], (), "CNY")


def trip(days: int = 3, date: dt.date | None = None, **more: object) -> TripRequest:
    query = {
        "query_id": "q",
        "family": "tprag",
        "structure": {
            "city": "hangzhou",
            "days": days,
            "constraint": None,
            "constraint_kind": "generic",
        },
    }
    found = trip_of(query)
    return replace(found, request=replace(found.request, start_date=date), **more)  # type: ignore[arg-type]  # fields by name


def named(name: str, *types: str, price: int = 0) -> Place:
    return Place("attraction", "p", name, (LAT, LON), frozenset(types), price, OPEN)


def renown(base: str) -> Renown:
    return Renown({}, {"p": base}, {"p": None}, {}, {})


# -- the season ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "months"),
    [
        ("某某梅花山", {1, 2, 3}),
        ("某某梅园新村", set()),
        ("樱花大道", {3, 4}),
        ("桃花坞", set()),
        ("某某枫林", {10, 11, 12}),
        ("某某山", set()),
    ],
)
def test_names_tell_the_months_of_a_bloom(name: str, months: set[int]) -> None:
    assert months_of(name) == months


def test_blossoms_fill_no_day_out_of_their_months() -> None:
    hill, base = named("某某梅花山"), renown("natural_scenery")
    march, may, any_day = (
        worth(hill, trip(date=date), base, LEVELS[2], [])
        for date in (dt.date(2026, 3, 10), dt.date(2026, 5, 4), None)
    )
    assert march - may >= 300
    assert may < any_day < march


def test_the_months_of_a_trip_are_those_of_its_dates_or_its_occasion() -> None:
    assert trip(date=dt.date(2026, 6, 30)).months == {6, 7}
    assert replace(trip(), occasion="spring").months == {3, 4, 5}
    assert trip().months == frozenset()
    assert trip(date=dt.date(2026, 7, 20), seniors=True).is_hot
    assert not trip(date=dt.date(2026, 7, 20)).is_hot


# -- the time of day -----------------------------------------------------------------------


def day(ground: Ground, order: tuple[int, ...]) -> Course:
    nodes = len(ground.stays)
    frame = Frame(
        1, 0, 540, 0, 1380, (), 5, 1290, [0] * nodes, [1440] * nodes, lambda node, minute: 0
    )  # fmt: skip
    course = walk(frame, order, ground, None)
    assert course is not None
    return course


GROUND = Ground([[0, 10, 10]] * 3, [0, 180, 90], [True] * 3, [False] * 3, [True] * 3)


def test_the_heat_of_the_afternoon_counts_as_waiting() -> None:
    hot = replace(GROUND, hot=frozenset({2}))
    assert day(GROUND, (1, 2)).idle == day(GROUND, (2, 1)).idle == day(hot, (2, 1)).idle
    assert day(hot, (1, 2)).idle > day(hot, (2, 1)).idle + 60


def test_what_is_seen_for_its_lights_is_not_begun_by_day() -> None:
    assert day(replace(GROUND, lit=frozenset({2})), (1, 2)).idle >= day(GROUND, (1, 2)).idle + 60


def test_night_sights_wait_for_the_evening() -> None:
    base, lights = renown("cultural_landscape"), "夜经济热点"
    quay = visit_of(named("某某江岸", lights, "城市地标"), trip(), base, None)
    assert (quay.floor, quay.lit) == (960, True)
    famous = visit_of(named("某某江岸", lights, "城市地标"), trip(), base, 0)
    assert famous.floor == 0
    assert not visit_of(named("某某江岸", "城市地标"), trip(), base, None).lit


@pytest.mark.parametrize(
    ("name", "base", "kind"),
    [
        ("某某夜景公园", "park", "night_sight"),
        ("某某沉浸式展演", "cultural_landscape", "show"),
        ("某某明珠", "city_landmark", "viewpoint"),
    ],
)
def test_names_tell_what_is_of_the_evening(name: str, base: str, kind: str) -> None:
    assert kind_of(named(name), renown(base)).name == kind


def test_a_dear_zoo_takes_the_day() -> None:
    base = renown("amusement_sports")
    dear, cheap = (
        visit_of(named("某某野生动物世界", "游乐园/体育娱乐", price=price), trip(), base, None)
        for price in (30_000, 4_000)
    )
    assert dear.minutes >= 300 > cheap.most_min


# -- journeys ------------------------------------------------------------------------------


def journey(departs: int, arrives: int) -> Journey:
    return Journey("train", "G1", "a", "b", "某站", "另一站", departs, arrives, 50_000)


def test_a_train_of_seven_hours_is_hard() -> None:
    assert _hardship(journey(540, 900), trip(), 0) == 0
    assert _hardship(journey(540, 960), trip(), 0) > 0
    assert _hardship(journey(540, 890), trip(seniors=True), 0) > 0


def test_who_arrives_too_late_for_dinner_loses_an_hour_more() -> None:
    ways = {"另一站": 20}
    early, late = (_out(journey(600, arrives), trip(), LEVELS[2], ways) for arrives in (1075, 1085))
    by_minutes = _out(journey(600, 1095), trip(), LEVELS[2], ways) - late
    assert late - early > by_minutes + 40 * LEVELS[2].minute_cents


@pytest.mark.parametrize(("arrives", "dines"), [(1085, True), (1120, True), (1130, False)])
def test_who_arrives_before_seven_has_a_dinner(arrives: int, *, dines: bool) -> None:
    world, known = city()
    there = Journey("train", "G1", "gn1", "gn1808926", "家站", "此站", 700, arrives, 5000)
    back = Journey("train", "G2", "gn1808926", "gn1", "此站", "家站", 1000, 1200, 5000)
    world = replace(
        world, journeys=[there, back], hubs={"此站": (LAT, LON)},
        city_ids={"hangzhou": "gn1808926", "far": "gn1"},
    )  # fmt: skip
    structure = {"start_city": "far", "target_city": "hangzhou", "days": 2, "people_number": 2}
    plan = reference(
        {"query_id": "q", "family": "traveleval", "structure": structure}, world, known
    ).plan
    assert plan is not None
    assert ("dinner" in {a.type for a in plan.itinerary[0].activities}) is dines


@pytest.mark.parametrize(
    ("arrives", "leaves", "meals"),
    [
        (760, 1300, {1: ["lunch", "dinner"], 2: ["lunch", "dinner"]}),
        (765, 1130, {1: ["lunch", "dinner"], 2: ["lunch"]}),
        (790, 820, {1: ["dinner"], 2: ["lunch"]}),
        (600, 790, {1: ["lunch", "dinner"], 2: []}),
    ],
)
def test_days_of_journeys_have_the_meals_that_they_leave_time_for(
    arrives: int, leaves: int, meals: dict[int, list[str]]
) -> None:
    world, known = city()
    there = Journey("train", "G1", "gn1", "gn1808926", "家站", "此站", 500, arrives, 5000)
    back = Journey("train", "G2", "gn1808926", "gn1", "此站", "家站", leaves, leaves + 60, 5000)
    world = replace(
        world, journeys=[there, back], hubs={"此站": (LAT, LON)},
        city_ids={"hangzhou": "gn1808926", "far": "gn1"},
    )  # fmt: skip
    structure = {"start_city": "far", "target_city": "hangzhou", "days": 2, "people_number": 2}
    plan = reference(
        {"query_id": "q", "family": "traveleval", "structure": structure}, world, known
    ).plan
    assert plan is not None
    assert meals == {
        d.day: [a.type for a in d.activities if a.type in ("lunch", "dinner")]
        for d in plan.itinerary
    }


# -- days ----------------------------------------------------------------------------------


def test_a_packed_day_has_no_empty_morning_or_evening() -> None:
    frame = Frame(1, 0, 480, 0, 1380, (), 5, 1320, [], [], lambda node, minute: 0)
    stops = [
        OutingStop("attraction", 1, None, 10, 490, 600, 700),
        OutingStop("attraction", 2, None, 10, 710, 715, 1100),
    ]
    course = Course(stops, free=1100, here=Here(2), to_end=10)
    assert measure_gap(course, frame, packed=False) < 100
    assert measure_gap(course, frame, packed=True) == 210
    stops[1] = replace(stops[1], end=1300)
    assert measure_gap(replace(course, stops=stops), frame, packed=True) == 110


# -- tables --------------------------------------------------------------------------------


def tables(wished: tuple[str, ...], *names: tuple[str, str]) -> NearTables:
    places = Map(
        tuple(
            replace(TABLES[0], place_id=f"r{n}", name=name, types=frozenset({kind}))
            for n, (name, kind) in enumerate(names)
        ),
        NO_NETWORK,
    )
    asked = trip()
    wishes = tuple(make_requirement("cuisine", "any", (w,), hard=False) for w in wished)
    asked = replace(asked, request=replace(asked.request, requirements=wishes))
    riders = Riders.of(asked, LEVELS[2], ("walk",))
    return NearTables(places, places, asked, LEVELS[2], riders, [], 60)


@pytest.mark.parametrize("pressing", [True, False])
def test_a_table_that_must_be_had_is_gone_to_from_anywhere_at_last(*, pressing: bool) -> None:
    near, far = (replace(TABLES[n], point=(LAT + 0.5 * n, LON)) for n in range(2))
    places, asked = Map((near, far), NO_NETWORK), trip()
    demand = Demand("restaurant", far.name, frozenset({far.name}))
    riders = Riders.of(asked, LEVELS[2], ("taxi",))
    at = NearTables(places, places, asked, LEVELS[2], riders, [demand], 60, pressing)
    seat = at.seat("dinner", near.point, 700, near.point)
    assert seat is not None
    assert seat.at == int(pressing)


def eat(at: NearTables, *days: int) -> list[str]:
    """The names of lunch after lunch."""
    found = []
    for number in days:
        at.when = number
        seat = at.seat("lunch", (LAT, LON), 690, None)
        assert seat is not None
        at.take(seat)
        found.append(at.places.places[seat.at].name)
    return found


def test_nobody_eats_one_dish_twice_a_day() -> None:
    found = eat(
        tables((), ("甲烤鸭店", "北京菜"), ("乙烤鸭", "北京菜"), ("丙饭庄", "北京菜")), 1, 1, 2
    )
    assert {found[0], found[1]} != {"甲烤鸭店", "乙烤鸭"}


def test_every_wished_cuisine_is_eaten_once() -> None:
    names = [(f"{n}菜馆", "粤菜") for n in "甲乙丙"] + [("丁酒家", "江浙菜")]
    far = tables(("粤菜", "江浙菜"), *names)
    assert "丁酒家" in eat(far, 1, 2)


# -- what is meant by a wish ---------------------------------------------------------------


def test_a_theatre_of_a_province_of_lakes_is_no_nature() -> None:
    assert fit(named("某湖北剧院"), renown("cultural_landscape"), "自然风光") == -1
    assert fit(named("某某步行街"), renown("commercial_district"), "商业街区") == 1
    assert fit(named("某某国际会议中心"), renown("commercial_district"), "商业街区") == -1


def test_neighbours_are_worth_most_one_after_the_other() -> None:
    near = [frozenset({0, 2}), frozenset({1}), frozenset({2, 0})]

    def course(*nodes: int | None) -> Course:
        return Course([OutingStop("x", node, None, 0, 0, 0, 60) for node in nodes])

    orders = ((0, 2, 1), (0, 1, 2), (2, 0), (0, None, 2))
    assert [count_neighbours(course(*order), near) for order in orders] == [1, 0, 1, 0]


# -- days far from town, days too full, what is dear ----------------------------------------


@pytest.mark.parametrize(("traveller", "lunches"), [(None, 1), ("senior", 0)])
def test_a_day_far_from_town_begins_early_and_has_its_lunch_at_a_table(
    traveller: str | None, lunches: int
) -> None:
    by_day = Hours((((480, 990),),) * 7)
    wall = replace(sight(44, "某某长城", OLD, far=0.45), hours=by_day)
    inn = replace(TABLES[0], place_id="r99", name="山下菜馆", point=wall.point)
    world, known = city(wall)
    at_tables = {**world.places["restaurant"], inn.name: [inn]}
    world = replace(world, places={**world.places, "restaurant": at_tables})
    known = replace(
        known, points={**known.points, "s44": 900},
        base_types={**known.base_types, "s44": "historic_site"},
    )  # fmt: skip
    query = {
        "query_id": "q", "family": "tprag",
        "structure": {
            "city": world.city_id, "days": 4, "constraint": traveller,
            "constraint_kind": "traveller" if traveller else "generic",
        },
    }  # fmt: skip
    plan = reference(query, world, known).plan
    assert plan is not None
    found = next(d for d in plan.itinerary if any(a.position == wall.name for a in d.activities))
    assert sum(a.position == inn.name for a in found.activities if a.type == "lunch") == lunches


def test_a_dear_ticket_fills_no_day_of_adults() -> None:
    base = renown("amusement_sports")
    shows = [named("某某世界", price=price) for price in (15_000, 30_000)]
    adults = [worth(place, trip(), base, LEVELS[0], []) for place in shows]
    family = [worth(place, trip(children=True), base, LEVELS[0], []) for place in shows]
    assert adults[0] - adults[1] == 200
    assert family[0] == family[1]


@pytest.mark.parametrize(
    ("pace", "children", "weary"),
    [("regular", False, 30), ("family", True, 90), ("special_forces", False, 0)],
)
def test_great_sights_go_to_days_of_their_own(pace: Any, *, children: bool, weary: int) -> None:
    party = SimpleNamespace(
        trip=trip(pace=pace, children=children), ground=replace(GROUND, stays=[150, 150, 90])
    )
    assert weigh_weariness(party, [0, 1, 2]) == weary  # type: ignore[arg-type]  # it reads two fields


def test_an_evening_sight_may_follow_an_early_end_of_the_day() -> None:
    nodes, late = 3, replace(GROUND, late=[False, False, True])
    frame = Frame(
        1, 0, 540, 0, 1380, ("lunch", "dinner"), 5, 1290, [0, 0, 960], [1440] * nodes,
        lambda node, minute: 0,
    )  # fmt: skip
    course = walk(frame, (1, 2), late, None)
    assert course is not None
    assert [stop.kind for stop in course.stops] == ["attraction", "lunch", "dinner", "attraction"]


def test_what_a_wish_means_comes_before_what_is_only_filed_under_it() -> None:
    world, known = city()
    shops = "商业街区"
    plaza = sight(42, "望日广场", shops)
    street = sight(43, "听雪步行街", shops)
    sights = {**world.places["attraction"], plaza.name: [plaza], street.name: [street]}
    world = replace(world, places={**world.places, "attraction": sights})
    known = replace(
        known, points={**known.points, "s42": 399, "s43": 200},
        base_types={**known.base_types, "s42": "commercial_district", "s43": "commercial_district"},
    )  # fmt: skip
    query = asked(1, attraction_types=[shops], pacing="relaxed")
    assert street.name in seen(reference(query, world, known).plan)


@pytest.mark.parametrize(
    ("number", "home", "goes"), [(1, 10, True), (1, 80, False), (2, 10, False)]
)
def test_from_a_far_airport_one_comes_in_for_any_sight_in_town(
    number: int, home: int, *, goes: bool
) -> None:
    rows = [[0, 90, 90], [90, 0, home], [90, home, 0]]
    ground = Ground(rows, [0, 60, 0], [True] * 3, [False] * 3, [True] * 3)
    frame = Frame(
        number, 0, 720, 2, 1380, (), 5, 1290, [0] * 3, [1440] * 3, lambda node, minute: 0
    )  # fmt: skip
    assert (walk(frame, (1,), ground, None) is not None) is goes


def test_a_station_that_is_hours_away_is_out_of_reach() -> None:
    near, far, farther = (
        _out(journey(600, 900), trip(), LEVELS[2], {"另一站": way}) for way in (100, 120, 140)
    )
    assert farther - far > 3 * (far - near)


def test_every_further_meal_of_a_cuisine_counts() -> None:
    at = tables((), ("甲火锅", "火锅"), ("乙菜馆", "江浙菜"))
    points = []
    for meals in (3, 4, 5, 6):
        at.eaten = Counter({"火锅": meals})
        points.append(at._taste(0))
    assert points[0] < points[1] < points[2] == points[3]


@pytest.mark.parametrize(("most", "first"), [(5, 1), (3, 0)])
def test_a_full_day_begins_with_the_best_known(most: int, first: int) -> None:
    frames = [SimpleNamespace(most=most)]
    assert count_first_known(trip(days=1), frames) == first  # type: ignore[arg-type]  # it reads one field


@pytest.mark.parametrize(
    ("closes", "kinds"),
    [
        (1020, ["attraction", "lunch", "attraction", "dinner"]),
        (780, ["attraction", "attraction", "lunch", "dinner"]),
    ],
)
def test_the_two_sights_of_a_day_have_lunch_between_them(closes: int, kinds: list[str]) -> None:
    frame = Frame(
        1, 0, 540, 0, 1380, ("lunch", "dinner"), 5, 1290, [0] * 3, [1440, 1440, closes],
        lambda node, minute: 0,
    )  # fmt: skip
    course = walk(frame, (1, 2), replace(GROUND, stays=[0, 60, 75]), None)
    assert course is not None
    assert [stop.kind for stop in course.stops] == kinds


@pytest.mark.parametrize(
    ("name", "base", "price", "month", "ceiling"),
    [
        ("某某动物园", "park", 0, 3, 870),
        ("某某动物园", "park", 0, 4, 900),
        ("某某园", "garden", 0, 12, 960),
        ("某某园", "garden", 0, 3, 1440),
        ("某某公园", "park", 1000, 12, 960),
        ("某某公园", "park", 0, 12, 1440),
    ],
)
def test_animals_and_gardens_are_not_begun_late(
    name: str, base: str, price: int, month: int, ceiling: int
) -> None:
    asked = trip(date=dt.date(2026, month, 10))
    style = visit_of(named(name, price=price), asked, renown(base), None)
    assert style.ceiling == ceiling


def test_nothing_begins_after_its_ceiling_unless_it_must_be() -> None:
    rows, no = [[0, 10], [10, 0]], [False] * 2
    ground = Ground(rows, [0, 60], no, no, [True] * 2, ceilings={1: 870})
    frame = Frame(1, 0, 900, 0, 1380, (), 5, 1290, [0] * 2, [1440] * 2, lambda node, minute: 0)
    assert walk(frame, (1,), ground, None) is None
    assert walk(frame, (1,), replace(ground, anyway=frozenset({1})), None) is not None
    assert walk(replace(frame, begins=840), (1,), ground, None) is not None
