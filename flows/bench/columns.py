"""Chooses the figures on the leaderboard: tripbed's own checks and the metrics of papers."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

import polars as pl

from flows.bench.leaderboard import GROUPS, RunLine
from flows.bench.ranks import rank_key
from validators.metrics.catalogue import PAPERS
from validators.metrics.figures import MetricFigure, figures, mean_of
from validators.metrics.measure import columns
from validators.metrics.tprag_ranks import RANKS
from validators.plans.scores import METRICS as TPRAG

#: Our own checks, whose columns stand before the papers'.
CHECKS = "checks"
#: Whose figures there are.
EVERY = (CHECKS, *PAPERS)
#: A check that is not here has no better side.
_CHECKS_BETTER = dict.fromkeys(
    ("delivered", "passed", "environment", "commonsense", "request"), "high"
)
#: How a table heads the figures of each.
TITLES = {
    CHECKS: "Checks", "tprag": "TP-RAG", "traveleval": "TravelEval", "chinatravel": "ChinaTravel",
    "tripscore": "TripScore", "triptailor": "TripTailor",
}  # fmt: skip


@dataclass(frozen=True)
class FigureColumn:
    """A figure as shown in tables. ``better`` is high, low or - (neither)."""

    paper: str
    key: str
    label: str
    better: str


def count_figures(rows: pl.DataFrame, chosen: Collection[str] | None = None) -> list[MetricFigure]:
    """Compute the figures of a run: those of the groups named, or else the main ones.

    Columns of numbers that belong to no paper are checks.
    """
    of_papers = {*columns(PAPERS), *TPRAG, *GROUPS}
    own = [
        MetricFigure(CHECKS, name, name, _CHECKS_BETTER.get(name, "-"), mean_of(name), main=True)
        for name, kind in rows.schema.items()
        if kind.is_numeric() and name not in of_papers
    ]
    found = [*own, *figures([paper for paper in PAPERS if _has(rows, paper)])]
    return [f for f in found if (f.main if chosen is None else f.paper in chosen)]


def _has(rows: pl.DataFrame, paper: str) -> bool:
    """Whether the rows were scored by a paper's metrics."""
    return set(TPRAG if paper == "tprag" else columns([paper])) <= set(rows.columns)


def sections(
    lines: Iterable[RunLine], wanted: Iterable[MetricFigure]
) -> dict[str, list[FigureColumn]]:
    """Group the figures of all lines by paper, in order; TP-RAG's ranks come last."""
    held = {key for line in lines for key in line.figures}
    known = {one.key: FigureColumn(one.paper, one.key, one.label, one.better) for one in wanted}
    ranks = [
        FigureColumn("tprag", rank_key(name), f"{name} {rank.__name__.replace('_', ' ')}", "low")
        for name, rank in RANKS.items()
    ]
    found: dict[str, list[FigureColumn]] = {}
    for name in EVERY:
        columns = [one for one in known.values() if one.paper == name]
        columns += ranks if name == "tprag" else []
        if shown := [one for one in columns if one.key in held]:
            found[name] = shown
    return found
