"""Rows of plans summed up as the papers' tables print them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

import polars as pl

from validators.metrics import chinatravel
from validators.metrics.case import Value
from validators.metrics.catalogue import of_paper
from validators.metrics.figures import figures_of, marks, value
from validators.metrics.measure import MARKS
from validators.plans.scores import METRICS as TPRAG
from validators.plans.verdicts import TRIPSCORE

Table = dict[str, Any]
#: TripTailor's easy and hard queries, by their days.
_EASY_DAYS = (2, 3)


def tables(rows: pl.DataFrame, papers: Collection[str]) -> dict[str, Table]:
    """For each paper its figures, and how many plans they are of; no plan gives null."""
    made: Mapping[str, Callable[[pl.DataFrame], Table]] = {
        "tprag": _tprag, "traveleval": _traveleval, "chinatravel": _chinatravel,
        "tripscore": _tripscore, "triptailor": _triptailor,
    }  # fmt: skip
    return {paper: table(rows) for paper, table in made.items() if paper in papers}


def _figures(rows: pl.DataFrame, paper: str) -> dict[str, Value]:
    return {figure.label: value(figure, rows) for figure in figures_of(paper)}


def _count_known(rows: pl.DataFrame, columns: Collection[str]) -> int:
    """Plans of which any of the columns is known."""
    return rows.filter(pl.any_horizontal(pl.col(list(columns)).is_not_null())).height


def _columns(paper: str) -> list[str]:
    return [metric.column for metric in of_paper(paper)]


def _tprag(rows: pl.DataFrame) -> Table:
    """Table 1: means of the six rule metrics, as shares."""
    named = {figure.short: value(figure, rows) for figure in figures_of("tprag")}
    return {"plans": _count_known(rows, TPRAG), **named}


def _traveleval(rows: pl.DataFrame) -> Table:
    """Tables B1 and B4: means of all plans, and of easy, medium and hard queries."""
    parts = {}
    for tag in ("easy", "medium", "hard"):
        tagged = rows.filter(pl.col("tag") == tag)
        if tagged.height:
            parts[tag] = _whole(tagged, "traveleval")
    return {**_whole(rows, "traveleval"), **parts}


def _whole(rows: pl.DataFrame, paper: str) -> Table:
    return {"plans": _count_known(rows, _columns(paper)), **_figures(rows, paper)}


def _chinatravel(rows: pl.DataFrame) -> Table:
    """Table 2, of the plans that are ChinaTravel's to judge."""
    judged = sum(mark is not None for mark in marks(rows))
    return {"plans": judged, **_figures(rows, "chinatravel")}


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
    text = pl.String
    schema = {
        "query_id": text,
        "method": text,
        "preference": text,
        "direction": text,
        "value": pl.Float64,
    }
    return chinatravel.preference_ranks(pl.DataFrame(values, schema, orient="row")).to_dicts()


def _tripscore(rows: pl.DataFrame) -> Table:
    """Table 3, of the plans that have a reward, then each constraint's mean."""
    judged = rows["tripscore_reward"].is_not_null().sum()
    columns = [*(f"tripscore_{name}" for name in TRIPSCORE), *_columns("tripscore")]
    return {"judged": judged, "plans": _count_known(rows, columns), **_figures(rows, "tripscore")}


def _triptailor(rows: pl.DataFrame) -> Table:
    """The pass rates, the route ratio and the final pass rate; easy and hard."""
    parts = {}
    if rows["days"].is_not_null().any():
        easy = pl.col("days").is_in(_EASY_DAYS)
        for name, which in (("easy", easy), ("hard", ~easy)):
            part = rows.filter(which)
            if part.height:
                parts[name] = _whole(part, "triptailor")
    return {**_whole(rows, "triptailor"), **parts}
