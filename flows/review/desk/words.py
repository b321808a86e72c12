"""Describe a row in one sentence for a reviewer, and add related information."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from flows.review.desk.queue import QueueRow
from flows.review.samples.claims import claim_of
from flows.review.samples.sentences import SnapshotPlaces, context_of, fact_of, say
from schemas.taxonomy import CONSTRAINTS
from warehouse.read import Snapshot

Row = dict[str, Any]
Field = tuple[str, str, str]
_STATUS = {
    "kept": "enough results were found", "pending_documents": "more documents are needed",
    "infeasible": "no plan can meet the query",
}  # fmt: skip


class RowWords:
    """A writer of sentences about the rows in a snapshot."""

    def __init__(self, snapshot: Snapshot, places: SnapshotPlaces):
        self._places = places
        self._queries = {row["query_id"]: row for row in snapshot.table("queries").to_dicts()}
        self._facts: dict[Field, list[Row]] = defaultdict(list)
        for row in snapshot.table("poi_facts").to_dicts():
            self._facts[_field(row)].append(row)
        self._searches: dict[str, list[str]] = defaultdict(list)
        for row in snapshot.table("sub_queries").to_dicts():
            self._searches[row["query_id"]].append(row["text"])
        self._say: dict[str, Callable[[Row], str]] = {
            "pois": self._place, "links": self._link, "unlinked_names": self._describe_unlinked,
            "queries": self._query, "query_pois": self._candidate, "trajectories": self._trip,
            "poi_facts": self._fact, "poi_tags": self._tag, "witness_plans": self._plan,
        }  # fmt: skip

    def sentence(self, item: QueueRow) -> str:
        """Express the content of the row in one sentence."""
        return self._say[item.table](item.row)

    def beside(self, item: QueueRow) -> str:
        """Return the other values of a fact, or the searches for a query; the result is empty for
        other rows."""
        if item.table == "poi_facts":
            others = [
                row for row in self._facts[_field(item.row)] if row["value"] != item.row["value"]
            ]
            told = [
                f"{row['value']} ({self._places.line(row['evidence_id']) or 'a text'})"
                for row in others
            ]
            return f"Others say: {', '.join(dict.fromkeys(told))}." if told else ""
        if item.table == "queries" and self._searches[item.row["query_id"]]:
            return (
                f"Searched for: {', '.join(dict.fromkeys(self._searches[item.row['query_id']]))}."
            )
        return ""

    def describe_query(self, query_id: str) -> str:
        """Return the texts of a query, or the query's id if it has no text."""
        row = self._queries.get(query_id)
        if row is None:
            return query_id
        return (
            " / ".join(dict.fromkeys(t for t in (row["text_zh"], row["text_en"]) if t)) or query_id
        )

    def _place(self, row: Row) -> str:
        where = (
            "at the point shown on the map" if row["lat"] is not None else "at an unknown location"
        )
        return (
            f"{self._places.tell_place(row['poi_id'])}, {where}, is a separate sight that a"
            " traveller could visit."
        )

    def _link(self, row: Row) -> str:
        return f"In this text, “{row['name']}” is {self._places.tell_place(row['poi_id'])}."

    def _describe_unlinked(self, row: Row) -> str:
        city = self._places.city(row["city_id"])
        told = {
            "review": f"none of the known places in {city}",
            "unresolved": f"a place in {city} that no table contains",
            "elsewhere": f"in {self._places.city(row['named_city_id'] or '')}, not in {city}",
            "unknown": "a place in a city that the text does not name",
        }[row["unlinked_as"]]
        return f"In this text, “{row['name']}” is {told}."

    def _query(self, row: Row) -> str:
        days = (
            "any number of days"
            if row["n_days"] is None
            else f"{row['n_days']} day{'s' * (row['n_days'] != 1)}"
        )
        terms = CONSTRAINTS.get(row["constraint_kind"], ())
        code = next(
            (t.en for t in terms if t.code == row["constraint_code"]), row["constraint_code"]
        )
        about = f", {row['constraint_kind'].replace('_', ' ')}: {code}" if code else ""
        return (
            f"“{self.describe_query(row['query_id'])}” asks for a trip to"
            f" {self._places.city(row['city_id'])} ({days}{about});"
            f" {_STATUS.get(row['status'], row['status'])}."
        )

    def _candidate(self, row: Row) -> str:
        return (
            f"{self._places.tell_place(row['poi_id'])} suits the query"
            f" “{self.describe_query(row['query_id'])}”."
        )

    def _trip(self, row: Row) -> str:
        return (
            "The text describes this journey (made or planned) in"
            f" {self._places.city(row['city_id'])}: {_by_day(row['clean_visits'])}."
        )

    def _fact(self, row: Row) -> str:
        claim = claim_of("poi_facts", row)
        source = self._places.line(row["evidence_id"])
        return (
            say(claim, self._places)
            if source is None
            else f"According to {source}, {fact_of(claim, self._places)}."
        )

    def _tag(self, row: Row) -> str:
        place, context = self._places.tell_place(row["poi_id"]), context_of(row["context_id"])
        return f"The text says that {place} was {row['tag']} {context}".rstrip() + "."

    def _plan(self, row: Row) -> str:
        asked = self.describe_query(row["query_id"])
        if row["plan"] is None:
            return f"No plan meets “{asked}”: {row['reason'] or row['obstacle']}."
        days = [
            f"day {day}: {', '.join(f'{at} {name}' for at, name in stops)}"
            for day, stops in plan_days(row["plan"])
        ]
        claim = "can be carried out" if row["plan_kind"] == "proof" else "is worth following"
        return f"This plan {claim} and meets “{asked}”: {'; '.join(days)}."


def _field(row: Row) -> Field:
    """Return the place, the field and the validity of a fact."""
    return row["poi_id"], row["fact_field"], row["valid_when"]


def _by_day(visits: list[Row]) -> str:
    days: dict[int, list[str]] = {}
    for stop in sorted(visits, key=lambda s: (s["day"], s["order"])):
        days.setdefault(stop["day"], []).append(stop["name"])
    return "; ".join(f"day {day}: {' → '.join(names)}" for day, names in days.items())


def plan_days(text: str) -> list[tuple[int, list[tuple[str, str]]]]:
    """Return, for each day of a plan in ChinaTravel's form, the start time and name of each
    activity.
    """
    return [
        (
            day.get("day", number),
            [
                (a["start_time"], a.get("position") or f"{a.get('start')} → {a.get('end')}")
                for a in day["activities"]
            ],
        )
        for number, day in enumerate(json.loads(text)["itinerary"], 1)
    ]
