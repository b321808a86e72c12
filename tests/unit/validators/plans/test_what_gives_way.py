"""Better sights replace others, remote ones need long trips, and notes explain what is missing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.validators.plans.test_known_first import OLD, asked, city, seen, sight
from tests.unit.validators.plans.test_times_and_tables import journey, trip
from tests.unit.validators.plans.test_what_a_query_leaves_room_for import with_best
from validators.plans.comfort import LEVELS
from validators.plans.departures import _out
from validators.plans.itinerary import making
from validators.plans.notes import notes_of
from validators.plans.outing import Frame, Ground, walk
from validators.plans.reference import reference
from validators.plans.trip import trip_of

ART = "美术馆/艺术馆"


def frame(nodes: int, *, meals: tuple[str, ...], latest: int = 1290) -> Frame:
    """A day from nine at node 0 back to node 0, with everything open around the clock."""
    return Frame(
        2, 0, 540, 0, 1380, meals, 5, latest, [0] * nodes, [1440] * nodes,
        lambda node, minute: 0,
    )  # fmt: skip


@pytest.mark.parametrize(("way", "kinds"), [(170, ["attraction"]), (240, None)])
def test_who_reaches_a_remote_sight_by_one_has_lunch_there(
    way: int, kinds: list[str] | None
) -> None:
    ground = Ground([[0, way], [way, 0]], [0, 180], [True] * 2, [False] * 2, [True] * 2)
    course = walk(frame(2, meals=("lunch",)), (1,), ground, None)
    assert (course and [stop.kind for stop in course.stops]) == kinds


@pytest.mark.parametrize(
    ("latest", "kinds"), [(1290, ["dinner", "attraction"]), (1180, ["attraction", "dinner"])]
)
def test_an_evening_sight_comes_before_dinner_if_the_evening_is_too_short(
    latest: int, kinds: list[str]
) -> None:
    late = Ground([[0, 10, 10]] * 3, [0, 400, 80], [True] * 3, [False, False, True], [True] * 3)
    course = walk(frame(3, meals=("dinner",), latest=latest), (1, 2), late, None)
    assert course is not None
    assert [stop.kind for stop in course.stops][1:] == kinds


@pytest.mark.parametrize(("home", "comes"), [(10, True), (85, False)])
def test_the_afternoon_may_be_spent_on_the_way_back_from_a_remote_sight(
    home: int, *, comes: bool
) -> None:
    rows = [[0, 85, home], [85, 0, 85], [home, 85, 0]]
    ground = Ground(rows, [0, 180, 60], [True] * 3, [False] * 3, [True] * 3)
    assert (walk(frame(3, meals=()), (1, 2), ground, None) is not None) is comes


def test_nobody_arrives_too_late_to_reach_the_hotel() -> None:
    near, far = (_out(journey(1000, 1370), trip(), LEVELS[2], {"另一站": way}) for way in (40, 70))
    assert far - near > 10**6


def test_nobody_leaves_the_station_close_to_midnight() -> None:
    ways = {"另一站": 10}
    early, late = (_out(journey(1000, at), trip(), LEVELS[2], ways) for at in (1370, 1390))
    assert late - early > 10**6


def test_a_better_sight_replaces_one_that_was_chosen_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    halls = [sight(n, f"第{n}美术馆", ART) for n in range(50, 56)]
    world, renown = city(*halls, sight(44, "某某湖", "自然风光"))
    renown = replace(
        renown, points={**renown.points, "s44": 390},
        base_types={**renown.base_types, "s44": "natural_scenery"},
    )  # fmt: skip
    query = asked(2, attraction_types=[], pacing="compact")

    def points() -> list[int]:
        held = seen(reference(query, world, renown).plan)
        return [renown.points[world.find("attraction", name)[0].place_id] for name in held]

    with_exchange = points()
    monkeypatch.setattr(making, "exchange_sights", lambda draft: None)
    without = points()
    assert len(with_exchange) == len(without)
    assert sum(with_exchange) > sum(without)


@pytest.mark.parametrize(("days", "goes"), [(4, False), (5, True)])
def test_what_is_hours_away_needs_a_long_trip(days: int, *, goes: bool) -> None:
    gorge = sight(44, "某某峡谷", "自然风光", far=1.1)
    world, renown = with_best(*city(gorge), s44="natural_scenery")
    query = {
        "query_id": "q", "family": "tprag",
        "structure": {
            "city": world.city_id, "days": days, "constraint": None, "constraint_kind": "generic",
        },
    }  # fmt: skip
    plan = reference(query, world, renown).plan
    assert (gorge.name in seen(plan)) is goes
    assert plan is not None
    notes = notes_of(trip_of(query), plan, world, renown)
    assert any(n.startswith(gorge.name) and "minutes" in n for n in notes) is not goes


def test_notes_count_why_few_sights_meet_a_wish() -> None:
    halls = [sight(50, "甲美术馆", ART), replace(sight(51, "乙美术馆", ART), hours=None)]
    world, renown = city(*halls)
    query = asked(3, attraction_types=[ART])
    plan = reference(query, world, renown).plan
    assert plan is not None
    told = " ".join(notes_of(trip_of(query), plan, world, renown))
    assert "1 without opening hours or a price" in told
    assert "such as 乙美术馆" in told


def test_a_park_nobody_asks_for_takes_no_half_day_of_a_short_trip_of_adults() -> None:
    park = replace(sight(44, "东方世界之园", "游乐园/体育娱乐"), price_cents=12_000)
    world, renown = with_best(*city(park), s44="amusement_sports")
    assert park.name not in seen(reference(asked(3, attraction_types=[OLD]), world, renown).plan)
