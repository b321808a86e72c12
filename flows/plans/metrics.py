"""Plans measured by the rule metrics of several papers: the work behind ``plans score --metrics``."""

from __future__ import annotations

import json
import multiprocessing
import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import polars as pl

from flows.errors import SettingsError
from flows.plans.desk import Desk
from flows.plans.files import Record, read_records, ready
from schemas.nouns import counted
from schemas.plans import PlanError, read_plan
from schemas.trip_forms import trip_of_plan
from validators.metrics.case import Asked, Case, asked_of
from validators.metrics.catalogue import PAPERS
from validators.metrics.guide import Guide, read_guide
from validators.metrics.measure import Answer, Question, columns, measure, read_answer, unread
from validators.metrics.tables import ranks, tables
from validators.plans.request import request_of
from validators.plans.scores import METRICS as TPRAG
from validators.plans.visits import STOPS, score_plans
from warehouse.read import Snapshot

#: Plans that one process measures at a time; fewer than two lots need no other process.
_LOT = 1000
Row = dict[str, Any]
_ABOUT = {
    "plan_id": pl.String, "query_id": pl.String, "method": pl.String, "form": pl.String,
    "days": pl.Int64, "tag": pl.String, "goals": pl.List(pl.String), "problem": pl.String,
}  # fmt: skip


def papers_of(text: str) -> tuple[str, ...]:
    """The papers that ``--metrics`` names, in our order; ``all`` are all. Raises SettingsError."""
    named = {word.strip() for word in text.split(",") if word.strip()}
    if named == {"all"}:
        return PAPERS
    if not named or named - set(PAPERS):
        wrong = ", ".join(sorted(named - set(PAPERS))) or "nothing"
        raise SettingsError(f"--metrics: {wrong} is none of {', '.join(PAPERS)}, all")
    return tuple(paper for paper in PAPERS if paper in named)


def score(
    snapshot: Path, files: Sequence[Path], out: Path, query_id: str | None,
    papers: Sequence[str], as_json: bool,
) -> int:  # fmt: skip
    """Measure every plan into one Parquet file, a row a plan, and print the papers' tables.

    Returns 0, or 1 if any plan has a problem. Raises SettingsError for files and queries that
    there are not.
    """
    ready(out)
    snapshot = snapshot.resolve()  # a store's ``latest`` may move on meanwhile
    if query_id is not None:
        Desk(Snapshot(snapshot)).query(query_id)
    records = read_records(files)
    scored = pl.concat(_measured(snapshot, records, query_id, papers))
    assert scored.height == len(records), "every plan has a row"
    scored.write_parquet(out)
    bad = scored.filter(pl.col("problem").is_not_null())
    summary = {
        "plans": scored.height, "problems": bad.height, "out": str(out),
        "tables": tables(scored, papers), "ranks": ranks(scored), "methods": _by_method(scored, papers),
    }  # fmt: skip
    sys.stdout.write(
        json.dumps(summary, ensure_ascii=False) + "\n" if as_json else _in_words(summary)
    )
    for row in bad.iter_rows(named=True):
        sys.stderr.write(f"{row['plan_id']}: {row['problem'][:500]}\n")
    return 1 if bad.height else 0


def _by_method(scored: pl.DataFrame, papers: Sequence[str]) -> dict[str, Any]:
    """The tables of each method, where there are several."""
    names = scored["method"].unique().sort().to_list()
    if len(names) < 2:
        return {}
    return {name: tables(scored.filter(pl.col("method") == name), papers) for name in names}


def _in_words(summary: Row) -> str:
    lines = [
        f"{counted(summary['plans'], 'plan')}, {summary['problems']} with a problem: {summary['out']}"
    ]
    for paper, table in summary["tables"].items():
        lines.append(paper)
        lines += [f"  {label}: {_figure(value)}" for label, value in table.items() if not isinstance(value, dict)]  # fmt: skip
    for row in summary["ranks"]:
        lines.append(f"rank of {row['method']} by {row['preference']}: {row['rank']:.2f} ({counted(row['queries'], 'query')})")  # fmt: skip
    return "\n".join(lines) + "\n"


def _figure(value: Any) -> str:
    return "unknown" if value is None else str(value) if isinstance(value, int) else f"{value:.4f}"


def _measured(
    snapshot: Path, records: Sequence[Record], query_id: str | None, papers: Sequence[str]
) -> list[pl.DataFrame]:
    """Rows of all plans in order, lot by lot; large files by several processes."""
    starts = range(0, len(records), _LOT)
    lots = [(snapshot, records[at : at + _LOT], query_id, papers) for at in starts]
    workers = min(os.cpu_count() or 1, len(lots))
    if workers < 2:
        return [_lot(lot) for lot in lots]
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=spawn) as pool:
        return list(pool.map(_lot, lots))


class _Bench:
    """A desk with guides, and the questions that queries ask."""

    def __init__(self, snapshot: Path):
        self.desk = Desk(Snapshot(snapshot))
        self.table = cache(self.desk.snapshot.table)
        self._guides: dict[str, Guide] = {}
        self._questions: dict[str, Question] = {}
        self._witnesses: dict[str, str] | None = None

    def guide(self, city_id: str) -> Guide:
        if city_id not in self._guides:
            world = self.desk.world(city_id)
            self._guides[city_id] = read_guide(self.desk.snapshot, city_id, world)
        return self._guides[city_id]

    def question(self, query_id: str | None) -> Question:
        if query_id is None:
            return Question(Asked())
        if query_id not in self._questions:
            row = self.desk.query(query_id)
            asked = asked_of(row["structure"])
            witness = self.witnesses.get(query_id)
            reference = None
            if witness is not None:
                trip = trip_of_plan(read_plan(json.loads(witness)))
                reference = Case(trip, self.guide(row["city_id"]), asked)
            self._questions[query_id] = Question(asked, request_of(row), reference)
        return self._questions[query_id]

    @property
    def witnesses(self) -> dict[str, str]:
        if self._witnesses is None:
            held = self.desk.snapshot
            self._witnesses = {}
            if "witness_plans" in held.tables():
                told = held.table("witness_plans").drop_nulls("plan")
                self._witnesses = dict(told.select("query_id", "plan").iter_rows())
        return self._witnesses


@lru_cache(maxsize=1)
def _bench(snapshot: Path) -> _Bench:
    """The bench of a snapshot, kept from lot to lot."""
    return _Bench(snapshot)


def _lot(lot: tuple[Path, Sequence[Record], str | None, Sequence[str]]) -> pl.DataFrame:
    """A row for each plan of a lot."""
    snapshot, records, query_id, papers = lot
    bench = _bench(snapshot)
    rows: list[Row] = []
    stops: list[tuple[Any, ...]] = []
    for record in records:
        asked = query_id or (record.query_id if record.query_id in bench.desk.queries else None)
        row: Row = {"plan_id": record.plan_id, "query_id": asked, "method": record.method}
        question = bench.question(asked)
        if asked is not None:
            structure = question.asked.structure
            goals = [goal["name"] for goal in structure.get("objectives") or ()]
            row |= {"tag": structure.get("tag"), "goals": goals, "days": structure.get("days")}
        try:
            if record.problem is not None:
                raise PlanError([record.problem])
            answer = read_answer(record.value)
            city_id = _city(answer, asked, bench.desk)
            row |= {"form": answer.trip.form, "days": row.get("days") or len(answer.trip.days)}
            row |= measure(answer, bench.guide(city_id), question, papers)
            stops += _stops(record.plan_id, asked, city_id, answer)
        except PlanError as error:
            row |= {"problem": str(error), **unread(question, papers)}
        rows.append(row)
    schema: dict[str, Any] = {**_ABOUT, **dict.fromkeys(columns(papers), pl.Float64)}
    scored = pl.DataFrame(rows, schema, orient="row")
    return _with_tprag(scored, stops, bench) if "tprag" in papers else scored


def _with_tprag(scored: pl.DataFrame, stops: list[tuple[Any, ...]], bench: _Bench) -> pl.DataFrame:
    """The rows with TP-RAG's metrics, which are counted for many plans at once."""
    visits = pl.DataFrame(stops, STOPS, orient="row")
    made = score_plans(scored.select("plan_id"), visits, bench.table)
    made = made.select("plan_id", "n_visits", *TPRAG)
    return scored.join(made, on="plan_id", how="left", maintain_order="left")


def _city(answer: Answer, asked: str | None, desk: Desk) -> str:
    target = answer.trip.target_city
    city_id = desk.city_id(asked, target)
    if city_id is None:
        raise PlanError([f"which city? {target or 'none is named'}: give --query"])
    return city_id


def _stops(plan_id: str, asked: str | None, city_id: str, answer: Answer) -> Iterator[tuple[Any, ...]]:  # fmt: skip
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
