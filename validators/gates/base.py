"""What a gate is, and what it may look at.

A gate's check gives one row a failure: table, column, row (its key as text), value, message.
No rows, no failure. Gates are vectorised and read each table once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import polars as pl

from schemas.tables import TABLES
from warehouse.manifest import Manifest
from warehouse.read import Snapshot

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


class Context:
    """The candidate that the gates look at; tables are read once."""

    def __init__(self, path: Path):
        self.snapshot = Snapshot(path)
        self.path = self.snapshot.path
        self._tables: dict[str, pl.DataFrame] = {}

    @property
    def manifest(self) -> Manifest:
        """The candidate's manifest."""
        return self.snapshot.manifest

    def table(self, name: str) -> pl.DataFrame:
        """All rows of a table."""
        if name not in self._tables:
            self._tables[name] = self.snapshot.table(name)
        return self._tables[name]

    @cached_property
    def demands(self) -> pl.DataFrame:
        """What the profile of each city asks for: city_id and one column a demand."""
        rows = [
            {
                "city_id": city["city_id"],
                "slug": city["slug"],
                **_demands(self._profile(city["slug"])),
            }
            for city in self.table("cities").to_dicts()
        ]
        return pl.DataFrame(rows, schema=_DEMANDS)

    def _profile(self, slug: str) -> dict[str, Any]:
        settings = self.manifest.settings.get("cities", {}).get(slug, {})
        profile = settings.get("profile", {})
        return profile if isinstance(profile, dict) else {}

    def floors(self) -> dict[str, float]:
        """Floors of the share known, ``table.column`` to share, the highest of all profiles."""
        found: dict[str, float] = {}
        for slug in self.manifest.cities:
            for column, floor in (
                self._profile(slug).get("gates", {}).get("known_share", {}).items()
            ):
                found[column] = max(found.get(column, 0.0), float(floor))
        return found


_DEMANDS: dict[str, Any] = {
    "city_id": pl.String,
    "slug": pl.String,
    "families": pl.List(pl.String),
    "trajectories_per_query": pl.Int64,
    "candidates_per_query": pl.Int64,
    "minimum_days": pl.Int64,
    "minimum_visits": pl.Int64,
    "quarantine_share": pl.Float64,
}


def _demands(profile: dict[str, Any]) -> dict[str, Any]:
    trajectories, candidates = profile.get("trajectories", {}), profile.get("candidates", {})
    return {
        "families": profile.get("families", []),
        "trajectories_per_query": trajectories.get("per_query", 1),
        "candidates_per_query": candidates.get("per_query", 1),
        "minimum_days": trajectories.get("minimum_days", 2),
        "minimum_visits": trajectories.get("minimum_visits", 1),
        "quarantine_share": profile.get("gates", {}).get("quarantine_share", 0.2),
    }


Check = Callable[[Context], pl.DataFrame]


@dataclass(frozen=True)
class Gate:
    """One gate. ``why`` and ``mend`` are what docs/gates.md says of it."""

    id: str
    check: Check
    why: str
    mend: str
    level: Level = "row"
    severity: Severity = "error"
    tables: tuple[str, ...] = field(default=())


def failing(
    table: str, rows: pl.DataFrame, bad: pl.Expr, column: str, message: str | pl.Expr
) -> pl.DataFrame:
    """Failures for the rows where ``bad`` is true; ``column`` names the value that is shown."""
    text = pl.lit(message) if isinstance(message, str) else message
    shown = pl.col(column) if column in rows.columns else pl.lit(None)
    found = rows.filter(bad.fill_null(False))
    if found.is_empty():
        return NONE
    value = _as_text(found, column) if column in rows.columns else shown.cast(pl.String)
    return found.select(
        table=pl.lit(table), column=pl.lit(column), row=row_key(table), value=value, message=text
    ).cast(FAILURES)


def _as_text(rows: pl.DataFrame, column: str) -> pl.Expr:
    if isinstance(rows.schema[column], pl.List | pl.Struct):
        return pl.lit(pl.Series([str(value)[:200] for value in rows[column].to_list()]))
    return pl.col(column).cast(pl.String)


def row_key(table: str) -> pl.Expr:
    """A row's key as text, its parts joined by a slash."""
    parts = [pl.col(column).cast(pl.String).fill_null("null") for column in TABLES[table].key]
    return pl.concat_str(parts, separator="/")


def failures(rows: Iterable[Failure]) -> pl.DataFrame:
    """Failures from (table, column, row, value, message)."""
    return pl.DataFrame(list(rows), schema=FAILURES, orient="row")


def together(parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """Failures of several checks as one."""
    return pl.concat([NONE, *parts])
