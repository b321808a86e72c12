"""Figures of runs: each metric's mean with its bootstrap interval, by groups of queries.

The interval is the middle 95 % of the means of 1,000 samples of the run's own queries, drawn with
replacement and a fixed seed (percentile bootstrap; Efron 1979). It tells how much the figure hangs
on which queries were asked, not on a planner's luck.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

SAMPLES, SEED, SHARE = 1_000, 7, 0.95
#: Ways to split the queries of a run: all together, and by these columns.
GROUPS = ("split", "family", "days")


@dataclass(frozen=True)
class Figure:
    """Mean of a metric over the queries that have it, and its interval."""

    mean: float
    low: float
    high: float
    n: int


@dataclass(frozen=True)
class Line:
    """One run on one group of its queries. ``figures`` are by metric; one that nothing has is absent."""

    run: str
    planner: str
    snapshot: str
    group: str
    value: str
    queries: int
    figures: dict[str, Figure]


def notes(abouts: Sequence[dict[str, Any]]) -> list[str]:
    """What a reader must know before runs are compared."""
    found = []
    if len({(about["snapshot"], about.get("asked")) for about in abouts}) > 1:
        found.append(
            "Not all runs were asked the same queries of the same snapshot: compare with care."
        )
    short = [about["name"] for about in abouts if about["planned"] < about["queries"]]
    if short:
        found.append(f"Not finished: {', '.join(short)}.")
    return found


def metrics_of(rows: pl.DataFrame) -> list[str]:
    """Every column of numbers beside the groups, in its order: what is scored is shown."""
    return [name for name, kind in rows.schema.items() if kind.is_numeric() and name not in GROUPS]


def lines_of(about: dict[str, Any], rows: pl.DataFrame) -> Iterator[Line]:
    head = (about["name"], about["planner"], about["snapshot"])
    yield Line(*head, "all", "all", rows.height, _figures(rows))
    for group in GROUPS:
        for value in sorted(rows[group].unique().to_list()):
            part = rows.filter(pl.col(group) == value)
            yield Line(*head, group, str(value), part.height, _figures(part))


def _figures(rows: pl.DataFrame) -> dict[str, Figure]:
    found = {}
    for metric in metrics_of(rows):
        values = rows[metric].drop_nulls().to_numpy().astype(np.float64)
        values = values[np.isfinite(values)]
        if len(values):
            found[metric] = _figure(values)
    return found


def _figure(values: NDArray[np.float64]) -> Figure:
    """The mean with its interval; the same values give the same interval on every machine."""
    drawn = np.random.default_rng(SEED).integers(0, len(values), (SAMPLES, len(values)))
    means = values[drawn].mean(axis=1)
    low, high = np.quantile(means, ((1 - SHARE) / 2, (1 + SHARE) / 2))
    return Figure(float(values.mean()), float(low), float(high), len(values))


def plain(line: Line) -> dict[str, Any]:
    return {**vars(line), "figures": {name: vars(figure) for name, figure in line.figures.items()}}


def shown(figure: Figure | None) -> str:
    """A figure with half of its interval's width, or a dash."""
    return "–" if figure is None else f"{figure.mean:.3f} ±{(figure.high - figure.low) / 2:.3f}"


def columns(lines: Sequence[Line]) -> list[str]:
    """Metrics that any line has, in the order in which they are scored."""
    return list(dict.fromkeys(metric for line in lines for metric in line.figures))
