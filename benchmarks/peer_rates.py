"""Compare the pass rates of ChinaTravel's evaluator and tripbed on the same good and spoilt plans.

ChinaTravel's evaluator reads an export of the plans, with the names, rooms and numbers of the
export's layout. tripbed reads the plans themselves. A plan is spoilt at the same point in the
export and in the plan itself.
"""

from __future__ import annotations

import contextlib
import copy
import importlib
import io
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from benchmarks.peer_world import Missing
from schemas.plans import PlanError, read_plan
from schemas.trip_forms import trip_of_plan
from validators.metrics import chinatravel
from validators.metrics.case import Case, Value, read_asked
from validators.metrics.chinatravel import Marks
from validators.metrics.guide import Guide, read_guide
from validators.plans.check import check
from validators.plans.request import Request, request_of
from warehouse.read import Snapshot

Plan = dict[str, Any]
#: ChinaTravel's functions for values of preferences, and tripbed's.
_VALUES = {
    "convenient_transport": chinatravel.transport_time,
    "convenient_restaurant": chinatravel.restaurant_time,
    "meal_cost_ratio": chinatravel.food_share,
    "attraction_count": chinatravel.daily_attractions,
}


def _all(plan: Plan, *kinds: str) -> list[dict[str, Any]]:
    return [a for day in plan["itinerary"] for a in day["activities"] if a["type"] in kinds]


def _no_people(plan: Plan) -> None:
    del plan["people_number"]


def _no_journey_there(plan: Plan) -> None:
    del plan["itinerary"][0]["activities"][0]


def _dearer_sight(plan: Plan) -> None:
    sight = _all(plan, "attraction")[0]
    sight["price"] += 10
    sight["cost"] = sight["price"] * sight["tickets"]


def _wrong_product(plan: Plan) -> None:
    _all(plan, "lunch", "dinner")[0]["cost"] += 7


def _sight_at_night(plan: Plan) -> None:
    _all(plan, "attraction")[0].update(start_time="02:00", end_time="03:00")


def _invented_sight(plan: Plan) -> None:
    _all(plan, "attraction")[0]["position"] = "nowhere at all"


def _sight_twice(plan: Plan) -> None:
    sights = _all(plan, "attraction")
    sights[1]["position"] = sights[0]["position"]


def _no_nights(plan: Plan) -> None:
    for day in plan["itinerary"]:
        day["activities"] = [a for a in day["activities"] if a["type"] != "accommodation"]


def _no_ways(plan: Plan) -> None:
    for activity in _all(plan, "attraction"):
        activity["transports"] = []


def _other_train(plan: Plan) -> None:
    _all(plan, "train", "airplane")[0].update({"TrainID": "X0", "FlightID": "X0"})


def _one_person_more(plan: Plan) -> None:
    plan["people_number"] += 1


def _last_day_lost(plan: Plan) -> None:
    plan["itinerary"].pop()


def _dear_nights(plan: Plan) -> None:
    for night in _all(plan, "accommodation"):
        night["cost"] = night["price"] * 1000


SPOILS: tuple[Callable[[Plan], None], ...] = (
    _no_people,
    _no_journey_there,
    _dearer_sight,
    _wrong_product,
    _sight_at_night,
    _invented_sight,
    _sight_twice,
    _no_nights,
    _no_ways,
    _other_train,
    _one_person_more,
    _last_day_lost,
    _dear_nights,
)


@dataclass
class Judged:
    """The rates of a set of plans from both evaluators, and the plans on which they differ."""

    theirs: dict[str, Value]
    ours: dict[str, Value]
    plans: int
    differ: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Pair:
    """A query and its plan, in the form of the export and in the form of the snapshot."""

    uid: str
    query: Plan
    theirs: Plan
    ours: Plan
    request: Request | None
    guide: Guide


def judge(
    snapshot: Path, source: Path, export: Path, most: int
) -> tuple[dict[str, Judged], dict[str, tuple[int, int]]]:
    """Evaluate intact and spoilt plans with both evaluators, and compare the preference values.

    Returns the rates by the name of the plan set and, for each preference, how many values were
    compared and how many were equal. ``most`` limits the number of plans, because ChinaTravel's
    code takes seconds for each plan. Raises Missing if ChinaTravel's evaluator cannot be found.
    """
    pairs = list(_pairs(Snapshot(snapshot), export))[:most]
    if not pairs:
        raise Missing(
            "the export has no plans: use a snapshot that contains both ends of a journey between"
            " cities"
        )
    found = {"whole": _judge([(p, p.theirs, p.ours) for p in pairs], source)}
    for spoil in SPOILS:
        name = spoil.__name__.strip("_").replace("_", " ")
        found[name] = _judge(list(_spoilt(pairs, spoil)), source)
    return found, _values(pairs)


def _spoilt(
    pairs: list[_Pair], spoil: Callable[[Plan], None]
) -> Iterator[tuple[_Pair, Plan, Plan]]:
    for pair in pairs:
        theirs, ours = copy.deepcopy(pair.theirs), copy.deepcopy(pair.ours)
        with contextlib.suppress(IndexError):  # a plan without such an activity stays intact
            spoil(theirs)
            spoil(ours)
        yield pair, theirs, ours


def _pairs(held: Snapshot, export: Path) -> Iterator[_Pair]:
    rows = {row["query_id"]: row for row in held.table("queries").to_dicts()}
    witnesses = dict(
        held.table("witness_plans")
        .filter(pl.col("plan_kind") == "proof")
        .drop_nulls("plan")
        .select("query_id", "plan")
        .iter_rows()
    )
    guides: dict[str, Guide] = {}
    for path in sorted((export / "plans").glob("*.json")):
        query = json.loads((export / "queries" / path.name).read_text("utf-8"))
        row = rows[path.stem]
        guide = guides.setdefault(row["city_id"], read_guide(held, row["city_id"]))
        yield _Pair(
            path.stem, query, json.loads(path.read_text("utf-8")),
            json.loads(witnesses[path.stem]), request_of(row), guide,
        )  # fmt: skip


def _judge(plans: list[tuple[_Pair, Plan, Plan]], source: Path) -> Judged:
    theirs, passed = _their_rates(plans, source)
    marks = [_marks(pair, ours) for pair, _, ours in plans]
    ours = {name: chinatravel.rate(name, marks) for name in chinatravel.RATES}
    made = Judged(theirs, ours, len(plans))
    for (pair, _, _), mark in zip(plans, marks, strict=True):
        mine = (mark.delivered, mark.sound, mark.right)
        if mine != passed[pair.uid]:
            made.differ.append(f"{pair.uid}: tripbed {mine}, ChinaTravel {passed[pair.uid]}")
    return made


def _marks(pair: _Pair, value: Plan) -> Marks:
    try:
        plan = read_plan(value)
    except PlanError:
        return chinatravel.mark_undelivered(pair.request)
    return chinatravel.marks(plan, check(plan, pair.guide.world, pair.request), pair.request)


def _their_rates(
    plans: list[tuple[_Pair, Plan, Plan]], source: Path
) -> tuple[dict[str, Value], dict[str, tuple[bool, bool, bool]]]:
    """Return the rates from ChinaTravel's evaluator as shares, and the checks each plan passes."""
    try:
        parts = [
            importlib.import_module(f"chinatravel.evaluation.{name}_constraint")
            for name in ("schema", "commonsense", "hard")
        ]
    except ModuleNotFoundError as error:
        raise Missing(
            f"ChinaTravel's evaluator needs the package {error.name}: install it first"
        ) from None
    schema = json.loads((source / "chinatravel/evaluation/output_schema.json").read_text("utf-8"))
    ids = [pair.uid for pair, _, _ in plans]
    queries = {pair.uid: pair.query for pair, _, _ in plans}
    answers = {pair.uid: theirs for pair, theirs, _ in plans}
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        delivery, _, formed = parts[0].evaluate_schema_constraints(ids, answers, schema)
        macro, micro, _, sound = parts[1].evaluate_commonsense_constraints(ids, queries, answers)
        logic = parts[2].evaluate_hard_constraints_v2(ids, queries, answers, sound)
    final = set(formed) & set(sound) & set(logic[5])
    percent = {
        "DR": delivery, "EPR micro": micro, "EPR macro": macro, "LPR micro": logic[1],
        "LPR macro": logic[0], "C-LPR": logic[3], "FPR": 100 * len(final) / len(ids),
    }  # fmt: skip
    passed = {uid: (uid in formed, uid in sound, uid in logic[5]) for uid in ids}
    return {name: float(value) / 100 for name, value in percent.items()}, passed


def _values(pairs: list[_Pair]) -> dict[str, tuple[int, int]]:
    """Count the preference values that were compared, and those that differ by less than 1e-6."""
    module = importlib.import_module("chinatravel.evaluation.preference")
    found = {}
    for name, ours in _VALUES.items():
        equal = 0
        for pair in pairs:
            case = Case(trip_of_plan(read_plan(pair.ours)), pair.guide, read_asked(pair.query))
            mine, theirs = ours(case), getattr(module, name)(pair.theirs)
            equal += theirs == -1 if mine is None else abs(mine - theirs) <= 1e-6
        found[name] = (len(pairs), equal)
    return found
