"""Queries and their witness plans in the chinatravel layout, under the names that it gives places.

``queries/ID.json`` is a query as ChinaTravel publishes them, with its constraints as programs;
``plans/ID.json`` its plan of the kind that was asked for; ``queries.txt`` lists the ids. A query
that asks for what no table of the layout tells is left out, and so is a plan that uses it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from schemas.plans import JOURNEYS, MEALS, ROOM_NUMBERS, Activity, Day, Plan, read_plan
from schemas.values import clock_minutes
from warehouse.export.account import ExportAccount
from warehouse.export.chinatravel_logic import Unsaid, programs
from warehouse.export.files import write_json
from warehouse.export.gather import Row, plans_of_kind
from warehouse.read import Snapshot

_FAMILY = "chinatravel"
Votes = Mapping[tuple[str, str], Counter[int]]


@dataclass
class Written:
    """What the layout holds: rows by city, table and the snapshot's name, and journeys.

    A name that several rows of a table have stands for none of them. A journey is told by its
    number in the layout and its row. ``cities`` gives the layout's name of a city by each of its
    names.
    """

    rows: dict[tuple[str, str, str], Row | None] = field(default_factory=dict)
    journeys: dict[tuple[Any, ...], tuple[str, Row]] = field(default_factory=dict)
    cities: dict[str, str] = field(default_factory=dict)

    def add(self, slug: str, table: str, name: str, row: Row) -> None:
        """A row that is written."""
        key = slug, table, name
        self.rows[key] = None if key in self.rows else row

    def name(self, slug: str, table: str, name: str) -> str:
        """The layout's name of a place; its own where the layout does not hold it."""
        row = self.rows.get((slug, table, name))
        return str(row["name"]) if row else name


def journey_key(kind: str, number: str, row: Mapping[str, Any]) -> tuple[Any, ...]:
    """What tells a train or flight of the tables from all others."""
    ends = row["origin_station"], row["destination_station"]
    return kind, number, *ends, row["departure_min"], row["arrival_min"], row["price_cents"]


def count_wanted_rooms(snapshot: Snapshot, plan_kind: str) -> Votes:
    """Nights of the plans of a kind by city id, hotel and number of the room type."""
    votes: dict[tuple[str, str], Counter[int]] = {}
    for row in _rows(snapshot, "witness_plans"):
        if row["plan"] is None or row["plan_kind"] != plan_kind:
            continue
        for _, activity in read_plan(json.loads(row["plan"])).activities():
            if activity.type == "accommodation" and activity.room_type is not None:
                key = row["city_id"], activity.position or ""
                votes.setdefault(key, Counter())[activity.room_type] += 1
    return votes


def write(
    snapshot: Snapshot,
    out: Path,
    slugs: Mapping[str, str],
    written: Written,
    account: ExportAccount,
    plan_kind: str,
) -> None:
    """Write queries and their plans of a kind; ``slugs`` are the layout's cities by city id."""
    plans = plans_of_kind(snapshot, plan_kind)
    ids = []
    for row in sorted(_rows(snapshot, "queries"), key=lambda r: r["query_id"]):
        slug = slugs.get(row["city_id"])
        if row["family"] != _FAMILY or slug is None:
            continue
        key = row["query_id"]
        try:
            query = _query(row, slug, written)
        except Unsaid as reason:
            account.leave_out(slug, "queries", key, row["text_zh"] or row["text_en"], str(reason))
            continue
        write_json(out / "queries" / f"{key}.json", query)
        account.wrote(slug, "queries")
        ids.append(key)
        if plans.get(key) is None:
            continue
        try:
            plan = rename_plan(read_plan(json.loads(plans[key])), slug, written)
        except Unsaid as reason:
            account.leave_out(slug, "witness_plans", key, key, str(reason))
            continue
        write_json(out / "plans" / f"{key}.json", plan.to_json())
        account.wrote(slug, "witness_plans")
    if ids:
        (out / "queries.txt").write_text("\n".join(ids) + "\n", encoding="utf-8")


def _rows(snapshot: Snapshot, table: str) -> list[Row]:
    return snapshot.table(table).to_dicts() if table in snapshot.tables() else []


def _query(row: Row, slug: str, written: Written) -> Row:
    if row["status"] != "kept":
        raise Unsaid(f"{row['status']}: {row['reason']}")
    structure = json.loads(row["structure"])
    for end in ("start_city", "target_city"):
        if structure[end] not in written.cities:
            raise Unsaid(f"leads to a city that is not written: {structure[end]}")
    return {
        "uid": row["query_id"], "tag": structure["tag"],
        "start_city": written.cities[structure["start_city"]],
        "target_city": written.cities[structure["target_city"]],
        "days": structure["days"], "people_number": structure["people_number"],
        "nature_language": row["text_zh"], "nature_language_en": row["text_en"],
        "hard_logic_py": programs(structure, lambda table, name: written.name(slug, table, name)),
    }  # fmt: skip


def rename_plan(plan: Plan, slug: str, written: Written) -> Plan:
    """The plan under the layout's names. Raises Unsaid for what no row of the layout says."""
    place = ""
    days = []
    for day in plan.itinerary:
        activities = []
        for activity in day.activities:
            made = _activity(activity, slug, written)
            legs = list(activity.transports)
            if legs:
                legs[0] = legs[0].model_copy(update={"start": place})
                legs[-1] = legs[-1].model_copy(update={"end": made.begins_at})
            activities.append(made.model_copy(update={"transports": legs}))
            place = made.ends_at
        days.append(Day(day=day.day, activities=activities))
    ends = {"start_city": plan.start_city, "target_city": plan.target_city}
    named = {key: written.cities.get(name, name) for key, name in ends.items()}
    return plan.model_copy(update={**named, "itinerary": days})


def _activity(activity: Activity, slug: str, written: Written) -> Activity:
    if activity.type in JOURNEYS:
        times = activity.start_time, activity.end_time % 1440, activity.price
        key = activity.type, activity.number, activity.start, activity.end, *times
        if key not in written.journeys:
            raise Unsaid(f"the {activity.type} {activity.number} is not written")
        number, journey = written.journeys[key]
        field_of = "train_id" if activity.type == "train" else "flight_id"
        ends = {"start": journey["From"], "end": journey["To"]}
        return activity.model_copy(update={field_of: number, **ends})
    found = _row(activity, slug, written)
    if found is None:
        raise Unsaid(f"{activity.position} is not written")
    row, table = found
    if activity.type == "accommodation":
        _check_room(activity, row)
    elif table != "hotels":
        _check_hours(activity, row)
    return activity.model_copy(update={"position": row["name"]})


def _row(activity: Activity, slug: str, written: Written) -> tuple[Row, str] | None:
    """Row and table of a place; breakfast may be had at a hotel."""
    tables: tuple[str, ...] = ("restaurants",) if activity.type in MEALS else ("attractions",)
    if activity.type == "accommodation":
        tables = ("hotels",)
    if activity.type == "breakfast" and activity.price == 0:
        tables = ("hotels", "restaurants")
    for table in tables:
        row = written.rows.get((slug, table, activity.position or ""))
        if row is not None:
            return row, table
    return None


def _check_room(activity: Activity, row: Row) -> None:
    if (activity.room_type, activity.price) != (row["numbed"], round(100 * row["price"])):
        kinds = {number: kind for kind, number in ROOM_NUMBERS.items()}
        kind = kinds.get(activity.room_type or 0, "other")
        raise Unsaid(f"a night in a {kind} room: the layout tells another room of that hotel")


def _check_hours(activity: Activity, row: Mapping[str, Any]) -> None:
    opens, closes = clock_minutes(row["opentime"]), clock_minutes(row["endtime"])
    closes += 1440 if closes <= opens else 0
    if not opens <= activity.start_time <= activity.end_time <= closes:
        raise Unsaid("a stay at hours that the layout does not tell: they differ by day")
