"""Turns finished shards into a snapshot's partitions, and records the inputs of each partition."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import polars as pl

from extractors.read import reading_version
from flows.pipeline.shards import ACCOUNTS, Frames, Ref, Workspace
from flows.pipeline.stages import corpus, documents, link, mentions, read
from flows.pipeline.stages.base import Inputs, Stage, merge_parts
from flows.pipeline.stages.control import rows_by_pair
from flows.pipeline.stages.places import PLACES_STAGE, TABLES_STAGE
from flows.pipeline.stages.plans import tell_status
from flows.publishing.publish import Built, Partition
from flows.review.apply import apply
from schemas.cities import City, find_city
from schemas.ids import canonical_json, digest
from schemas.parameters import density_baseline, queue_parameters
from schemas.tables import TABLES
from validators.drift.find import MENTIONS
from validators.drift.find import TABLES as DRIFT_TABLES
from warehouse.manifest import Acceptance

_PAGES = (corpus.STAGE, documents.COPIES_STAGE, documents.STAGE)
_NAMES = (read.STAGE, link.STAGE, mentions.STAGE)


def readers_of(inputs: Inputs) -> dict[str, str]:
    """Return how the source tables, the documents and the names in them are read: the layout or
    engine, and the versions of the stages.
    """
    found: dict[str, str] = {}
    if inputs.tables is not None:
        layout = f"{_versions(TABLES_STAGE)}, layout {inputs.tables_format}"
        found = dict.fromkeys((table for table in DRIFT_TABLES if table != "documents"), layout)
        if inputs.profile.rooms.simulate:
            found["hotels"] = f"{layout}, rooms simulated"
        found["attractions"] = f"{_versions(PLACES_STAGE)}, {layout}"
    if inputs.document_roots or inputs.web is not None:
        own = " and own readings" if inputs.own_readings is not None else ""
        found["documents"] = _versions(*_PAGES)
        found[MENTIONS] = f"{inputs.engine}{own}, {reading_version()}, {_versions(*_NAMES)}"
    return found


def _versions(*stages: Stage) -> str:
    return ", ".join(f"{stage.name} {stage.version}" for stage in stages)


#: Stages whose rows are published.
PUBLISHED = ("control", "plans")
#: Finished shards of the published stages, by stage and city slug.
Refs = Mapping[str, Mapping[str, Ref]]


def select_published(finished: Iterable[Ref]) -> Refs:
    """From all shards of a build, select those whose rows are published."""
    found: dict[str, dict[str, Ref]] = {stage: {} for stage in PUBLISHED}
    for ref in finished:
        if ref.stage in found:
            found[ref.stage][ref.shard] = ref
    return found


def source_rows_of(workspace: Workspace, finished: Iterable[Ref]) -> dict[str, pl.DataFrame]:
    """Return the import's findings about the rows in each city's sources, by city slug."""
    return {ref.shard: workspace.load(ref)["findings"] for ref in finished if ref.stage == "tables"}


def partitions_of(
    inputs: Inputs, workspace: Workspace, refs: Refs, decisions: list[dict[str, Any]]
) -> Iterator[Partition]:
    """Yield the tables of one city after another, so that only one city is in memory."""
    slugs = {city.city_id: city.slug for city in inputs.cities}
    pairs: dict[tuple[str, str], pl.DataFrame] = {}
    for city in inputs.cities:
        frames = apply(_frames(workspace, refs, city), decisions, city.city_id)
        yield from (
            (name, city.slug, frames[name])
            for name, table in TABLES.items()
            if table.partition == "city"
        )
        for table in ("trains", "flights"):
            rows = frames[table]
            for column in ("origin_city_id", "destination_city_id"):
                for city_id in rows[column].unique().to_list():
                    slugs.setdefault(city_id, find_city(city_id).slug)
            for pair, part in rows_by_pair(rows, slugs).items():
                pairs[table, pair] = part
    yield from ((table, pair, part) for (table, pair), part in sorted(pairs.items()))
    yield "queue_parameters", None, queue_parameters()
    yield "density_baseline", None, density_baseline()


def _frames(workspace: Workspace, refs: Refs, city: City) -> Frames:
    """Load every table for a city; update the queries' status from their plans and proofs."""
    frames = workspace.load(refs["control"][city.slug])
    later = workspace.load(refs["plans"][city.slug])
    reports = {
        name: merge_parts(name, [frames[name], later[name]]) for name in ACCOUNTS & set(later)
    }
    frames |= later | reports
    return {**frames, "queries": tell_status(frames["queries"], frames["witness_plans"])}


def describe_built(
    inputs: Inputs, refs: Refs, decisions: list[dict[str, Any]], frames: Mapping[str, pl.DataFrame]
) -> Built:
    """Describe, for the manifest, the inputs from which the cities in a build were built.

    ``frames`` contains the tables of documents and queries that were given to the build
    (``warehouse.given``).
    """
    told = digest(canonical_json({name: rows.to_dicts() for name, rows in frames.items()}))
    named = {f"given/{city.slug}": told for city in inputs.cities if frames}
    return Built(
        _settings(inputs), _ingredients(refs, inputs, decisions) | named, frames,
        tuple(
            Acceptance(city=city.slug, table=table, check=check, because=because)
            for city in inputs.cities for table, check, because in inputs.accepted
        ),
    )  # fmt: skip


def _settings(inputs: Inputs) -> dict[str, Any]:
    wanted = {
        "engine": inputs.engine,
        "tables_format": inputs.tables_format if inputs.tables else None,
        "profile": inputs.profile.model_dump(mode="json"),
        **({"assume_city": True} if inputs.assume_city else {}),
        **({"search": list(inputs.web.providers)} if inputs.web else {}),
        "readers": readers_of(inputs),
    }
    return {city.slug: wanted for city in inputs.cities}


def _ingredients(refs: Refs, inputs: Inputs, decisions: list[dict[str, Any]]) -> dict[str, str]:
    """Return hashes of each city's rows and of the reviewers' decisions."""
    made = {
        f"{stage}/{slug}": ref.digest
        for stage, found in refs.items()
        for slug, ref in sorted(found.items())
    }
    for city in inputs.cities:
        mine = [row for row in decisions if row["city_id"] == city.city_id]
        if mine:
            made[f"review/{city.slug}"] = digest(canonical_json(mine))
    return made
