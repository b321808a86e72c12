"""The figures of the papers' tables: each divides one sum over many plans by another.

A mean is the sum of what is known / how many know it; a rate of constraints the sum of those passed
/ the sum of those asked. Whoever has both parts of every plan can also draw samples of the plans.
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
#: What each plan adds to both sums; a plan that the figure is not counted of adds nothing.
Parts = Callable[[pl.DataFrame], tuple[Floats, Floats]]


@dataclass(frozen=True)
class MetricFigure:
    """One figure. ``better`` is high, low or - (neither); ``main`` are those a summary shows."""

    paper: str
    key: str
    label: str
    better: str
    parts: Parts
    main: bool = False

    @property
    def short(self) -> str:
        """The paper's abbreviation, which begins a label of TP-RAG's."""
        return self.label.partition(" ")[0]


def value(figure: MetricFigure, rows: pl.DataFrame) -> Value:
    """The figure of all rows; None where there is nothing to count."""
    worth, weight = figure.parts(rows)
    of = weight.sum()
    return float(worth.sum() / of) if of else None


@cache
def figures_of(paper: str) -> tuple[MetricFigure, ...]:
    """The figures of a paper, in the order of its tables."""
    return tuple(_MADE[paper]())


def figures(papers: Collection[str] = PAPERS) -> list[MetricFigure]:
    """The figures of some papers."""
    return [figure for paper in PAPERS if paper in papers for figure in figures_of(paper)]


def mean_of(*columns: str) -> Parts:
    """The mean of what is known in the columns, all plans and columns together."""

    def parts(rows: pl.DataFrame) -> tuple[Floats, Floats]:
        values = rows.select(pl.col(columns).cast(pl.Float64).fill_null(np.nan)).to_numpy()
        known = np.isfinite(values)
        return np.where(known, values, 0.0).sum(axis=1), known.sum(axis=1).astype(np.float64)

    return parts


def _tprag() -> list[MetricFigure]:
    """Table 1, the six that are counted."""
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
    """Table B1."""
    return _means("traveleval", _DIMENSIONS)


def _means(paper: str, main: Sequence[str] = ()) -> list[MetricFigure]:
    return [
        MetricFigure(paper, m.column, m.label, m.better, mean_of(m.column), m.label in main)
        for m in of_paper(paper)
    ]


def _chinatravel() -> list[MetricFigure]:
    """Table 2: DR, EPR and LPR micro and macro, C-LPR and FPR."""
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
    """ChinaTravel's marks of each row; None where its plan is not ChinaTravel's to judge."""
    return [
        None
        if None in row
        else chinatravel.Marks(row[0] == 1, int(row[1]), int(row[2]), int(row[3]))
        for row in rows.select(f"chinatravel_{name}" for name in MARKS).iter_rows()
    ]


def _tripscore() -> list[MetricFigure]:
    """Table 3: delivery rate, commonsense pass rate and reward, then each constraint's mean.

    A plan that is not known to pass has not passed.
    """
    rates = {"Delivery Rate": "tripscore_format", "Commonsense Pass Rate": "tripscore_commonsense"}
    found = [
        MetricFigure(
            "tripscore", _key("tripscore", label), label, "high", _share_passed(column), main=True
        )
        for label, column in rates.items()
    ]
    reward = "tripscore_reward"
    found.append(MetricFigure("tripscore", reward, "Reward", "high", mean_of(reward), main=True))
    for name in TRIPSCORE:
        column = f"tripscore_{name}"
        found.append(MetricFigure("tripscore", column, name, "high", mean_of(column)))
    return found + _means("tripscore")


def _share_passed(column: str) -> Parts:
    """The share of plans that are known to pass, of those that have a reward."""

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
    """The pass rates (micro and macro), the route ratio and the final pass rate, then the rest."""
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
#: TripTailor's easy and hard queries, by their days.
_EASY_DAYS = (2, 3)


def tables(rows: pl.DataFrame, papers: Collection[str]) -> dict[str, Table]:
    """For each paper its figures, and how many plans they are of; no plan gives null."""
    return {paper: _SUMMED_UP[paper](rows) for paper in PAPERS if paper in papers}


def _sum_up(rows: pl.DataFrame, paper: str, parts: Mapping[str, pl.Expr]) -> Table:
    """A paper's figures of all plans, and of each part of them of which there are any."""
    own = [metric.column for metric in of_paper(paper)]
    others = {
        "tprag": TPRAG, "chinatravel": [f"chinatravel_{name}" for name in MARKS],
        "tripscore": [f"tripscore_{name}" for name in TRIPSCORE],
    }  # fmt: skip
    columns = [*others.get(paper, ()), *own]
    known = rows.filter(pl.any_horizontal(pl.col(columns).is_not_null()))
    told = {figure.label: value(figure, rows) for figure in figures_of(paper)}
    held = {name: rows.filter(part) for name, part in parts.items()}
    found = {name: _sum_up(part, paper, {}) for name, part in held.items() if part.height}
    return {"plans": known.height, **told, **found}


def _sum_up_tprag(rows: pl.DataFrame) -> Table:
    """Table 1: means of the six rule metrics, as shares, under their abbreviations."""
    return {label.partition(" ")[0]: told for label, told in _sum_up(rows, "tprag", {}).items()}


def _sum_up_traveleval(rows: pl.DataFrame) -> Table:
    """Tables B1 and B4: means of all plans, and of easy, medium and hard queries."""
    tags = {tag: pl.col("tag") == tag for tag in ("easy", "medium", "hard")}
    return _sum_up(rows, "traveleval", tags)


def _sum_up_chinatravel(rows: pl.DataFrame) -> Table:
    """Table 2, of the plans that are ChinaTravel's to judge."""
    judged = sum(mark is not None for mark in marks(rows))
    return {**_sum_up(rows, "chinatravel", {}), "plans": judged}


def ranks(rows: pl.DataFrame) -> list[dict[str, Any]]:
    """Preference ranks of methods (appendix G), over plans that pass everything."""
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


def _sum_up_tripscore(rows: pl.DataFrame) -> Table:
    """Table 3, of the plans that have a reward, then each constraint's mean."""
    judged = rows["tripscore_reward"].is_not_null().sum()
    return {"judged": judged, **_sum_up(rows, "tripscore", {})}


def _sum_up_triptailor(rows: pl.DataFrame) -> Table:
    """The pass rates, the route ratio and the final pass rate; easy and hard."""
    easy = pl.col("days").cast(pl.Int64).is_in(_EASY_DAYS)
    return _sum_up(rows, "triptailor", {"easy": easy, "hard": ~easy})


_SUMMED_UP: Mapping[str, Callable[[pl.DataFrame], Table]] = {
    "tprag": _sum_up_tprag, "traveleval": _sum_up_traveleval, "chinatravel": _sum_up_chinatravel,
    "tripscore": _sum_up_tripscore, "triptailor": _sum_up_triptailor,
}  # fmt: skip
