"""Runs the stages ``space`` (spatial features) and ``control`` (the check before publishing).

Control gathers all tables for a city and sets aside the rows that break a contract or a reference.
Control also counts all rows, so that every row is accounted for.
"""

from __future__ import annotations

from dataclasses import fields

import polars as pl

from flows.pipeline.shards import Frames
from flows.pipeline.stages.base import (
    Job,
    Output,
    Stage,
    Upstream,
    merge_parts,
    only,
    stage_count,
    tables,
)
from geocoding.clusters import clusters, distances, stay_clusters
from geocoding.metro import metro_distances, nearest_stations
from schemas import frames as inner
from schemas.arrow import frame, sort_by_key
from schemas.cities import City
from schemas.contracts import split
from schemas.tables import TABLES
from sources.tables.city_stats import city_stats
from sources.tables.imported import Imported
from validators.control import control
from validators.plans.visits import trajectory_scores

#: The stages from which each published table of a city comes; rows of several stages are joined.
SOURCES: dict[str, tuple[str, ...]] = {
    "queries": ("candidates",),
    "sub_queries": ("retrieve", "ask"),
    "documents": ("documents", "answers"),
    "query_documents": ("retrieve", "answers"),
    "evidence": ("feedback", "trajectories", "tags", "answers", "tagging"),
    "pois": ("feedback",),
    "poi_aliases": ("feedback",),
    "poi_hierarchy": ("feedback",),
    "poi_origins": ("feedback",),
    "place_decisions": ("places",),
    "poi_mentions": ("feedback",),
    "links": ("feedback",),
    "unlinked_names": ("feedback",),
    "poi_facts": ("tags", "answers"),
    "conditional_facts": ("tags", "answers"),
    "contexts": ("tags",),
    "poi_tags": ("tags", "answers"),
    "context_tags": ("tagging",),
    "poi_popularity": ("tags",),
    "query_pois": ("candidates",),
    "trajectories": ("trajectories",),
    "query_trajectories": ("candidates",),
    "hotels": ("tables",),
    "restaurants": ("tables",),
    "trains": ("tables",),
    "flights": ("tables",),
    "metro_stations": ("tables",),
    "metro_edges": ("tables",),
    "metro_fares": ("tables",),
    "hubs": ("tables",),
    "row_sources": ("tables",),
    "distances": ("space",),
    "clusters": ("space",),
    "stay_clusters": ("space",),
    "nearest_stations": ("space",),
    "findings": ("places", "feedback"),
    "quarantine": (
        "tables", "places", "mentions", "documents", "pois", "feedback", "trajectories",
        "queries", "retrieve", "candidates", "tags", "answers", "tagging", "space",
    ),
    "stage_counts": (
        "tables", "places", "documents", "pois", "feedback", "trajectories", "queries", "retrieve",
        "candidates", "tags", "ask", "answers", "tagging", "space",
    ),
}  # fmt: skip


def compute_space(job: Job, upstream: Upstream) -> Frames:
    """Compute clusters for trips of 2 to 7 days, and the distances to the nearest places."""
    pois, imported = only(upstream, "feedback")["pois"], only(upstream, "tables")
    stays = {name: imported[name] for name in ("hotels", "restaurants")}
    stations, edges = imported["metro_stations"], imported["metro_edges"]
    labelled, straight = clusters(pois, job.own_city), distances(pois)
    return {
        "clusters": labelled,
        "stay_clusters": stay_clusters(labelled, pois, stays),
        "nearest_stations": nearest_stations({"pois": pois, **stays}, stations),
        "distances": sort_by_key(
            "distances", pl.concat([straight, metro_distances(straight, pois, stations, edges)])
        ),
    }


def compute_control(job: Job, upstream: Upstream) -> Frames:
    """Return all tables for a city; each row is either kept or quarantined."""
    city = job.own_city
    gathered = {
        table: merge_parts(
            table, [f[table] for stage in stages for f in upstream[stage] if table in f]
        )
        for table, stages in SOURCES.items()
    }
    gathered["cities"] = frame("cities", [city.row()])
    gathered["city_stats"] = frame("city_stats", [])
    feedback = only(upstream, "feedback")
    left = feedback["set_aside"]
    before = {
        table: rows.height + left.filter(pl.col("table") == table).height
        for table, rows in gathered.items()
    }
    tables, rejected = control(gathered, city.city_id)
    if job.inputs.tables is not None:
        tables["city_stats"] = _stats_of_kept(city, tables, only(upstream, "tables"))
        before["city_stats"] = tables["city_stats"].height
    tables["trajectory_scores"] = _sound("trajectory_scores", trajectory_scores(tables.__getitem__))
    before["trajectory_scores"] = tables["trajectory_scores"].height
    counted = [
        stage_count(
            city, "control", table, rows_in=before[table], kept=tables[table].height,
            quarantined=before[table] - tables[table].height,
        )
        for table in sorted(before)
        if table not in ("quarantine", "stage_counts")
    ]  # fmt: skip
    tables["quarantine"] = merge_parts("quarantine", [tables["quarantine"], rejected, left])
    tables["stage_counts"] = merge_parts(
        "stage_counts", [tables["stage_counts"], frame("stage_counts", counted)]
    )
    missing = {
        name: frame(name, [])
        for name, table in TABLES.items()
        if name not in tables and table.partition == "city"
    }
    return {**tables, **missing, "reviewed": feedback["reviewed"]}


def _stats_of_kept(city: City, tables: Frames, imported: Frames) -> pl.DataFrame:
    """Return statistics about the published rows; rows that control set aside do not count."""
    named = {field.name for field in fields(Imported)} - {"counts"}
    rows = {name: tables.get(name, imported.get(name)) for name in named - {"attractions"}}
    stats = city_stats(
        Imported(attractions=imported["attractions"], counts=tables["stage_counts"], **rows),  # type: ignore[arg-type]  # each table under its field's name
        city,
    )
    return _sound("city_stats", stats)


def _sound(table: str, rows: pl.DataFrame) -> pl.DataFrame:
    """Check rows that were computed from kept rows.

    Raises RuntimeError if a row breaks its contract.
    """
    good, bad = split(table, rows)
    if bad.height:
        raise RuntimeError(f"a row of {table} breaks its contract: {bad.row(0)}")
    return good


def rows_by_pair(rows: pl.DataFrame, slugs: dict[str, str]) -> dict[str, pl.DataFrame]:
    """Split connections by origin and destination; the key is ``<origin>--<destination>``."""
    parts = rows.partition_by("origin_city_id", "destination_city_id", as_dict=True)
    found = {f"{slugs[str(one)]}--{slugs[str(other)]}": p for (one, other), p in parts.items()}
    return dict(sorted(found.items()))


_OF_CITY = [name for name, table in TABLES.items() if table.partition != "none"]
SPACE_STAGE = Stage(
    "space", 2, compute_space,
    tables("clusters", "stay_clusters", "nearest_stations", "distances"),
)  # fmt: skip
CONTROL_STAGE = Stage(
    "control", 15, compute_control,
    {**tables(*_OF_CITY), "reviewed": Output(inner.REVIEWED)}, accounts=True,
)  # fmt: skip
