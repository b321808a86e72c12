"""Computes preference ranks, and the figures in the papers' tables from each plan's metrics.

Each figure is a quotient of two sums over plans. A mean is the sum of the known values divided by
the number of plans with a known value. A rate is the number of constraints that are met divided by
the number of all constraints. What each plan adds to the two sums is kept, so
``flows.bench.leaderboard`` can compute a figure for any sample of plans.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from validators.metrics import chinatravel
from validators.metrics.case import Value
from validators.metrics.catalogue import PAPERS, of_paper
from validators.metrics.measure import MARKS
from validators.plans.scores import METRICS as TPRAG
from validators.plans.verdicts import TRIPSCORE

Floats = NDArray[np.float64]
#: Returns the amounts that each plan adds to the two sums; they are 0 if the plan does not count.
Parts = Callable[[pl.DataFrame], tuple[Floats, Floats]]


@dataclass(frozen=True)
class MetricFigure:
    """One figure in a paper. ``better`` is ``high``, ``low`` or ``-`` (neither).

    ``main`` is True if summaries show this figure.
    """

    paper: str
    key: str
    label: str
    better: str
    parts: Parts
    main: bool = False

    @property
    def short(self) -> str:
        """Return the abbreviation at the beginning of the label, as in TP-RAG's figures."""
        return self.label.partition(" ")[0]


def value(figure: MetricFigure, rows: pl.DataFrame) -> Value:
    """Compute a figure from all rows, or return None if no row counts towards it."""
    worth, weight = figure.parts(rows)
    of = weight.sum()
    return float(worth.sum() / of) if of else None


@cache
def figures_of(paper: str) -> tuple[MetricFigure, ...]:
    """Return the figures of one paper, in the order of its tables."""
    return tuple(_MADE[paper]())


def figures(papers: Collection[str] = PAPERS) -> list[MetricFigure]:
    """Return the figures of several papers."""
    return [figure for paper in PAPERS if paper in papers for figure in figures_of(paper)]


def mean_of(*columns: str) -> Parts:
    """Define the mean of all known values in these columns, over all plans."""

    def parts(rows: pl.DataFrame) -> tuple[Floats, Floats]:
        values = rows.select(pl.col(columns).cast(pl.Float64).fill_null(np.nan)).to_numpy()
        known = np.isfinite(values)
        return np.where(known, values, 0.0).sum(axis=1), known.sum(axis=1).astype(np.float64)

    return parts


def _tprag() -> list[MetricFigure]:
    """Define the six figures of table 1 that are computed by rules."""
    labels = ("FR", "RR", "DMR", "DUR", "TBR", "PP")
    better = ("low", "low", "low", "low", "high", "high")
    return [
        MetricFigure(
            "tprag", column, f"{label} {column.replace('_', ' ')}", side, mean_of(column), main=True
        )
        for column, label, side in zip(TPRAG, labels, better, strict=True)
    ]


#: The first figure of each of TravelEval's six dimensions (section 3.1).
_DIMENSIONS = ("CCD", "BCS", "TTCS", "SSR", "BE", "EDI")


def _traveleval() -> list[MetricFigure]:
    """Define the figures of table B1."""
    return _means("traveleval", _DIMENSIONS)


def _means(paper: str, main: Sequence[str] = ()) -> list[MetricFigure]:
    return [
        MetricFigure(paper, m.column, m.label, m.better, mean_of(m.column), m.label in main)
        for m in of_paper(paper)
    ]


def _chinatravel() -> list[MetricFigure]:
    """Define the figures of table 2: DR, EPR and LPR (micro and macro), C-LPR and FPR."""
    return [
        MetricFigure("chinatravel", _key("chinatravel", name), name, "high", _rate(name), main=True)
        for name in chinatravel.RATES
    ]


def _rate(name: str) -> Parts:
    def parts(rows: pl.DataFrame) -> tuple[Floats, Floats]:
        found = [
            (0.0, 0.0) if mark is None else chinatravel.RATES[name](mark) for mark in marks(rows)
        ]
        both = np.array(found, dtype=np.float64).reshape(-1, 2)
        return both[:, 0], both[:, 1]

    return parts


def marks(rows: pl.DataFrame) -> list[chinatravel.Marks | None]:
    """Return ChinaTravel's marks for each row, or None if the plan is not in ChinaTravel's form."""
    return [
        None
        if None in row
        else chinatravel.Marks(row[0] == 1, int(row[1]), int(row[2]), int(row[3]))
        for row in rows.select(f"chinatravel_{name}" for name in MARKS).iter_rows()
    ]


def _tripscore() -> list[MetricFigure]:
    """Define the figures of table 3, and the mean for each constraint.

    If the result of a plan is unknown, the plan counts as failed.
    """
    rates = {"Delivery Rate": "tripscore_format", "Commonsense Pass Rate": "tripscore_commonsense"}
    paper, reward = "tripscore", "tripscore_reward"
    columns = {name: f"tripscore_{name}" for name in TRIPSCORE}
    return [
        *(
            MetricFigure(paper, _key(paper, label), label, "high", _share_passed(column), main=True)
            for label, column in rates.items()
        ),
        MetricFigure(paper, reward, "Reward", "high", mean_of(reward), main=True),
        *(MetricFigure(paper, c, name, "high", mean_of(c)) for name, c in columns.items()),
        *_means(paper),
    ]


def _share_passed(column: str) -> Parts:
    """Define the share of plans that are known to pass, among the plans that have a reward."""

    def parts(rows: pl.DataFrame) -> tuple[Floats, Floats]:
        judged = rows["tripscore_reward"].is_not_null().to_numpy().astype(np.float64)
        passed = (rows[column].fill_null(0.0) == 1).to_numpy().astype(np.float64)
        return passed * judged, judged

    return parts


_FEASIBILITY = ("Within Sandbox", "Complete Information")
_RATIONALITY = (
    "Diverse Restaurants", "Diverse Attractions", "Reasonable Meal Prices",
    "Appropriate Visit Duration", "Defined Budget Limit",
)  # fmt: skip


def _triptailor() -> list[MetricFigure]:
    """Define the pass rates (micro and macro), the route figures, and all other metrics."""
    paper, own = "triptailor", {m.label: m.column for m in of_paper("triptailor")}
    found = []
    for name, criteria in (("Feasibility", _FEASIBILITY), ("Rationality", _RATIONALITY)):
        micro, macro = f"{name} Micro", f"{name} Macro"
        parts = mean_of(*(own[label] for label in criteria))
        found.append(MetricFigure(paper, _key(paper, micro), micro, "high", parts, main=True))
        found.append(MetricFigure(paper, own[name], macro, "high", mean_of(own[name]), main=True))
    for label, column, better in (
        ("Average Route Distance Ratio", "route_ratio", "low"),
        ("Final Pass Rate", "final_pass", "high"), ("S Route", "s_route", "high"),
    ):  # fmt: skip
        key = _key(paper, column)
        found.append(MetricFigure(paper, key, label, better, mean_of(key), column != "s_route"))
    return found + [f for f in _means(paper) if f.label not in ("Feasibility", "Rationality")]


def _key(paper: str, label: str) -> str:
    return f"{paper}_{label.lower().replace(' ', '_').replace('-', '_')}"


_MADE: dict[str, Callable[[], list[MetricFigure]]] = {
    "tprag": _tprag, "traveleval": _traveleval, "chinatravel": _chinatravel,
    "tripscore": _tripscore, "triptailor": _triptailor,
}  # fmt: skip


Table = dict[str, Any]
#: TripTailor's queries with one of these numbers of days are easy, and all others are hard.
_EASY_DAYS = (2, 3)


def tables(rows: pl.DataFrame, papers: Collection[str]) -> dict[str, Table]:
    """Compute each paper's figures and the number of plans; a figure is null if no plan counts
    towards it.

    TravelEval's tables B1 and B4 and TripTailor's table also have separate figures for easy, medium
    and hard queries.
    """
    easy = pl.col("days").cast(pl.Int64).is_in(_EASY_DAYS)
    parts = {
        "traveleval": {tag: pl.col("tag") == tag for tag in ("easy", "medium", "hard")},
        "triptailor": {"easy": easy, "hard": ~easy},
    }
    made = {p: _sum_up(rows, p, parts.get(p, {})) for p in PAPERS if p in papers}
    if "chinatravel" in made:
        made["chinatravel"]["plans"] = sum(mark is not None for mark in marks(rows))
    if "tripscore" in made:
        judged = rows["tripscore_reward"].is_not_null().sum()
        made["tripscore"] = {"judged": judged, **made["tripscore"]}
    return made


def _sum_up(rows: pl.DataFrame, paper: str, parts: Mapping[str, pl.Expr]) -> Table:
    """Compute a paper's figures for all plans, and for each subset that has any plans."""
    own = [metric.column for metric in of_paper(paper)]
    others = {
        "tprag": TPRAG, "chinatravel": [f"chinatravel_{name}" for name in MARKS],
        "tripscore": [f"tripscore_{name}" for name in TRIPSCORE],
    }  # fmt: skip
    columns = [*others.get(paper, ()), *own]
    known = rows.filter(pl.any_horizontal(pl.col(columns).is_not_null()))
    told = {
        figure.short if paper == "tprag" else figure.label: value(figure, rows)
        for figure in figures_of(paper)
    }
    held = {name: rows.filter(part) for name, part in parts.items()}
    found = {name: _sum_up(part, paper, {}) for name, part in held.items() if part.height}
    return {"plans": known.height, **told, **found}


def ranks(rows: pl.DataFrame) -> list[dict[str, Any]]:
    """Compute the preference ranks of methods (appendix G) from plans that pass all constraints."""
    marked = [f"chinatravel_{name}" for name in MARKS]
    if not {*marked, "goals"} <= set(rows.columns):
        return []
    good = rows.filter(
        (pl.col("chinatravel_delivered") == 1)
        & (pl.col("chinatravel_environment") == chinatravel.CONSTRAINTS)
        & (pl.col("chinatravel_logic") == pl.col("chinatravel_asked"))
    )
    values = [
        (row["query_id"], row["method"], goal, direction, row[f"chinatravel_{goal}"])
        for row in good.to_dicts()
        for goal, (_, direction) in chinatravel.PREFERENCES.items()
        if goal in (row["goals"] or ())
    ]
    text = ("query_id", "method", "preference", "direction")
    schema = {**dict.fromkeys(text, pl.String), "value": pl.Float64}
    return chinatravel.preference_ranks(pl.DataFrame(values, schema, orient="row")).to_dicts()
