"""Reference plans on two invented towns: what a traveller would want of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.counterexamples import good
from validators.plans.check import check
from validators.plans.notes import notes_of
from validators.plans.outing import Frame, Ground, walk
from validators.plans.reference import reference
from validators.plans.renown import Renown, read_renown
from validators.plans.trip import any_request, trip_of
from validators.plans.world import World, read_world
from warehouse.read import Snapshot

TOWN, OTHER = good.A, good.B
WHOLE = {"start_city": OTHER.slug, "target_city": TOWN.slug, "days": 2, "people_number": 2}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> tuple[World, Renown]:
    path: Path = tmp_path_factory.mktemp("reference")
    good.write(path, good.book())
    snapshot = Snapshot(path)
    return read_world(snapshot, TOWN.city_id), read_renown(snapshot, TOWN.slug)


def row(family: str, **structure: Any) -> dict[str, Any]:
    return {"query_id": "q", "family": family, "structure": structure}


FAMILIES = {
    "traveleval": {**WHOLE, "budget": 5000, "dates": "2026-03-10 to 2026-03-11"},
    "chinatravel": {**WHOLE, "constraints": []},
    "triptailor": {
        "start_city": OTHER.slug,
        "target_city": TOWN.slug,
        "days": 2,
        "budget": 5000,
        "interests": [],
        "cuisines": [],
        "intensity": "relaxed",
        "departure_part": "evening",
        "return_part": "evening",
    },
    "tripscore": {
        "destinations": [TOWN.slug],
        "days": 2,
        "budget": "moderate",
        "pacing": "relaxed",
        "attraction_types": [],
        "physical_effort": "light",
    },
    "tprag": {
        "city": TOWN.city_id,
        "constraint": "senior",
        "constraint_kind": "traveller",
        "days": 2,
    },
}


@pytest.mark.parametrize("family", ["tprag", "tripscore"])
def test_trips_that_begin_in_their_city_count_in_its_money(
    place: tuple[World, Renown], family: str
) -> None:
    abroad = replace(place[0], currency="KES")
    assert reference(row(family, **FAMILIES[family]), abroad, place[1]).plan is not None
    outcome = reference(row("triptailor", **FAMILIES["triptailor"]), abroad, place[1])
    assert outcome.plan is None
    assert outcome.reason == (
        f"the query states amounts in CNY, but {TOWN.slug} uses KES, and amounts are never"
        " converted"
    )


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_gets_a_plan_that_the_checker_accepts(
    place: tuple[World, Renown], family: str
) -> None:
    asked = row(family, **FAMILIES[family])
    outcome = reference(asked, *place)
    assert outcome.plan is not None, outcome.reason
    assert check(outcome.plan, place[0], any_request(asked)).passed
    assert [day.day for day in outcome.plan.itinerary] == [1, 2]
    again = reference(asked, *place)
    assert again.plan is not None
    assert again.plan.to_text() == outcome.plan.to_text()


def test_a_budget_that_only_a_bare_plan_keeps_is_told(place: tuple[World, Renown]) -> None:
    outcome = reference(row("traveleval", **WHOLE, budget=800), *place)
    assert (outcome.plan, outcome.obstacle) == (None, "search")
    assert "budget is 800" in str(outcome.reason)


def test_several_cities_and_other_money_are_reasons(place: tuple[World, Renown]) -> None:
    several = {**FAMILIES["tripscore"], "destinations": [TOWN.slug, OTHER.slug]}
    assert "one city" in str(reference(row("tripscore", **several), *place).reason)


def test_what_is_not_told_is_said_to_be_assumed() -> None:
    trip = trip_of(
        row("tprag", city="hangzhou", constraint=None, constraint_kind="generic", days=None)
    )
    assert (trip.request.days, trip.request.people) == (3, 2)
    assert {"3 days", "2 people"} <= set(trip.assumed)


def frame(**more: Any) -> Frame:
    plain = {
        "number": 2,
        "start": None,
        "begins": 510,
        "end": None,
        "deadline": 1380,
        "meals": ("lunch",),
        "most": 4,
        "latest": 1290,
        "opens": [480],
        "closes": [1020],
        "queue": lambda node, minute: 10,
    }
    return Frame(**{**plain, **more})


def ground(stay: int, *, evening: bool = False) -> Ground:
    return Ground([[0]], [stay], [evening], [False], [False])


def test_a_visit_ends_before_lunch_or_begins_after_it() -> None:
    before = walk(frame(), [0], ground(120), None)
    after = walk(frame(begins=660), [0], ground(150), None)
    assert before is not None
    assert after is not None
    assert [s.kind for s in before.stops] == ["attraction", "lunch"]
    assert [s.kind for s in after.stops] == ["lunch", "attraction"]


@pytest.mark.parametrize(
    ("more", "stay"),
    [
        ({"begins": 955, "meals": ()}, 45),  # within the hour before closing
        ({"latest": 540}, 45),  # later than the travellers want
        ({"begins": 1080, "closes": [1380], "meals": ()}, 60),  # after dark, for a sight of the day
        ({"deadline": 560, "meals": ()}, 60),  # the train would be missed
    ],
)
def test_what_cannot_be_kept_is_no_course(more: dict[str, Any], stay: int) -> None:
    assert walk(frame(**more), [0], ground(stay), None) is None


def test_lunch_is_had_inside_on_a_visit_of_the_whole_day() -> None:
    course = walk(frame(closes=[1200]), [0], ground(360), None)
    assert course is not None
    assert [s.kind for s in course.stops] == ["attraction"]


def test_a_visit_of_three_hours_has_no_lunch_inside() -> None:
    early = walk(frame(begins=540), [0], ground(180), None)
    later = walk(frame(begins=630), [0], ground(180), None)
    assert early is not None
    assert later is not None
    assert [s.kind for s in early.stops] == ["attraction", "lunch"]
    assert [s.kind for s in later.stops] == ["lunch", "attraction"]
    # From ten until one: no table after it, and none before that is worth the wait.
    assert walk(frame(begins=600), [0], ground(180), None) is None


def test_a_visit_of_four_hours_has_its_lunch_inside() -> None:
    course = walk(frame(begins=560), [0], ground(240), None)
    assert course is not None
    assert [s.kind for s in course.stops] == ["attraction"]


def test_notes_tell_which_wishes_no_sight_meets(place: tuple[World, Renown]) -> None:
    asked = row("tripscore", **{**FAMILIES["tripscore"], "attraction_types": ["图书馆"]})
    outcome = reference(asked, *place)
    assert outcome.plan is not None
    notes = notes_of(trip_of(asked), outcome.plan, *place)
    assert any(note.startswith("'library': 0 of") and "contain none" in note for note in notes)


def test_what_takes_half_a_day_is_not_begun_in_the_evening() -> None:
    late = frame(begins=1080, closes=[1440], latest=1440, meals=())
    assert walk(late, [0], ground(240, evening=True), None) is None
    assert walk(late, [0], ground(90, evening=True), None) is not None
