"""Ways to break witness plans."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from schemas.ids import canonical_json
from tests.counterexamples.breaking import Case, Change, both, drop, put
from tests.counterexamples.broken_queries import ASKED, settings_with
from tests.counterexamples.broken_structure import fails
from tests.counterexamples.good import PROFILE, A, B, Book

_SHAPE, _PLANS = "witness_shape", "witness_plans"
ROW = f"{ASKED}/proof"
NO_REASON = {"solvability": "unknown", "plan": None, "plan_style": None, "wishes_met": None}
OPEN = {**NO_REASON, "obstacle": "search", "reason": "nothing was found"}
PROVEN = {**OPEN, "solvability": "infeasible", "obstacle": "hotel", "reason": "no room is free"}
STRICT = settings_with(gates={**PROFILE["gates"], "plans_decided": 0.99})
LENIENT = settings_with(gates={**PROFILE["gates"], "plans_decided": 0.0})


def _plan(change_of: Callable[[list[dict[str, Any]]], None]) -> Change:
    """A change of the activities of a witness plan, day after day."""

    def change(book: Book) -> None:
        row = book["witness_plans"][A.slug][0]
        plan = json.loads(row["plan"])
        change_of([activity for day in plan["itinerary"] for activity in day["activities"]])
        row["plan"] = canonical_json(plan)

    return change


def _set(number: int, **values: Any) -> Change:
    return _plan(lambda activities: activities[number].update(values))


CASES = (
    # The plan against the tables
    Case("a dearer room", _set(1, price=200, cost=400), fails((_PLANS, _PLANS, "plan", ROW))),
    Case(
        "a train a minute early", _set(2, start_time="08:59"), fails((_PLANS, _PLANS, "plan", ROW))
    ),
    Case("a way left out", _set(1, transports=[]), fails((_PLANS, _PLANS, "plan", ROW))),
    Case(
        "a witness of another form",
        put(_PLANS, {}, plan="{}"),
        fails((_PLANS, _PLANS, "plan", ROW)),
    ),
    Case(
        "a witness that is no JSON", put(_PLANS, {}, plan="{"), fails((_PLANS, _PLANS, "plan", ROW))
    ),
    Case(
        "a train that no longer runs",
        drop("trains", {"train_no": "G125"}, f"{A.slug}--{B.slug}"),
        fails((_PLANS, _PLANS, "plan", ROW), (_PLANS, _PLANS, "plan", ROW.replace(A.slug, B.slug))),
    ),
    Case(
        "a budget below the witness",
        put(
            "queries",
            {"query_id": ASKED},
            structure=canonical_json(
                {
                    "days": 2,
                    "tag": "easy",
                    "start_city": B.slug,
                    "target_city": A.slug,
                    "people_number": 2,
                    "budget": 700,
                }
            ),
        ),
        fails((_PLANS, _PLANS, "plan", ROW)),
    ),
    # The row by itself
    Case("solved without a plan", put(_PLANS, {}, plan=None), fails((_SHAPE, _PLANS, "plan", ROW))),
    Case(
        "solved for a reason",
        put(_PLANS, {}, reason="it is easy"),
        fails((_SHAPE, _PLANS, "reason", ROW)),
    ),
    Case(
        "open without a reason",
        put(_PLANS, {}, **NO_REASON),
        fails((_SHAPE, _PLANS, "reason", ROW), (_SHAPE, _PLANS, "obstacle", ROW)),
    ),
    Case(
        "proven, but the query is kept",
        put(_PLANS, {}, **PROVEN),
        fails((_SHAPE, _PLANS, "solvability", ROW)),
    ),
    Case(
        "a plan for a query that asks for none",
        put(_PLANS, {}, query_id=f"tprag-{A.slug}-3d"),
        fails((_SHAPE, _PLANS, "query_id", f"tprag-{A.slug}-3d/proof")),
    ),
    Case(
        "no plan can be made",
        both(
            put(_PLANS, {}, **PROVEN),
            put("queries", {"query_id": ASKED}, status="infeasible", reason="no room is free"),
        ),
        fails(("pending_cities", "queries", "status", f"{A.slug}/traveleval")),
    ),
    # The share
    Case(
        "too many open",
        put(_PLANS, {}, **OPEN),
        fails(("plans_decided", _PLANS, "solvability", A.slug)),
        settings=STRICT,
    ),
    Case(
        "none solved at all",
        drop(_PLANS, {}),
        fails(("plans_decided", _PLANS, "solvability", A.slug)),
        settings=STRICT,
    ),
)
NEAR_MISSES = (
    Case(
        "an open query, and nothing asked of the share", put(_PLANS, {}, **OPEN), settings=LENIENT
    ),
    Case("all are solved, and that is asked", settings=STRICT),
    Case(
        "a budget that the witness just keeps",
        put(
            "queries",
            {"query_id": ASKED},
            structure=canonical_json(
                {
                    "days": 2,
                    "tag": "easy",
                    "start_city": B.slug,
                    "target_city": A.slug,
                    "people_number": 2,
                    "budget": 750,
                }
            ),
        ),
    ),
)
