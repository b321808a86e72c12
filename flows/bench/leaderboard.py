"""Computes the runs' figures for groups of queries, with bootstrap intervals.

A figure is the ratio of two sums over the queries; most figures are means
(``validators.metrics.figures``). A figure's interval covers the middle 95 % of its values in 1,000
samples (percentile bootstrap; Efron 1979). The samples are drawn from the run's own queries, with
replacement and a fixed seed. The interval shows how much the figure depends on the choice of
queries. The interval does not show how much a planner's results vary by chance.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from validators.metrics.catalogue import PAPERS
from validators.metrics.figures import MetricFigure, figures, figures_of, mean_of
from validators.metrics.measure import columns
from validators.metrics.tprag_ranks import RANKED, RANKS, ranks_of
from validators.plans.scores import METRICS as TPRAG

Floats = NDArray[np.float64]
SAMPLES, SEED, SHARE = 1_000, 7, 0.95
#: The number of samples drawn at a time; each needs one number per query of the run.
_LOT = 100
#: Groups for the queries of a run: all queries together, and groups by each of these columns.
GROUPS = ("split", "family", "days")


@dataclass(frozen=True)
class RunFigure:
    """A figure for ``n`` queries, with its interval and its values in the bootstrap samples."""

    mean: float
    low: float
    high: float
    n: int
    samples: Floats = field(repr=False, compare=False, default_factory=lambda: np.empty(0))


@dataclass(frozen=True)
class RunLine:
    """One run's figures for one group of its queries.

    ``figures`` contains the figures by key; figures without a value are left out.
    """

    run: str
    planner: str
    snapshot: str
    group: str
    value: str
    queries: int
    figures: dict[str, RunFigure]


def notes(abouts: Sequence[dict[str, Any]]) -> list[str]:
    """List the notes that users should read before they compare the runs."""
    found = []
    if len({(about["snapshot"], about.get("asked")) for about in abouts}) > 1:
        found.append(
            "The runs differ in their queries or snapshots: compare their results with caution."
        )
    short = [about["name"] for about in abouts if about["planned"] < about["queries"]]
    if short:
        found.append(f"Not finished: {', '.join(short)}.")
    return found


def lines_of(
    about: dict[str, Any], rows: pl.DataFrame, wanted: Sequence[MetricFigure]
) -> Iterator[RunLine]:
    """Compute a run's lines on the leaderboard: one for all of its queries, and one for each
    group.
    """
    head = (about["name"], about["planner"], about["snapshot"])
    yield RunLine(*head, "all", "all", rows.height, figures_in(rows, wanted))
    for group in GROUPS:
        for value in sorted(rows[group].unique().to_list()):
            part = rows.filter(pl.col(group) == value)
            yield RunLine(*head, group, str(value), part.height, figures_in(part, wanted))


def figures_in(rows: pl.DataFrame, wanted: Sequence[MetricFigure]) -> dict[str, RunFigure]:
    """Compute the figures and intervals for a set of rows. The same rows always give the same
    results.
    """
    parts = {one.key: one.parts(rows) for one in wanted}
    known = {key: both for key, both in parts.items() if both[1].sum() > 0}
    if not known:
        return {}
    worth, weight = (np.column_stack([both[at] for both in known.values()]) for at in (0, 1))
    samples = _samples(worth, weight)
    low, high = middle(samples)
    means = worth.sum(axis=0) / weight.sum(axis=0)
    n = (weight > 0).sum(axis=0)
    return {
        key: RunFigure(
            float(means[at]), float(low[at]), float(high[at]), int(n[at]), samples[:, at]
        )
        for at, key in enumerate(known)
    }


def middle(samples: Floats) -> tuple[Floats, Floats]:
    """Return the ends of the middle 95 % of each column; samples without a value are ignored."""
    low, high = np.nanquantile(samples, ((1 - SHARE) / 2, (1 + SHARE) / 2), axis=0)
    return low, high


def _samples(worth: Floats, weight: Floats) -> Floats:
    """Return the value of each figure in each sample of the rows, or NaN if there is no value."""
    draw, n = np.random.default_rng(SEED), len(worth)
    found = []
    for _ in range(SAMPLES // _LOT):
        drawn = draw.integers(0, n, (_LOT, n)) + n * np.arange(_LOT)[:, None]
        times = np.bincount(drawn.ravel(), minlength=_LOT * n).reshape(_LOT, n).astype(np.float64)
        of = times @ weight
        found.append(np.divide(times @ worth, of, out=np.full_like(of, np.nan), where=of > 0))
    return np.concatenate(found)


def plain(line: RunLine) -> dict[str, Any]:
    """Convert a line of the leaderboard to values that ``json.dumps`` accepts."""
    told = {
        key: {k: v for k, v in vars(f).items() if k != "samples"} for key, f in line.figures.items()
    }
    return {**vars(line), "figures": told}


def show_figure(figure: RunFigure | None) -> str:
    """Format a figure, with half the width of its interval; an unknown figure is shown as a
    dash."""
    if figure is None:
        return "–"
    return f"{number(figure.mean)} ±{number((figure.high - figure.low) / 2)}"


def number(value: float) -> str:
    """Format a number with three decimals, or with fewer if the number is large."""
    size = abs(value)
    decimals = 3 if size < 10 else 2 if size < 100 else 1 if size < 1_000 else 0
    return f"{value:,.{decimals}f}"


def with_ranks(lines: Sequence[RunLine]) -> list[RunLine]:
    """Add TP-RAG's ranks to the leaderboard lines of every group that contains at least two runs.

    Each sample of the ranks is computed from one sample of each run's queries. Runs that planned
    the same queries are compared on the same samples.
    """
    groups: dict[tuple[str, str], list[RunLine]] = {}
    for line in lines:
        groups.setdefault((line.group, line.value), []).append(line)
    made = {id(line): ranks for beside in groups.values() for line, ranks in _ranks(beside)}
    return [replace(line, figures=line.figures | made.get(id(line), {})) for line in lines]


def _ranks(beside: Sequence[RunLine]) -> Iterator[tuple[RunLine, dict[str, RunFigure]]]:
    if len(beside) < 2:
        return
    keys = {one.short: one.key for one in figures_of("tprag")}
    shared = [
        name for name in RANKED
        if name in keys and all(keys[name] in line.figures for line in beside)
    ]  # fmt: skip
    means, samples = {}, {}
    for name in shared:
        held = [line.figures[keys[name]] for line in beside]
        means[name] = np.array([[figure.mean] for figure in held])
        samples[name] = np.array([figure.samples for figure in held])
    now, drawn = ranks_of(means), ranks_of(samples)
    for at, line in enumerate(beside):
        found = {}
        for name, rank in RANKS.items():
            whole, each = rank(now), rank(drawn)
            if whole is not None and each is not None:
                low, high = middle(each[at])
                found[rank_key(name)] = RunFigure(
                    float(whole[at, 0]), float(low), float(high), line.queries
                )
        yield line, found


def rank_key(name: str) -> str:
    """Return the key that one of TP-RAG's ranks has in the figures of a leaderboard line."""
    return f"tprag_{name.lower()}"


#: The key of tripbed's own checks, whose columns come before those of the papers.
CHECKS = "checks"
#: The sources of figures: tripbed's checks and the papers.
EVERY = (CHECKS, *PAPERS)
#: Checks for which a high value is better; for the others, neither direction is better.
_CHECKS_BETTER = dict.fromkeys(
    ("delivered", "passed", "environment", "commonsense", "request"), "high"
)
#: The heading of each source's figures in a table.
TITLES = {
    CHECKS: "Checks", "tprag": "TP-RAG", "traveleval": "TravelEval", "chinatravel": "ChinaTravel",
    "tripscore": "TripScore", "triptailor": "TripTailor",
}  # fmt: skip


def count_figures(rows: pl.DataFrame, chosen: Collection[str] | None = None) -> list[MetricFigure]:
    """Return the chosen figures for a run's rows, or the main figures if none are chosen.

    A numeric column that belongs to no paper counts as a check.
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
    """Check whether the rows contain scores for a paper's metrics."""
    return set(TPRAG if paper == "tprag" else columns([paper])) <= set(rows.columns)


def sections(
    lines: Iterable[RunLine], wanted: Iterable[MetricFigure]
) -> dict[str, list[MetricFigure]]:
    """Return the figures that at least one line contains, sorted by source.

    TP-RAG's ranks come after its other figures.
    """
    held = {key for line in lines for key in line.figures}
    known = {one.key: one for one in wanted}
    ranks = [
        MetricFigure(
            "tprag",
            rank_key(name),
            f"{name} {rank.__name__.replace('_', ' ')}",
            "low",
            mean_of(rank_key(name)),
        )
        for name, rank in RANKS.items()
    ]
    found: dict[str, list[MetricFigure]] = {}
    for name in EVERY:
        columns = [one for one in known.values() if one.paper == name]
        columns += ranks if name == "tprag" else []
        if shown := [one for one in columns if one.key in held]:
            found[name] = shown
    return found
