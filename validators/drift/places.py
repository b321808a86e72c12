"""Compare where the places of a source lie, then and now."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import polars as pl

from schemas.geo import distance_m
from validators.drift.bounds import WARNED, DriftSettings, level_of, share_level
from validators.drift.change import Change
from validators.drift.record import Centre
from validators.drift.sources import LABEL, Source

#: Standard error of a median in standard deviations over the root of n (normal values).
_MEDIAN_ERROR = 1.2533
#: Fewer rows say nothing of the others.
_FEWEST = 5
#: Of the farthest twentieth's distance from the middle: places beyond it lie outside.
_BEYOND = 2.0
#: Beyond at least so many metres: a city's tables grow at its edge.
_LEAST_BEYOND_M = 15_000.0


def compare_places(
    old: Source, new: Source, then: Centre, now: Centre, bounds: DriftSettings
) -> Iterator[Change]:
    """Places of one name that lie elsewhere, places far from all others, the middle of all."""
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
            f"{new.name}: the middle of all coordinates (lat, lon) moved by {apart / 1000:,.1f} km;"
            f" for example {new.where(row)} lies at {row['lat']:.5f}, {row['lon']:.5f}",
        )


def _find_moved(old: Source, new: Source, bounds: DriftSettings) -> Iterator[Change]:
    """Rows of one name that lie elsewhere; names that stand once each."""
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
            f"{new.name}: coordinates (lat, lon) of {count} of {moved.height} names moved by more "
            f"than {metre:,.0f} m, by {np.median(metres):,.0f} m in the middle, for example "
            f"{new.where(row)} by {row['moved']:,.0f} m",
        )  # fmt: skip


def _far(old: Source, new: Source, then: Centre, bounds: DriftSettings) -> Iterator[Change]:
    """Places much farther from the middle than those of the last good snapshot were."""
    before, after = _away(old, then), _away(new, then)
    if before.height < _FEWEST or after.is_empty():
        return
    limit = max(_BEYOND * float(before["away"].quantile(0.95) or 0.0), _LEAST_BEYOND_M)
    was, far = (rows.filter(pl.col("away") > limit) for rows in (before, after))
    # What lay out there before may stay.
    came = max(0, far.height - was.height)
    level = share_level(came, after.height, bounds.far, bounds.sigmas)
    if level:
        row = far.row(0, named=True)
        yield Change(
            new.table, "lat", "far", level, str(far.height),
            f"{new.name}: {far.height} of {after.height} rows lie (lat, lon) more than "
            f"{limit / 1000:,.0f} km from the middle, it was {was.height} of {before.height}, for "
            f"example {new.where(row)} at {row['lat']:.5f}, {row['lon']:.5f}",
        )  # fmt: skip


def _away(source: Source, centre: Centre) -> pl.DataFrame:
    """The located rows with their distance from a centre in metres, the farthest first."""
    rows = source.rows.drop_nulls(["lat", "lon"])
    metres = distance_m(rows["lat"].to_numpy(), rows["lon"].to_numpy(), centre.lat, centre.lon)
    away = rows.with_columns(away=pl.Series(np.atleast_1d(metres), dtype=pl.Float64))
    return away.sort("away", descending=True, maintain_order=True)
