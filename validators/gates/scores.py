"""Gate on the scores of reference trajectories, which must follow from the tables."""

from __future__ import annotations

import polars as pl

from schemas.tables import TABLES
from validators.gates.base import (
    Gate,
    GateContext,
    RowCheck,
    failing,
    failing_any,
    report,
    together,
)
from validators.plans.scores import quality
from validators.plans.visits import METRE_DECIMALS, RATE_DECIMALS, trajectory_scores

_TABLE = "trajectory_scores"
_KEY = list(TABLES[_TABLE].key)
#: The tolerance for a figure: its last digit, because machines round the last bit differently.
_SLACK = {
    **dict.fromkeys(
        ("poi_popularity", "failure_rate", "repetition_rate", "distance_margin_ratio"),
        1.5 * 10**-RATE_DECIMALS,
    ),
    **dict.fromkeys(("length_m", "optimal_m"), 1.5 * 10**-METRE_DECIMALS),
}


def scores(context: GateContext) -> pl.DataFrame:
    """The scores of each reference trajectory follow from the tables, and so does its rank by these
    scores within the query.
    """
    stated, made = context.table(_TABLE), trajectory_scores(context.table)
    missing = made.join(stated, on=_KEY, how="anti")
    extra = stated.join(made, on=_KEY, how="anti")
    rows = stated.join(made, on=_KEY, how="inner", suffix="_made", nulls_equal=True)
    checks: list[RowCheck] = [
        (
            _differs(column),
            column,
            pl.format(
                "the tables give {}", pl.col(f"{column}_made").cast(pl.String).fill_null("no value")
            ),
        )
        for column in (*_SLACK, "optimum_proven")
    ]
    ranked = quality(stated.rename({"quality_rank": "told"}), "trajectory_id")
    wrong = pl.col("told") != pl.col("made")
    return together(
        [
            report(
                _TABLE,
                missing,
                "trajectory_id",
                "this reference trajectory has no scores",
            ),
            report(
                _TABLE, extra, "trajectory_id", "the trajectory is not a reference for the query"
            ),
            failing_any(_TABLE, rows, checks),
            failing(
                _TABLE,
                ranked.with_columns(made=pl.col("quality_rank"), quality_rank=pl.col("told")),
                wrong,
                "quality_rank",
                pl.format("according to the scores, the rank should be {}", "made"),
            ),
        ]
    )


def _differs(column: str) -> pl.Expr:
    """Check whether only one of the two values is known, or both are known and differ."""
    mine, other = pl.col(column), pl.col(f"{column}_made")
    if column not in _SLACK:
        return mine.ne_missing(other)
    apart = (mine - other).abs() > _SLACK[column]
    return (
        pl.when(mine.is_null() | other.is_null())
        .then(mine.is_null() != other.is_null())
        .otherwise(apart)
    )


GATES = (
    Gate(
        "trajectory_scores",
        scores,
        "The scores determine the best M reference trajectories for a query (TP-RAG, appendix "
        "C.5).",
        "Build the city again: scores are computed from the rows that the control stage kept.",
    ),
)
