"""The command ``tripbed plans show``, which writes one plan as an HTML page or as JSON."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import polars as pl

from flows.errors import SettingsError
from flows.plans.desk import PlanDesk
from flows.plans.files import read_records, writable
from flows.plans.page import page_of
from flows.plans.told import PlanStory, tell, text_of
from schemas.plans import JOURNEYS, Plan, PlanError, read_plan
from validators.plans.check import check
from validators.plans.notes import notes_of
from validators.plans.reference import Approach, reference
from validators.plans.renown import read_renown
from validators.plans.request import RequestError
from validators.plans.trip import TripRequest, trip_of, unmet_hours
from warehouse.read import Snapshot

#: The kinds of plans, in the order in which one is chosen if no kind is named.
KINDS = ("balanced", "proof", "experience", "budget")
#: The kinds of reference plans that are made if none is stored; any other kind is ``balanced``.
_MADE: dict[str | None, Approach] = {"experience": "experience", "budget": "budget"}


def show(snapshot: Path, what: str, kind: str | None, out: Path | None, as_json: bool) -> int:
    """Show the plan for a query, or the plan in a file. Returns 0, or 1 if a query has no plan.

    Raises SettingsError if ``what`` is neither a query of the snapshot nor a file with one plan.
    """
    desk = PlanDesk(Snapshot(snapshot))
    plan: Plan | str
    query_id: str | None
    if what in desk.queries:
        plan, query_id, style = _of_query(desk, what, kind)
    else:
        plan, query_id, style = _of_file(desk, Path(what))
    if isinstance(plan, str):
        sys.stdout.write(
            (
                json.dumps({"query_id": query_id, "reason": plan})
                if as_json
                else f"{query_id}: {plan}"
            )
            + "\n"
        )
        return 1
    told = _tell_plan(desk, plan, query_id)
    if as_json:
        sys.stdout.write(json.dumps(_json(told, query_id, style), ensure_ascii=False) + "\n")
        return 0
    row = desk.queries.get(query_id or "")
    target = out or Path(
        f"plan-{re.sub(r'[^0-9A-Za-z_-]+', '-', query_id or Path(what).stem)}.html"
    )
    writable(target)
    target.write_text(page_of(told, row, style, plan.target_city), encoding="utf-8")
    sys.stderr.write(text_of(told) + "\n")
    sys.stdout.write(f"{target.resolve()}\n")
    return 0


def _of_query(desk: PlanDesk, query_id: str, kind: str | None) -> tuple[Plan | str, str, str]:
    """Return the stored plan for a query or, if there is none, a new reference plan.

    Returns a reason instead of a plan if there is no plan; then come the query's id and the style.
    """
    held = desk.snapshot
    stored = (
        held.table("witness_plans").filter(pl.col("query_id") == query_id).to_dicts()
        if "witness_plans" in held.tables()
        else []
    )
    for wanted in (kind,) if kind else KINDS:
        for row in stored:
            if row["plan_kind"] == wanted and row["plan"] is not None:
                return (
                    read_plan(json.loads(row["plan"])),
                    query_id,
                    f"{wanted}, {row['plan_style']}",
                )
    if kind == "proof":
        reason = next((row["reason"] for row in stored if row["plan_kind"] == kind), None)
        return reason or "the snapshot contains no proof for this query", query_id, ""
    row = desk.query(query_id)
    made = _MADE.get(kind, "balanced")
    city = row["city_id"]
    outcome = reference(row, desk.world(city), read_renown(held, _slug(desk, city)), made)
    if outcome.plan is None:
        return str(outcome.reason), query_id, ""
    return outcome.plan, query_id, f"{made}, {outcome.style}"


def _of_file(desk: PlanDesk, path: Path) -> tuple[Plan, str | None, str]:
    if not path.exists():
        raise SettingsError(f"{path}: no such query in {desk.snapshot.path.name}, and no such file")
    records = read_records([path])
    if len(records) != 1:
        raise SettingsError(f"{path}: it contains {len(records)} plans; give a file with one")
    record = records[0]
    try:
        if record.problem is not None:
            raise PlanError([record.problem])
        plan = read_plan(record.value)
    except PlanError as error:
        raise SettingsError(f"{path}: {error}") from None
    known = record.query_id if record.query_id in desk.queries else None
    return plan, known, record.method or ""


def _tell_plan(desk: PlanDesk, plan: Plan, query_id: str | None) -> PlanStory:
    city_id = desk.city_id(query_id, plan.target_city)
    if city_id is None:
        raise SettingsError(f"{plan.target_city!r} is not in {desk.snapshot.path.name}")
    world, renown = desk.world(city_id), read_renown(desk.snapshot, _slug(desk, city_id))
    trip = _trip(desk, query_id)
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


def _trip(desk: PlanDesk, query_id: str | None) -> TripRequest | None:
    if query_id is None:
        return None
    try:
        return trip_of(desk.query(query_id))
    except RequestError as error:
        raise SettingsError(str(error)) from None


def _list_assumed(trip: TripRequest | None, plan: Plan) -> tuple[str, ...]:
    """List what was assumed about the trip, and departure times that could not be met."""
    if trip is None:
        return ()
    leaves = [a.start_time for _, a in plan.activities() if a.type in JOURNEYS]
    late = unmet_hours(trip, (leaves[0], leaves[-1])) if len(leaves) == 2 else ()
    return (*trip.assumed, *late)


def _slug(desk: PlanDesk, city_id: str) -> str:
    slugs = dict(desk.snapshot.table("cities").select("city_id", "slug").iter_rows())
    return str(slugs[city_id])


def _json(told: PlanStory, query_id: str | None, style: str) -> dict[str, Any]:
    days = [
        {"title": title, "items": [asdict(item) for item in items]} for title, items in told.days
    ]
    return {
        **asdict(told),
        "days": days,
        "total_cents": told.total_cents,
        "query_id": query_id,
        "style": style,
    }
