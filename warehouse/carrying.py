"""Converts the rows of an older snapshot to this schema version, and counts every row.

Cities are converted one by one, so that only one city is in memory at a time. Tables and columns
that the next version lacks are dropped, and new columns are filled with nulls. The dropped data and
the columns filled with nulls are counted as losses. The stage ``control`` then runs again. Rejected
rows are set aside in ``quarantine``, and the counts for ``control`` include them.

A conversion step takes the tables of one partition, keyed by name, and converts them to the form of
the next version. A step may rename and convert values, but it must not add or remove rows. A step
must also keep tables and columns that the next version does not have.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import polars as pl

from schemas.arrow import frame, polars_schema_of
from schemas.contracts import split
from schemas.read_hash import read_hashes
from schemas.tables import SCHEMA_VERSION, TABLES, Table
from schemas.tables import Partition as Kind
from schemas.versions import tables_of
from warehouse.candidate import Partition, is_place_holder, partition_value
from warehouse.errors import SnapshotError
from warehouse.manifest import FileEntry
from warehouse.read import Snapshot

Tables = dict[str, pl.DataFrame]


@dataclass(frozen=True)
class MigrationStep:
    """The conversion from one schema version to the next version, ``to``."""

    to: str
    carry: Callable[[Tables], Tables]


def from_1_5(tables: Tables) -> Tables:
    """Rename the document kind ``none`` of version 1.5 to ``other``, as version 2.0 calls it."""
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


def only_adds(tables: Tables) -> Tables:
    """Return the tables unchanged, because the next version only adds tables and columns."""
    return tables


def from_2_1(tables: Tables) -> Tables:
    """Convert tables of version 2.1 to version 2.2.

    Visits get the field ``remark_evidence_id``, which is null. All plans of version 2.1 become
    proofs.
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


#: The step from each released version to the next (see docs/howto/extending.md).
STEPS: Mapping[str, MigrationStep] = {
    "1.5": MigrationStep("2.0", from_1_5),
    "2.0": MigrationStep("2.1", only_adds),
    "2.1": MigrationStep("2.2", from_2_1),
    "2.2": MigrationStep("2.3", only_adds),
}


def route(version: str, steps: Mapping[str, MigrationStep] = STEPS) -> tuple[MigrationStep, ...]:
    """Return the steps from a version to the current one. Raises KeyError if a step is missing."""
    found: list[MigrationStep] = []
    while version != SCHEMA_VERSION:
        found.append(steps[version])
        version = found[-1].to
    return tuple(found)


#: Separates the valid rows of a city's tables from the others, which it returns as ``quarantine``.
Control = Callable[[Tables, str], tuple[Tables, pl.DataFrame]]
#: Tables that report on rows of other tables. Their own rows are not set aside.
_REPORTING = ("quarantine", "stage_counts")
#: The table of verdicts is not converted, because the gates run again on the new snapshot.
_VERDICTS = "gates"


@dataclass(frozen=True)
class Loss:
    """Data that the new snapshot lacks: a dropped table or column, or a column of nulls."""

    what: Literal["dropped", "unknown"]
    table: str
    column: str | None


@dataclass
class Accounts:
    """Counts of rows by table during a conversion.

    A dropped column is counted in known values. All other losses are counted in rows.
    """

    rows_in: Counter[str] = field(default_factory=Counter)
    rows_out: Counter[str] = field(default_factory=Counter)
    quarantined: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)
    losses: Counter[Loss] = field(default_factory=Counter)

    def list_losses(self) -> list[tuple[Loss, int]]:
        """Return the losses and their counts, sorted by table and column."""
        return sorted(self.losses.items(), key=lambda item: (item[0].table, item[0].column or ""))

    def check(self) -> None:
        """Raise RuntimeError unless every row was converted, set aside or dropped."""
        went = self.rows_out + self.quarantined + self.dropped
        same = self.rows_in.keys() & self.rows_out.keys()  # other tables may have been renamed
        counts = {name: (self.rows_in[name], went[name]) for name in sorted(same)}
        counts["all tables"] = (self.rows_in.total(), went.total())
        for name, (before, after) in counts.items():
            if before != after:
                raise RuntimeError(
                    f"a migration step turned {before} rows of {name} into {after} rows"
                )


def carry_over(
    held: Snapshot, way: Sequence[MigrationStep], control: Control, accounts: Accounts
) -> Iterator[Partition]:
    """Yield the new snapshot's partitions. Raises SnapshotError if the old snapshot is damaged."""
    cities = dict(held.table("cities").select("slug", "city_id").iter_rows())
    set_aside: dict[str, list[pl.DataFrame]] = {}
    for pair, tables in _groups(held, "pair"):
        fitted = _fit_tables(held, tables, way, "pair", accounts)
        ends = [slug for slug in pair.split("--") if slug in cities]
        kept, bad = _control(held, fitted, control, cities[ends[0]] if ends else None, accounts)
        if bad.height:
            set_aside.setdefault(ends[0], []).append(bad)
        yield from ((name, pair, rows) for name, rows in kept.items())
    for slug, tables in _groups(held, "city"):
        if slug not in cities:
            raise SnapshotError(
                f"{held.path}: the city {slug!r} is missing from the table `cities`: build again"
            )
        fitted = _fit_tables(held, tables, way, "city", accounts)
        reports = {name: _sound(held, name, fitted.pop(name), accounts) for name in _REPORTING}
        kept, bad = _control(held, fitted, control, cities[slug], accounts)
        bad = pl.concat([bad, *set_aside.get(slug, [])])
        kept["quarantine"] = pl.concat([reports["quarantine"], bad])
        kept["stage_counts"] = _account(held, reports["stage_counts"], bad, kept, cities[slug])
        yield from ((name, slug, rows) for name, rows in kept.items())
    for _, tables in _groups(held, "none"):
        fitted = _fit_tables(held, tables, way, "none", accounts)
        kept, _ = _control(held, fitted, control, None, accounts)
        yield from ((name, None, rows) for name, rows in kept.items())


def _groups(held: Snapshot, kind: Kind) -> Iterator[tuple[str, Tables]]:
    """Yield each city or pair of cities with its tables in the form of the old version."""
    found: dict[str, dict[str, list[FileEntry]]] = {}
    for name, entry in held.manifest.tables.items():
        if held.definitions[name].partition == kind and name != _VERDICTS:
            for file in entry.files:
                if not is_place_holder(file):
                    found.setdefault(partition_value(file), {}).setdefault(name, []).append(file)
    for value, tables in sorted(found.items()):
        yield value, {name: _read(held, name, files) for name, files in tables.items()}


def _read(held: Snapshot, name: str, files: Sequence[FileEntry]) -> pl.DataFrame:
    wanted = held.empty(name)
    parts = [held.rows_of(name, file) for file in files]
    for file, rows in zip(files, parts, strict=True):
        if rows.schema != wanted.schema:
            raise SnapshotError(
                f"{held.path / file.path} does not have the columns of schema "
                f"{held.manifest.schema_version}: `tripbed validate` shows the details"
            )
    return pl.concat([wanted, *parts])


def _fit_tables(
    held: Snapshot, tables: Tables, way: Sequence[MigrationStep], kind: Kind, accounts: Accounts
) -> Tables:
    """Apply all steps to the tables of one partition; the result has this version's columns."""
    accounts.rows_in.update({name: rows.height for name, rows in tables.items()})
    before = held.definitions
    for step in way:
        after = tables_of(step.to)
        tables = step.carry(tables)
        for name in sorted(tables.keys() - after.keys()):
            accounts.losses[Loss("dropped", name, None)] += tables[name].height
            accounts.dropped[name] += tables[name].height
        mine = {name: table for name, table in after.items() if table.partition == kind}
        for name in mine.keys() - before.keys() - tables.keys():
            accounts.losses[Loss("unknown", name, None)] += 0
        tables = {
            name: _fit(table, tables.get(name), accounts)
            for name, table in mine.items()
            # A city has a file for every table, even if it is empty. A pair has files only for
            # tables with rows.
            if name in tables or kind == "city"
        }
        before = after
    return tables


def _fit(table: Table, rows: pl.DataFrame | None, accounts: Accounts) -> pl.DataFrame:
    """Drop and add columns so that rows fit a table, and count the lost values."""
    types = polars_schema_of(table)
    if rows is None:
        return pl.DataFrame(schema=types)
    for column in rows.columns:
        if column not in types:
            known = rows.height - rows[column].null_count()
            accounts.losses[Loss("dropped", table.name, column)] += known
    for column, kind in types.items():
        if column not in rows.columns:
            rows = rows.with_columns(pl.lit(None, kind).alias(column))
            accounts.losses[Loss("unknown", table.name, column)] += rows.height
        elif rows.schema[column] != kind:
            raise RuntimeError(
                f"a migration step gave the column {table.name}.{column} the wrong type, "
                f"{rows.schema[column]}"
            )
    return rows.select(types.names())


def _control(
    held: Snapshot, tables: Tables, control: Control, city_id: str | None, accounts: Accounts
) -> tuple[Tables, pl.DataFrame]:
    """Separate valid rows from the others, and count both."""
    kept, bad = control(tables, city_id or "")
    if bad.height and city_id is None:
        row = bad.row(0, named=True)
        raise SnapshotError(
            f"{held.path}: {row['table']} {row['row_id']}: {row['message']}; the row "
            "belongs to no city, so it cannot be set aside: build again"
        )
    accounts.rows_out.update({name: rows.height for name, rows in kept.items()})
    accounts.quarantined.update(bad["table"].to_list())
    return kept, bad


def _sound(held: Snapshot, name: str, rows: pl.DataFrame, accounts: Accounts) -> pl.DataFrame:
    """Return a reporting table unchanged. Raises SnapshotError if a row breaks its contract."""
    _, bad = split(name, rows)
    if bad.height:
        raise SnapshotError(
            f"{held.path}: a row of {name} does not match the schema: `tripbed validate` shows "
            "which one"
        )
    accounts.rows_out[name] += rows.height
    return rows


def _account(
    held: Snapshot, counts: pl.DataFrame, bad: pl.DataFrame, kept: Tables, city_id: str
) -> pl.DataFrame:
    """Add the set-aside rows and the new tables to a city's counts for the stage ``control``."""
    rows = counts.to_dicts()
    told = {row["table"]: row for row in rows if row["stage"] == "control"}
    lost = Counter(bad["table"].to_list())
    for name in sorted(lost.keys() | (kept.keys() - held.definitions.keys())):
        if name not in told:
            came = lost[name] + (kept[name].height if name in kept else 0)
            told[name] = {
                "city_id": city_id, "stage": "control", "table": name, "rows_in": came,
                "rows_kept": came, "rows_merged": 0, "rows_quarantined": 0, "rows_pending": 0,
            }  # fmt: skip
            rows.append(told[name])
        told[name]["rows_kept"] -= lost[name]
        told[name]["rows_quarantined"] += lost[name]
    for name in told.keys() - TABLES.keys():  # a table that was dropped keeps no rows
        told[name]["rows_in"] -= told[name]["rows_kept"]
        told[name]["rows_kept"] = 0
    return frame("stage_counts", rows)
