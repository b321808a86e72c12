"""Read tables for ``tripbed explain`` from a snapshot, or from a workspace's latest shards."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

import polars as pl

from flows.errors import SettingsError
from schemas.arrow import frame
from schemas.tables import TABLES
from warehouse.read import Snapshot

Row = dict[str, Any]
#: The stage whose shard contains a table as it would be published; otherwise ``feedback``.
_STAGES = {
    "place_decisions": "places", "documents": "documents",
    **dict.fromkeys(
        ("queries", "sub_queries", "query_documents", "query_pois", "query_trajectories",
         "trajectories", "quarantine", "hotels", "restaurants", "trains", "flights", "hubs",
         "metro_stations", "poi_tags", "contexts", "gates"),
        "control",
    ),
}  # fmt: skip


class StoryTables(Protocol):
    """A snapshot or workspace whose tables can be read."""

    @property
    def path(self) -> Path:
        """The path of the folder, for use in messages."""

    def table(self, name: str) -> pl.DataFrame:
        """Return the rows in a table."""


class WorkspaceTables:
    """The tables in a workspace, read from the most recently used shard of each city."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def table(self, name: str) -> pl.DataFrame:
        """Return a table's rows for all cities; the result is empty if no shard contains the
        table."""
        parts = []
        for city in sorted(self.path.glob(f"shards/{_STAGES.get(name, 'feedback')}/*")):
            done = sorted(city.glob("*/meta.json"), key=lambda m: (m.parent.stat().st_mtime_ns, m))
            file = done[-1].with_name(f"{name}.parquet") if done else None
            if file is not None and file.is_file():
                parts.append(pl.read_parquet(file))
        if parts:
            return pl.concat(parts)
        return frame(name, []) if name in TABLES else pl.DataFrame()


def open_tables(snapshot: Path | None, workspace: Path | None) -> StoryTables:
    """Open the tables of either a snapshot or a workspace.

    Raises SettingsError if both a snapshot and a workspace are given, if neither is given, or if
    the workspace has no finished places.
    """
    if (snapshot is None) == (workspace is None):
        raise SettingsError("give either --snapshot or --workspace")
    if snapshot is not None:
        return Snapshot(snapshot)
    if workspace is None or not (workspace / "shards" / "feedback").is_dir():
        raise SettingsError(f"no build has saved places in {workspace}: run a build first")
    return WorkspaceTables(workspace)


def where(held: StoryTables, evidence_id: str | None) -> str:
    """Return the source of an evidence row: a line in a file, or a span in a document."""
    found = held.table("evidence").filter(pl.col("evidence_id") == evidence_id).to_dicts()
    if not found:
        return "nothing published"
    row = found[0]
    if row["evidence_kind"] == "table":
        return f"{row['source_file']}:{row['source_line']}"
    quote = f" {row['quote']!r}" if row.get("quote") else ""
    return f"{document_path(held, row['doc_id'])} [{row['start']}:{row['end']}]{quote}"


def document_path(held: StoryTables, doc_id: str | None) -> str:
    """Return the path of a document, or its id if the path is unknown."""
    found = held.table("documents").filter(pl.col("doc_id") == doc_id)["path"]
    return str(found[0]) if len(found) else str(doc_id)


def place_name(held: StoryTables, poi_id: str | None) -> str:
    """Return the name and id of a place, or only the id if the place is unknown."""
    found = held.table("pois").filter(pl.col("poi_id") == poi_id)
    names = found.select(pl.coalesce("name_zh", "name_en")).to_series()
    return f"{names[0]} ({poi_id})" if len(names) else str(poi_id)
