"""Load what metrics of plans need: queries, proofs, and the guides of cities.

The guide of a city contains the facts about its places that metrics use.
"""

from __future__ import annotations

import json
from functools import cache, lru_cache
from pathlib import Path

import polars as pl

from flows.plans.desk import PlanDesk
from flows.plans.files import Record
from schemas.plans import PlanError, read_plan
from schemas.trip_forms import trip_of_plan
from validators.metrics.case import AskedTrip, Case, read_asked
from validators.metrics.guide import Guide, read_guide
from validators.metrics.measure import AnsweredQuery, PlanAnswer
from validators.plans.request import request_of
from warehouse.read import Snapshot


class Material:
    """The data of a snapshot by which plans are measured."""

    def __init__(self, snapshot: Path):
        self.desk = PlanDesk(Snapshot(snapshot))
        self.table = cache(self.desk.snapshot.table)
        self._guides: dict[str, Guide] = {}
        self._questions: dict[str, AnsweredQuery] = {}
        self._witnesses: dict[str, str] | None = None

    def find_query(self, record: Record, query_id: str | None) -> str | None:
        """Return the id of the query that a plan answers, or None if there is none.

        This is ``query_id`` if it is given, and otherwise the plan's own query if it is in the
        snapshot.
        """
        own = record.query_id if record.query_id in self.desk.queries else None
        return query_id or own

    def guide(self, city_id: str) -> Guide:
        """Return the guide of a city."""
        if city_id not in self._guides:
            world = self.desk.world(city_id)
            self._guides[city_id] = read_guide(self.desk.snapshot, city_id, world)
        return self._guides[city_id]

    def question(self, query_id: str | None) -> AnsweredQuery:
        """Return what a query asks for; without a query, an empty question."""
        if query_id is None:
            return AnsweredQuery(AskedTrip())
        if query_id not in self._questions:
            row = self.desk.query(query_id)
            asked = read_asked(row["structure"])
            witness = self.witnesses.get(query_id)
            reference = None
            if witness is not None:
                trip = trip_of_plan(read_plan(json.loads(witness)))
                reference = Case(trip, self.guide(row["city_id"]), asked)
            self._questions[query_id] = AnsweredQuery(asked, request_of(row), reference)
        return self._questions[query_id]

    @property
    def witnesses(self) -> dict[str, str]:
        """The proofs as JSON, by the query's id."""
        if self._witnesses is None:
            held = self.desk.snapshot
            self._witnesses = {}
            if "witness_plans" in held.tables():
                told = held.table("witness_plans").drop_nulls("plan")
                told = told.filter(pl.col("plan_kind") == "proof")
                self._witnesses = dict(told.select("query_id", "plan").iter_rows())
        return self._witnesses


@lru_cache(maxsize=1)
def material_of(snapshot: Path) -> Material:
    """Return the material of a snapshot. The last one is kept for the next call."""
    return Material(snapshot)


def city_of(answer: PlanAnswer, asked: str | None, desk: PlanDesk) -> str:
    """Return the id of a plan's city. Raises PlanError if the city is unclear."""
    target = answer.trip.target_city
    city_id = desk.city_id(asked, target)
    if city_id is None:
        raise PlanError([f"the city is not clear ({target or 'none is named'}): give --query"])
    return city_id
