"""Count a snapshot's queries and places by city."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

#: The lower ends of the classes in which queries are counted by their number of trajectories.
STEPS = (8, 4, 1, 0)


def query_counts(snapshot: Any) -> dict[str, dict[str, int]]:
    """Count each city's planned, kept and pending queries, and queries by trajectories."""
    counts: dict[str, dict[str, int]] = {}
    for slug in snapshot.manifest.cities:
        queries = snapshot.table("queries", slug)
        found = queries["n_trajectories"].to_list()
        bounds = zip(STEPS, (10**9, *STEPS), strict=False)
        counts[slug] = {
            "planned": queries.height,
            "kept": queries["status"].to_list().count("kept"),
            "pending": queries["status"].to_list().count("pending_documents"),
            **{f"with_{low}": sum(low <= n < high for n in found) for low, high in bounds},
        }
    return counts


#: The upper end and the name of each class of failure rates.
FAILURES = {
    0.0: "none", 0.1: "up to 10 %", 0.25: "up to 25 %", 0.5: "up to 50 %", 0.75: "up to 75 %",
    1.0: "up to 100 %",
}  # fmt: skip


def failure_counts(snapshot: Any) -> dict[str, dict[str, int]]:
    """Count each city's reference trajectories by their share of stops that fail."""
    scores = {slug: snapshot.table("trajectory_scores", slug) for slug in snapshot.manifest.cities}
    return {
        slug: dict(zip(FAILURES.values(), failure_classes(rows["failure_rate"]), strict=True))
        for slug, rows in scores.items()
    }


def failure_classes(rates: Any) -> list[int]:
    """Count the failure rates in each class. Unknown rates are not counted."""
    known = rates.drop_nulls().to_list()
    return [sum(low < r <= high for r in known) for low, high in pairwise((-1.0, *FAILURES))]


def poi_counts(snapshot: Any) -> dict[str, dict[str, int]]:
    """Count each city's places, the places that documents name, and the trajectories."""
    tables = {slug: snapshot.table("pois", slug) for slug in snapshot.manifest.cities}
    return {
        slug: {
            "places": pois.height,
            "in_documents": int((pois["n_documents"] > 0).sum()),
            "documents_only": int((pois["poi_source"] == "document").sum()),
            "trajectories": snapshot.table("trajectories", slug).height,
        }
        for slug, pois in tables.items()
    }
