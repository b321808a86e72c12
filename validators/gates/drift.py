"""Gates on changes since the last good snapshot, and on values that do not occur in any good
source.

Each check of a source has two limits (``validators.drift``). For a source, a value above the first
limit causes a warning. A value above the second limit blocks publication until a person accepts the
change. Tables that are not sources cause only warnings, unless a table has lost all its rows
although its city's settings have not changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import polars as pl

from validators.drift.bounds import REFUSED, WARNED
from validators.drift.find import CityChange
from validators.gates.base import (
    Demands,
    Failure,
    Gate,
    GateContext,
    failures,
    gathered,
)
from validators.gates.changes import compared_changes, find_uncompared, plain_changes
from warehouse.errors import SnapshotError

#: Tables that report on a build or hold published constants.
_NOT_COMPARED = (
    "gates", "quarantine", "stage_counts", "queue_parameters", "density_baseline",
    "witness_plans", "review_decisions", "unlinked_names", "city_stats",
)  # fmt: skip
#: Tables that are compared as sources.
_SOURCES = ("hotels", "restaurants", "metro_stations", "hubs", "documents")
#: The number of failures that a verdict on sources quotes.
_QUOTED = 12
#: Fewer rows than this may change by chance.
_ENOUGH = 20
#: A column with more codes than this is not compared.
_MOST_CODES = 40
_SMALLEST_SHARE = 1e-4

Pair = tuple[str, str, Demands, pl.DataFrame, pl.DataFrame]


def _pairs(context: GateContext) -> Iterator[Pair]:
    """Yield the slug, table, requirements, old rows and new rows for every city in both snapshots.

    Raises NotAskedError if the snapshots have different schema versions.
    """
    before = context.before
    if before is None:
        return
    context.comparable()
    names = [
        name
        for name, table in context.definitions.items()
        if table.partition == "city"
        and name not in _NOT_COMPARED
        and name in before.manifest.tables
    ]
    cities = dict(context.table("cities").select("slug", "city_id").iter_rows())
    for slug in context.manifest.cities:
        demands = context.find_demands(slug)
        if slug not in before.manifest.cities or demands is None:
            continue
        for name in names:
            now = context.table(name).filter(pl.col("city_id") == cities[slug])
            try:
                then = before.table(name, slug)
            except SnapshotError:
                continue  # the table has another schema or is damaged
            if set(then.columns) <= set(now.columns) or set(now.columns) <= set(then.columns):
                yield slug, name, demands, then, now


def _tell_changes(changes: Iterable[CityChange], context: GateContext, level: int) -> pl.DataFrame:
    """Return the changes of a level as failures; accepted changes become warnings."""
    accepted = {(a.city, a.table, a.check): a.because for a in context.manifest.accepted}
    rows: list[Failure] = []
    said = set()
    for found in changes:
        # A change in all documents is reported only for the first city.
        if (found.change.check, found.change.message) in said:
            continue
        said.add((found.change.check, found.change.message))
        change, name = found.change, ".".join(found.name)
        because = accepted.get((found.slug, *found.name))
        if (WARNED if because else change.level) != level:
            continue
        message = change.message
        if because and change.level == REFUSED:
            message += f" (accepted: {because})"
        elif level == REFUSED:
            message += f" [{name}]"
        rows.append(
            (change.table, change.column, f"{found.slug}/{change.check}", change.value, message)
        )
    return failures(rows)


def changed(context: GateContext) -> pl.DataFrame:
    """Sources are about the same as in the last good snapshot (within the first bounds of
    `drift`).
    """
    return _tell_changes(compared_changes(context), context, WARNED)


def changed_much(context: GateContext) -> pl.DataFrame:
    """No source changed beyond the second bounds of `drift`, except for accepted changes."""
    return _tell_changes(compared_changes(context), context, REFUSED)


def plausible(context: GateContext) -> pl.DataFrame:
    """The values in each source are usual for sources of its kind (within the first bounds of
    `drift`).
    """
    return _tell_changes(plain_changes(context), context, WARNED)


def impossible(context: GateContext) -> pl.DataFrame:
    """No source has values beyond the second bounds for its kind, except for accepted values."""
    return _tell_changes(plain_changes(context), context, REFUSED)


def compared(context: GateContext) -> pl.DataFrame:
    """The same readers, at the same schema version, read the last good snapshot's sources."""
    return failures(
        (table, "readers", slug, None, why) for slug, table, why in find_uncompared(context)
    )


def emptied(context: GateContext) -> pl.DataFrame:
    """No table has lost all its rows while its city's settings stayed the same."""
    before = context.before
    if before is None:
        return failures([])
    then = before.manifest.settings.get("cities", {})
    now = context.manifest.settings.get("cities", {})
    accepted = {(a.city, a.table) for a in context.manifest.accepted if a.check == "rows"}
    return failures(
        (name, "rows", slug, "0",
         f"the table is now empty, although it had {old.height} rows before and the settings are "
         "the same")
        for slug, name, _, old, new in _pairs(context)
        if old.height and new.is_empty() and then.get(slug) == now.get(slug)
        and (slug, name) not in accepted
    )  # fmt: skip


def rows(context: GateContext) -> pl.DataFrame:
    """Tables have about as many rows as in the last good snapshot."""
    return failures(
        (
            name,
            "rows",
            slug,
            str(new.height),
            f"before, the table had {old.height} rows, so the change is {_change(old, new):+.0%}",
        )
        for slug, name, demands, old, new in _pairs(context)
        if name not in _SOURCES
        and old.height >= _ENOUGH
        and abs(_change(old, new)) > demands.gates.drift_rows
    )


def _change(old: pl.DataFrame, new: pl.DataFrame) -> float:
    return new.height / old.height - 1


@gathered
def known(context: GateContext) -> Iterator[Failure]:
    """About as many values are known as in the last good snapshot."""
    for slug, name, demands, old, new in _pairs(context):
        if name in _SOURCES or min(old.height, new.height) < _ENOUGH:
            continue
        for column in sorted(
            context.definitions[name].nullable & set(old.columns) & set(new.columns)
        ):
            then = 1 - old[column].null_count() / old.height
            now = 1 - new[column].null_count() / new.height
            if then - now > demands.gates.drift_known:
                yield (
                    name,
                    column,
                    slug,
                    f"{now:.3f}",
                    f"in the last good snapshot, {then:.1%} of the values were known",
                )


@gathered
def shares(context: GateContext) -> Iterator[Failure]:
    """Codes and numbers are distributed about as in the last good snapshot (population stability
    index).
    """
    for slug, name, demands, old, new in _pairs(context):
        if name in _SOURCES or min(old.height, new.height) < _ENOUGH:
            continue
        for field in context.definitions[name].fields:
            if field.name not in old.columns or field.name not in new.columns:
                continue
            kind = new.schema[field.name]
            if kind == pl.List(pl.String) or (field.codes is None and not kind.is_float()):
                continue
            index = stability(old[field.name].drop_nulls(), new[field.name].drop_nulls())
            if index is not None and index > demands.gates.drift_shares:
                yield (
                    name,
                    field.name,
                    slug,
                    f"{index:.2f}",
                    "the distribution differs from that in the last good snapshot",
                )


def stability(old: pl.Series, new: pl.Series) -> float | None:
    """Compute the population stability index of two samples.

    Codes are compared by value, and numbers by the deciles of the old sample. An index of 0 means
    equal distributions, and a value above 0.25 usually means a shift. The result is None if the
    samples are small, all numbers are equal, or there are too many codes.
    """
    if min(old.len(), new.len()) < _ENOUGH:
        return None
    if old.dtype.is_numeric():
        edges = np.unique(np.quantile(old.to_numpy(), np.linspace(0, 1, 11)))[1:-1]
        if len(edges) == 0:
            return None
        bins = len(edges) + 1
        then = np.bincount(np.digitize(old.to_numpy(), edges), minlength=bins)
        now = np.bincount(np.digitize(new.to_numpy(), edges), minlength=bins)
    else:
        codes = sorted({*old.unique(), *new.unique()})
        if len(codes) > _MOST_CODES:
            return None
        then, now = (np.array([int((s == code).sum()) for code in codes]) for s in (old, new))
    p, q = (np.maximum(counts / counts.sum(), _SMALLEST_SHARE) for counts in (then, now))
    return float(((q - p) * np.log(q / p)).sum())


_ACCEPT = (
    "Fix the source. If the change is intended, run `tripbed build … --accept-drift "
    "TABLE.CHECK --because TEXT`; TABLE.CHECK is the name in brackets in the message."
)

GATES = (
    Gate(
        "source_change",
        changed,
        "A source that has changed a lot may be broken.",
        "Look at the rows named in the message.",
        "table",
        "warning",
        _QUOTED,
    ),
    Gate(
        "source_change_refused",
        changed_much,
        "Data from a broken source must not replace a good snapshot.",
        _ACCEPT,
        "table",
        quoted=_QUOTED,
    ),
    Gate(
        "source_values",
        plausible,
        "Absurd prices, the same value in all rows, and copied pages are signs of a broken export.",
        "Look at the rows named in the message.",
        "table",
        "warning",
        _QUOTED,
    ),
    Gate(
        "source_values_refused",
        impossible,
        "A value that never occurs in sources of this kind is an error, even if the last good "
        "snapshot also contained it.",
        _ACCEPT,
        "table",
        quoted=_QUOTED,
    ),
    Gate(
        "source_baseline",
        compared,
        "Two readers can read the same source differently, and the difference looks like a "
        "change in the source.",
        "Do nothing: the next build will be compared with this one.",
        "table",
        "warning",
        _QUOTED,
    ),
    Gate(
        "drift_emptied",
        emptied,
        "An empty table may mean that a source has disappeared unnoticed.",
        "Look for the missing input, or change the settings if the empty table is intended.",
        "table",
    ),
    Gate(
        "drift_rows",
        rows,
        "If the number of rows jumps, either a source has changed or tripbed has a defect.",
        "Compare the snapshots with `tripbed diff`.",
        "table",
        "warning",
    ),
    Gate(
        "drift_known",
        known,
        "If many values have become unknown, a reader may be broken.",
        "Compare the snapshots with `tripbed diff`.",
        "table",
        "warning",
    ),
    Gate(
        "drift_shares",
        shares,
        "If a distribution has shifted, a rule may have changed.",
        "Compare the snapshots with `tripbed diff`.",
        "table",
        "warning",
    ),
)
