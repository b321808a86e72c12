"""Writes queries and their plans in ChinaTravel's layout, with the names used in the layout.

``queries/ID.json`` is a query in ChinaTravel's published form, with its constraints as programs.
``plans/ID.json`` is the plan of the chosen kind for the query. ``queries.txt`` lists the ids. A
query or plan is left out if it needs information that the layout cannot express.

Each program sets the variable ``result``. The language of the programs has only assignments, loops,
conditions, comparisons and calls to named concepts (``activity_type``, ``room_count``, ...). The
language has no comprehensions.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from schemas.plans import JOURNEYS, MEALS, ROOM_NUMBERS, Activity, Day, Plan, read_plan
from schemas.taxonomy import BASE_TYPES, ROOM_TYPES, TREND_TYPES
from schemas.values import clock_minutes, clock_text
from warehouse.export.account import ExportAccount, write_json
from warehouse.export.gather import Row, plans_of_kind
from warehouse.read import Snapshot

#: Returns the layout's name of a place, given the table and the name that the query uses.
Renamed = Callable[[str, str], str]
_EVERY = "for activity in allactivities(plan):\n  "
_MEALS = "in ['breakfast','lunch','dinner']"
#: For each kind of constraint: a test that selects activities, the value that is collected, and the
#: table that contains the names (or None).
_SETS = {
    "attraction_type": ("=='attraction'", "attraction_type(activity, target_city(plan))", None),
    "attraction_name": ("=='attraction'", "activity_position(activity)", "attractions"),
    "cuisine": (_MEALS, "restaurant_type(activity, target_city(plan))", None),
    "restaurant_name": (_MEALS, "activity_position(activity)", "restaurants"),
    "hotel_feature": ("=='accommodation'", "accommodation_type(activity, target_city(plan))", None),
    "hotel_name": ("=='accommodation'", "activity_position(activity)", "hotels"),
}
_JOURNEYS = {"高铁": "train", "飞机": "airplane"}
_MODES = {"地铁": "metro", "打车": "taxi", "步行": "walk"}
_ROOMS = {term.zh: ROOM_NUMBERS[term.code] for term in ROOM_TYPES if term.code in ROOM_NUMBERS}
_BASE = {term.zh for term in BASE_TYPES}
_TREND = {term.zh for term in TREND_TYPES}


class Unsaid(ValueError):
    """Raised if the layout cannot express a constraint or a plan. The message gives the reason."""


def programs(structure: Mapping[str, Any], renamed: Renamed) -> list[str]:
    """Write programs for the number of days, the number of people and each constraint.

    Raises Unsaid if the layout cannot express a constraint.
    """
    asked = [f"result=(day_count(plan)=={structure['days']})"]
    asked.append(f"result=(people_count(plan)=={structure['people_number']})")
    return asked + [program(constraint, renamed) for constraint in structure["constraints"]]


def program(constraint: Mapping[str, Any], renamed: Renamed) -> str:
    """Write the program for one constraint. Raises Unsaid if the layout cannot express the
    constraint.
    """
    kind, mode, amount = constraint["kind"], constraint["mode"], constraint["amount"]
    values: Sequence[str] = constraint["values"]
    if kind in _SETS:
        return _set_program(kind, mode, values, renamed)
    if kind == "transport":
        way = _JOURNEYS[values[0]]
        gather = (
            "if activity_type(activity) in ['train','airplane']:"
            " found.add(intercity_transport_type(activity))"
        )
        return f"found=set()\n{_EVERY}{gather}\nresult=(found=={{{way!r}}})"
    if kind == "rooms":
        return _rooms_program(values[0], amount)
    if kind == "budget":
        ways = "  total+=innercity_transport_cost(activity_transports(activity))"
        return f"total=0\n{_EVERY}total+=activity_cost(activity)\n{ways}\nresult=(total<={amount})"
    if kind == "city_transport":
        way = _MODES[values[0]]
        gather = "found.add(innercity_transport_type(activity_transports(activity)))"
        test = f"{way!r} not in found" if mode == "none" else f"found<={{'walk',{way!r},'empty'}}"
        return f"found=set()\n{_EVERY}{gather}\nresult=({test})"
    if kind == "time":
        # The first activity of a plan is the outward journey, and the last is the return journey.
        which = -1 if mode == "back" else 0
        until = clock_text(amount)
        return f"result=(activity_end_time(allactivities(plan)[{which}])<={until!r})"
    raise Unsaid(f"the layout cannot express a constraint of kind {kind}")


def _set_program(kind: str, mode: str, values: Sequence[str], renamed: Renamed) -> str:
    which, look, table = _SETS[kind]
    if kind == "attraction_type" and (unknown := [v for v in values if v in _TREND - _BASE]):
        raise Unsaid(
            f"the layout has only the base types of attractions, so it has no type {unknown[0]}"
        )
    told = [_text(renamed(table, value) if table else value) for value in values]
    gather = f"found=set()\n{_EVERY}if activity_type(activity) {which}: found.add({look})\n"
    if mode == "all":
        return f"{gather}result=({{{','.join(told)}}}<=found)"
    joint, word = (" or ", "in") if mode == "any" else (" and ", "not in")
    return f"{gather}result=({joint.join(f'{value} {word} found' for value in told)})"


def _rooms_program(kind: str, rooms: int) -> str:
    number = _ROOMS.get(kind)
    if number not in (1, 2):
        raise Unsaid(f"the layout does not have the room type {kind}")
    other = f"room_count(activity)!={rooms} or room_type(activity)!={number}"
    test = f"if activity_type(activity)=='accommodation' and ({other}): result=False"
    return f"result=True\n{_EVERY}{test}"


def _text(value: str) -> str:
    """Write a text in double quotes, because ChinaTravel treats single quotes specially."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


_FAMILY = "chinatravel"
Votes = Mapping[tuple[str, str], Counter[int]]


@dataclass
class Written:
    """Everything that has been written in the layout so far.

    ``rows`` maps city, table and name in the snapshot to a row, or to None if several rows share
    the name. For each journey in the layout, ``journeys`` contains its number and its row.
    ``cities`` maps each name of a city to the name in the layout.
    """

    rows: dict[tuple[str, str, str], Row | None] = field(default_factory=dict)
    journeys: dict[tuple[Any, ...], tuple[str, Row]] = field(default_factory=dict)
    cities: dict[str, str] = field(default_factory=dict)

    def add(self, slug: str, table: str, name: str, row: Row) -> None:
        """Record a row that was written."""
        key = slug, table, name
        self.rows[key] = None if key in self.rows else row

    def name(self, slug: str, table: str, name: str) -> str:
        """Return the layout's name for a place, or the given name if the place was not written."""
        row = self.rows.get((slug, table, name))
        return str(row["name"]) if row else name


def journey_key(kind: str, number: str, row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the values that identify a train or flight."""
    ends = row["origin_station"], row["destination_station"]
    return kind, number, *ends, row["departure_min"], row["arrival_min"], row["price_cents"]


def count_wanted_rooms(snapshot: Snapshot, plan_kind: str) -> Votes:
    """For plans of one kind, count the nights in each room type, by city id and hotel."""
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
    """Write queries, each with its plan of the given kind (if there is one). ``slugs`` maps the ids
    of the exported cities to their slugs.
    """
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
        account.count_written(slug, "queries")
        ids.append(key)
        if plans.get(key) is None:
            continue
        try:
            plan = rename_plan(read_plan(json.loads(plans[key])), slug, written)
        except Unsaid as reason:
            account.leave_out(slug, "witness_plans", key, key, str(reason))
            continue
        write_json(out / "plans" / f"{key}.json", plan.to_json())
        account.count_written(slug, "witness_plans")
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
            raise Unsaid(f"the city {structure[end]} is not exported")
    return {
        "uid": row["query_id"], "tag": structure["tag"],
        "start_city": written.cities[structure["start_city"]],
        "target_city": written.cities[structure["target_city"]],
        "days": structure["days"], "people_number": structure["people_number"],
        "nature_language": row["text_zh"], "nature_language_en": row["text_en"],
        "hard_logic_py": programs(structure, lambda table, name: written.name(slug, table, name)),
    }  # fmt: skip


def rename_plan(plan: Plan, slug: str, written: Written) -> Plan:
    """Replace the names in a plan with those in the layout.

    Raises Unsaid if the plan uses a place or journey that is not in the layout.
    """
    place = ""
    days = []
    for day in plan.itinerary:
        activities = []
        for activity in day.activities:
            made = _activity(activity, slug, written)
            if legs := list(activity.transports):
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
            raise Unsaid(f"the {activity.type} {activity.number} is not exported")
        number, journey = written.journeys[key]
        field_of = "train_id" if activity.type == "train" else "flight_id"
        update = {field_of: number, "start": journey["From"], "end": journey["To"]}
        return activity.model_copy(update=update)
    found = _row(activity, slug, written)
    if found is None:
        raise Unsaid(f"{activity.position} is not exported")
    row, table = found
    if activity.type == "accommodation":
        _check_room(activity, row)
    elif table != "hotels":
        _check_hours(activity, row)
    return activity.model_copy(update={"position": row["name"]})


def _row(activity: Activity, slug: str, written: Written) -> tuple[Row, str] | None:
    """Find the row and table of an activity's place; breakfast may be at a hotel."""
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
        raise Unsaid(
            f"the plan has a {kind} room, but the layout has a different room type for this hotel"
        )


def _check_hours(activity: Activity, row: Mapping[str, Any]) -> None:
    opens, closes = clock_minutes(row["opentime"]), clock_minutes(row["endtime"])
    closes += 1440 if closes <= opens else 0
    if not opens <= activity.start_time <= activity.end_time <= closes:
        raise Unsaid(
            "the hours differ by day, and a visit in the plan is outside the exported hours"
        )
