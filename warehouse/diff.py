"""Compares two snapshots: finds the rows that were added, removed or changed, by table and column.

A difference has one of these severities:

- ``none``: nothing differs
- ``notice``: rows were added, or values changed
- ``warning``: rows were removed, or known values became unknown
- ``error``: programs that read the snapshot may fail, because a table or column was removed or has
  a different type, a table became empty, or a query is no longer kept

Snapshots of different schema versions can also be compared; the result then names both versions.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal

import polars as pl

from schemas.nouns import count_noun
from warehouse.errors import SnapshotError
from warehouse.read import Snapshot
from warehouse.row_names import RowNames, change_size, shorten

Severity = Literal["none", "notice", "warning", "error"]
SEVERITIES: tuple[Severity, ...] = ("none", "notice", "warning", "error")

#: Tables that report on the build. Their changes follow from the changes in other tables.
_REPORTING = ("gates", "stage_counts", "quarantine")
#: Hashes of other columns, which carry no information of their own.
_HASHES = ("read_hash", "value_hash")
_EXAMPLES = 3
#: For tables whose row ids depend on the value: the columns that say what a row is about, and the
#: columns that give its value.
_ABOUT = {
    "poi_facts": (("poi_id", "fact_field", "valid_when"), ("price_cents", "value")),
    "conditional_facts": (
        ("poi_id", "fact_field", "audience", "condition", "valid_when"), ("price_cents", "value"),
    ),
}  # fmt: skip


@dataclass(frozen=True)
class ValueChange:
    """A changed value: the name of the row, and the value before and after."""

    row: str
    before: str
    after: str


@dataclass(frozen=True)
class ColumnChange:
    """The changes in one column of rows that are in both snapshots.

    ``named`` contains the largest changes in the column.
    """

    column: str
    changed: int
    became_unknown: int
    became_known: int
    severity: Severity
    examples: tuple[str, ...]
    named: tuple[ValueChange, ...] = ()


@dataclass(frozen=True)
class TableChange:
    """The changes in one table.

    ``faults`` describes changes that may make readers fail. ``came`` and ``went`` are the names of
    the first rows that were added or removed. ``replaced`` counts the pairs of rows, one
    removed and one added, that state different values for the same thing. ``named`` contains the
    pairs with the largest differences.
    """

    table: str
    rows_before: int
    rows_after: int
    added: int
    removed: int
    changed: int
    columns: tuple[ColumnChange, ...]
    faults: tuple[str, ...]
    severity: Severity
    came: tuple[str, ...] = ()
    went: tuple[str, ...] = ()
    replaced: int = 0
    named: tuple[ValueChange, ...] = ()


@dataclass(frozen=True)
class Difference:
    """The difference between two snapshots; equal tables are left out."""

    before: str
    after: str
    tables: tuple[TableChange, ...]
    severity: Severity
    schema_before: str
    schema_after: str

    def as_json(self) -> dict[str, Any]:
        """Return the difference as plain values that can be written as JSON."""
        return asdict(self)


def diff(before: Snapshot, after: Snapshot) -> Difference:
    """Compare two snapshots by the keys of their rows.

    Raises SnapshotError if a snapshot cannot be read.
    """
    known = {**after.definitions, **before.definitions}
    names = [*known, *sorted({*before.manifest.tables, *after.manifest.tables} - known.keys())]
    called = RowNames(before, after)
    found = [made for name in names if (made := _table(name, before, after, called)) is not None]
    versions = [snapshot.manifest.schema_version for snapshot in (before, after)]
    return Difference(
        before.path.name, after.path.name, tuple(found), _worst(found), *versions,
    )  # fmt: skip


def _worst(changes: Iterable[TableChange | ColumnChange]) -> Severity:
    return max((each.severity for each in changes), key=SEVERITIES.index, default="none")


def _table(name: str, before: Snapshot, after: Snapshot, called: RowNames) -> TableChange | None:
    held = [snapshot.manifest.tables.get(name) for snapshot in (before, after)]
    old, new = held
    if old is None or new is None:
        if old is new:
            return None
        rows = [entry.rows if entry else 0 for entry in held]
        gone = new is None
        return TableChange(
            name, rows[0], rows[1], rows[1], rows[0], 0, (),
            ("the table was removed",) if gone else (), "error" if gone else "notice",
        )  # fmt: skip
    if old == new:
        return None
    if name not in after.definitions:
        raise SnapshotError(
            f"a newer version of tripbed wrote the table {name!r}: use that version to compare the"
            " snapshots"
        )
    key = list(after.definitions[name].key)
    return _rows(name, key, _read(before, name), _read(after, name), called)


def _read(snapshot: Snapshot, name: str) -> pl.DataFrame:
    """Read rows with all their columns, because the snapshots' versions may differ."""
    entries = snapshot.manifest.tables[name].files
    parts = [snapshot.rows_of(name, entry) for entry in entries if entry.rows]
    return pl.concat(parts, how="diagonal_relaxed") if parts else pl.DataFrame()


def _rows(
    name: str, key: list[str], old: pl.DataFrame, new: pl.DataFrame, called: RowNames
) -> TableChange | None:
    faults = []
    if old.height and new.height:
        faults = [
            f"the column {column} was removed"
            for column in old.columns
            if column not in new.columns
        ]
        faults += [
            f"the type of {column} changed from {kind} to {new.schema[column]}"
            for column, kind in old.schema.items()
            if column in new.columns and new.schema[column] != kind
        ]
        if any(column not in old.columns or column not in new.columns for column in key):
            return TableChange(name, old.height, new.height, 0, 0, 0, (), tuple(faults), "error")
    columns: tuple[ColumnChange, ...] = ()
    fresh, gone, changed = new, old, 0
    if old.height and new.height:
        fresh = new.join(old, on=key, how="anti", nulls_equal=True, maintain_order="left")
        gone = old.join(new, on=key, how="anti", nulls_equal=True, maintain_order="left")
        columns, changed = _columns(name, old, new, key, called)
    if old.height and not new.height:
        faults.append("the table has lost all its rows")
    faults += _find_kept_queries(name, old, new)
    if not (fresh.height or gone.height or changed or faults):
        return None
    severity: Severity = "notice"
    if faults and name not in _REPORTING:
        severity = "error"
    elif name not in _REPORTING and (gone.height or _worst(columns) == "warning"):
        severity = "warning"
    came, went = (
        tuple(called.row(name, key, row) for row in rows.head(_EXAMPLES).to_dicts())
        for rows in (fresh, gone)
    )
    return TableChange(
        name, old.height, new.height, fresh.height, gone.height, changed, columns, tuple(faults),
        severity, came, went, *_find_replaced(name, key, gone, fresh, called),
    )  # fmt: skip


def _find_replaced(
    name: str, key: list[str], gone: pl.DataFrame, fresh: pl.DataFrame, called: RowNames
) -> tuple[int, tuple[ValueChange, ...]]:
    """Find the removed rows for which an added row states a different value for the same thing."""
    if name not in _ABOUT or gone.is_empty() or fresh.is_empty():
        return 0, ()
    about, columns = _ABOUT[name]
    if not {*about, *columns} <= {*gone.columns} & {*fresh.columns}:
        return 0, ()
    once = [rows.filter(pl.struct(about).is_unique()) for rows in (gone, fresh)]
    pairs = once[0].join(
        once[1], on=about, suffix="__after", nulls_equal=True, maintain_order="left"
    )
    changes = []
    for row in pairs.to_dicts():
        column = next((c for c in columns if row[c] is not None), columns[-1])
        before, after = row[column], row[f"{column}__after"]
        words = (called.value(column, value, row) for value in (before, after))
        if before != after:
            size = change_size(before, after)
            changes.append((size, ValueChange(called.row(name, key, row), *words)))
    changes.sort(key=lambda change: -change[0])
    return len(changes), tuple(change for _, change in changes[:_EXAMPLES])


def _find_kept_queries(name: str, old: pl.DataFrame, new: pl.DataFrame) -> list[str]:
    if name != "queries" or not old.height or not new.height:
        return []
    kept = [set(part.filter(pl.col("status") == "kept")["query_id"]) for part in (old, new)]
    lost = sorted(kept[0] - kept[1])
    shown = ", ".join(lost[:_EXAMPLES]) + (" ..." if len(lost) > _EXAMPLES else "")
    are = "is" if len(lost) == 1 else "are"
    return [f"{count_noun(len(lost), 'query')} {are} no longer kept: {shown}"] if lost else []


def _columns(
    name: str, old: pl.DataFrame, new: pl.DataFrame, key: list[str], called: RowNames
) -> tuple[tuple[ColumnChange, ...], int]:
    """Find the changed columns in rows that both snapshots contain, and count the changed rows."""
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
            f"{'/'.join(str(row[k]) for k in key)}: {shorten(str(row[column]))} ->"
            f" {shorten(str(row[column + '__after']))}"
            for row in rows.head(_EXAMPLES).to_dicts()
        )
        severity: Severity = "warning" if lost and name not in _REPORTING else "notice"
        named = _greatest(name, key, column, rows, old, called)
        found.append(ColumnChange(column, rows.height, lost, gained, severity, examples, named))
    return tuple(found), changed


def _greatest(
    name: str, key: list[str], column: str, rows: pl.DataFrame, old: pl.DataFrame, called: RowNames
) -> tuple[ValueChange, ...]:
    """Find the largest changes in a column; values that became unknown come first."""
    after = f"{column}__after"
    sizes = [change_size(*pair) for pair in rows.select(column, after).iter_rows()]
    first = sorted(range(rows.height), key=lambda n: -sizes[n])[:_EXAMPLES]
    keys = rows[first].select(*key, pl.col(column).alias("__before"), after)
    whole = keys.join(old, on=key, how="left", nulls_equal=True, maintain_order="left")
    return tuple(
        ValueChange(
            called.row(name, key, row),
            called.value(column, row["__before"], row),
            called.value(column, row[after], row),
        )
        for row in whole.to_dicts()
    )
