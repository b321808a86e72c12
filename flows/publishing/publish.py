"""Runs the gates, writes the report, and publishes a build's tables as a snapshot.

This module receives finished partitions with their descriptions, and does not depend on how the
partitions were built.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from flows.report.findings import write_findings, write_source_rows
from flows.report.render import write_report
from validators.drift.find import PLAIN_CHECKS
from warehouse.manifest import Acceptance, Manifest, read_manifest
from warehouse.publish import Published, latest_snapshot, publish
from warehouse.verdicts import GateResult

#: Tables whose contracts Data Docs shows by column; the catalogue covers every table.
DOCUMENTED = (
    "queries", "documents", "pois", "poi_facts", "trajectories", "hotels", "trains",
)  # fmt: skip

#: A table, its partition (a city's slug, a pair of slugs, or None) and its rows.
Partition = tuple[str, str | None, pl.DataFrame]


@dataclass(frozen=True)
class Built:
    """The result of a build, by city.

    ``settings`` maps each city's slug to the settings that were used to build the city.
    ``ingredients`` maps ``kind/slug`` to the hashes of what was published.
    """

    settings: Mapping[str, Any]
    ingredients: Mapping[str, str]
    #: What happened to the documents (``warehouse.given``).
    given: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    #: Changes of sources that a user accepted.
    accepted: tuple[Acceptance, ...] = ()
    #: Findings of the import about the rows of each city's sources, by slug.
    source_rows: Mapping[str, pl.DataFrame] = field(default_factory=dict)


def publish_cities(
    store: Path, partitions: Iterable[Partition], built: Built, costs: Mapping[str, Any]
) -> Published:
    """Publish the cities in a build; other cities in the last good snapshot are kept unchanged."""
    previous = latest_snapshot(store)
    before = read_manifest(previous) if previous else None
    cities = built.settings.keys()
    return publish(
        store,
        partitions,
        settings={"cities": {**_keep_settings(before, cities), **built.settings}},
        ingredients={**_keep_ingredients(before, cities), **built.ingredients},
        run=dict(costs),
        keep_from=previous,
        check=partial(ask_gates, before=previous),
        extras=partial(_write_beside, built=built, before=previous),
        given=built.given,
        accepted=_list_accepted(before, built),
    )


def _list_accepted(before: Manifest | None, built: Built) -> list[Acceptance]:
    """Return this build's acceptances of changes, together with the earlier acceptances that still
    apply.

    Earlier acceptances still apply to cities that are kept unchanged. For the cities in this build,
    an earlier acceptance still applies only if its check does not need a last good snapshot. Other
    accepted changes are already part of the last good snapshot.
    """
    earlier = [
        accepted
        for accepted in (before.accepted if before else ())
        if accepted.city not in built.settings or accepted.check in PLAIN_CHECKS
    ]
    found = {(a.city, a.table, a.check): a for a in (*earlier, *built.accepted)}
    return [found[key] for key in sorted(found)]


def find_unchanged(store: Path, built: Built) -> Published | None:
    """Return the last good snapshot if it already contains exactly the results of this build."""
    previous = latest_snapshot(store)
    if previous is None:
        return None
    manifest = read_manifest(previous)
    held = manifest.settings.get("cities", {})
    same = all(manifest.ingredients.get(name) == key for name, key in built.ingredients.items())
    if same and all(held.get(slug) == wanted for slug, wanted in built.settings.items()):
        return Published.existing(previous)
    return None


def _keep_settings(before: Manifest | None, cities: Collection[str]) -> dict[str, Any]:
    held = before.settings.get("cities", {}) if before else {}
    return {slug: wanted for slug, wanted in held.items() if slug not in cities}


def _keep_ingredients(before: Manifest | None, cities: Collection[str]) -> dict[str, str]:
    held = before.ingredients if before else {}
    return {name: key for name, key in held.items() if name.rpartition("/")[2] not in cities}


def ask_gates(candidate: Path, before: Path | None = None) -> Sequence[GateResult]:
    """Return the results of all gates.

    Great Expectations also writes its Data Docs to the folder.
    """
    # Importing Great Expectations takes seconds.
    from validators.expectations import run_expectations

    return run_expectations(candidate, candidate / "quality", DOCUMENTED, before).results


def _write_beside(candidate: Path, built: Built, before: Path | None) -> None:
    """Write the pages about the data and the findings about the source rows to the snapshot."""
    write_pages(candidate)
    kept = set(read_manifest(candidate).cities) - built.settings.keys()
    write_source_rows(candidate, built.source_rows, before, sorted(kept))


def write_pages(candidate: Path) -> None:
    """Write the report and the statistics to the snapshot's folder."""
    write_findings(candidate)
    write_report(candidate)
