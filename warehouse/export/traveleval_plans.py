"""Writes queries and plans in the form that TravelEval's evaluator reads.

``queries/easy.json``, ``medium.json`` and ``hard.json`` contain single queries, and
``progressive.json`` contains groups. ``plans/witness.json`` is the list of plans, each with the uid
of its query.
"""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path

from schemas.money import YUAN
from schemas.plan_forms import write_traveleval
from schemas.plans import Activity, Plan, read_plan
from schemas.rows import QueriesRow
from schemas.typed_rows import read_rows
from warehouse.export.account import ExportAccount, write_json
from warehouse.export.gather import Row, cities, city_name_zh, plans_of_kind
from warehouse.read import Snapshot

_FAMILY = "traveleval"
_TAGS = ("easy", "medium", "hard")


def write(snapshot: Snapshot, out: Path, account: ExportAccount, plan_kind: str) -> None:
    """Write the kept queries, and their plans if they have any."""
    if "queries" not in snapshot.tables():
        return
    slugs = {row["city_id"]: row["slug"] for row in cities(snapshot)}
    plans = plans_of_kind(snapshot, plan_kind)
    single: dict[str, list[Row]] = {tag: [] for tag in _TAGS}
    groups: dict[str, list[Row]] = {}
    told: list[Row] = []
    for row in read_rows(snapshot.table("queries").sort("query_id"), QueriesRow):
        if row["family"] != _FAMILY:
            continue
        slug, key = slugs[row["city_id"]], row["query_id"]
        if row["status"] != "kept":
            account.leave_out(
                slug,
                "queries",
                key,
                row["text_zh"] or row["text_en"],
                f"{row['status']}: {row['reason']}",
            )
            continue
        query = _query(row)
        if query.get("currency", YUAN) != YUAN:
            why = (
                f"the budget is in {query['currency']}, but all amounts in the layout must be "
                "in yuan"
            )
            account.leave_out(slug, "queries", key, row["text_zh"], why)
            continue
        uid = query["uid"]
        if uid.startswith("G"):
            groups.setdefault(uid.split("-")[0], []).append(query)
        else:
            single[query["tag"]].append(query)
        account.count_written(slug, "queries")
        if plans.get(key) is not None:
            told.append(_plan(read_plan(json.loads(plans[key])), query))
            account.count_written(slug, "witness_plans")
    if not told and not groups and not any(single.values()):
        return
    head = {"version": "1.0", "description": "TravelEval layout, written by tripbed"}
    for tag, found in single.items():
        write_json(out / "queries" / f"{tag}.json", {**head, "queries": found})
    write_json(
        out / "queries" / "progressive.json", {**head, "query_groups": list(groups.values())}
    )
    write_json(out / "plans" / "witness.json", told)


def _query(row: QueriesRow) -> Row:
    """Return a query in the published form, with the cities' Chinese names and both texts."""
    structure = json.loads(row["structure"])
    ends = {end: structure[end] for end in ("start_city", "target_city")}
    ends = {end: city_name_zh(name) or name for end, name in ends.items()}
    texts = {"nature_language": row["text_zh"], "nature_language_en": row["text_en"]}
    return {**structure, **ends, **texts}


def _plan(plan: Plan, query: Row) -> Row:
    """Return a plan in TravelEval's form, in which the name of an airport begins with its city's
    name.
    """
    ends = {"start_city": query["start_city"], "target_city": query["target_city"]}
    there, back = tuple(ends.values()), tuple(ends.values())[::-1]
    days = [
        day.model_copy(
            update={
                "activities": [
                    _flight(a, there if (day.day, n) == (1, 0) else back)
                    for n, a in enumerate(day.activities)
                ]
            }
        )
        for day in plan.itinerary
    ]
    first = dt.date.fromisoformat(query["dates"].split(" to ")[0])
    dates = [(first + dt.timedelta(days=n)).isoformat() for n in range(len(days))]
    named_plan = plan.model_copy(update={**ends, "itinerary": days})
    return write_traveleval(named_plan, query["uid"], dates, query.get("budget") or 0)


def _flight(activity: Activity, cities: tuple[str, ...]) -> Activity:
    if activity.type != "airplane":
        return activity
    named = {"start": _of(cities[0], activity.start), "end": _of(cities[1], activity.end)}
    return activity.model_copy(update=named)


def _of(city: str, stop: str | None) -> str:
    return stop if stop and stop.startswith(city) else city + (stop or "")
