"""Rows of plans summed up as the papers' tables print them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import polars as pl

from validators.metrics import chinatravel
from validators.metrics.catalogue import of_paper
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


def _means(rows: pl.DataFrame, names: Mapping[str, str]) -> Table:
    """Mean of each column where it is known, by label; the plans where any of them is."""
    known = rows.filter(pl.any_horizontal(pl.col(list(names)).is_not_null()))
    means = known.select(pl.col(column).mean() for column in names).row(0)
    return {"plans": known.height, **dict(zip(names.values(), means, strict=True))}


def _tprag(rows: pl.DataFrame) -> Table:
    """Table 1: means of the six rule metrics, as shares."""
    labels = ("FR", "RR", "DMR", "DUR", "TBR", "PP")
    return _means(rows, dict(zip(TPRAG, labels, strict=True)))


def _traveleval(rows: pl.DataFrame) -> Table:
    """Tables B1 and B4: means of all plans, and of easy, medium and hard queries."""
    names = {metric.column: metric.label for metric in of_paper("traveleval")}
    parts = {
        tag: _means(rows.filter(pl.col("tag") == tag), names)
        for tag in ("easy", "medium", "hard")
        if (rows["tag"] == tag).any()
    }
    return {**_means(rows, names), **parts}


def _chinatravel(rows: pl.DataFrame) -> Table:
    """Table 2: DR, EPR and LPR micro and macro, C-LPR and FPR."""
    found = _marks(rows)
    rates: Mapping[str, Callable[[Sequence[chinatravel.Marks]], float | None]] = {
        "DR": chinatravel.delivery_rate,
        "EPR micro": chinatravel.environment_rate_micro,
        "EPR macro": chinatravel.environment_rate_macro,
        "LPR micro": chinatravel.logic_rate_micro,
        "LPR macro": chinatravel.logic_rate_macro,
        "C-LPR": chinatravel.conditional_logic_rate,
        "FPR": chinatravel.final_rate,
    }
    return {"plans": len(found), **{label: rate(found) for label, rate in rates.items()}}


def _marks(rows: pl.DataFrame) -> list[chinatravel.Marks]:
    named = [f"chinatravel_{name}" for name in MARKS]
    known = rows.drop_nulls(named).select(named)
    return [
        chinatravel.Marks(delivered == 1, int(environment), int(logic), int(asked))
        for delivered, environment, logic, asked in known.iter_rows()
    ]


def ranks(rows: pl.DataFrame) -> list[dict[str, Any]]:
    """Preference ranks of methods (appendix G), over plans that pass everything."""
    marks = [f"chinatravel_{name}" for name in MARKS]
    if not {*marks, "goals"} <= set(rows.columns):
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
    schema = {"query_id": text, "method": text, "preference": text, "direction": text, "value": pl.Float64}  # fmt: skip
    return chinatravel.preference_ranks(pl.DataFrame(values, schema, orient="row")).to_dicts()


def _tripscore(rows: pl.DataFrame) -> Table:
    """Table 3: delivery rate, commonsense pass rate and reward, then each constraint's mean.

    A plan that is not known to pass has not passed.
    """
    names = {f"tripscore_{name}": name for name in TRIPSCORE}
    names |= {metric.column: metric.label for metric in of_paper("tripscore")}
    judged = rows.drop_nulls("tripscore_reward")
    passed = judged.select(
        (pl.col("tripscore_format").fill_null(0) == 1).mean().alias("Delivery Rate"),
        (pl.col("tripscore_commonsense").fill_null(0) == 1).mean().alias("Commonsense Pass Rate"),
        pl.col("tripscore_reward").mean().alias("Reward"),
    )
    return {"judged": judged.height, **passed.to_dicts()[0], **_means(rows, names)}


def _triptailor(rows: pl.DataFrame) -> Table:
    """The pass rates (micro and macro), the route ratio and the final pass rate; easy and hard."""
    parts = {}
    if rows["days"].is_not_null().any():
        easy = pl.col("days").is_in(_EASY_DAYS)
        for name, which in (("easy", easy), ("hard", ~easy)):
            part = rows.filter(which)
            if part.height:
                parts[name] = _rates(part)
    return {**_rates(rows), **parts}


def _rates(rows: pl.DataFrame) -> Table:
    names = {m.column: m.label for m in of_paper("triptailor")}
    table = _means(rows, names)
    table["Feasibility Micro"] = _mean_of(table, ("Within Sandbox", "Complete Information"))
    table["Rationality Micro"] = _mean_of(
        table,
        ("Diverse Restaurants", "Diverse Attractions", "Reasonable Meal Prices",
         "Appropriate Visit Duration", "Defined Budget Limit"),
    )  # fmt: skip
    renamed = {"Feasibility": "Feasibility Macro", "Rationality": "Rationality Macro"}
    table = {renamed.get(label, label): value for label, value in table.items()}
    extra = {"route_ratio": "Average Route Distance Ratio", "final_pass": "Final Pass Rate", "s_route": "S Route"}  # fmt: skip
    more = rows.select(pl.col(f"triptailor_{name}").mean() for name in extra).row(0)
    return {**table, **dict(zip(extra.values(), more, strict=True))}


def _mean_of(table: Table, labels: Sequence[str]) -> float | None:
    known = [table[label] for label in labels if table[label] is not None]
    return sum(known) / len(known) if known else None
