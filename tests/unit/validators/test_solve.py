"""The solver on two invented towns: plans that the checker accepts, conflicts that are real."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from schemas.plans import Plan
from tests.counterexamples import good
from validators.plans.check import Report, check
from validators.plans.lodging import cheapest_nights
from validators.plans.reference import Approach, reference
from validators.plans.renown import read_renown
from validators.plans.request import Request, request_of_structure
from validators.plans.solve import SolveOutcome, solve
from validators.plans.world import Room, World, read_world
from warehouse.read import Snapshot

TOWN, OTHER = good.A, good.B
#: Two people: train 88 yuan each way, two single rooms at 199: nothing is cheaper.
CHEAPEST = 2 * 2 * 88 + 2 * 199
#: Fields of ChinaTravel's output schema, in its order, and those of a way.
JOURNEY = ["type", "start_time", "end_time", "start", "end", "TrainID", "price", "cost", "tickets",
    "transports"]  # fmt: skip
WAY = {"start", "end", "mode", "start_time", "end_time", "price", "cost", "distance"}


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    path = tmp_path_factory.mktemp("solve")
    good.write(path, good.book())
    return Snapshot(path)


@pytest.fixture(scope="module")
def world(snapshot: Snapshot) -> World:
    return read_world(snapshot, TOWN.city_id)


@pytest.fixture(scope="module")
def referred(snapshot: Snapshot, world: World) -> Callable[..., SolveOutcome]:
    """Reference plans of a kind for a query of TravelEval's layout."""
    renown = read_renown(snapshot, TOWN.slug)

    def made(kind: Approach, **more: Any) -> SolveOutcome:
        common = {"start_city": OTHER.slug, "target_city": TOWN.slug, "days": 2, "people_number": 2}
        row = {"query_id": "q", "family": "traveleval", "structure": {**common, **more}}
        return reference(row, world, renown, kind)

    return made


def asked(**more: Any) -> Request:
    common = {"start_city": OTHER.slug, "target_city": TOWN.slug, "days": 2, "people_number": 2}
    return request_of_structure("q", {**common, **more})


def test_a_budget_just_kept_is_solved_and_one_yuan_less_is_proven_impossible(world: World) -> None:
    kept = solve(asked(budget=CHEAPEST), world)
    assert kept.solvability == "solved"
    assert kept.plan is not None
    assert check(kept.plan, world, asked(budget=CHEAPEST)).passed
    short = solve(asked(budget=CHEAPEST - 1), world)
    assert (short.solvability, short.obstacle, short.plan) == ("infeasible", "budget", None)
    assert f"{CHEAPEST} yuan" in str(short.reason)


def test_nights_are_in_rooms_of_the_published_form_unless_others_are_needed(world: World) -> None:
    hotels = {
        name: [replace(p, rooms={**p.rooms, "king": Room(45_000, 9)}) for p in found]
        for name, found in world.places["hotel"].items()
    }
    wider = replace(world, places={**world.places, "hotel": hotels})

    def rooms(**more: Any) -> set[int | None]:
        found = solve(asked(**more), wider).plan
        assert found is not None
        return {a.room_type for _, a in found.activities() if a.type == "accommodation"}

    assert rooms() == {1}, "dearer than two single rooms, but there is money"
    assert rooms(budget=CHEAPEST) == {3}, "two single rooms are all that the budget allows"


@pytest.mark.parametrize(
    ("wish", "obstacle"),
    [
        ({"accommodations": {"constraints": ["泳池"]}, "people_number": 5}, "hotel"),
        ({"start_city": "faraway"}, "journey"),
        ({"days": 1}, "journey"),
    ],
)
def test_what_the_tables_rule_out_is_proven(
    wish: dict[str, Any], obstacle: str, world: World
) -> None:
    outcome = solve(asked(**wish), world)
    assert (outcome.solvability, outcome.obstacle) == ("infeasible", obstacle)


def test_a_plan_is_filled_and_the_same_every_time(world: World) -> None:
    first, second = solve(asked(budget=1500), world), solve(asked(budget=1500), world, None)
    assert first.plan is not None
    assert second.plan is not None
    assert first.plan.to_text() == second.plan.to_text()
    kinds = {activity.type for _, activity in first.plan.activities()}
    assert {"train", "attraction", "accommodation"} <= kinds


def test_a_plan_has_the_published_fields(world: World) -> None:
    plan = solve(asked(budget=1500), world).plan
    assert plan is not None
    published = plan.to_json()
    assert list(published) == ["people_number", "start_city", "target_city", "itinerary"]
    days = [day["activities"] for day in published["itinerary"]]
    assert list(days[0][0]) == JOURNEY
    for activity in (a for day in days for a in day):
        ways = activity["transports"]
        assert all(set(way) >= WAY for way in ways)
        assert [w["start_time"] for w in ways] == sorted(w["start_time"] for w in ways)
        if activity["type"] != "train":
            assert isinstance(activity["position"], str)
            assert "TrainID" not in activity


def test_nights_cover_every_demand_at_the_least_price() -> None:
    priced = {0b00: 5, 0b01: 9, 0b10: 8, 0b11: 30}
    assert cheapest_nights(priced, 1, 0b11) == 30
    assert cheapest_nights(priced, 3, 0b11) == 9 + 8 + 5
    assert cheapest_nights({0b01: 9}, 4, 0b11) is None


def test_a_search_without_time_stops_at_its_first_refused_plan(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a checker that accepts nothing, what was not searched is unknown, not infeasible."""
    tried = []

    def refuse(plan: Plan, world: World, request: Request) -> Report:
        tried.append(plan)
        report = check(plan, world, request)
        failed = replace(report.environment[0], passed=False)
        return replace(report, environment=(failed, *report.environment[1:]))

    monkeypatch.setattr("validators.plans.solve.check", refuse)
    assert solve(asked(), world, 0).solvability == "unknown"
    assert len(tried) == 1
    assert solve(asked(), world, None).solvability == "unknown"
    assert len(tried) > 2


def test_no_visit_on_a_weekday_that_a_place_is_closed_on(tmp_path: Path) -> None:
    """Hours say open every day; another statement closes the day of arrival and the next."""
    book = good.book()
    sights = {f["poi_id"] for f in book["poi_facts"][TOWN.slug] if f.get("hours_osm")}
    model = next(f for f in book["poi_facts"][TOWN.slug] if f.get("hours_osm"))
    blank = dict.fromkeys(("hours_osm", "hours_weekly", "price_cents"))
    book["poi_facts"][TOWN.slug] += [
        {**model, **blank, "fact_id": f"closed_{p}", "poi_id": p, "fact_field": "closed_days",
         "value": "Mon,Tue", "valid_when": "always"}
        for p in sorted(sights)
    ]  # fmt: skip
    good.write(tmp_path / "s", book)
    closed = read_world(Snapshot(tmp_path / "s"), TOWN.city_id)
    visits = {}
    for monday, name in (("2026-03-09", "closed"), ("2026-03-11", "open")):
        request = asked(budget=1500, dates=f"{monday} to {monday}")
        plan = solve(request, closed).plan
        assert plan is not None
        visits[name] = [a for _, a in plan.activities() if a.type == "attraction"]
    assert visits["open"]
    assert not visits["closed"]


def test_the_budget_plan_gives_up_wishes_and_the_experience_plan_the_budget(
    referred: Callable[..., SolveOutcome],
) -> None:
    """The cheapest trip visits nothing: what is wished for costs more than the budget."""
    wish = {"budget": CHEAPEST, "attractions": {"preferences": ["园林"]}}
    budget = referred("budget", **wish)
    assert budget.plan is not None
    assert budget.report is not None
    assert budget.report.passed
    experience = referred("experience", **wish)
    assert experience.plan is not None
    assert experience.report is not None
    costs = [
        sum(a.cost + sum(w.cost for w in a.transports) for _, a in o.plan.activities())
        for o in (budget, experience)
        if o.plan
    ]
    assert costs[0] <= CHEAPEST * 100 < costs[1]
    assert [v.constraint for v in experience.report.query if v.passed is False] == [
        "query:1:budget"
    ]


def test_what_no_plan_meets_has_no_reference_plan(referred: Callable[..., SolveOutcome]) -> None:
    outcome = referred("budget", budget=CHEAPEST - 1)
    assert (outcome.solvability, outcome.plan) == ("infeasible", None)
    assert referred("experience", budget=CHEAPEST - 1).plan is not None
