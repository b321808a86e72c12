"""Explains why rows and pages from a source were set aside, with an example for each reason."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from schemas.nouns import count_noun
from validators.drift.bounds import WARNED, Change
from validators.drift.sources import FILE, LINE, SAME_BYTES, Source

#: Number of reasons that a message gives; the others are only in the report.
_TOLD = 3


def reasons(source: Source, *, but: frozenset[str] = frozenset()) -> str:
    """List the reasons why rows were set aside, most frequent first, with counts and examples."""
    told = [
        f"{count:,} because of `{check}`, for example {_where(row)} ({row['message']})"
        for check, count, row in _by_check(source)
        if check not in but
    ]
    return ", and ".join(told[:_TOLD])


def find_new_reasons(old: Source, new: Source) -> Iterator[Change]:
    """Warn about rows that were set aside for a new reason, however few they are."""
    then = {check for check, _, _ in _by_check(old)}
    count = sum(n for check, n, _ in _by_check(new) if check not in then)
    if count:
        what = "file" if new.table == "documents" else "row"
        are = "is" if count == 1 else "are"
        yield Change(
            new.table,
            "rows",
            "reasons",
            WARNED,
            str(count),
            f"{_files(new, then)}: {count_noun(count, what)} {are} set aside for a reason that"
            f" did not occur before: {reasons(new, but=frozenset(then))}",
        )


def _by_check(source: Source) -> list[tuple[str, int, dict[str, object]]]:
    """Return the reasons, most frequent first, each with its count and its first row; ignore
    copies.
    """
    if source.broken is None:
        return []
    rows = source.broken.filter(pl.col("check") != SAME_BYTES).sort(FILE, LINE)
    counts = rows["check"].value_counts().sort(["count", "check"], descending=[True, False])
    return [
        (check, count, rows.filter(pl.col("check") == check).row(0, named=True))
        for check, count in counts.iter_rows()
    ]


def _files(source: Source, but: set[str]) -> str:
    """Return the files that contain the rows with new reasons; for pages, return ``documents``."""
    if source.table == "documents":
        return source.name
    names = {str(row[FILE]) for check, _, row in _by_check(source) if check not in but}
    return ", ".join(sorted(names))


def _where(row: dict[str, object]) -> str:
    return f"{row[FILE]}" if row[LINE] is None else f"{row[FILE]}:{row[LINE]}"
