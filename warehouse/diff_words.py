"""Writes the difference between two snapshots as text, the most important changes first."""

from __future__ import annotations

from collections.abc import Iterator

from schemas.nouns import count_noun
from warehouse.diff import SEVERITIES, ColumnChange, Difference, TableChange, ValueChange

#: The tables that matter most to users, the most important first, with a noun for a row.
_NOUNS = {
    "queries": "query",
    "pois": "place",
    "hotels": "hotel",
    "restaurants": "restaurant",
    "trains": "train",
    "flights": "flight",
    "documents": "document",
    "trajectories": "journey",
    "poi_facts": "fact",
    "conditional_facts": "fact on a condition",
    "poi_tags": "tag",
    "context_tags": "tag in context",
    "poi_aliases": "alias",
    "poi_hierarchy": "place in another",
    "metro_stations": "metro station",
    "metro_fares": "metro fare",
    "hubs": "station or airport",
    "witness_plans": "plan",
    "poi_mentions": "mention",
    "links": "linked name",
    "unlinked_names": "name linked nowhere",
    "quarantine": "row set aside",
    "cities": "city",
    "contexts": "context",
    "review_decisions": "decision",
}
_PLURALS = {
    "conditional_facts": "facts on a condition",
    "poi_hierarchy": "places in another",
    "context_tags": "tags in context",
    "hubs": "stations and airports",
    "unlinked_names": "names linked nowhere",
    "quarantine": "rows set aside",
    "poi_aliases": "aliases",
}
_SAYS = {
    "none": "no difference",
    "notice": "rows were added, or values changed",
    "warning": "rows were removed, or known values became unknown",
    "error": "programs that read the snapshot may fail",
}
#: Number of changed columns that are shown for a table; the others are only counted.
_COLUMNS = 8


def as_text(difference: Difference) -> str:
    """Return the difference as text, the most severe changes first."""
    lines = [
        f"{difference.before} -> {difference.after}: {difference.severity}, "
        f"{_SAYS[difference.severity]}"
        if difference.tables
        else f"{difference.before} -> {difference.after}: no difference"
    ]
    if difference.schema_before != difference.schema_after:
        lines.append(
            f"schema {difference.schema_before} -> {difference.schema_after}: each snapshot is "
            "read with the table definitions of its own version, so a renamed column counts as "
            "removed"
        )
    ranked = sorted(difference.tables, key=_rank)
    told = [change for change in ranked if change.table in _NOUNS or change.faults]
    for change in told:
        lines += _table(change)
    rest = [change for change in ranked if change not in told]
    if rest:
        lines.append("other changes (effects of the changes above, and facts about the build):")
        lines += [f"  {_sum_up(change)}" for change in rest]
    return "\n".join(lines) + "\n"


def _rank(change: TableChange) -> tuple[int, int, str]:
    order = list(_NOUNS)
    place = order.index(change.table) if change.table in _NOUNS else len(order)
    return -SEVERITIES.index(change.severity), place, change.table


def _rows(change: TableChange, number: int) -> str:
    """Format a number of rows, using the noun for what a row of this table describes."""
    return count_noun(number, _NOUNS.get(change.table, "row"), _PLURALS.get(change.table))


def _table(change: TableChange) -> Iterator[str]:
    yield f"{change.severity}: {_sum_up(change)}"
    for fault in change.faults:
        yield f"  {fault}"
    is_all_replaced = change.replaced == change.removed == change.added
    if change.went and not is_all_replaced:
        yield f"  gone: {_some(change.went, change.removed)}"
    if change.came and not is_all_replaced:
        yield f"  new: {_some(change.came, change.added)}"
    if change.replaced:
        yield f"  {_rows(change, change.replaced)} with a different value"
        yield from _values(change.named, change.replaced)
    columns = sorted(change.columns, key=lambda c: (-c.became_unknown, -c.changed, c.column))
    for column in columns[:_COLUMNS]:
        yield from _column(change, column)
    if len(columns) > _COLUMNS:
        yield f"  and {count_noun(len(columns) - _COLUMNS, 'more column')}: --json lists them all"


def _sum_up(change: TableChange) -> str:
    """Describe a table in one line: its number of rows, and how many rows changed."""
    parts = [
        f"{number:,} {verb}"
        for number, verb in (
            (change.removed, "gone"),
            (change.added, "new"),
            (change.changed, "changed"),
        )
        if number
    ]
    was = "" if change.rows_before == change.rows_after else f", there were {change.rows_before:,}"
    counts = f"{_rows(change, change.rows_after)}{was}"
    return f"{change.table}: {counts}" + (f"; {', '.join(parts)}" if parts else "")


def _some(names: tuple[str, ...], of: int) -> str:
    """List the first names, followed by how many more there are."""
    more = f" and {of - len(names):,} more" if of > len(names) else ""
    return ", ".join(names) + more


def _column(change: TableChange, column: ColumnChange) -> Iterator[str]:
    lost = ""
    if column.became_unknown:
        every = column.became_unknown == column.changed
        number = "all" if every and column.changed > 1 else f"{column.became_unknown:,}"
        lost = ", unknown now" if every and column.changed == 1 else f", {number} unknown now"
    yield f"  {column.column} of {_rows(change, column.changed)}{lost}"
    yield from _values(column.named, column.changed)


def _values(named: tuple[ValueChange, ...], of: int) -> Iterator[str]:
    """List the largest changes, one per line, followed by how many more there are."""
    for value in named:
        yield f"    {value.row}: {value.after} instead of {value.before}"
    if of > len(named):
        yield f"    and {of - len(named):,} more"
