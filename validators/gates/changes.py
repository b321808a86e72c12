"""Compute once, for all gates that report them, the changes found by ``validators.drift``."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import polars as pl

from validators.drift.bounds import DriftSettings
from validators.drift.find import CityChange, State, find_compared, find_plain, not_compared
from validators.gates.base import (
    Demands,
    GateContext,
)
from warehouse.errors import SnapshotError
from warehouse.given import make_path
from warehouse.read import Snapshot

_PLAIN: WeakKeyDictionary[GateContext, tuple[CityChange, ...]] = WeakKeyDictionary()
_COMPARED: WeakKeyDictionary[GateContext, tuple[CityChange, ...]] = WeakKeyDictionary()


def plain_changes(context: GateContext) -> tuple[CityChange, ...]:
    """Return the unusual values in each city's sources, without comparing snapshots."""
    if context not in _PLAIN:
        _PLAIN[context] = tuple(
            found
            for city_id, slug in _cities(context)
            for found in find_plain(slug, city_id, _now(context, slug), _bounds(context, slug))
        )
    return _PLAIN[context]


def compared_changes(context: GateContext) -> tuple[CityChange, ...]:
    """Return the changes in each city's sources since the last good snapshot.

    Raises NotAskedError if the two snapshots have different schema versions.
    """
    if context not in _COMPARED:
        context.comparable()
        _COMPARED[context] = tuple(
            found
            for city_id, slug in _cities(context)
            if (then := _then(context, slug)) is not None
            for found in find_compared(
                slug, city_id, then, _now(context, slug), _bounds(context, slug)
            )
        )
    return _COMPARED[context]


def find_uncompared(context: GateContext) -> list[tuple[str, str, str]]:
    """Return the sources that cannot be compared: the city's slug, the source table and the reason.

    Raises NotAskedError if the two snapshots have different schema versions.
    """
    context.comparable()
    return [
        (slug, *said)
        for _, slug in _cities(context)
        if (then := _then(context, slug)) is not None
        for said in not_compared(then, _now(context, slug))
    ]


def _cities(context: GateContext) -> list[tuple[str, str]]:
    """Return the id and slug of each city."""
    return context.table("cities").select("city_id", "slug").sort("slug").rows()


def _bounds(context: GateContext, slug: str) -> DriftSettings:
    return (context.find_demands(slug) or Demands()).drift


def _now(context: GateContext, slug: str) -> State:
    return State(context.table, context.readers(slug), _read_given(context.snapshot, slug))


def _then(context: GateContext, slug: str) -> State | None:
    """Return a city's state in the last good snapshot, or None if the city is not in it."""
    before = context.before
    if before is None or slug not in before.manifest.cities:
        return None
    return State(context.table_before, context.readers_before(slug), _read_given(before, slug))


def _read_given(snapshot: Snapshot, slug: str) -> pl.DataFrame | None:
    """Read the results for the documents that each city's build was given.

    Raises SnapshotError if the file cannot be read.
    """
    path = make_path("documents")
    if all(entry.path != path for entry in snapshot.manifest.quality):
        return None
    try:
        rows = pl.read_parquet(snapshot.path / path)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise SnapshotError(f"{path} cannot be read: {str(error)[:200]}") from None
    return rows.filter(pl.col("built_for").list.contains(slug))
