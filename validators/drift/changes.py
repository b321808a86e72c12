"""Compares a source table with the same table in the last good snapshot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import polars as pl

from schemas.nouns import count_noun
from validators.drift.aside import find_new_reasons, reasons
from validators.drift.bounds import (
    FINE,
    WARNED,
    Change,
    DriftSettings,
    change_level,
    critical_distance,
    farthest_apart,
    farthest_ratio,
    level_of,
    share_level,
)
from validators.drift.record import (
    RANKS,
    Quantiles,
    Statistics,
    make_record,
    money,
    show_value,
    source_column,
)
from validators.drift.rows import compare_places, compare_rows
from validators.drift.sources import FILE, LABEL, LINE, SAME_BYTES, Source, find_repeats, is_mended

#: Ranks of the quantiles that are compared. Quantiles outside depend on single rows.
_INNER = (RANKS >= 0.1) & (RANKS <= 0.9)
#: Smallest difference between two distributions that counts as a change.
_LEAST_MOVED = 0.25
#: Smallest number of rows that is compared.
_FEWEST = 5
_SHARES = {
    "set_aside": "rows are set aside",
    "mended": "rows were corrected or merged",
    "repeated": "rows repeat the name and location of another row",
    "copies": "pages (near_duplicate_of) are copies of another page",
    "same_bytes": "files are exact copies of other files",
}


def compare(old: Source, new: Source, bounds: DriftSettings) -> Iterator[Change]:
    """Yield all changes in a source table."""
    then, now = make_record(old), make_record(new)
    yield from _rows(old, new, bounds)
    yield from _shares(new, then, now, bounds)
    yield from find_new_reasons(old, new)
    yield from _compare_known(new, then, now, bounds)
    yield from _values(old, new, then, now, bounds)
    yield from _codes(new, then, now, bounds)
    if new.table != "documents":
        yield from _names(old, new, bounds)
        yield from compare_rows(old, new, bounds)
    if then.centre is not None and now.centre is not None:
        yield from compare_places(old, new, then.centre, now.centre, bounds)


def _rows(old: Source, new: Source, bounds: DriftSettings) -> Iterator[Change]:
    """Report a change if many rows were removed or added; added pages never stop a build."""
    before, after = old.rows.height, new.rows.height
    if level := share_level(max(0, before - after), before, bounds.rows_lost, bounds.sigmas):
        gone = old.rows.join(new.rows.drop_nulls(LABEL), on=LABEL, how="anti")
        example = (
            f"; for example, {old.where(gone.row(0, named=True))} is missing" if gone.height else ""
        )
        yield Change(
            new.table,
            "rows",
            "rows",
            level,
            str(after),
            f"{new.name if after else old.name}: {count_noun(after, 'row')} instead of"
            f" {before}{example}{new.elsewhere}",
        )

    grown = after / before - 1 if before >= _FEWEST else 0.0
    if level := level_of(grown > bound for bound in bounds.rows_added):
        fresh = new.rows.drop_nulls(LABEL).join(old.rows, on=LABEL, how="anti")
        example = (
            f"; for example, {new.where(fresh.row(0, named=True))} is new" if fresh.height else ""
        )
        yield Change(
            new.table, "rows", "added", WARNED if new.table == "documents" else level, str(after),
            f"{new.name}: {count_noun(after, 'row')} instead of {before}{example}",
        )  # fmt: skip


def _shares(
    new: Source, then: Statistics, now: Statistics, bounds: DriftSettings
) -> Iterator[Change]:
    for check, mine in now.shares.items():
        before = then.shares.get(check, (0, 0))
        level = change_level(before, mine, bounds.share, bounds.sigmas)
        if level and _share(mine) > _share(before):
            yield Change(
                new.table, *_name_share(check), level, f"{_share(mine):.3f}",
                f"{new.name}: {mine[0]} of {mine[1]} {_SHARES[check]} (previously {before[0]} "
                f"of {before[1]}){_example_of_share(new, check)}",
            )  # fmt: skip


def _share(pair: tuple[int, int]) -> float:
    return pair[0] / pair[1] if pair[1] else 0.0


def _name_share(check: str) -> tuple[str, str]:
    """Return the column and the check under which a share is reported."""
    column = {"copies": "near_duplicate_of", "same_bytes": "path"}.get(check, "rows")
    return column, "copies" if check in ("same_bytes", "repeated") else check


def _example_of_share(new: Source, check: str) -> str:
    if check == "copies":
        row = new.rows.filter(pl.col("near_duplicate_of").is_not_null()).row(0, named=True)
        return f", for example {row[LABEL]} of {row['copy_of']}"
    if check == "repeated":
        return f", for example {new.where(find_repeats(new).row(0, named=True))}"
    if check == "mended":
        kind, (n, words) = max(new.findings.items(), key=_count_mended)
        return f", mostly {kind}: {n} {words}"
    if new.broken is None:
        return ""
    if check != SAME_BYTES:
        return f": {said}" if (said := reasons(new)) else ""
    rows = new.broken.filter(pl.col("check") == SAME_BYTES).sort(FILE, LINE)
    if rows.is_empty():
        return ""
    row = rows.row(0, named=True)
    return f", for example {row[FILE]} ({row['check']}: {row['message']})"


def _count_mended(item: tuple[str, tuple[int, str]]) -> int:
    kind, (count, words) = item
    return count if is_mended(kind, words) else 0


def _compare_known(
    new: Source, then: Statistics, now: Statistics, bounds: DriftSettings
) -> Iterator[Change]:
    """Find columns with more unknown values than before."""
    for column, mine in now.known.items():
        before = then.known.get(column, (0, 0))
        level = change_level(before, mine, bounds.share, bounds.sigmas)
        if level and _share(mine) < _share(before):
            row = new.rows.filter(pl.col(column).is_null()).row(0, named=True)
            yield Change(
                new.table,
                column,
                "known",
                level,
                f"{_share(mine):.3f}",
                f"{new.name}: {source_column(column)} is known in {mine[0]} of {mine[1]} rows,"
                f" previously in {before[0]} of {before[1]}; for example, it is unknown in"
                f" {new.where(row)}",
            )


def _values(
    old: Source, new: Source, then: Statistics, now: Statistics, bounds: DriftSettings
) -> Iterator[Change]:
    """Find columns of numbers whose distribution changed more than chance would explain."""
    for column, mine in now.quantiles.items():
        before = then.quantiles.get(column)
        if before is None:
            continue
        rows = (then.known[column][0], now.known[column][0])
        if level := _count_moved(before, mine, rows, bounds):
            row = _farthest_row(new, column, before, mine)
            middle = len(RANKS) // 2
            yield Change(
                new.table,
                column,
                "values",
                level,
                show_value(column, mine[middle]),
                f"{new.name}: {source_column(column)} has a median of"
                f" {show_value(column, mine[middle])} and a 90th percentile of"
                f" {show_value(column, mine[-5])} (previously"
                f" {show_value(column, before[middle])} and {show_value(column, before[-5])}); for"
                f" example {new.where(row)}: {show_value(column, row[column])}{money(row, column)}",
            )


def _count_moved(
    old: Quantiles, new: Quantiles, rows: tuple[int, int], bounds: DriftSettings
) -> int:
    apart = farthest_apart(old, new)
    positive = old[old > 0]
    unit = 0.1 * float(np.median(positive)) if len(positive) else 1.0
    ratio = farthest_ratio(old[_INNER], new[_INNER], unit)
    return level_of(
        apart >= max(_LEAST_MOVED, critical_distance(rows, z)) and ratio > factor
        for factor, z in zip(bounds.ratio, bounds.sigmas, strict=True)
    )


def _farthest_row(
    new: Source, column: str, before: Quantiles, mine: Quantiles
) -> Mapping[str, object]:
    """Return the row whose value is the most extreme in the direction of the change."""
    is_up = mine.mean() >= before.mean()
    rows = new.rows.drop_nulls(column).sort(column, descending=bool(is_up), maintain_order=True)
    return rows.row(0, named=True)


def _codes(
    new: Source, then: Statistics, now: Statistics, bounds: DriftSettings
) -> Iterator[Change]:
    """Find columns in which the share of a code or a script changed."""
    for column, mine in now.codes.items():
        before = then.codes.get(column, {})
        rows = sum(before.values()), sum(mine.values())
        if min(rows) < _FEWEST:
            continue
        pairs = {
            code: ((before.get(code, 0), rows[0]), (mine.get(code, 0), rows[1]))
            for code in sorted({*before, *mine})
        }
        apart = sum(abs(_share(b) - _share(a)) for a, b in pairs.values()) / 2
        risen = max(pairs, key=lambda code: _share(pairs[code][1]) - _share(pairs[code][0]))
        certain = [change_level(*pairs[risen], (0.0, 0.0), (z, z)) for z in bounds.sigmas]
        level = level_of(apart > b and c > FINE for b, c in zip(bounds.codes, certain, strict=True))
        if level:
            old, new_share = pairs[risen]
            row = _row_with(new, column, risen)
            yield Change(
                new.table, column, "codes", level, f"{apart:.2f}",
                f"{new.name}: {source_column(column)} is {_code(new, column, risen)} in "
                f"{new_share[0]} of {new_share[1]} rows, previously in "
                f"{old[0]} of {old[1]}; for example in {new.where(row)}",
            )  # fmt: skip


def _code(new: Source, column: str, code: str) -> str:
    """Return a code unchanged, or describe the script in which a text is written."""
    if column not in new.texts:
        return code
    return "in the wrong encoding" if code == "garbled" else f"in {code} script"


def _row_with(new: Source, column: str, code: str) -> Mapping[str, object]:
    """Return the first row that has this code or, for a script, the first row that has any text."""
    rows = new.rows.drop_nulls(column)
    having = rows.filter(pl.col(column).cast(pl.String) == code)
    return (having if having.height else rows).row(0, named=True)


def _names(old: Source, new: Source, bounds: DriftSettings) -> Iterator[Change]:
    """Find names in the last good snapshot that no longer occur in the table."""
    names = old.rows.select(LABEL, FILE, LINE).drop_nulls(LABEL).unique(LABEL, maintain_order=True)
    gone = names.join(new.rows.select(LABEL).drop_nulls(), on=LABEL, how="anti")
    level = share_level(gone.height, names.height, bounds.names_gone, bounds.sigmas)
    if level and new.rows.height:
        fresh = new.rows.drop_nulls(LABEL).join(names, on=LABEL, how="anti")
        example = (
            f"; for example, {new.where(fresh.row(0, named=True))} is new" if fresh.height else ""
        )
        column = "name_zh" if "name_zh" in new.rows.columns else "name"
        yield Change(
            new.table, column, "names", level, str(gone.height),
            f"{new.name}: {gone.height} of {names.height} names ({column}) are missing, such as "
            f"{gone.row(0, named=True)[LABEL]}{example}",
        )  # fmt: skip
