"""Load what the commands for plans need from a snapshot: queries, proofs, worlds and guides.

The world of a city contains everything in the snapshot that a plan can use. The guide of a city
contains those facts about the city's places that metrics use.
"""

from __future__ import annotations

import json
from functools import cache, cached_property, lru_cache, partial
from pathlib import Path
from typing import Any

import polars as pl

from flows.errors import SettingsError
from flows.plans.files import Record
from schemas.cities import UnknownCityError, find_city
from schemas.plans import PlanError, read_plan
from schemas.trip_forms import trip_of_plan
from validators.metrics.case import AskedTrip, Case, read_asked
from validators.metrics.guide import Guide, read_guide
from validators.metrics.measure import AnsweredQuery
from validators.plans.renown import Renown, read_renown
from validators.plans.request import Request, RequestError, request_of
from validators.plans.world import city_names, read_world
from warehouse.errors import nearest_words
from warehouse.read import Snapshot


class Material:
    """The data in a snapshot that is used to check and measure plans.

    Each part of the data is read when it is first needed. ``world`` returns the world of a city.
    ``question`` returns the requirements of a query; without a query, the result is empty.
    """

    def __init__(self, snapshot: Path):
        self.snapshot = Snapshot(snapshot)
        self.table = cache(self.snapshot.table)
        self.queries: dict[str, dict[str, Any]] = {
            row["query_id"]: row for row in self.table("queries").to_dicts()
        }
        self.cities = city_names(self.table("cities"))
        self.world = cache(partial(read_world, self.snapshot))
        self.guide = cache(self._read_guide)
        self.renown = cache(self._read_renown)
        self.question = cache(self._read_question)

    def query(self, query_id: str) -> dict[str, Any]:
        """Return a query's row. Raises SettingsError if the query is not in the snapshot."""
        if query_id not in self.queries:
            near = nearest_words(query_id, self.queries)
            hint = f"; similar ids: {', '.join(near)}" if near else ""
            raise SettingsError(f"{self.snapshot.path.name} has no query {query_id!r}{hint}")
        return self.queries[query_id]

    def find_query(self, record: Record, query_id: str | None) -> str | None:
        """Return the id of the query that a plan answers, or None if there is no query.

        If ``query_id`` is not given, the query that the plan names is used, provided that the
        snapshot contains it.
        """
        return query_id or (record.query_id if record.query_id in self.queries else None)

    def city_id(self, query_id: str | None, target: str | None) -> str | None:
        """Return the id of a plan's city, or None if the city is unclear or not in the snapshot.

        The city of the query takes precedence. Without a query, the city is the plan's ``target``
        or, if there is none, the only city in the snapshot.
        """
        if query_id is not None:
            return str(self.query(query_id)["city_id"])
        known = set(self.cities.values())
        if target is None:
            return known.pop() if len(known) == 1 else None
        try:
            city_id = self.cities.get(target) or find_city(target).city_id
        except UnknownCityError:
            return None
        return city_id if city_id in known else None

    def find_city(self, query_id: str | None, target: str | None) -> str:
        """Return the id of a plan's city. Raises PlanError if the city is unclear."""
        city_id = self.city_id(query_id, target)
        if city_id is None:
            named = target or "none is named"
            raise PlanError([f"the plan's city is unclear ({named}): give --query"])
        return city_id

    def request(self, query_id: str) -> Request:
        """Convert a query to a request for a plan. Raises SettingsError if the query has no
        constraints on a plan.
        """
        try:
            request = request_of(self.query(query_id))
        except RequestError as error:
            raise SettingsError(str(error)) from None
        if request is None:
            raise SettingsError(
                f"{query_id}: queries of this family have no constraints on a whole plan; "
                "check the plan without --query"
            )
        return request

    @cached_property
    def proofs(self) -> dict[str, str]:
        """The proofs as JSON, by the query's id."""
        if "witness_plans" not in self.snapshot.tables():
            return {}
        plans = self.table("witness_plans").drop_nulls("plan")
        proofs = plans.filter(pl.col("plan_kind") == "proof")
        return dict(proofs.select("query_id", "plan").iter_rows())

    def _read_guide(self, city_id: str) -> Guide:
        return read_guide(self.snapshot, city_id, self.world(city_id))

    def _read_renown(self, city_id: str) -> Renown:
        return read_renown(self.snapshot, self.world(city_id).slug)

    def _read_question(self, query_id: str | None) -> AnsweredQuery:
        if query_id is None:
            return AnsweredQuery(AskedTrip())
        row = self.query(query_id)
        asked, reference = read_asked(row["structure"]), None
        if query_id in self.proofs:
            trip = trip_of_plan(read_plan(json.loads(self.proofs[query_id])))
            reference = Case(trip, self.guide(row["city_id"]), asked)
        return AnsweredQuery(asked, request_of(row), reference)


@lru_cache(maxsize=1)
def material_of(snapshot: Path) -> Material:
    """Return the material from a snapshot.

    The material is kept in case the next call needs it again.
    """
    return Material(snapshot)
