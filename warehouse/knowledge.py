"""What a snapshot knows besides places and ways: its queries, facts of places, popularity."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from warehouse.read import Snapshot
from warehouse.records import Context, FactRecord, Query

_FACT = (
    "fact_id", "poi_id", "fact_field", "valid_when", "value", "hours_osm", "price_cents",
    "currency",
    "duration_min_min", "duration_max_min", "source_date",
)  # fmt: skip


def read_queries(snapshot: Snapshot, slugs: Mapping[str, str]) -> dict[str, Query]:
    """Queries by id, in its order; ``slugs`` names the cities."""
    rows = snapshot.arrow("queries").to_pylist()
    return {
        row["query_id"]: Query(
            row["query_id"], slugs[row["city_id"]], row["family"], row["split"], row["status"],
            row["n_days"], row["text_zh"], row["text_en"], json.loads(row["structure"]),
        )
        for row in sorted(rows, key=lambda row: str(row["query_id"]))
    }  # fmt: skip


def read_facts(snapshot: Snapshot, slug: str) -> dict[str, tuple[FactRecord, ...]]:
    """Facts of the attractions of a city by place, by kind and id."""
    found: dict[str, list[FactRecord]] = defaultdict(list)
    for row in snapshot.arrow("poi_facts", slug, _FACT).to_pylist():
        found[row["poi_id"]].append(FactRecord(**{_RENAMED.get(k, k): v for k, v in row.items()}))
    order = {
        place: sorted(facts, key=lambda f: (f.kind, f.fact_id)) for place, facts in found.items()
    }
    return {place: tuple(facts) for place, facts in order.items()}


_RENAMED = {"poi_id": "place_id", "fact_field": "kind"}


def read_popularity(snapshot: Snapshot, slug: str) -> dict[str, list[tuple[int, str, float]]]:
    """Rank, place and score of the places on each leaderboard of a city, by context."""
    found: dict[str, list[tuple[int, str, float]]] = defaultdict(list)
    for row in snapshot.arrow("poi_popularity", slug).to_pylist():
        found[row["context_id"]].append((row["rank"], row["poi_id"], row["score"]))
    return {context: sorted(rows) for context, rows in sorted(found.items())}


def read_contexts(snapshot: Snapshot, slug: str) -> tuple[Context, ...]:
    """Seasons, holidays and kinds of travellers that a city has tags and leaderboards of."""
    rows: list[dict[str, Any]] = snapshot.arrow("contexts", slug).to_pylist()
    made = [Context(r["context_id"], r["context_kind"], r["name_zh"], r["name_en"]) for r in rows]
    return tuple(sorted(made, key=lambda context: context.context_id))
