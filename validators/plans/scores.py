"""Compute TP-RAG's rule metrics for plans and reference trajectories (section 3.3 and appendix
B).

The paper describes the metrics in words only. tripbed defines the formulas as follows, where M is
the number of visits in a plan:

- ``failure_rate``: visits to places that are not candidates, divided by M.
- ``repetition_rate``: visits to a place that was already visited, divided by M.
- ``distance_margin_ratio``: (L - L*) / L*. L is the total length in metres of the straight lines
  between consecutive visits of the whole trip. L* is the length of the shortest path through the
  same visits.
- ``duration_underflow``: mean of max(0, 1 - stay / shortest recommended stay).
- ``time_buffer``: minutes between visits of the same day, divided by the minutes from the first
  visit's start to the last visit's end, over all days with at least two visits.
- ``poi_popularity``: places of the plan among the top M places of the leaderboard, divided by the
  number of these top places (fewer than M if the leaderboard is shorter). For popularity, M is the
  number of different places.

A metric is null if the plan or the snapshot lacks the data that the metric needs. Depending on the
metric, the required data are visits, known candidates, two located visits (at most 300), stays with
a recommendation, days with two timed visits, or a leaderboard. If L* is zero because all visits are
at one point, the ratio is zero. A visit that ends before it starts counts as having the minimum
stay and is ignored for the buffer. Rates are shares, not percentages. The metrics for which a model
is the judge (start time rationality, relevance) are in ``validators.metrics.judged``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from validators.plans.tours import (
    EXACT_STOPS,
    MOST_STOPS,
    distance_matrix,
    optimal_length,
    path_length,
)

#: One row a visit, in any order. ``place`` identifies a place (an id, or its name where unknown).
VISITS = pl.Schema(
    {
        "plan_id": pl.String,
        "day": pl.Int64,
        "order": pl.Int64,
        "place": pl.String,
        "start_min": pl.Int64,
        "end_min": pl.Int64,
        "lat": pl.Float64,
        "lon": pl.Float64,
        "is_candidate": pl.Boolean,  # null: candidates unknown
        "recommended_min": pl.Int64,
        "rank": pl.Int64,  # place on the leaderboard from 1; null: not on it
        "leaderboard": pl.Int64,  # places on the leaderboard; 0: there is none
    }
)
_LENGTHS: dict[str, Any] = {
    "plan_id": pl.List(pl.String), "length_m": pl.Float64, "optimal_m": pl.Float64,
    "optimum_proven": pl.Boolean,
}  # fmt: skip
METRICS = (
    "failure_rate", "repetition_rate", "distance_margin_ratio", "duration_underflow",
    "time_buffer", "poi_popularity",
)  # fmt: skip


def score(visits: pl.DataFrame) -> pl.DataFrame:
    """Return a row for each plan: the six metrics, the number of visits, the lengths of the actual
    and the shortest path, and whether the shortest path is proven.

    Raises ValueError if ``VISITS`` lacks a column.
    """
    missing = [name for name in VISITS if name not in visits.columns]
    if missing:
        raise ValueError(f"the table of visits must also have the columns {', '.join(missing)}")
    rows = visits.select(list(VISITS)).cast(VISITS).sort("plan_id", "day", "order", "place")
    tables = (_commonsense(rows), _routes(rows), _times(rows), _popularity(rows))
    scored = tables[0]
    for table in tables[1:]:
        scored = scored.join(table, on="plan_id", how="left")
    return scored.select(
        "plan_id", "n_visits", *METRICS, "length_m", "optimal_m", "optimum_proven"
    ).sort("plan_id")


def _commonsense(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.group_by("plan_id").agg(
        n_visits=pl.len(),
        failure_rate=(~pl.col("is_candidate")).mean(),
        repetition_rate=1 - pl.col("place").n_unique() / pl.len(),
    )


def _times(rows: pl.DataFrame) -> pl.DataFrame:
    stay = pl.col("end_min") - pl.col("start_min")
    recommended = pl.when(pl.col("recommended_min") > 0).then(pl.col("recommended_min"))
    short = (1 - stay / recommended).clip(0, 1)
    stays = rows.group_by("plan_id").agg(duration_underflow=short.mean())
    timed = rows.filter(pl.col("end_min") >= pl.col("start_min")).sort(
        "plan_id", "day", "start_min", "order"
    )
    latest = pl.col("end_min").cum_max()
    gaps = (pl.col("start_min") - latest.shift(1)).over("plan_id", "day").clip(0)
    days = (
        timed.with_columns(gap=gaps)
        .group_by("plan_id", "day")
        .agg(
            gap=pl.col("gap").sum(),
            span=pl.col("end_min").max() - pl.col("start_min").min(),
            n=pl.len(),
        )
        .filter((pl.col("n") > 1) & (pl.col("span") > 0))
        .group_by("plan_id")
        .agg(time_buffer=pl.col("gap").sum() / pl.col("span").sum())
    )
    return stays.join(days, on="plan_id", how="left")


def _popularity(rows: pl.DataFrame) -> pl.DataFrame:
    places = rows.unique(["plan_id", "place"])
    counted = (
        places.with_columns(top=pl.len().over("plan_id"))
        .group_by("plan_id")
        .agg(
            hits=(pl.col("rank") <= pl.col("top")).sum(),
            size=pl.min_horizontal("top", pl.col("leaderboard").max()).max(),
        )
    )
    share = pl.when(pl.col("size") > 0).then(pl.col("hits") / pl.col("size"))
    return counted.select("plan_id", poi_popularity=share)


def _routes(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the path lengths of all plans; a path that several plans share is measured only
    once.
    """
    paths = (
        rows.drop_nulls(["lat", "lon"])
        .group_by("plan_id", maintain_order=True)
        .agg("lat", "lon", n=pl.len())
        .filter(pl.col("n").is_between(2, MOST_STOPS))
        .group_by("n", "lat", "lon", maintain_order=True)
        .agg("plan_id")
    )
    parts = [_measure_paths(group) for _, group in paths.group_by("n", maintain_order=True)]
    lengths = pl.concat([pl.DataFrame(schema=_LENGTHS), *parts]).explode("plan_id")
    margin = (pl.col("length_m") / pl.col("optimal_m") - 1).clip(0)
    return lengths.with_columns(
        distance_margin_ratio=pl.when(pl.col("optimal_m") > 0).then(margin).otherwise(0.0)
    )


def _measure_paths(paths: pl.DataFrame) -> pl.DataFrame:
    """Return the lengths of paths with the same number of stops, all at once."""
    matrix = distance_matrix(np.array(paths["lat"].to_list()), np.array(paths["lon"].to_list()))
    return paths.select(
        "plan_id",
        length_m=pl.Series(path_length(matrix)),
        optimal_m=pl.Series(optimal_length(matrix)),
        optimum_proven=pl.col("n") <= EXACT_STOPS,
    )


def quality(scored: pl.DataFrame, key: str = "plan_id") -> pl.DataFrame:
    """Add ``quality_rank``, counted from 1 within each query.

    ``scored`` has the columns ``query_id`` and ``key``. TP-RAG's analysis uses the popularity of
    the places as the quality of a trajectory (appendix C.5). Ties, and trajectories without a
    leaderboard, are sorted by the number of failures, the number of repetitions, the detour and
    finally the id. When ties are sorted, lower values come first and unknown values last.
    """
    order = ["poi_popularity", "failure_rate", "repetition_rate", "distance_margin_ratio"]
    ranked = scored.sort(
        ["query_id", *order, key],
        descending=[False, True, False, False, False, False],
        nulls_last=True,
    )
    return ranked.with_columns(
        quality_rank=pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("query_id")
    )
