"""Reference trajectories of queries, with their scores: the best M for a query."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from warehouse.errors import SandboxError
from warehouse.read import Snapshot
from warehouse.records import Reference, Visit

#: What references can be ordered by, and the field of the record that says it.
ORDERS = {"quality": "quality_rank", "relevance": "rank"}

#: References of each query of a city, by relevance.
References = Mapping[str, tuple[Reference, ...]]


def read_references(snapshot: Snapshot, slug: str) -> References:
    """The references of a city's queries, each with its scores."""
    trips = {row["trajectory_id"]: row for row in _rows(snapshot, "trajectories", slug)}
    scores = {
        (row["query_id"], row["trajectory_id"]): row
        for row in _rows(snapshot, "trajectory_scores", slug)
    }
    found: dict[str, list[Reference]] = defaultdict(list)
    for row in _rows(snapshot, "query_trajectories", slug):
        trip = trips[row["trajectory_id"]]
        score = scores.get((row["query_id"], row["trajectory_id"]), {})
        found[row["query_id"]].append(_reference(row, trip, score))
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
    """The best ``m``, or all, by an order. Raises SandboxError for an unknown order or a missing
    score.
    """
    if by not in ORDERS:
        raise SandboxError(f"there is no order {by!r}", tuple(ORDERS))
    if m is not None and m < 1:
        raise SandboxError(f"m must be positive, not {m}")
    if any(getattr(one, ORDERS[by]) is None for one in references):
        raise SandboxError(
            "a trajectory has no score: `tripbed validate` shows which one", ("relevance",)
        )
    return tuple(sorted(references, key=lambda one: getattr(one, ORDERS[by])))[:m]
