"""What the queries of a city share, and what reading a document takes, as last measured.

A document is read once for all queries that it serves, a place is tagged once. How often that
pays is measured on a snapshot: pairs of query and document over different documents.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from flows.errors import SettingsError
from warehouse.read import Snapshot


@dataclass(frozen=True)
class Sharing:
    """Sharing factors of a build. 1 would mean that nothing is shared."""

    queries: int
    documents: float
    places: float
    trajectories: float
    tags_per_place: float
    places_per_context: float
    source: str

    @property
    def documents_per_query(self) -> float:
        """Different documents for each query, where a query uses ``used`` of them."""
        return 1 / self.documents


def measured(snapshot: Path) -> Sharing:
    """The factors of a snapshot. Raises SettingsError where it has no query with documents."""
    sandbox = Snapshot(snapshot)
    documents = sandbox.table("query_documents").select("query_id", "doc_id").unique()
    places = sandbox.table("query_pois").select("query_id", "poi_id").unique()
    routes = sandbox.table("query_trajectories").select("query_id", "trajectory_id").unique()
    tags = sandbox.table("poi_tags").select("poi_id", "context_id").unique()
    if not documents.height or not places.height:
        raise SettingsError(f"{snapshot} has no query with documents: name another with --snapshot")
    n_places = places["poi_id"].n_unique()
    contexts = max(1, tags["context_id"].n_unique())
    return Sharing(
        queries=documents["query_id"].n_unique(),
        documents=round(documents.height / documents["doc_id"].n_unique(), 2),
        places=round(places.height / n_places, 2),
        trajectories=round(routes.height / max(1, routes["trajectory_id"].n_unique()), 2),
        tags_per_place=round(tags.height / n_places, 2),
        places_per_context=round(tags.height / contexts, 2),
        source=f"snapshot {snapshot.resolve().name}",
    )
