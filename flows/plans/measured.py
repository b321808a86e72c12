"""Measure plans by the metrics of papers, in several processes if there are many plans."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import polars as pl

from flows.plans.files import Record
from flows.plans.material import Material, city_of, material_of
from schemas.plans import PlanError
from validators.metrics.measure import PlanAnswer, columns, measure, read_answer, unread
from validators.plans.scores import METRICS as TPRAG
from validators.plans.visits import STOPS, score_plans

#: The number of plans that one process measures at a time.
_LOT = 1000
Row = dict[str, Any]
ABOUT = {
    "plan_id": pl.String, "query_id": pl.String, "method": pl.String, "form": pl.String,
    "days": pl.Int64, "tag": pl.String, "goals": pl.List(pl.String), "problem": pl.String,
}  # fmt: skip


def measure_plans(
    snapshot: Path, records: Sequence[Record], papers: Sequence[str], query_id: str | None = None
) -> pl.DataFrame:
    """Measure the plans, and return one row for each plan, in order.

    ``snapshot`` must be the snapshot's own folder, because a link such as ``latest`` may change
    during the work.
    """
    scored = pl.concat(_lots(snapshot, records, query_id, papers))
    assert scored.height == len(records), "every plan has a row"
    return scored


def _lots(
    snapshot: Path, records: Sequence[Record], query_id: str | None, papers: Sequence[str]
) -> list[pl.DataFrame]:
    starts = range(0, max(1, len(records)), _LOT)
    lots = [(snapshot, records[at : at + _LOT], query_id, papers) for at in starts]
    workers = min(os.cpu_count() or 1, len(lots))
    if workers < 2:
        return [_lot(lot) for lot in lots]
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=spawn) as pool:
        return list(pool.map(_lot, lots))


def _lot(lot: tuple[Path, Sequence[Record], str | None, Sequence[str]]) -> pl.DataFrame:
    """Measure some of the plans, and return one row for each."""
    snapshot, records, query_id, papers = lot
    material = material_of(snapshot)
    rows: list[Row] = []
    stops: list[tuple[Any, ...]] = []
    for record in records:
        asked = material.find_query(record, query_id)
        row: Row = {"plan_id": record.plan_id, "query_id": asked, "method": record.method}
        question = material.question(asked)
        if asked is not None:
            structure = question.asked.structure
            goals = [goal["name"] for goal in structure.get("objectives") or ()]
            row |= {"tag": structure.get("tag"), "goals": goals, "days": structure.get("days")}
        try:
            if record.problem is not None:
                raise PlanError([record.problem])
            answer = read_answer(record.value)
            city_id = city_of(answer, asked, material.desk)
            row |= {"form": answer.trip.form, "days": row.get("days") or len(answer.trip.days)}
            row |= measure(answer, material.guide(city_id), question, papers)
            stops += _stops(record.plan_id, asked, city_id, answer)
        except PlanError as error:
            row |= {"problem": str(error), **unread(question, papers)}
        rows.append(row)
    schema: dict[str, Any] = {**ABOUT, **dict.fromkeys(columns(papers), pl.Float64)}
    scored = pl.DataFrame(rows, schema, orient="row")
    return _with_tprag(scored, stops, material) if "tprag" in papers else scored


def _with_tprag(
    scored: pl.DataFrame, stops: list[tuple[Any, ...]], material: Material
) -> pl.DataFrame:
    """Add TP-RAG's metrics, which are calculated for many plans at once."""
    visits = pl.DataFrame(stops, STOPS, orient="row")
    made = score_plans(scored.select("plan_id"), visits, material.table)
    made = made.select("plan_id", "n_visits", *TPRAG)
    return scored.join(made, on="plan_id", how="left", maintain_order="left")


def _stops(
    plan_id: str, asked: str | None, city_id: str, answer: PlanAnswer
) -> Iterator[tuple[Any, ...]]:
    for order, event in enumerate(answer.trip.sights(), 1):
        yield (
            plan_id,
            asked,
            city_id,
            event.day,
            order,
            event.name,
            event.start_min,
            event.end_min,
        )
