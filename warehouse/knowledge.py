"""Reads queries, references, facts, contexts, popularity and connections from a snapshot."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from warehouse.columns import Rows
from warehouse.errors import SandboxError
from warehouse.read import Snapshot
from warehouse.records import Connection, Context, FactRecord, Query, Reference, Visit

_FACT = (
    "fact_id", "poi_id", "fact_field", "valid_when", "value", "hours_osm", "price_cents",
    "currency",
    "duration_min_min", "duration_max_min", "source_date",
)  # fmt: skip


def read_queries(snapshot: Snapshot, slugs: Mapping[str, str]) -> dict[str, Query]:
    """Read all queries, sorted by id. ``slugs`` maps each city's id to its slug."""
    rows = snapshot.arrow("queries").to_pylist()
    return {
        row["query_id"]: Query(
            row["query_id"], slugs[row["city_id"]], row["family"], row["split"], row["status"],
            row["n_days"], row["text_zh"], row["text_en"], json.loads(row["structure"]),
        )
        for row in sorted(rows, key=lambda row: str(row["query_id"]))
    }  # fmt: skip


def read_facts(snapshot: Snapshot, slug: str) -> dict[str, tuple[FactRecord, ...]]:
    """Read the facts about a city's attractions, by place, sorted by kind and id."""
    found: dict[str, list[FactRecord]] = defaultdict(list)
    for row in snapshot.arrow("poi_facts", slug, _FACT).to_pylist():
        found[row["poi_id"]].append(FactRecord(**{_RENAMED.get(k, k): v for k, v in row.items()}))
    return {
        place: tuple(sorted(facts, key=lambda fact: (fact.kind, fact.fact_id)))
        for place, facts in found.items()
    }


_RENAMED = {"poi_id": "place_id", "fact_field": "kind"}


def read_popularity(snapshot: Snapshot, slug: str) -> dict[str, list[tuple[int, str, float]]]:
    """Read the rank, place and score of a city's popular places, by context."""
    found: dict[str, list[tuple[int, str, float]]] = defaultdict(list)
    for row in snapshot.arrow("poi_popularity", slug).to_pylist():
        found[row["context_id"]].append((row["rank"], row["poi_id"], row["score"]))
    return {context: sorted(rows) for context, rows in sorted(found.items())}


def read_contexts(snapshot: Snapshot, slug: str) -> tuple[Context, ...]:
    """Read the contexts for a city: seasons, holidays and kinds of traveller."""
    rows: list[dict[str, Any]] = snapshot.arrow("contexts", slug).to_pylist()
    made = [Context(r["context_id"], r["context_kind"], r["name_zh"], r["name_en"]) for r in rows]
    return tuple(sorted(made, key=lambda context: context.context_id))


#: The orders of references, and the field of the record that determines each order.
ORDERS = {"quality": "quality_rank", "relevance": "rank"}

#: The references of each query, sorted by relevance.
References = Mapping[str, tuple[Reference, ...]]


def read_references(snapshot: Snapshot, slug: str) -> References:
    """Read the reference trajectories for a city's queries, with their scores."""
    trips = {row["trajectory_id"]: row for row in _rows(snapshot, "trajectories", slug)}
    scores = {
        (row["query_id"], row["trajectory_id"]): row
        for row in _rows(snapshot, "trajectory_scores", slug)
    }
    found: dict[str, list[Reference]] = defaultdict(list)
    for row in _rows(snapshot, "query_trajectories", slug):
        score = scores.get((row["query_id"], row["trajectory_id"]), {})
        found[row["query_id"]].append(_reference(row, trips[row["trajectory_id"]], score))
    return {query: tuple(sorted(rows, key=lambda r: r.rank)) for query, rows in found.items()}


def _rows(snapshot: Snapshot, table: str, slug: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = snapshot.arrow(table, slug).to_pylist()
    return rows


def _reference(
    row: Mapping[str, Any], trip: Mapping[str, Any], score: Mapping[str, Any]
) -> Reference:
    visits = tuple(
        Visit(v["day"], v["order"], v["poi_id"], v["name"]) for v in trip["clean_visits"]
    )
    told = {name: value for name, value in score.items() if name in _SCORED}
    return Reference(
        row["trajectory_id"], trip["doc_id"], row["rank"], row["score"], row["length_gap_days"],
        trip["n_trip_days"], visits, **told,
    )  # fmt: skip


_SCORED = (
    "quality_rank", "poi_popularity", "failure_rate", "repetition_rate", "distance_margin_ratio",
    "length_m", "optimal_m", "optimum_proven",
)  # fmt: skip


def best(references: tuple[Reference, ...], m: int | None, by: str) -> tuple[Reference, ...]:
    """Return the best ``m`` references (all if ``m`` is None) in one of the ``ORDERS``.

    Raises SandboxError if the order is unknown, ``m`` is not positive, or a score is missing.
    """
    if by not in ORDERS:
        raise SandboxError(f"there is no sort order called {by!r}", tuple(ORDERS))
    if m is not None and m < 1:
        raise SandboxError(f"m must be positive, not {m}")
    if any(getattr(one, ORDERS[by]) is None for one in references):
        raise SandboxError(
            "a trajectory has no score: `tripbed validate` shows which one", ("relevance",)
        )
    return tuple(sorted(references, key=lambda one: getattr(one, ORDERS[by])))[:m]


#: The table for each kind of connection.
TABLE_OF = {"train": "trains", "airplane": "flights"}
KINDS = tuple(TABLE_OF)
_KEYS = {"train": ("train_id", "train_no"), "airplane": ("flight_id", "flight_no")}


class Timetable:
    """All connections of one kind from one city to another, sorted by departure."""

    def __init__(self, table: pa.Table, kind: str, slugs: dict[str, str]):  # fmt: skip
        key, self._number = _KEYS[kind]
        self._key, self._kind, self._slugs = key, kind, slugs
        order = ["departure_min", "duration_min", self._number, key]
        self._rows = table.sort_by([(column, "ascending") for column in order])
        self._departures = np.array(self._rows.column("departure_min").to_pylist(), dtype=np.int64)
        self._made: dict[int, Connection] = {}

    def after(self, minute: int) -> Rows[Connection]:
        """Return the connections that leave at or after a minute of the day, earliest first."""
        first = int(np.searchsorted(self._departures, minute, side="left"))
        return Rows(range(first, len(self._departures)), self._connection)

    def _connection(self, number: int) -> Connection:
        if number not in self._made:
            row: dict[str, Any] = self._rows.slice(number, 1).to_pylist()[0]
            self._made[number] = Connection(
                self._kind,
                row[self._key],
                row[self._number],
                row.get("train_type"),
                self._slugs.get(row["origin_city_id"], row["origin_city_id"]),
                self._slugs.get(row["destination_city_id"], row["destination_city_id"]),
                row["origin_station"],
                row["destination_station"],
                row["departure_min"],
                row["arrival_min"],
                row["arrival_day_offset"],
                row["duration_min"],
                row["price_cents"],
                row["currency"],
                row["is_simulated"],
            )
        return self._made[number]
