"""Measure plans by the rule metrics of several papers, for ``tripbed plans score --metrics``."""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import polars as pl

from flows.console import print_json
from flows.errors import SettingsError
from flows.plans.files import Record, read_records, ready
from flows.plans.material import Material, material_of
from schemas.nouns import count_noun
from schemas.plans import PlanError
from validators.metrics.catalogue import PAPERS
from validators.metrics.figures import ranks, tables
from validators.metrics.measure import PlanAnswer, columns, measure, read_answer, unread
from validators.metrics.tprag_ranks import rank_metrics
from validators.plans.scores import METRICS as TPRAG
from validators.plans.visits import STOPS, score_plans

Row = dict[str, Any]


def papers_of(text: str, known: Sequence[str] = PAPERS) -> tuple[str, ...]:
    """Return the papers that ``--metrics`` names, in the order of ``known``.

    Raises SettingsError if a paper is unknown or no paper is named.
    """
    named = {word.strip() for word in text.split(",") if word.strip()}
    if named == {"all"}:
        return tuple(known)
    if not named or named - set(known):
        wrong = ", ".join(sorted(named - set(known))) or "nothing"
        raise SettingsError(f"--metrics: {wrong} is not one of {', '.join(known)}, all")
    return tuple(name for name in known if name in named)


def score(
    snapshot: Path, files: Sequence[Path], out: Path, query_id: str | None,
    papers: Sequence[str], as_json: bool,
) -> int:  # fmt: skip
    """Measure every plan, write one Parquet file with a row per plan, and print a summary.

    Returns 0, or 1 if a plan has a problem. Raises SettingsError if a file or query does not exist.
    """
    snapshot, records = plans_in(snapshot, files, out, query_id)
    scored = measure_plans(snapshot, records, papers, query_id)
    scored.write_parquet(out)
    tell(summary_of(scored, papers, out), as_json)
    return tell_problems(scored)


def plans_in(
    snapshot: Path, files: Sequence[Path], out: Path, query_id: str | None
) -> tuple[Path, list[Record]]:
    """Return the path of the snapshot's own folder, with all links resolved, and the plans in the
    files.

    Raises SettingsError if a file or query does not exist, or if ``out`` does not end in .parquet.
    """
    ready(out)
    snapshot = snapshot.resolve()
    if query_id is not None:
        material_of(snapshot).query(query_id)
    return snapshot, read_records(files)


def summary_of(scored: pl.DataFrame, papers: Sequence[str], out: Path) -> Row:
    """Return the papers' tables for all plans and for each method, with the ranks of the
    methods."""
    methods = _by_method(scored, papers)
    stands = rank_metrics({name: told.get("tprag", {}) for name, told in methods.items()})
    return {
        "plans": scored.height, "problems": scored["problem"].is_not_null().sum(), "out": str(out),
        "tables": tables(scored, papers), "ranks": ranks(scored), "methods": methods,
        "tprag_ranks": stands if "tprag" in papers else {},
    }  # fmt: skip


def tell(summary: Row, as_json: bool) -> None:
    """Print a summary as text or as JSON."""
    if as_json:
        print_json(summary)
    else:
        print(in_words(summary))


def tell_problems(scored: pl.DataFrame) -> int:
    """Print the problems with plans. Returns 1 if any plan has a problem, and otherwise 0."""
    bad = scored.filter(pl.col("problem").is_not_null())
    for row in bad.iter_rows(named=True):
        sys.stderr.write(f"{row['plan_id']}: {row['problem'][:500]}\n")
    return 1 if bad.height else 0


def _by_method(scored: pl.DataFrame, papers: Sequence[str]) -> dict[str, Any]:
    """Return the papers' tables for each method; the result is empty if there is only one
    method."""
    names = scored["method"].unique().sort().to_list()
    if len(names) < 2:
        return {}
    return {name: tables(scored.filter(pl.col("method") == name), papers) for name in names}


def in_words(summary: Row) -> str:
    """Format a summary as lines of text."""
    lines = [
        f"{count_noun(summary['plans'], 'plan')} scored, {summary['problems']} with problems;"
        f" see {summary['out']}"
    ]
    for paper, table in summary["tables"].items():
        shown = {label: value for label, value in table.items() if not isinstance(value, dict)}
        lines += [paper, *(f"  {label}: {figure(value)}" for label, value in shown.items())]
    lines += [
        f"mean rank of {row['method']} by {row['preference']}: {row['rank']:.2f}"
        f" (over {count_noun(row['queries'], 'query')})"
        for row in summary["ranks"]
    ]
    return "\n".join([*lines, *rank_lines(summary["tprag_ranks"])])


def rank_lines(stands: Mapping[str, Mapping[str, float | None]]) -> list[str]:
    """Format TP-RAG's ranks as lines of text, one for each method."""
    return [
        f"ranks of {name}: " + ", ".join(f"{rank} {figure(value)}" for rank, value in ranks.items())
        for name, ranks in stands.items()
    ]


def figure(value: Any) -> str:
    """Format a figure with four decimals, or without decimals if it is a whole number."""
    return "unknown" if value is None else str(value) if isinstance(value, int) else f"{value:.4f}"


#: The number of plans that one process measures at a time.
_LOT = 1000
ABOUT = {
    "plan_id": pl.String, "query_id": pl.String, "method": pl.String, "form": pl.String,
    "days": pl.Int64, "tag": pl.String, "goals": pl.List(pl.String), "problem": pl.String,
}  # fmt: skip


def measure_plans(
    snapshot: Path, records: Sequence[Record], papers: Sequence[str], query_id: str | None = None
) -> pl.DataFrame:
    """Measure the plans, and return one row for each plan, in order.

    ``snapshot`` must be the snapshot's own folder, because a link such as ``latest`` may change
    while plans are measured.
    """
    scored = pl.concat(_lots(snapshot, records, query_id, papers))
    assert scored.height == len(records), "every plan must have exactly one row"
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
    """Measure some of the plans, and return one row for each plan."""
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
            answer = read_answer(record.content)
            city_id = material.find_city(asked, answer.trip.target_city)
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
