"""Load a snapshot's queries, cities and worlds for the commands on plans, once they are needed."""

from __future__ import annotations

from typing import Any

from flows.errors import SettingsError
from schemas.cities import UnknownCityError, find_city
from validators.plans.request import Request, RequestError, request_of
from validators.plans.world import World, city_names, read_world
from warehouse.errors import nearest_words
from warehouse.read import Snapshot


class PlanDesk:
    """A snapshot's queries and worlds, read when they are first asked for."""

    def __init__(self, snapshot: Snapshot):
        self.snapshot = snapshot
        self.queries: dict[str, dict[str, Any]] = {
            row["query_id"]: row for row in snapshot.table("queries").to_dicts()
        }
        self.cities = city_names(snapshot.table("cities"))
        self._worlds: dict[str, World] = {}

    def query(self, query_id: str) -> dict[str, Any]:
        """The row of a query. Raises SettingsError for one that the snapshot does not hold."""
        if query_id not in self.queries:
            near = nearest_words(query_id, self.queries)
            hint = f"; close to it: {', '.join(near)}" if near else ""
            raise SettingsError(f"{self.snapshot.path.name} has no query {query_id!r}{hint}")
        return self.queries[query_id]

    def city_id(self, query_id: str | None, target: str | None) -> str | None:
        """City of a plan: its query's, else the one it names, else the snapshot's only one."""
        if query_id is not None:
            return str(self.query(query_id)["city_id"])
        if target is None:
            known = set(self.cities.values())
            return known.pop() if len(known) == 1 else None
        try:
            city_id = self.cities.get(target) or find_city(target).city_id
        except UnknownCityError:
            return None
        return city_id if city_id in self.cities.values() else None

    def world(self, city_id: str) -> World:
        """The world of a city."""
        if city_id not in self._worlds:
            self._worlds[city_id] = read_world(self.snapshot, city_id)
        return self._worlds[city_id]

    def request(self, query_id: str) -> Request:
        """A query as a request. Raises SettingsError for one that asks for no whole plan."""
        try:
            request = request_of(self.query(query_id))
        except RequestError as error:
            raise SettingsError(str(error)) from None
        if request is None:
            raise SettingsError(
                f"{query_id}: queries of its family have no constraints on a whole plan; "
                "check the plan without --query"
            )
        return request
