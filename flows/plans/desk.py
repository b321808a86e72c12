"""Load what the commands for plans need from a snapshot: its queries and the worlds of its cities.

The world of a city contains everything in the snapshot that a plan can use.
"""

from __future__ import annotations

from typing import Any

from flows.errors import SettingsError
from schemas.cities import UnknownCityError, find_city
from validators.plans.request import Request, RequestError, request_of
from validators.plans.world import World, city_names, read_world
from warehouse.errors import nearest_words
from warehouse.read import Snapshot


class PlanDesk:
    """The queries and worlds of a snapshot. Each world is read when it is first needed."""

    def __init__(self, snapshot: Snapshot):
        self.snapshot = snapshot
        self.queries: dict[str, dict[str, Any]] = {
            row["query_id"]: row for row in snapshot.table("queries").to_dicts()
        }
        self.cities = city_names(snapshot.table("cities"))
        self._worlds: dict[str, World] = {}

    def query(self, query_id: str) -> dict[str, Any]:
        """Return the row of a query. Raises SettingsError if it is not in the snapshot."""
        if query_id not in self.queries:
            near = nearest_words(query_id, self.queries)
            hint = f"; similar ids: {', '.join(near)}" if near else ""
            raise SettingsError(f"{self.snapshot.path.name} has no query {query_id!r}{hint}")
        return self.queries[query_id]

    def city_id(self, query_id: str | None, target: str | None) -> str | None:
        """Return the id of a plan's city, or None if the city is unclear or not in the snapshot.

        This is the city of the query, or else the plan's ``target``, or else the only city of the
        snapshot.
        """
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
        """Return the world of a city."""
        if city_id not in self._worlds:
            self._worlds[city_id] = read_world(self.snapshot, city_id)
        return self._worlds[city_id]

    def request(self, query_id: str) -> Request:
        """Return a query as a request. Raises SettingsError if it has no constraints on a plan."""
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
