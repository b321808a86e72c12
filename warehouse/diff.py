"""What differs between two snapshots: rows added, removed and changed, by table and column.

Severity: ``none`` where nothing differs; ``notice`` where rows came or values changed; ``warning``
where rows went or known values became unknown; ``error`` where readers break: a table or column
is gone or has another type, a table is empty that had rows, or a kept query is kept no more.
Snapshots of two schema versions are compared as each has its rows, and the difference says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal

import polars as pl

from warehouse.errors import SnapshotError
from warehouse.read import Snapshot

Severity = Literal["none", "notice", "warning", "error"]
SEVERITIES: tuple[Severity, ...] = ("none", "notice", "warning", "error")

#: Tables that report on the build: their changes follow from those of the others.
_REPORTING = ("gates", "stage_counts", "quarantine")
#: Hashes of other columns: they change with them and say nothing of their own.
_HASHES = ("read_hash", "value_hash")
_EXAMPLES = 3


@dataclass(frozen=True)
class ColumnChange:
    """One column of the rows that both snapshots hold."""

    column: str
    changed: int
    became_unknown: int
    became_known: int
    severity: Severity
    examples: tuple[str, ...]


@dataclass(frozen=True)
class TableChange:
    """One table. ``faults`` are changes that break readers, in words."""

    table: str
    rows_before: int
    rows_after: int
    added: int
    removed: int
    changed: int
    columns: tuple[ColumnChange, ...]
    faults: tuple[str, ...]
    severity: Severity


@dataclass(frozen=True)
class Difference:
    """What differs between two snapshots; tables that are equal are left out."""

    before: str
    after: str
    tables: tuple[TableChange, ...]
    severity: Severity
    schema_before: str
    schema_after: str

    def as_json(self) -> dict[str, Any]:
        """The same as plain values."""
        return asdict(self)


def diff(before: Snapshot, after: Snapshot) -> Difference:
    """Compare two snapshots by key. Raises SnapshotError where one cannot be read."""
    known = {**after.definitions, **before.definitions}
    names = [*known, *sorted({*before.manifest.tables, *after.manifest.tables} - known.keys())]
    found = [made for name in names if (made := _table(name, before, after)) is not None]
    versions = [snapshot.manifest.schema_version for snapshot in (before, after)]
    return Difference(
        before.path.name, after.path.name, tuple(found), _worst(each.severity for each in found),
        *versions,
    )  # fmt: skip


def _worst(severities: Iterator[Severity]) -> Severity:
    return max(severities, key=SEVERITIES.index, default="none")


def _table(name: str, before: Snapshot, after: Snapshot) -> TableChange | None:
    held = [snapshot.manifest.tables.get(name) for snapshot in (before, after)]
    old, new = held
    if old is None or new is None:
        if old is new:
            return None
        rows = [entry.rows if entry else 0 for entry in held]
        gone = new is None
        return TableChange(
            name, rows[0], rows[1], rows[1], rows[0], 0, (),
            ("the table is gone",) if gone else (), "error" if gone else "notice",
        )  # fmt: skip
    if old == new:
        return None
    if name not in after.definitions:
        raise SnapshotError(f"the table {name!r} is of a newer tripbed: compare with that")
    key = list(after.definitions[name].key)
    return _rows(name, key, _read(before, name), _read(after, name))


def _read(snapshot: Snapshot, name: str) -> pl.DataFrame:
    """Rows as they lie there, whatever their columns: snapshots may be of two versions."""
    entries = snapshot.manifest.tables[name].files
    parts = [snapshot.rows_of(name, entry) for entry in entries if entry.rows]
    return pl.concat(parts, how="diagonal_relaxed") if parts else pl.DataFrame()


def _rows(name: str, key: list[str], old: pl.DataFrame, new: pl.DataFrame) -> TableChange | None:
    faults = []
    if old.height and new.height:
        faults = [
            f"the column {column} is gone" for column in old.columns if column not in new.columns
        ]
        faults += [
            f"the type of {column} is {new.schema[column]}, it was {kind}"
            for column, kind in old.schema.items()
            if column in new.columns and new.schema[column] != kind
        ]
        if any(column not in old.columns or column not in new.columns for column in key):
            return TableChange(name, old.height, new.height, 0, 0, 0, (), tuple(faults), "error")
    columns: tuple[ColumnChange, ...] = ()
    if not old.height or not new.height:
        added, removed, changed = new.height, old.height, 0
    else:
        added = new.join(old, on=key, how="anti", nulls_equal=True).height
        removed = old.join(new, on=key, how="anti", nulls_equal=True).height
        columns, changed = _columns(name, old, new, key)
    if old.height and not new.height:
        faults.append("the table is empty now")
    faults += _kept_queries(name, old, new)
    if not (added or removed or changed or faults):
        return None
    severity: Severity = "notice"
    if name not in _REPORTING and (removed or any(c.severity == "warning" for c in columns)):
        severity = "warning"
    if faults:
        severity = "notice" if name in _REPORTING else "error"
    return TableChange(
        name, old.height, new.height, added, removed, changed, columns, tuple(faults), severity
    )


def _kept_queries(name: str, old: pl.DataFrame, new: pl.DataFrame) -> list[str]:
    if name != "queries" or not old.height or not new.height:
        return []
    kept = [set(part.filter(pl.col("status") == "kept")["query_id"]) for part in (old, new)]
    lost = sorted(kept[0] - kept[1])
    shown = ", ".join(lost[:_EXAMPLES]) + (" ..." if len(lost) > _EXAMPLES else "")
    return [f"{len(lost)} kept queries are kept no more: {shown}"] if lost else []


def _columns(
    name: str, old: pl.DataFrame, new: pl.DataFrame, key: list[str]
) -> tuple[tuple[ColumnChange, ...], int]:
    """Changed columns of the rows in both, and how many rows have a change."""
    shared = [c for c in old.columns if c in new.columns and c not in (*key, *_HASHES)]
    comparable = [c for c in shared if old.schema[c] == new.schema[c]]
    both = old.select(*key, *comparable).join(
        new.select(*key, *comparable), on=key, suffix="__after", nulls_equal=True,
        maintain_order="left",
    )  # fmt: skip
    flags = {column: pl.col(column).ne_missing(pl.col(f"{column}__after")) for column in comparable}
    if not flags:
        return (), 0
    marked = both.select(**flags)
    changed = int(marked.select(pl.any_horizontal(pl.all()).sum()).item())
    found = []
    for column in comparable:
        rows = both.filter(marked[column])
        if rows.is_empty():
            continue
        after = rows[f"{column}__after"]
        lost = int((rows[column].is_not_null() & after.is_null()).sum())
        gained = int((rows[column].is_null() & after.is_not_null()).sum())
        examples = tuple(
            f"{'/'.join(str(row[k]) for k in key)}: {_short(row[column])} -> {_short(row[column + '__after'])}"
            for row in rows.head(_EXAMPLES).to_dicts()
        )  # fmt: skip
        severity: Severity = "warning" if lost and name not in _REPORTING else "notice"
        found.append(ColumnChange(column, rows.height, lost, gained, severity, examples))
    return tuple(found), changed


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def as_text(difference: Difference) -> str:
    """The difference for people, the gravest table first."""
    lines = [f"{difference.before} -> {difference.after}: {difference.severity}"]
    if difference.schema_before != difference.schema_after:
        lines.append(
            f"schema {difference.schema_before} -> {difference.schema_after}: compared as each "
            "version has its rows; a renamed column counts as gone"
        )
    for change in sorted(difference.tables, key=lambda t: (-SEVERITIES.index(t.severity), t.table)):
        lines.append(
            f"{change.severity:<8} {change.table}: {change.rows_before:,} -> "
            f"{change.rows_after:,} rows, {change.added:,} added, {change.removed:,} removed, "
            f"{change.changed:,} changed"
        )
        lines += [f"           {fault}" for fault in change.faults]
        for column in change.columns:
            unknown = f", {column.became_unknown:,} now unknown" if column.became_unknown else ""
            lines.append(f"           {column.column}: {column.changed:,} changed{unknown}")
            lines += [f"             {example}" for example in column.examples]
    if not difference.tables:
        lines.append("no difference")
    return "\n".join(lines) + "\n"
