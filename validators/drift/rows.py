"""Compares rows and coordinates with the last good snapshot, to find values that do not match their
rows.

If a column is shifted by one row, or ids are reassigned, all distributions stay the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np
import polars as pl

from schemas.geo import distance_m
from validators.drift.bounds import (
    WARNED,
    Change,
    DriftSettings,
    Pair,
    highest_correlation,
    level_of,
    share_level,
)
from validators.drift.record import QUARTILES_PER_SIGMA, Centre, money, show_value, source_column
from validators.drift.sources import LABEL, Source

#: A number has jumped if it changed by more than this factor.
JUMP = 3.0
#: Smallest number of jumps that causes a warning.
_FEWEST_JUMPS = 2
#: Smallest number of rows with unchanged names that is compared.
_FEWEST = 5
#: Smallest number of rows whose order is compared.
_FEWEST_ORDERED = 8
#: Smallest standard deviation of the logarithms of a column whose order is compared. Prices that
#: vary by 10 % have 0.06.
_LEAST_SPREAD = 0.25
_THEN = "_then"
#: Columns with clock times, which are compared by minutes and not by a factor.
_CLOCKS = ("departure_min",)
#: Change in minutes above which a departure counts as changed.
_LATE_MIN = 30
_DAY_MIN = 24 * 60


def compare_rows(old: Source, new: Source, bounds: DriftSettings) -> Iterator[Change]:
    """Find numbers, codes and ids that changed in rows with unchanged, unique names."""
    once = [s.rows.drop_nulls(LABEL).filter(pl.col(LABEL).is_unique()) for s in (old, new)]
    pairs = once[1].join(once[0], on=LABEL, suffix=_THEN, maintain_order="left")
    if pairs.height < _FEWEST:
        return
    for column in new.numbers:
        if column in _CLOCKS:
            yield from _clocks(new, pairs, column, bounds)
            continue
        yield from _numbers(new, pairs, column, bounds)
        yield from _order(new, pairs, column, bounds)
    for column in (*new.codes, *((new.key,) if new.key else ())):
        yield from _codes(new, pairs, column, bounds.each, bounds.sigmas)
    for column in new.alike:
        yield from _codes(new, pairs, column, bounds.alike, bounds.sigmas)


def _numbers(
    new: Source, pairs: pl.DataFrame, column: str, bounds: DriftSettings
) -> Iterator[Change]:
    known = pairs.drop_nulls([column, column + _THEN])
    # The smaller value counts as at least a hundredth of the larger one, because it may be 0. If
    # both are 0, as for free admission, the row is left out.
    values = pl.col(column).cast(pl.Float64), pl.col(column + _THEN).cast(pl.Float64)
    high, low = pl.max_horizontal(*values), pl.min_horizontal(*values)
    rated = known.filter(high > 0).with_columns(factor=high / pl.max_horizontal(low, high / 100))
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
            yield _change(
                new,
                column,
                check,
                level,
                bad.height,
                rated.height,
                row,
                f" by a factor of more than {factor:g}",
            )


def _clocks(
    new: Source, pairs: pl.DataFrame, column: str, bounds: DriftSettings
) -> Iterator[Change]:
    """Find clock times that changed; the difference is the shorter way round the clock."""
    known = pairs.drop_nulls([column, column + _THEN])
    apart = (pl.col(column) - pl.col(column + _THEN)).abs() % _DAY_MIN
    late = known.with_columns(late=pl.min_horizontal(apart, _DAY_MIN - apart))
    bad = late.filter(pl.col("late") > _LATE_MIN)
    level = share_level(bad.height, known.height, bounds.each, bounds.sigmas)
    if level and bad.height >= _FEWEST:
        row = bad.sort("late", descending=True, maintain_order=True).row(0, named=True)
        yield _change(
            new,
            column,
            "each",
            level,
            bad.height,
            known.height,
            row,
            f" by more than {_LATE_MIN} minutes",
        )


def _order(
    new: Source, pairs: pl.DataFrame, column: str, bounds: DriftSettings
) -> Iterator[Change]:
    """Find columns in which the order of the numbers has changed so much that they no longer match
    the names.

    The check covers only columns whose values differ from each other much more than prices change
    in a month.
    """
    known = pairs.drop_nulls([column, column + _THEN])
    if known.height < _FEWEST_ORDERED or _spread(known[column + _THEN]) < _LEAST_SPREAD:
        return
    found = known.select(pl.corr(column, column + _THEN, method="spearman")).item()
    correlation = 0.0 if found is None or math.isnan(found) else float(found)
    level = level_of(
        1 - highest_correlation(correlation, known.height, z) > bound
        for bound, z in zip(bounds.disorder, bounds.sigmas, strict=True)
    )
    if level:
        ranked = known.with_columns(
            apart=(pl.col(column).rank() - pl.col(column + _THEN).rank()).abs()
        )
        row = ranked.sort("apart", descending=True, maintain_order=True).row(0, named=True)
        was, now = _was_and_is(row, column)
        yield Change(
            new.table,
            column,
            "order",
            level,
            f"{correlation:.2f}",
            f"{new.name}: {source_column(column)} no longer matches the names (the rank correlation"
            f" with the old values is {correlation:.2f} in {known.height} rows); for example"
            f" {new.where(row)}: {now}, previously {was}",
        )


def _spread(values: pl.Series) -> float:
    """Estimate the standard deviation of logarithms from the quartiles, ignoring outliers."""
    logs = values.filter(values > 0).cast(pl.Float64).log()
    if logs.is_empty():
        return 0.0
    low, high = (logs.quantile(rank) or 0.0 for rank in (0.25, 0.75))
    return (high - low) / QUARTILES_PER_SIGMA


def _codes(
    new: Source, pairs: pl.DataFrame, column: str, bounds: Pair, sigmas: Pair
) -> Iterator[Change]:
    known = pairs.drop_nulls([column, column + _THEN])
    if isinstance(known.schema[column], pl.List):
        # A list may grow or shrink, but at least one element must stay.
        known = known.filter(*(pl.col(c).list.len() > 0 for c in (column, column + _THEN)))
        same = pl.col(column).list.set_intersection(pl.col(column + _THEN)).list.len() > 0
    else:
        same = pl.col(column) == pl.col(column + _THEN)
    bad = known.filter(~same)
    level = share_level(bad.height, known.height, bounds, sigmas)
    if level and bad.height >= _FEWEST:
        yield _change(
            new, column, "each", level, bad.height, known.height, bad.row(0, named=True), ""
        )


def _change(
    new: Source, column: str, check: str, level: int, count: int, of: int,
    row: Mapping[str, object], how: str,
) -> Change:  # fmt: skip
    was, now = _was_and_is(row, column)
    return Change(
        new.table,
        column,
        check,
        level,
        str(count),
        f"{new.name}: {source_column(column)} changed{how} in {count} of {of} rows with an"
        f" unchanged name, for example {new.where(row)}: {now}, previously {was}",
    )


def _was_and_is(row: Mapping[str, object], column: str) -> tuple[str, str]:
    """Format the old and the new values in a row for people to read."""
    was, now = (
        f"{show_value(column, row[c])}{money(row, column)}" for c in (column + _THEN, column)
    )
    return was, now


#: Standard error of a median, in standard deviations / sqrt(n), for normal values.
_MEDIAN_ERROR = 1.2533
#: A place is far away if its distance from the middle is more than this factor times the distance
#: within which 19 of 20 places were.
_BEYOND = 2.0
#: Smallest distance in metres that counts as far away, because tables may grow at the city's edge.
_LEAST_BEYOND_M = 15_000.0


def compare_places(
    old: Source, new: Source, then: Centre, now: Centre, bounds: DriftSettings
) -> Iterator[Change]:
    """Find places that moved, places that are far away, and a shift in the centre of all places."""
    yield from _find_moved(old, new, bounds)
    yield from _far(old, new, then, bounds)
    apart = float(distance_m(then.lat, then.lon, now.lat, now.lon))
    error = _MEDIAN_ERROR * math.hypot(
        then.spread_m / math.sqrt(then.rows), now.spread_m / math.sqrt(now.rows)
    )
    level = level_of(
        apart > bound and apart > z * error and min(then.rows, now.rows) >= _FEWEST
        for bound, z in zip(bounds.centre_m, bounds.sigmas, strict=True)
    )
    if level:
        row = _away(new, then).row(0, named=True)
        yield Change(
            new.table,
            "lat",
            "centre",
            level,
            f"{apart:.0f}",
            f"{new.name}: the centre of all coordinates (lat, lon) moved by {apart / 1000:,.1f} km;"
            f" for example {new.where(row)} lies at {row['lat']:.5f}, {row['lon']:.5f}",
        )


def _find_moved(old: Source, new: Source, bounds: DriftSettings) -> Iterator[Change]:
    """Find rows with unchanged, unique names whose coordinates changed."""
    located = [
        s.rows.drop_nulls([LABEL, "lat", "lon"]).filter(pl.col(LABEL).is_unique())
        for s in (old, new)
    ]
    pairs = located[1].join(
        located[0].select(LABEL, lat_old="lat", lon_old="lon"), on=LABEL, maintain_order="left"
    )
    if pairs.height < _FEWEST:
        return
    metres = distance_m(*(pairs[c].to_numpy() for c in ("lat", "lon", "lat_old", "lon_old")))
    moved = pairs.with_columns(moved=pl.Series(metres))
    counts = [moved.filter(pl.col("moved") > bound).height for bound in bounds.moved_m]
    level = level_of(
        share_level(count, moved.height, (share, share), (z, z)) > 0
        for count, share, z in zip(counts, bounds.moved, bounds.sigmas, strict=True)
    )
    if level:
        row = moved.sort("moved", descending=True, maintain_order=True).row(0, named=True)
        count, metre = (part[0 if level == WARNED else 1] for part in (counts, bounds.moved_m))
        yield Change(
            new.table, "lat", "place", level, f"{np.median(metres):.0f}",
            f"{new.name}: the coordinates (lat, lon) of {count} of {moved.height} names moved by "
            f"more than {metre:,.0f} m; the median over all names is {np.median(metres):,.0f} m, "
            f"and {new.where(row)} moved by {row['moved']:,.0f} m",
        )  # fmt: skip


def _far(old: Source, new: Source, then: Centre, bounds: DriftSettings) -> Iterator[Change]:
    """Find places that are much farther from the centre than in the last good snapshot."""
    before, after = _away(old, then), _away(new, then)
    if before.height < _FEWEST or after.is_empty():
        return
    limit = max(_BEYOND * float(before["away"].quantile(0.95) or 0.0), _LEAST_BEYOND_M)
    was, far = (rows.filter(pl.col("away") > limit) for rows in (before, after))
    # Only additional places count.
    came = max(0, far.height - was.height)
    if level := share_level(came, after.height, bounds.far, bounds.sigmas):
        row = far.row(0, named=True)
        yield Change(
            new.table, "lat", "far", level, str(far.height),
            f"{new.name}: the coordinates (lat, lon) of {far.height} of {after.height} rows are "
            f"more than {limit / 1000:,.0f} km from the centre, previously {was.height} of "
            f"{before.height}; for example, {new.where(row)} lies at {row['lat']:.5f}, "
            f"{row['lon']:.5f}",
        )  # fmt: skip


def _away(source: Source, centre: Centre) -> pl.DataFrame:
    """Return the rows with coordinates, and their distances from a centre, farthest first."""
    rows = source.rows.drop_nulls(["lat", "lon"])
    metres = distance_m(rows["lat"].to_numpy(), rows["lon"].to_numpy(), centre.lat, centre.lon)
    away = rows.with_columns(away=pl.Series(np.atleast_1d(metres), dtype=pl.Float64))
    return away.sort("away", descending=True, maintain_order=True)
