"""Rows of one name, then and now: what of each row changed, where the column as a whole did not.

A column that slipped by a row, or ids that were dealt out anew, leave every distribution as it was.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import polars as pl

from validators.drift.bounds import WARNED, DriftSettings, share_level
from validators.drift.change import Change
from validators.drift.sources import LABEL, Source
from validators.drift.words import money, shown

#: By how much a number must change to have jumped.
JUMP = 3.0
#: A single row that jumped is nothing to warn of.
_FEWEST_JUMPS = 2
#: Fewer rows of one name say nothing of the others.
_FEWEST = 5
_THEN = "_then"


def compare_rows(old: Source, new: Source, bounds: DriftSettings) -> Iterator[Change]:
    """Numbers, codes and ids that changed in the rows of one name; names that stand once each."""
    once = [s.rows.drop_nulls(LABEL).filter(pl.col(LABEL).is_unique()) for s in (old, new)]
    pairs = once[1].join(once[0], on=LABEL, suffix=_THEN, maintain_order="left")
    if pairs.height < _FEWEST:
        return
    for column in new.numbers:
        yield from _numbers(new, pairs, column, bounds)
    for column in (*new.codes, *((new.key,) if new.key else ())):
        yield from _codes(new, pairs, column, bounds)


def _numbers(
    new: Source, pairs: pl.DataFrame, column: str, bounds: DriftSettings
) -> Iterator[Change]:
    known = pairs.drop_nulls([column, column + _THEN])
    # The smaller of two values counts as at least a hundredth of the greater: 0 is a value.
    values = pl.col(column).cast(pl.Float64), pl.col(column + _THEN).cast(pl.Float64)
    high, low = pl.max_horizontal(*values), pl.min_horizontal(*values)
    rated = known.with_columns(
        factor=pl.when(high > 0).then(high / pl.max_horizontal(low, high / 100)).otherwise(1.0)
    )
    for check, factor, pair, fewest in (
        ("jumps", JUMP, bounds.jumps, _FEWEST_JUMPS),
        ("each", bounds.ratio[0], bounds.each, _FEWEST),
    ):
        bad = rated.filter(pl.col("factor") > factor)
        level = share_level(bad.height, rated.height, pair, bounds.sigmas)
        if check == "jumps" and bad.height >= fewest:
            level = max(level, WARNED)
        if level and bad.height >= fewest:
            row = bad.sort("factor", descending=True, maintain_order=True).row(0, named=True)
            yield _change(new, column, check, level, bad.height, rated.height, row, f" by a factor above {factor:g}")  # fmt: skip


def _codes(
    new: Source, pairs: pl.DataFrame, column: str, bounds: DriftSettings
) -> Iterator[Change]:
    known = pairs.drop_nulls([column, column + _THEN])
    bad = known.filter(pl.col(column) != pl.col(column + _THEN))
    level = share_level(bad.height, known.height, bounds.each, bounds.sigmas)
    if level and bad.height >= _FEWEST:
        yield _change(new, column, "each", level, bad.height, known.height, bad.row(0, named=True), "")  # fmt: skip


def _change(
    new: Source, column: str, check: str, level: int, count: int, of: int,
    row: Mapping[str, object], how: str,
) -> Change:  # fmt: skip
    was, now = (f"{shown(column, row[c])}{money(row, column)}" for c in (column + _THEN, column))
    return Change(
        new.table, column, check, level, str(count),
        f"{new.name}: {column} changed in {count} of {of} rows of one name{how}, for example "
        f"{new.where(row)}: {now}, it was {was}",
    )  # fmt: skip
