"""The steps from one schema version to the next: what each does to the rows of a snapshot.

A step takes the tables of one city (or pair of cities, or of no city) by name, as its version has
them, and returns them as the next version has them. It renames and converts, but neither removes
nor adds rows. It leaves alone what the next version lacks: ``migrate`` drops that and reports it,
and fills what is missing with unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import polars as pl

from schemas.read_hash import read_hashes
from schemas.tables import SCHEMA_VERSION

Tables = dict[str, pl.DataFrame]


@dataclass(frozen=True)
class MigrationStep:
    """A step to the version ``to``."""

    to: str
    carry: Callable[[Tables], Tables]


def from_1_5(tables: Tables) -> Tables:
    """2.0 calls a document ``other`` that is no journey and no guide; 1.5 said ``none``."""
    if "documents" not in tables:
        return tables
    before = tables["documents"]
    renamed = before.with_columns(pl.col("document_kind").replace("none", "other"))
    was_true = before["read_hash"] == read_hashes(before)
    hashes = renamed.select(
        pl.when(was_true & (before["document_kind"] == "none"))
        .then(read_hashes(renamed))
        .otherwise(before["read_hash"])
    ).to_series()
    return {**tables, "documents": renamed.with_columns(hashes.alias("read_hash"))}


def from_2_0(tables: Tables) -> Tables:
    """2.1 adds tables and columns only."""
    return tables


def from_2_1(tables: Tables) -> Tables:
    """2.2 adds tables and columns; visits have a place for the remark on them, unknown so far.

    Plans before were proofs.
    """
    if "witness_plans" in tables:
        kind = pl.lit("proof").alias("plan_kind")
        tables = {**tables, "witness_plans": tables["witness_plans"].with_columns(kind)}
    if "trajectories" not in tables:
        return tables
    visits = pl.col("noisy_visits").list.eval(
        pl.element().struct.with_fields(remark_evidence_id=pl.lit(None, pl.String))
    )
    return {**tables, "trajectories": tables["trajectories"].with_columns(visits)}


def from_2_2(tables: Tables) -> Tables:
    """2.3 adds a table only."""
    return tables


#: The step from each released version, see docs/howto/extending.md.
STEPS: Mapping[str, MigrationStep] = {
    "1.5": MigrationStep("2.0", from_1_5),
    "2.0": MigrationStep("2.1", from_2_0),
    "2.1": MigrationStep("2.2", from_2_1),
    "2.2": MigrationStep("2.3", from_2_2),
}


def route(version: str, steps: Mapping[str, MigrationStep] = STEPS) -> tuple[MigrationStep, ...]:
    """The steps from a version to this one, none from itself. Raises KeyError where one lacks."""
    found: list[MigrationStep] = []
    while version != SCHEMA_VERSION:
        found.append(steps[version])
        version = found[-1].to
    return tuple(found)
