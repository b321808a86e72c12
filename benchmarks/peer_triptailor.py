"""Compare TripTailor's criteria and route lengths with tripbed's, on intact and spoilt plans.

TripTailor's evaluator is one module, ``TripTailor/eval/eval.py``. Empty modules replace the model
client and the prompts, because no rule needs them.
"""

from __future__ import annotations

import copy
import importlib.util
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import polars as pl

from benchmarks.peer_traveleval import MetricAgreement
from benchmarks.peer_world import Missing
from schemas.plans import JOURNEYS, MEALS, Plan, read_plan
from schemas.trip_forms import read_triptailor
from schemas.values import clock_text
from validators.metrics import triptailor
from validators.metrics.case import AskedTrip, Case, Value, read_asked
from validators.metrics.guide import Guide, read_guide
from validators.plans.world import Place
from warehouse.read import Snapshot

Told = dict[str, Any]
#: Number of places that TripTailor gets in addition to those in the plan.
_OTHERS = 20
_MEAL_RANGE = [20, 80]


def load(source: Path) -> ModuleType:
    """Load TripTailor's evaluator. Raises Missing if the evaluator cannot be imported."""
    found = next(
        (p for p in (source / "TripTailor/eval/eval.py", source / "eval.py") if p.is_file()), None
    )
    if found is None:
        raise Missing(
            f"{source} is not a copy of TripTailor's repository: it has no TripTailor/eval/eval.py"
        )
    for name in ("utils", "utils.ChatClient", "prompt"):
        sys.modules.setdefault(name, ModuleType(name))
    sys.modules["utils.ChatClient"].ChatClient = None  # type: ignore[attr-defined]  # a module made here
    for name in ("EXTRACT_PROMPT", "EVALUATION_PROMPT"):
        setattr(sys.modules["prompt"], name, "")
    os.environ.setdefault("OPENAI_API_KEY", "none")
    os.environ.setdefault("OPENAI_BASE_URL", "none")
    spec = importlib.util.spec_from_file_location("their_triptailor", found)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except ModuleNotFoundError as error:
        raise Missing(
            f"TripTailor's code needs the package {error.name}: install it first"
        ) from None
    return module


def compare(snapshot: Path, source: Path, most: int) -> dict[str, MetricAgreement]:
    """Compute each metric for plans that serve as proofs (at most ``most`` per city) and for spoilt
    copies of these plans.
    """
    theirs = load(source)
    held = Snapshot(snapshot)
    rows = {row["query_id"]: row for row in held.table("queries").to_dicts()}
    witnesses = (
        held.table("witness_plans")
        .filter(pl.col("plan_kind") == "proof")
        .drop_nulls("plan")
        .sort("query_id")
    )
    scores: dict[str, MetricAgreement] = {}
    for city in held.table("cities").sort("slug").to_dicts():
        guide = read_guide(held, city["city_id"])
        of_city = [row for row in witnesses.to_dicts() if row["city_id"] == city["city_id"]]
        for row in of_city[:most]:
            plan = read_plan(json.loads(row["plan"]))
            structure = json.loads(rows[row["query_id"]]["structure"])
            asked = read_asked({"budget": 5000, **structure, "meal_price_range": _MEAL_RANGE})
            given = _write_input(plan, guide)
            for name, told in _spoilt(_to_triptailor(plan, guide)):
                case = Case(read_triptailor(told), guide, asked)
                _judge(case, told, given, theirs, asked, scores, f"{row['query_id']}, {name}")
    return scores


def _to_triptailor(plan: Plan, guide: Guide) -> Told:
    """Return a plan in TripTailor's form, without breakfasts at the hotel."""
    days: dict[str, list[Told]] = {}
    for day in plan.itinerary:
        found = days.setdefault(f"Day {day.day}", [])
        for activity in day.activities:
            name = activity.position or ""
            if activity.type in JOURNEYS or activity.type == "accommodation":
                continue
            if activity.type in MEALS and guide.one("restaurant", name) is None:
                continue
            span = f"{clock_text(activity.start_time)}-{clock_text(activity.end_time)}"
            action = "dining" if activity.type in MEALS else "sightseeing"
            found.append(
                {"action": action, "location": name, "time": span, "price": activity.price / 100}
            )
    activities = [a for _, a in plan.activities()]
    nights = [a for a in activities if a.type == "accommodation"]
    hotel = (
        [{"name": nights[0].position, "price_per_night": nights[0].price / 100}] if nights else []
    )
    rides = [
        {
            "mode": "Flight" if a.type == "airplane" else "Train", "number": a.number,
            "time": f"{clock_text(a.start_time)}-{clock_text(a.end_time)}", "price": a.price / 100,
        }
        for a in activities if a.type in JOURNEYS
    ]  # fmt: skip
    return {"hotel": hotel, "transportation": rides, "itinerary": days}


def _spoilt(told: Told) -> Iterator[tuple[str, Told]]:
    yield "whole", told
    sights = [
        (d, n)
        for d, found in told["itinerary"].items()
        for n, e in enumerate(found)
        if e["action"] == "sightseeing"
    ]
    changes: Mapping[str, Callable[[Told], None]] = {
        "invented sight": lambda t: _entry(t, sights[0]).update(location="xqzw vkjy"),
        "a sight twice": lambda t: _entry(t, sights[-1]).update(
            location=_entry(t, sights[0])["location"]
        ),
        "a long visit": lambda t: _entry(t, sights[0]).update(time="08:00-20:00"),
        "dear meals": _dear_meals,
        "no number": lambda t: t["transportation"][0].update(number=""),
        "no journeys": lambda t: t["transportation"].clear(),
        "dear rooms": lambda t: t["hotel"][0].update(price_per_night=50_000.0),
    }
    for name, change in changes.items():
        if sights:
            changed = copy.deepcopy(told)
            change(changed)
            yield name, changed


def _dear_meals(told: Told) -> None:
    for found in told["itinerary"].values():
        for entry in found:
            entry.update(price=500.0 if entry["action"] == "dining" else entry["price"])


def _entry(told: Told, at: tuple[str, int]) -> Told:
    found: Told = told["itinerary"][at[0]][at[1]]
    return found


def _write_input(plan: Plan, guide: Guide) -> Told:
    """Return the data on the city that the evaluator needs: the plan's places and some others."""
    used = {a.position for _, a in plan.activities()}

    def some(kind: str, row: Callable[[Place], Told]) -> list[Told]:
        places = [p for p in guide.world.all_of(kind) if p.point is not None]
        chosen = [p for p in places if p.name in used] + [p for p in places if p.name not in used][
            :_OTHERS
        ]
        return [row(p) for p in chosen]

    def at(place: Place) -> Told:
        assert place.point is not None
        return {"latitude": place.point[0], "longitude": place.point[1]}

    def stay(place: Place) -> str:
        if place.least_min is None or place.most_min is None:
            return ""
        return f"{place.least_min / 60:g}-{place.most_min / 60:g} hours"

    trains = [{"Train_Number": a.number} for _, a in plan.activities() if a.type == "train"]
    flights = [{"Flight Number": a.number} for _, a in plan.activities() if a.type == "airplane"]
    rides = {"flight_options": flights, "train_options": trains}
    return {
        "hotel": some("hotel", lambda p: {"name": p.name, **at(p)}),
        "restaurants": some("restaurant", lambda p: {"name": p.name, **at(p)}),
        "attractions": some(
            "attraction", lambda p: {"poiName": p.name, "reference_time": stay(p), **at(p)}
        ),
        "transport_otd": rides, "transport_dto": rides,
    }  # fmt: skip


def _judge(
    case: Case,
    told: Told,
    given: Told,
    theirs: Any,
    asked: AskedTrip,
    scores: dict[str, MetricAgreement],
    where: str,
) -> None:
    days = len(case.trip.days)
    known = theirs.is_within_sandbox(told, given)[1]["attraction"]
    pairs: list[tuple[str, Value, Any]] = [
        (
            "Within Sandbox",
            triptailor.within_sandbox(case),
            theirs.is_within_sandbox(told, given)[0],
        ),
        (
            "Complete Information",
            triptailor.complete_information(case),
            theirs.is_complete_information(told),
        ),
        (
            "Diverse Restaurants",
            triptailor.diverse_restaurants(case),
            theirs.if_diverse_restaurants(told),
        ),
        (
            "Diverse Attractions",
            triptailor.diverse_attractions(case),
            theirs.if_diverse_attractions(told),
        ),
        (
            "Reasonable Meal Prices",
            triptailor.reasonable_meal_prices(case),
            theirs.is_reasonable_meal_prices(told, _MEAL_RANGE),
        ),
        (
            "Defined Budget Limit",
            triptailor.within_budget(case),
            theirs.is_within_budget(told, days, asked.budget),
        ),
        (
            "Appropriate Visit Duration",
            triptailor.appropriate_duration(case),
            known and theirs.is_appropriate_visit_duration(told, given),
        ),
    ]
    routes = (
        triptailor.route_distance,
        triptailor.route_distance_without_hotel,
        triptailor.route_distance_of_sights,
    )
    for mode, route in enumerate(routes):
        name = ("Route Distance", "Route Distance Without Hotel", "Route Distance Of Sights")[mode]
        their = theirs.route_lenght(told, given, mode=mode) * 1000 if known else None
        pairs.append((name, route(case), their))
    for name, mine, their in pairs:
        score = scores.setdefault(name, MetricAgreement())
        if mine is None and their in (None, 0):
            if their is None:
                score.equal += 1
            else:
                why = "if there is nothing to count, the evaluator gives 0, and tripbed null"
                score.stated[why] += 1
        elif (
            mine is not None
            and their is not None
            and abs(mine - float(their)) <= 1e-6 * max(1.0, mine)
        ):
            score.equal += 1
        else:
            score.wrong += 1
            score.example = score.example or f"{where}: tripbed {mine}, TripTailor {their}"
