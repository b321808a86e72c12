"""The command ``tripbed plans show``, which writes one plan as an HTML page or as JSON."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import polars as pl

from flows.console import print_json
from flows.errors import SettingsError
from flows.plans.files import read_records, writable
from flows.plans.material import Material
from flows.plans.page import page_of
from flows.plans.story import PlanStory, tell, text_of
from schemas.plans import JOURNEYS, Plan, PlanError, read_plan
from validators.plans.check import check
from validators.plans.notes import notes_of
from validators.plans.reference import Approach, reference
from validators.plans.request import RequestError
from validators.plans.trip import TripRequest, trip_of, unmet_hours

#: The kinds of plans, in the order in which one is chosen if no kind is named.
KINDS = ("balanced", "proof", "experience", "budget")
#: The kinds of reference plans that are made if none is stored; any other kind is ``balanced``.
_MADE: dict[str | None, Approach] = {"experience": "experience", "budget": "budget"}


def show(snapshot: Path, what: str, kind: str | None, out: Path | None, as_json: bool) -> int:
    """Show the plan for a query, or the plan in a file. Returns 0, or 1 if the query has no plan.

    Raises SettingsError if ``what`` is neither a query in the snapshot nor a file with one plan.
    """
    material = Material(snapshot)
    is_query = what in material.queries
    plan, query_id, style = (
        _of_query(material, what, kind) if is_query else _of_file(material, Path(what))
    )
    if isinstance(plan, str):
        reason = json.dumps({"query_id": query_id, "reason": plan})
        print(reason if as_json else f"{query_id}: {plan}")
        return 1
    told = _tell_plan(material, plan, query_id)
    if as_json:
        print_json(_json(told, query_id, style))
        return 0
    row = material.queries.get(query_id or "")
    target = out or Path(
        f"plan-{re.sub(r'[^0-9A-Za-z_-]+', '-', query_id or Path(what).stem)}.html"
    )
    writable(target)
    target.write_text(page_of(told, row, style, plan.target_city), encoding="utf-8")
    print(text_of(told), file=sys.stderr)
    print(target.resolve())
    return 0


#: A plan or the reason why there is none, the id of its query, and its style.
_Shown = tuple[Plan | str, str | None, str]


def _of_query(material: Material, query_id: str, kind: str | None) -> _Shown:
    """Return the stored plan for a query, or a new reference plan if none is stored."""
    stored = {}
    if "witness_plans" in material.snapshot.tables():
        rows = material.table("witness_plans").filter(pl.col("query_id") == query_id)
        stored = {row["plan_kind"]: row for row in rows.to_dicts()}
    for wanted in (kind,) if kind else KINDS:
        if wanted in stored and stored[wanted]["plan"] is not None:
            plan = read_plan(json.loads(stored[wanted]["plan"]))
            return plan, query_id, f"{wanted}, {stored[wanted]['plan_style']}"
    if kind == "proof":
        reason = stored.get(kind, {}).get("reason")
        return reason or "the snapshot contains no proof for this query", query_id, ""
    row, made = material.query(query_id), _MADE.get(kind, "balanced")
    city = row["city_id"]
    outcome = reference(row, material.world(city), material.renown(city), made)
    if outcome.plan is None:
        return str(outcome.reason), query_id, ""
    return outcome.plan, query_id, f"{made}, {outcome.style}"


def _of_file(material: Material, path: Path) -> _Shown:
    if not path.exists():
        name = material.snapshot.path.name
        raise SettingsError(f"{path} is neither a query in {name} nor a file")
    records = read_records([path])
    if len(records) != 1:
        raise SettingsError(f"{path} contains {len(records)} plans: give a file with only one plan")
    (record,) = records
    try:
        plan = read_plan(record.content)
    except PlanError as error:
        raise SettingsError(f"{path}: {error}") from None
    return plan, material.find_query(record, None), record.method or ""


def _tell_plan(material: Material, plan: Plan, query_id: str | None) -> PlanStory:
    city_id = material.city_id(query_id, plan.target_city)
    if city_id is None:
        raise SettingsError(
            f"the city {plan.target_city!r} is not in {material.snapshot.path.name}"
        )
    world, renown = material.world(city_id), material.renown(city_id)
    trip = _trip(material, query_id)
    request = trip.request if trip else None
    return tell(
        plan,
        world,
        renown,
        request,
        check(plan, world, request),
        _list_assumed(trip, plan),
        notes_of(trip, plan, world, renown) if trip else (),
    )


def _trip(material: Material, query_id: str | None) -> TripRequest | None:
    if query_id is None:
        return None
    try:
        return trip_of(material.query(query_id))
    except RequestError as error:
        raise SettingsError(str(error)) from None


def _list_assumed(trip: TripRequest | None, plan: Plan) -> tuple[str, ...]:
    """List the assumptions about the trip, and departure times that could not be kept."""
    if trip is None:
        return ()
    leaves = [a.start_time for _, a in plan.activities() if a.type in JOURNEYS]
    late = unmet_hours(trip, (leaves[0], leaves[-1])) if len(leaves) == 2 else ()
    return (*trip.assumed, *late)


def _json(told: PlanStory, query_id: str | None, style: str) -> dict[str, Any]:
    facts = asdict(told)
    days = [{"title": title, "items": items} for title, items in facts["days"]]
    more = {"total_cents": told.total_cents, "query_id": query_id, "style": style}
    return {**facts, "days": days, **more}
