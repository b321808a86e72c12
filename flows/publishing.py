"""From finished shards to a snapshot: partitions in, gates asked, report written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from flows.decisions import stored_decisions
from flows.reviewing import apply
from flows.shards import ACCOUNTS, Frames, Ref, Workspace
from flows.stages.base import Inputs, merged
from flows.stages.control import rows_by_pair
from flows.stages.plans import told
from schemas.cities import City, find_city
from schemas.ids import canonical_json, digest
from schemas.tables import TABLES
from warehouse.manifest import Manifest, read_manifest
from warehouse.publish import Published, latest_snapshot, publish

if TYPE_CHECKING:
    from validators.validate import GateResult

#: Tables whose contracts Data Docs show column by column; the catalogue covers every table.
DOCUMENTED = (
    "queries", "documents", "pois", "poi_facts", "trajectories", "hotels", "trains",
)  # fmt: skip

#: Stages whose rows are published.
PUBLISHED = ("control", "plans")

Partition = tuple[str, str | None, pl.DataFrame]
#: Finished shards of the stages that are published, by stage and city slug.
Refs = Mapping[str, Mapping[str, Ref]]


def published_refs(finished: Iterable[Ref]) -> Refs:
    """Of all shards of a build those that are published."""
    found: dict[str, dict[str, Ref]] = {stage: {} for stage in PUBLISHED}
    for ref in finished:
        if ref.stage in found:
            found[ref.stage][ref.shard] = ref
    return found


def publish_cities(
    inputs: Inputs,
    workspace: Workspace,
    store: Path,
    refs: Refs,
    spent: Mapping[str, Any],
) -> Published:
    """Publish the cities of a build; other cities of the last good snapshot are carried over."""
    previous = latest_snapshot(store)
    before = read_manifest(previous) if previous else None
    decisions = stored_decisions(store)
    return publish(
        store,
        _partitions(inputs, workspace, refs, decisions),
        settings={"cities": {**_kept_settings(before, inputs), **_settings(inputs)}},
        ingredients={**_kept_ingredients(before, inputs), **_ingredients(refs, inputs, decisions)},
        run=dict(spent),
        keep_from=previous,
        check=partial(_checked, before=previous),
        extras=_extras,
    )


def find_unchanged(store: Path, inputs: Inputs, refs: Refs) -> Published | None:
    """The last good snapshot, if it already holds exactly what this build came to."""
    previous = latest_snapshot(store)
    if previous is None:
        return None
    manifest = read_manifest(previous)
    held = manifest.settings.get("cities", {})
    wanted = _ingredients(refs, inputs, stored_decisions(store))
    same = all(manifest.ingredients.get(name) == key for name, key in wanted.items())
    if same and all(held.get(slug) == wanted for slug, wanted in _settings(inputs).items()):
        return Published.existing(previous)
    return None


def _partitions(
    inputs: Inputs, workspace: Workspace, refs: Refs, decisions: list[dict[str, Any]]
) -> Iterator[Partition]:
    """Tables of one city after the other, so that only one is in memory."""
    from schemas.parameters import density_baseline, queue_parameters

    slugs = {city.city_id: city.slug for city in inputs.cities}
    pairs: dict[tuple[str, str], pl.DataFrame] = {}
    for city in inputs.cities:
        frames = apply(_frames(workspace, refs, city), decisions, city.city_id)
        yield from _city_partitions(city, frames)
        for table in ("trains", "flights"):
            rows = frames[table]
            for column in ("origin_city_id", "destination_city_id"):
                for city_id in rows[column].unique().to_list():
                    slugs.setdefault(city_id, find_city(city_id).slug)
            for pair, part in rows_by_pair(table, rows, slugs).items():
                pairs[table, pair] = part
    for (table, pair), part in sorted(pairs.items()):
        yield table, pair, part
    yield "queue_parameters", None, queue_parameters()
    yield "density_baseline", None, density_baseline()


def _frames(workspace: Workspace, refs: Refs, city: City) -> Frames:
    """Every table of a city; its queries with what their plans and proofs say of them."""
    frames = workspace.load(refs["control"][city.slug])
    later = workspace.load(refs["plans"][city.slug])
    reports = {name: merged(name, [frames[name], later[name]]) for name in ACCOUNTS & set(later)}
    frames |= later | reports
    return {**frames, "queries": told(frames["queries"], frames["witness_plans"])}


def _city_partitions(city: City, frames: Frames) -> Iterator[Partition]:
    for name, table in TABLES.items():
        if table.partition == "city":
            yield name, city.slug, frames[name]


def _settings(inputs: Inputs) -> dict[str, Any]:
    profile = inputs.profile
    wanted = {
        "engine": inputs.engine,
        "tables_format": inputs.tables_format if inputs.tables else None,
        "profile": profile.model_dump(mode="json"),
    }
    return {city.slug: wanted for city in inputs.cities}


def _ingredients(refs: Refs, inputs: Inputs, decisions: list[dict[str, Any]]) -> dict[str, str]:
    """What a snapshot was made of: each city's rows, and the decisions of its reviewers."""
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


def _kept_settings(before: Manifest | None, inputs: Inputs) -> dict[str, Any]:
    built = {city.slug for city in inputs.cities}
    held = before.settings.get("cities", {}) if before else {}
    return {slug: wanted for slug, wanted in held.items() if slug not in built}


def _kept_ingredients(before: Manifest | None, inputs: Inputs) -> dict[str, str]:
    kinds = (*PUBLISHED, "review")
    built = {f"{kind}/{city.slug}" for city in inputs.cities for kind in kinds}
    held = before.ingredients if before else {}
    return {name: key for name, key in held.items() if name not in built}


def _checked(candidate: Path, before: Path | None) -> Sequence[GateResult]:
    """Verdicts of the catalogue, run by Great Expectations, with its Data Docs beside the data."""
    from validators.expectations import run_expectations

    return run_expectations(candidate, candidate / "quality", DOCUMENTED, before).results


def _extras(candidate: Path) -> None:
    """What stands beside the data: the report, and the findings in numbers."""
    from flows.findings import write_findings
    from flows.report import write_report

    write_findings(candidate)
    write_report(candidate)
