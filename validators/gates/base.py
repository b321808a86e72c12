"""Defines a gate, and the data that a gate can read.

A check returns one row for each failure, with the table, column, row key (as text), value and
message. If the check returns no rows, the gate has passed. Gates work on whole columns and read
each table only once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, wraps
from pathlib import Path
from typing import Any, Literal

import polars as pl
from pydantic import BaseModel, ConfigDict, ValidationError

from schemas.arrow import frame
from schemas.geo import distance_m
from schemas.tables import TABLES, Table
from validators.drift.bounds import DriftSettings
from warehouse.errors import SnapshotError
from warehouse.manifest import FileEntry, Manifest, Sources
from warehouse.read import Snapshot, count_sources

Failure = tuple[str, str | None, str | None, str | None, str]

FAILURES = pl.Schema(
    {
        "table": pl.String,
        "column": pl.String,
        "row": pl.String,
        "value": pl.String,
        "message": pl.String,
    }
)
NONE = pl.DataFrame(schema=FAILURES)

Level = Literal["row", "table", "snapshot"]
Severity = Literal["error", "warning"]


class _GateSettings(BaseModel):
    """A part of the settings, with only the fields that gates need."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class _Trajectories(_GateSettings):
    per_query: int = 1
    minimum_days: int = 2
    minimum_visits: int = 1


class _Candidates(_GateSettings):
    per_query: int = 1
    maximum_per_query: int = 60


class _Thresholds(_GateSettings):
    quarantine_share: float = 0.2
    known_share: dict[str, float] = {}
    drift_rows: float = 0.3
    drift_known: float = 0.1
    drift_shares: float = 0.25
    document_age_years: float = 10.0
    filler_share: float = 0.8
    kappa: float = 0.6
    plans_decided: float = 0.0
    budget_usd: float | None = None
    city_offset_m: float = 5_000.0


class _Queries(_GateSettings):
    days: tuple[int | None, ...] | None = None
    constraint_kinds: tuple[str, ...] | None = None


class _Documents(_GateSettings):
    allow_empty: bool = False


class _Drift(DriftSettings):
    model_config = ConfigDict(extra="ignore", frozen=True)


class Demands(_GateSettings):
    """The settings that the gates check in a city's profile."""

    families: tuple[str, ...] = ()
    documents: _Documents = _Documents()
    queries: _Queries = _Queries()
    trajectories: _Trajectories = _Trajectories()
    candidates: _Candidates = _Candidates()
    gates: _Thresholds = _Thresholds()
    drift: _Drift = _Drift()


class _City(_GateSettings):
    profile: Demands = Demands()
    readers: dict[str, str] = {}


class _Build(_GateSettings):
    cities: dict[str, _City] = {}


class NotAskedError(Exception):
    """Raised if a gate does not apply to this schema version; the message gives the reason."""


class GateContext:
    """The candidate snapshot that the gates check; each of its files is read only once.

    Raises SnapshotError if the folder is not a snapshot, or if its settings cannot be read.

    Tables have the columns of the snapshot's own schema version, even if that version is older.
    ``before`` is the last good snapshot, which the drift gates compare with the candidate.
    """

    def __init__(self, path: Path, before: Path | None = None):
        self.snapshot = Snapshot(path, any_version=True)
        self.before = Snapshot(before, any_version=True) if before is not None else None
        self.path = self.snapshot.path
        #: The tables of the candidate's own schema version, by which it is judged.
        self.definitions = self.snapshot.definitions
        try:
            self._build = _Build.model_validate(self.manifest.settings)
        except ValidationError as error:
            fault = error.errors(include_url=False)[0]
            where = ".".join(str(part) for part in fault["loc"])
            raise SnapshotError(f"manifest.json: settings.{where}: {fault['msg']}") from None
        self._parts: dict[str, pl.DataFrame] = {}
        self._tables: dict[str, pl.DataFrame] = {}
        self._before_tables: dict[str, pl.DataFrame] = {}

    @property
    def manifest(self) -> Manifest:
        """The candidate's manifest."""
        return self.snapshot.manifest

    @cached_property
    def lacking(self) -> frozenset[str]:
        """The columns of the current schema version that the candidate's own version lacks."""
        mine = self.definitions
        return frozenset(
            column
            for name, table in TABLES.items()
            for column in table.column_names
            if name not in mine or column not in mine[name].column_names
        )

    def lacks(self, what: str) -> NotAskedError:
        """Return the error for a gate whose data do not exist in the candidate's schema version."""
        return NotAskedError(f"schema {self.manifest.schema_version} has no {what}")

    def part(self, table: str, entry: FileEntry) -> pl.DataFrame:
        """Read the rows of one file unchanged."""
        if entry.path not in self._parts:
            self._parts[entry.path] = self.snapshot.rows_of(table, entry)
        return self._parts[entry.path]

    def table(self, name: str) -> pl.DataFrame:
        """Read all rows of a table.

        Raises NotAskedError if the table does not exist in the candidate's schema version.
        """
        if name not in self.definitions and name in TABLES:
            raise self.lacks(f"table {name}")
        if name not in self._tables:
            parts = [self.part(name, entry) for entry in self.manifest.tables[name].files]
            self._tables[name] = pl.concat([self.snapshot.empty(name), *parts])
        return self._tables[name]

    def find_demands(self, slug: str) -> Demands | None:
        """Return the requirements in a city's profile, or None if the settings do not list the
        city.
        """
        city = self._build.cities.get(slug)
        return city.profile if city else None

    @cached_property
    def demands(self) -> pl.DataFrame:
        """The requirements in the cities' profiles: the city id, and one column per requirement."""
        rows = [
            {
                "city_id": city_id,
                "slug": slug,
                "families": list(profile.families),
                "may_lack_documents": profile.documents.allow_empty,
                "trajectories_per_query": profile.trajectories.per_query,
                "candidates_per_query": profile.candidates.per_query,
                "candidates_maximum": profile.candidates.maximum_per_query,
                "minimum_days": profile.trajectories.minimum_days,
                "minimum_visits": profile.trajectories.minimum_visits,
                "quarantine_share": profile.gates.quarantine_share,
            }
            for city_id, slug in self.table("cities").select("city_id", "slug").iter_rows()
            for profile in [self.find_demands(slug) or Demands()]
        ]
        return pl.DataFrame(rows, schema=_DEMANDS, orient="row")

    def comparable(self) -> None:
        """Check whether the last good snapshot has the same schema version.

        Raises NotAskedError if the two versions differ.
        """
        if self.before is None:
            return
        mine, other = (made.manifest.schema_version for made in (self.snapshot, self.before))
        if mine != other:
            raise NotAskedError(
                f"schema {other} cannot be compared with {mine}: migrate the older snapshot"
            )

    def readers(self, slug: str) -> Mapping[str, str]:
        """For each source table of a city, return the name of the reader that read the table."""
        return self._build.cities.get(slug, _City()).readers

    def readers_before(self, slug: str) -> Mapping[str, str]:
        """Return the reader's name for each of a city's source tables in the last good snapshot."""
        held = self.before.manifest.settings.get("cities", {}) if self.before else {}
        return _City.model_validate(held.get(slug, {})).readers

    def table_before(self, name: str) -> pl.DataFrame:
        """Read all rows of a table in the last good snapshot; each table is read only once."""
        assert self.before is not None
        if name not in self._before_tables:
            self._before_tables[name] = self.before.table(name)
        return self._before_tables[name]

    def floors(self) -> dict[str, float]:
        """For each ``table.column``, return the strictest minimum share of known values in the
        profiles.
        """
        found: dict[str, float] = {}
        for slug in self.manifest.cities:
            for column, floor in (self.find_demands(slug) or Demands()).gates.known_share.items():
                found[column] = max(found.get(column, 0.0), floor)
        return found


_DEMANDS: dict[str, Any] = {
    "city_id": pl.String,
    "slug": pl.String,
    "families": pl.List(pl.String),
    "may_lack_documents": pl.Boolean,
    "trajectories_per_query": pl.Int64,
    "candidates_per_query": pl.Int64,
    "candidates_maximum": pl.Int64,
    "minimum_days": pl.Int64,
    "minimum_visits": pl.Int64,
    "quarantine_share": pl.Float64,
}

Check = Callable[[GateContext], pl.DataFrame]
#: The rows that fail, the column whose value is shown, and the message.
RowCheck = tuple[pl.Expr, str, str | pl.Expr]


@dataclass(frozen=True)
class Gate:
    """One gate, with its texts for docs/gates.md.

    ``why`` explains why the gate matters, and ``mend`` explains how to fix a failure.
    """

    id: str
    check: Check
    why: str
    mend: str
    level: Level = "row"
    severity: Severity = "error"
    #: The number of failures that its verdict quotes.
    quoted: int = 3


def fact_tables(context: GateContext) -> tuple[str, ...]:
    """List the tables of facts in the candidate's schema version."""
    return tuple(name for name in ("poi_facts", "conditional_facts") if name in context.definitions)


def list_counted_sources(context: GateContext, given: pl.DataFrame | None) -> Sources:
    """Count the sources in the tables that exist in this schema version."""

    def table(name: str) -> pl.DataFrame:
        return context.table(name) if name in context.definitions else frame(name, [])

    return count_sources(table, given)


def in_untouched_city(context: GateContext, *tables: str) -> pl.Expr:
    """Check for each row whether the control stage kept all rows of its city in the given tables.

    A value computed from all rows of a table can be checked only if no row of the table is missing.
    """
    lost = context.table("stage_counts").filter(
        (pl.col("stage") == "control")
        & pl.col("table").is_in(list(tables))
        & (pl.col("rows_quarantined") > 0)
    )
    cities = context.table("cities")["city_id"]
    return pl.col("city_id").is_in(
        cities.filter(~cities.is_in(lost["city_id"].implode())).implode()
    )


def read_set_aside(context: GateContext, table: str) -> set[str]:
    """Return the keys of the rows of a table that are in quarantine."""
    return set(context.table("quarantine").filter(pl.col("table") == table)["row_id"].to_list())


def failing(
    table: str | Table, rows: pl.DataFrame, bad: pl.Expr, column: str, message: str | pl.Expr
) -> pl.DataFrame:
    """Report the rows where ``bad`` is true as failures; show the value in ``column``.

    ``table`` is either the name of a table in the candidate's schema version or a table definition.
    """
    if rows.is_empty():
        return NONE
    return report(table, rows.filter(bad), column, message)


def report(
    table: str | Table, rows: pl.DataFrame, column: str, message: str | pl.Expr
) -> pl.DataFrame:
    """Report all given rows as failures, in the same format as ``failing``."""
    if rows.is_empty():
        return NONE
    table = TABLES[table] if isinstance(table, str) else table
    return rows.select(
        table=pl.lit(table.name), column=pl.lit(column), row=row_key(table),
        value=_as_text(rows, column) if column in rows.columns else pl.lit(None),
        message=pl.lit(message) if isinstance(message, str) else message,
    ).cast(FAILURES)  # fmt: skip


def failing_any(table: str | Table, rows: pl.DataFrame, checks: Iterable[RowCheck]) -> pl.DataFrame:
    """Report the failures of several checks (bad, column, message) on one table in a single
    pass.
    """
    listed = list(checks)
    if rows.is_empty() or not listed:
        return NONE
    flags = rows.select(
        bad.fill_null(False).any().alias(str(number)) for number, (bad, _, _) in enumerate(listed)
    ).row(0)
    return together(
        failing(table, rows, *check) for flag, check in zip(flags, listed, strict=True) if flag
    )


def unlike(
    table: str, rows: pl.DataFrame, column: str, made: Iterable[str | None], message: str
) -> pl.DataFrame:
    """Report the rows in which a column differs from the value computed for that row.

    ``message`` has a placeholder for the computed value.
    """
    held = rows.with_columns(made=pl.Series(list(made), dtype=pl.String))
    bad = pl.col(column) != pl.col("made")
    return failing(table, held, bad, column, pl.format(message, "made"))


def faulty(
    table: str, rows: pl.DataFrame, column: str, faults: Iterable[str | None]
) -> pl.DataFrame:
    """Report the rows that have a fault; ``faults`` contains a fault or None for each row."""
    held = rows.with_columns(fault=pl.Series(list(faults), dtype=pl.String))
    return failing(table, held, pl.col("fault").is_not_null(), column, pl.col("fault"))


def with_distances(rows: pl.DataFrame, suffix: str = "_to") -> pl.DataFrame:
    """Add a column ``real`` with the distance in metres between two points: one in ``lat`` and
    ``lon``, and one in the columns that have the suffix.
    """
    real = distance_m(rows["lat"], rows["lon"], rows[f"lat{suffix}"], rows[f"lon{suffix}"])
    return rows.with_columns(real=pl.Series(real, dtype=pl.Float64))


def _as_text(rows: pl.DataFrame, column: str) -> pl.Expr:
    if isinstance(rows.schema[column], pl.List | pl.Struct):
        return pl.lit(pl.Series([str(value)[:200] for value in rows[column].to_list()]))
    return pl.col(column).cast(pl.String)


def row_key(table: Table) -> pl.Expr:
    """Return a row's key as text, with its parts joined by slashes."""
    parts = [pl.col(column).cast(pl.String).fill_null("null") for column in table.key]
    return pl.concat_str(parts, separator="/")


def failures(rows: Iterable[Failure]) -> pl.DataFrame:
    """Make a frame of failures from tuples (table, column, row, value, message)."""
    found = list(rows)
    return pl.DataFrame(found, schema=FAILURES, orient="row") if found else NONE


def together(parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """Combine the failures from several checks in one frame."""
    found = [part for part in parts if not part.is_empty()]
    return pl.concat(found) if found else NONE


def gathered(check: Callable[[GateContext], Iterable[pl.DataFrame | Failure]]) -> Check:
    """Turn a function that yields failures, singly or as frames, into a check."""

    @wraps(check)
    def ask(context: GateContext) -> pl.DataFrame:
        parts = list(check(context))
        frames = [part for part in parts if isinstance(part, pl.DataFrame)]
        return together(
            [*frames, failures(part for part in parts if not isinstance(part, pl.DataFrame))]
        )

    return ask
