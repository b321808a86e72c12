"""Collect what the review page shows around a place: rivals, neighbours and the trip's route."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher, get_close_matches
from functools import cache
from itertools import islice
from typing import Any

import numpy as np
import polars as pl

from flows.review.desk.queue import QueueRow
from flows.review.desk.words import plan_days
from flows.review.samples.sentences import SnapshotPlaces
from schemas.geo import distance_m
from schemas.place_names import fold
from warehouse.read import Snapshot

Row = dict[str, Any]
#: The maximum number of rivals, their maximum distance in metres, the minimum similarity of their
#: names, and the maximum numbers of neighbours on the map and of results of a search.
_RIVALS, _NEAR_M, _ALIKE, _NEIGHBOURS, _FOUND = 5, 400.0, 0.5, 14, 8


class Around:
    """The places in a snapshot, indexed by location and by name."""

    def __init__(self, snapshot: Snapshot, places: SnapshotPlaces):
        self._places = places
        rows = snapshot.table("pois").filter(pl.col("superseded_by").is_null())
        self._rows: dict[str, Row] = {row["poi_id"]: row for row in rows.to_dicts()}
        known = rows.drop_nulls(["lat", "lon"])
        self._ids = known["poi_id"].to_list()
        self._cities = known["city_id"].to_numpy()
        self._lat, self._lon = known["lat"].to_numpy(), known["lon"].to_numpy()
        self._group_by_name = cache(self._list_by_name)
        self._named = {
            (row["city_id"], name): (row["lat"], row["lon"])
            for table in ("restaurants", "hotels", "pois")
            for row in snapshot.table(table).drop_nulls(["lat", "lon"]).to_dicts()
            for name in (row["name_zh"], row["name_en"]) if name
        }  # fmt: skip

    def of(self, item: QueueRow) -> Row:
        """Return a row's place, its rivals, the places nearby, and the stops of each day."""
        row = item.row
        head, rivals = self._rivals(item)
        place = row.get("poi_id")
        called = row.get("name") if item.table in ("links", "unlinked_names") else None
        return {
            "place": self.features(place, None, called) if place in self._rows else None,
            "rivals_are": head,
            "rivals": [self.features(rival, place, called) for rival in rivals],
            "neighbours": self._neighbours(place, rivals),
            "days": self._days(item),
        }  # fmt: skip

    def features(self, poi_id: str, than: str | None, called: str | None = None) -> Row:
        """Describe a place, its distance from another place (``than``), and how well the name
        ``called`` fits it.
        """
        row = self._rows[poi_id]
        told: Row = {
            "poi_id": poi_id,
            "name": self._places.name(poi_id),
            "at": _point(row),
            "what": self._places.describe(poi_id).partition(": ")[2],
            "documents": row["n_documents"],
        }
        here, there = _point(row), _point(self._rows.get(than or ""))
        if here and there:
            told["metres"] = round(float(distance_m(*here, *there)))
        if called:
            told["fits"] = name_fit(called, self._places.list_names(poi_id))
        return told

    def find(self, city_id: str, name: str) -> list[Row]:
        """Find places in a city whose names contain a text; the shortest names come first."""
        wanted = fold(name)
        if not wanted:
            return []
        called = self._group_by_name(city_id)
        holding = sorted((one for one in called if wanted in one), key=lambda one: (len(one), one))
        found = dict.fromkeys(place for one in holding for place in called[one])
        return [self.features(poi_id, None) for poi_id in islice(found, _FOUND)]

    def name(self, poi_id: str) -> str:
        """Return the name of a place, or its id if the snapshot does not contain the place."""
        return self._places.name(poi_id) if poi_id in self._rows else poi_id

    def knows(self, city_id: str, poi_id: str) -> bool:
        """Check whether a place is in a city."""
        return poi_id in self._rows and self._rows[poi_id]["city_id"] == city_id

    def _rivals(self, item: QueueRow) -> tuple[str, list[str]]:
        """Return a heading, and the places that the row could refer to instead.

        For a name, the places are the rivals that the build found or, if there are none, places
        with similar names. For a row about a place, the function returns the places nearby.
        """
        row = item.row
        if item.table == "pois":
            return "Places nearby", self._close(row["poi_id"])
        if item.table not in ("links", "unlinked_names"):
            return "", []
        if told := [rival for rival in row["rivals"] if rival in self._rows]:
            return "Rivals", told
        alike = self._alike(item.city_id, row["name"])
        return "Places with similar names", [one for one in alike if one != row.get("poi_id")]

    def _close(self, poi_id: str) -> list[str]:
        """Return places near a place. Places whose names contain this place's name, or are
        contained in it, come first.
        """
        if poi_id not in self._rows:
            return []
        names, near = self._places.list_names(poi_id), self._nearest(poi_id, _NEAR_M)
        alike = [
            other for other in near
            if any(a in b or b in a for a in names for b in self._places.list_names(other))
        ]  # fmt: skip
        return list(dict.fromkeys([*alike, *near]))[:_RIVALS]

    def _alike(self, city_id: str, name: str) -> list[str]:
        """Return the places in a city whose names are most similar to a name, best match first."""
        called = self._group_by_name(city_id)
        names = get_close_matches(fold(name), called, 2 * _RIVALS, _ALIKE)
        return list(dict.fromkeys(place for one in names for place in called[one]))[:_RIVALS]

    def _list_by_name(self, city_id: str) -> dict[str, list[str]]:
        """Return the places in a city, indexed by each of their names."""
        found: dict[str, list[str]] = defaultdict(list)
        for poi_id in sorted(p for p, row in self._rows.items() if row["city_id"] == city_id):
            for name in sorted(self._places.list_names(poi_id)):
                found[name].append(poi_id)
        return found

    def _nearest(self, poi_id: str, within: float) -> list[str]:
        """Return the other places in the city within a distance in metres, nearest first."""
        row = self._rows[poi_id]
        if row["lat"] is None or not self._ids:
            return []
        metres = distance_m(row["lat"], row["lon"], self._lat, self._lon)
        near = np.flatnonzero((metres <= within) & (self._cities == row["city_id"]))
        ordered = near[np.argsort(metres[near], kind="stable")]
        return [self._ids[n] for n in ordered if self._ids[n] != poi_id]

    def _neighbours(self, place: str | None, rivals: Sequence[str]) -> list[Row]:
        """Return the places nearest to a place or, if it has no coordinates, to the first rival
        that has coordinates.
        """
        centre = next((p for p in (place, *rivals) if _point(self._rows.get(p or ""))), None)
        if centre is None:
            return []
        shown = [p for p in self._nearest(centre, np.inf) if p not in rivals][:_NEIGHBOURS]
        return [{"name": self._places.name(p), "at": _point(self._rows[p])} for p in shown]

    def _days(self, item: QueueRow) -> list[list[Row]]:
        """For each day, return the stops that have coordinates."""
        if item.table == "trajectories":
            days: dict[int, list[Row]] = defaultdict(list)
            for stop in item.row["clean_visits"]:
                point = _point(self._rows.get(stop["poi_id"]))
                days[stop["day"]].append({"name": stop["name"], "at": point})
            return [_place_stops(days[day]) for day in sorted(days)]
        if item.table == "witness_plans" and item.row["plan"] is not None:
            city = item.city_id
            return [
                _place_stops(
                    {"name": name, "at": self._named.get((city, name))} for _, name in stops
                )
                for _, stops in plan_days(item.row["plan"])
            ]
        return []


def _point(row: Row | None) -> list[float] | None:
    return None if row is None or row["lat"] is None else [row["lat"], row["lon"]]


def _place_stops(stops: Iterable[Row]) -> list[Row]:
    return [stop for stop in stops if stop["at"]]


def name_fit(name: str, called: Iterable[str]) -> str:
    """Describe how well a name in a text matches the names of a place."""
    wanted, names = fold(name), list(called)
    if wanted in names:
        return "has exactly this name"
    if any(wanted in other for other in names):
        return "has a longer name that contains this name"
    if any(other in wanted for other in names):
        return "has a shorter name that is part of this name"
    best = max((SequenceMatcher(None, wanted, other).ratio() for other in names), default=0.0)
    return f"{best:.0%} of the letters match"
