"""Runs the stages ``tables`` (sources), ``places``, and ``index`` (the index of names)."""

from __future__ import annotations

import hashlib
from pathlib import Path

import polars as pl

from flows.pipeline.readings import LINKS_VERSION
from flows.pipeline.shards import Frames
from flows.pipeline.stages.base import Job, Output, Stage, Upstream, only, stage_count, tables
from flows.review.agreed_types import annotations_hash, read_annotations, with_types
from geocoding.findings import count_findings
from geocoding.name_index import index_rows
from geocoding.places import TablePlaces, places_from_tables
from schemas import frames as inner
from schemas.arrow import frame, polars_schema_of
from schemas.read_hash import with_read_hash
from sources.tables.hotels import Simulation, simulate_rooms
from sources.tables.registry import read_tables

#: Frames that make up a ``TablePlaces``, under the names of their tables.
PLACE_FRAMES = {
    "pois": "pois",
    "poi_aliases": "aliases",
    "poi_hierarchy": "hierarchy",
    "poi_facts": "facts",
    "poi_origins": "origins",
    "place_decisions": "decisions",
    "evidence": "evidence",
    "quarantine": "quarantine",
}


def compute_tables(job: Job, upstream: Upstream) -> Frames:
    """Import the city's tables; if there is no folder, every table is empty."""
    if job.inputs.tables is None:
        return {
            name: pl.DataFrame(schema=polars_schema_of(output.table))
            for name, output in TABLES_STAGE.outputs.items()
        }
    imported = read_tables(job.inputs.tables, job.inputs.tables_format, job.own_city)
    attractions, typed = _with_types(imported.attractions, job)
    return {
        "attractions": attractions,
        "hotels": _with_rooms(imported.hotels, job),
        "restaurants": imported.restaurants,
        "trains": imported.trains,
        "flights": imported.flights,
        "metro_stations": imported.metro_stations,
        "metro_edges": imported.metro_edges,
        "metro_fares": imported.metro_fares,
        "hubs": imported.hubs,
        "row_sources": imported.row_sources,
        "quarantine": imported.quarantine,
        "findings": pl.concat([imported.findings, typed]),
        "stage_counts": imported.counts,
    }


def _with_types(attractions: pl.DataFrame, job: Job) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Add types from the profile's annotations to the attractions; return the findings as well."""
    files = job.inputs.profile.attractions.types
    schema = polars_schema_of(inner.SOURCE_FINDINGS)
    if not files or job.city is None:
        return attractions, pl.DataFrame(schema=schema)
    rows, findings = with_types(attractions, job.city, read_annotations(files))
    return rows, pl.DataFrame(findings, schema=schema, orient="row")


def _types_hash(job: Job) -> dict[str, str]:
    files = job.inputs.profile.attractions.types
    return {"attraction types": annotations_hash(files)} if files else {}


def _with_rooms(hotels: pl.DataFrame, job: Job) -> pl.DataFrame:
    """Add simulated rooms to hotels without rooms, if the profile requests such rooms."""
    settings = job.inputs.profile.rooms
    if not settings.simulate or job.city is None:
        return hotels
    rows = hotels.to_dicts()
    simulate_rooms(rows, job.city, Simulation(**settings.model_dump(exclude={"simulate"})))
    return with_read_hash(frame("hotels", rows))


TABLE_FRAMES = (
    "hotels", "restaurants", "trains", "flights", "metro_stations", "metro_edges",
    "metro_fares", "hubs", "row_sources", "quarantine", "stage_counts",
)  # fmt: skip


def compute_places(job: Job, upstream: Upstream) -> Frames:
    """Turn attraction rows into one row per place; add aliases, hierarchy and facts."""
    imported = only(upstream, "tables")
    attractions = imported["attractions"]
    places = places_from_tables(attractions, job.own_city)
    counted = stage_count(
        job.own_city, "places", "pois", rows_in=attractions.height, kept=places.pois.height,
        merged=places.merged, quarantined=places.quarantine.height,
    )  # fmt: skip
    return {
        **place_frames(places),
        "findings": frame("findings", count_findings(job.own_city, imported, places)),
        "stage_counts": frame("stage_counts", [counted]),
    }


def place_frames(places: TablePlaces) -> Frames:
    """Return a ``TablePlaces`` as frames named after their tables."""
    return {table: getattr(places, attribute) for table, attribute in PLACE_FRAMES.items()}


def places_of(frames: Frames) -> TablePlaces:
    """Return the ``TablePlaces`` from a finished shard, without the rows that were set aside."""
    held = {**frames, "quarantine": frame("quarantine", [])}
    return TablePlaces(**{attr: held[table] for table, attr in PLACE_FRAMES.items()}, merged=0)


def folder_hash(folder: Path | None) -> str:
    """Return a hash of all files below a folder of tables, or "" if there is no folder."""
    if folder is None:
        return ""
    total = hashlib.sha256()
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        with path.open("rb") as handle:
            content = hashlib.file_digest(handle, "sha256").hexdigest()
        total.update(f"{path.relative_to(folder)}\0{content}\n".encode())
    return total.hexdigest()[:32]


TABLES_STAGE = Stage(
    "tables",
    14,
    compute_tables,
    {
        **tables(*TABLE_FRAMES),
        "attractions": Output(inner.ATTRACTIONS),
        "findings": Output(inner.SOURCE_FINDINGS),
    },
    settings=lambda job: {
        "format": job.inputs.tables_format,
        "rooms": job.inputs.profile.rooms.model_dump()
        if job.inputs.profile.rooms.simulate
        else None,
    },
    ingredients=lambda job: {"tables": folder_hash(job.inputs.tables), **_types_hash(job)},
)
PLACES_STAGE = Stage(
    "places", 17, compute_places, tables(*PLACE_FRAMES, "findings", "stage_counts")
)


#: The frames of an index, under the names that the stage ``link`` uses.
INDEX_FRAMES = {"names": "place_names", "keys": "place_keys", "spots": "place_spots"}


def compute_index(job: Job, upstream: Upstream) -> Frames:
    """Return the index of the city's places."""
    rows = index_rows(places_of(only(upstream, "places")), job.own_city)
    return {frame: getattr(rows, name) for name, frame in INDEX_FRAMES.items()}


INDEX_STAGE = Stage(
    "index",
    LINKS_VERSION,
    compute_index,
    {
        "place_names": Output(inner.PLACE_NAMES),
        "place_keys": Output(inner.PLACE_KEYS),
        "place_spots": Output(inner.PLACE_SPOTS),
    },
)
